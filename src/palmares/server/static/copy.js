/** Buttons that copy what stands beside them; without this script they are not there, and the text can be selected. */

for (const button of document.querySelectorAll("button[data-copies]")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}

async function copy(button) {
  const shown = document.getElementById(button.dataset.copies);
  getSelection().selectAllChildren(shown);
  try {
    await navigator.clipboard.writeText(shown.textContent.trim());
  } catch {
    document.execCommand("copy"); // there is no clipboard where the page came without TLS
  }
  const status = button.parentElement.querySelector("[role=status]");
  status.textContent = button.dataset.copied;
}
