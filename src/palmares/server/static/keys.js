/** The keys of the screen. Tab and Space stay what they are in every form; so do left and right in radio buttons. */

import { get, put } from "./storage.js";

const SWITCH = "palmares:keys-off";
const WRITING = "textarea, input[type=text], select, [contenteditable]";
const OWN_ENTER = "a, button, summary, textarea, input[type=checkbox], #skip";
const ARROWS = { ArrowUp: -1, ArrowDown: 1 };
const MOVES = { ...ARROWS, k: -1, j: 1 };
const PANELS = { s: "skip", c: "comment", "?": "keys" };
const BUTTONS = { p: "previous", o: "given-toggle", d: "differences" };
const CHOICES = { 1: "first", 2: "second", 0: "tie", "=": "tie", t: "tie", b: "both-bad" };
/** The output that stands on that side, where two stand side by side. */
const SIDES = document.dir === "rtl" ? { ArrowRight: "first", ArrowLeft: "second" } : { ArrowLeft: "first", ArrowRight: "second" };
const FREE = "body, #title, #submit, .output, button.pair-choice";

/** `screen()` gives the screen that is shown now. One listener serves them all. */
export function listen(screen) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey || event.metaKey) return;
    // A key held down moves on and on, but ranks, submits and opens things once.
    if (event.repeat && !(event.key in MOVES)) return;
    if (handle(event, screen())) event.preventDefault();
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
  const { key, target } = event;
  if (event.ctrlKey) return key.toLowerCase() === "z" && !event.shiftKey && !target.matches(WRITING) && screen.undo();
  if (key === "Escape") return screen.close(target.closest(".panel"));
  if (target.matches(WRITING)) return false;
  if (key === "Enter") return !target.closest(OWN_ENTER) && screen.submit();
  if (key in ARROWS) return arrow(screen, ARROWS[key], target);
  if (key in SIDES) return screen.pairs && !event.shiftKey && target.matches(FREE) && screen.choose(SIDES[key]);
  return !get(SWITCH) && single(key, screen, target);
}

/** Up and down belong to the page as long as nothing else that uses them has the focus. */
function arrow(screen, step, target) {
  if (target.closest(".output")) return screen.move(step);
  return (target === document.body || target.id === "title" || target.id === "submit") && screen.move(0);
}

function single(key, screen, target) {
  if (key in PANELS) return screen.toggle(PANELS[key]);
  if (target.closest("#skip")) return false;
  if (screen.pairs && key in CHOICES) return screen.choose(CHOICES[key]);
  if (!screen.pairs && /^[1-9]$/.test(key)) return screen.rank(Number(key));
  if (key === "u") return screen.undo();
  if (key in BUTTONS) return screen.press(BUTTONS[key]);
  return key in MOVES && screen.move(target.closest(".output") ? MOVES[key] : 0);
}
