// Copy buttons, which do nothing without a script and so are hidden until there is one.

const said = document.getElementById("copied");

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}

async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  const done = (await written(source.textContent.trim())) || copiedAsSelection(source);
  const label = button.firstChild;
  const before = label.textContent;
  const words = done ? "Copied" : "Selected: copy it by hand";
  said.textContent = `${words}.`;
  if (before === words || button.dataset.waiting) return;
  button.dataset.waiting = "yes";
  label.textContent = words;
  setTimeout(() => {
    label.textContent = before;
    said.textContent = "";
    delete button.dataset.waiting;
  }, 2000);
}

/** Browsers lend the clipboard to pages of https and of this machine alone, and only if the reader lets them. */
async function written(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function copiedAsSelection(source) {
  getSelection().selectAllChildren(source);
  return document.execCommand("copy");
}
