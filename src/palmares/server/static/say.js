/** The words of the page, which the server put into it in the reader's language. */

const words = JSON.parse(document.getElementById("judge").dataset.words);

export const say = (key, values = {}) => words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);

/** Join numbers as the language does: 1, 2 and 4. */
export function listed(items) {
  const first = items.slice(0, -1).join(words["list.separator"]);
  const last = items.at(-1);
  return first ? say("list.last", { first, last }) : String(last);
}

/** Say something to those who listen to the page. */
export function announce(text) {
  document.getElementById("announcer").textContent = text;
}

export function button(text, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", action);
  return made;
}
