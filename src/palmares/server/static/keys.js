/** The keys of the screen. Left, right, Tab and Space stay what they are in every form. */

import { get, put } from "./storage.js";

const SWITCH = "palmares:keys-off";
const WRITING = "textarea, input[type=text], select, [contenteditable]";
const OWN_ENTER = "a, button, summary, textarea, input[type=checkbox]";

/** `screen()` gives the screen that is shown now. One listener serves them all. */
export function listen(screen) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey || event.metaKey) return;
    const shown = screen();
    if (shown && handle(event, shown)) event.preventDefault();
  });
}

/** The switch for single-character keys, which someone who speaks to the computer may want off. */
export function prepareSwitch(panel) {
  const box = panel.querySelector("#keys-on");
  panel.hidden = false;
  box.checked = !get(SWITCH);
  box.addEventListener("change", () => put(SWITCH, !box.checked));
}

function handle(event, screen) {
  const target = event.target;
  if (event.ctrlKey) return event.key.toLowerCase() === "z" && !event.shiftKey && !target.matches(WRITING) && undo(screen);
  if (target.matches(WRITING)) return false;
  if (event.key === "Enter") return !target.closest(OWN_ENTER) && !target.closest("#skip-form") && screen.submit();
  if (target.closest(".panel")) return event.key === "?" && single("?", screen);
  if (event.key === "ArrowUp" || event.key === "ArrowDown") return move(screen, event.key === "ArrowUp" ? -1 : 1, target);
  return !get(SWITCH) && single(event.key, screen);
}

/** Up and down belong to the page as long as nothing else has the focus. */
function move(screen, step, target) {
  const inOutput = target.closest(".output");
  if (!inOutput && target !== document.body && target.id !== "title" && target.id !== "submit") return false;
  const start = screen.ranks.current;
  screen.ranks.go(inOutput ? start + step : start);
  return true;
}

function single(key, screen) {
  if (/^[1-9]$/.test(key)) return rank(screen, Number(key));
  const action = { j: () => move(screen, 1, document.activeElement), k: () => move(screen, -1, document.activeElement), u: () => undo(screen) };
  const toggle = { s: () => screen.toggle("skip"), d: () => screen.differences(), "?": () => screen.toggle("keys") };
  return (action[key] ?? toggle[key])?.() ?? false;
}

function rank(screen, number) {
  const { ranks } = screen;
  if (!ranks.set(ranks.current, number)) return false;
  const next = ranks.firstMissing(ranks.current + 1);
  if (next >= 0) ranks.go(next);
  else screen.complete();
  return true;
}

function undo(screen) {
  screen.ranks.undo();
  return true;
}
