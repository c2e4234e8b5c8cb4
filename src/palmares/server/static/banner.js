/** What the judge must know beside the screen: answers waiting, answers refused, signed out, a campaign that pauses. */

import { button, say } from "./say.js";

let shown = "";

/** `keep(entry)` and `replace(entry)` are what can be done about an answer that met another one. */
export function showBanner(queue, { keep, replace, state }) {
  const messages = [...paused(state), ...conflicts(queue, keep, replace), ...refusals(queue), ...waiting(queue)];
  const text = messages.map((message) => message.textContent).join("\n");
  const banner = document.getElementById("banner");
  if (text === shown) return;
  shown = text;
  banner.replaceChildren(...messages);
}

/** Unless the page of the screen says so by itself. */
function paused(state) {
  return state === "paused" && !document.getElementById("paused") ? [message(say("paused.notice"))] : [];
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

/** Answers that were not stored because there was another: both, and the choice. The page of the screen has its own. */
function conflicts(queue, keep, replace) {
  const here = document.getElementById("unstored") && document.getElementById("work").dataset.screen;
  const met = queue.refused().filter(({ screen, refused }) => refused.stored && screen !== here);
  return met.map((entry) => {
    const { stored } = entry.refused;
    const keeping = button(say("conflict.keep"), () => keep(entry));
    const replacing = button(say("conflict.replace"), () => replace(entry));
    const made = message(say("refused-conflict"), keeping, replacing, link(entry.page));
    made.firstChild.after(twoAnswers(stored, entry.body));
    return made;
  });
}

function twoAnswers(stored, sent) {
  const list = document.createElement("span");
  list.className = "two-answers";
  for (const [name, answer] of [[say("conflict.stored"), stored], [say("conflict.sent"), sent]]) {
    const line = document.createElement("span");
    const label = document.createElement("strong");
    label.textContent = name;
    line.append(label, ` ${told(answer)}`);
    list.append(line);
  }
  return list;
}

function told({ ranks, skip, verdict }) {
  if (skip) return say("conflict.skip", { reason: say(`skip.reason.${skip}`) });
  if (ranks.length === 2) return say(`pair.${choice(ranks, verdict)}`);
  return ranks.map((rank, index) => say("conflict.stored-rank", { place: index + 1, rank })).join(say("list.separator"));
}

function choice([first, second], verdict) {
  if (first === second) return verdict ?? "tie";
  return first < second ? "first" : "second";
}

/** Other refusals; those of a closed campaign in one line. */
function refusals(queue) {
  const others = queue.refused().filter(({ refused }) => !refused.stored);
  const late = others.filter(({ refused }) => refused.kind === "closed");
  const made = others
    .filter((entry) => !late.includes(entry))
    .map(({ key, page, refused }) =>
      message(say("refused", { reason: refused.message }), link(page), dismiss(queue, key)),
    );
  if (!late.length) return made;
  const text = say("refused-closed", { count: late.length });
  return [message(text, dismiss(queue, ...late.map(({ key }) => key))), ...made];
}

const dismiss = (queue, ...keys) => button(say("dismiss"), () => queue.drop(...keys));

function link(page) {
  const made = document.createElement("a");
  made.href = page;
  made.textContent = say("look");
  return made;
}

function message(text, ...controls) {
  const made = document.createElement("p");
  const words = document.createElement("span");
  words.textContent = text;
  made.append(words, ...controls);
  return made;
}
