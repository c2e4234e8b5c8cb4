/** What the judge must know about answers on their way: waiting, refused, signed out. */

import { button, say } from "./say.js";

let shown = "";

export function showBanner(queue) {
  const messages = [...refusals(queue), ...waiting(queue)];
  const text = messages.map((message) => message.textContent).join("\n");
  const banner = document.getElementById("banner");
  if (text === shown) return;
  shown = text;
  banner.replaceChildren(...messages);
}

function waiting(queue) {
  const count = queue.waiting().length;
  if (!count) return [];
  const messages = [];
  if (queue.signedOut) messages.push(message(say("signed-out"), button(say("retry"), () => location.reload())));
  else if (queue.failures) messages.push(message(say("unsent", { count }), button(say("retry"), () => queue.flush())));
  if (queue.fragile) messages.push(message(say("storage-full")));
  return messages;
}

function refusals(queue) {
  return queue.refused().map((entry) => {
    const { kind, message: reason } = entry.refused;
    const text = kind === "conflict" ? say("refused-conflict") : say("refused", { reason });
    const look = document.createElement("a");
    look.href = entry.page;
    look.textContent = say("look");
    return message(text, look, button(say("dismiss"), () => queue.drop(entry.key)));
  });
}

function message(text, ...controls) {
  const made = document.createElement("p");
  const words = document.createElement("span");
  words.textContent = text;
  made.append(words, ...controls);
  return made;
}
