/** Buttons that copy a text of the page. Without a script they could do nothing, so they are hidden until there is one. */

const said = document.getElementById("copied");
const SHOWN = 2000; // milliseconds in which a button says what it did

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}

async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  const done = (await written(source.textContent.trim())) || copiedAsSelection(source);
  const words = done ? button.dataset.copied : button.dataset.byHand;
  said.textContent = words;
  if (button.dataset.waiting) return;
  const label = button.firstChild;
  const before = label.textContent;
  button.dataset.waiting = "yes";
  label.textContent = words;
  setTimeout(() => {
    label.textContent = before;
    said.textContent = "";
    delete button.dataset.waiting;
  }, SHOWN);
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
