/** Two outputs and one choice between them. To everything else they are ranks, like those of more outputs. */

import { Ranks } from "./ranks.js";
import { get, put } from "./storage.js";

const RANKS = { first: [1, 2], tie: [1, 1], second: [2, 1], "both-bad": [1, 1] };
const BOTH_BAD = "palmares:both-bad"; // the screens of unfinished answers that say so: a saved draft knows ranks only
const REMEMBERED = 50;

export class Pair extends Ranks {
  /** `answered`: the choice on the page is one that is stored. */
  constructor(form, changed, { screen, answered }) {
    super(form, changed);
    this.screen = screen;
    this.known = this.choice;
    if (!answered && this.choice === "tie" && this.remembered.includes(screen)) this.show([1, 1], "both-bad");
  }

  get controls() {
    return [...this.form.querySelectorAll("#pair [name=pair]")];
  }

  /** The control of what is chosen: a radio button, or a button that submits. */
  get chosen() {
    return this.controls.find((control) => control.checked || control.classList.contains("chosen"));
  }

  get choice() {
    return this.chosen?.value ?? null;
  }

  get values() {
    return RANKS[this.choice] ?? [null, null];
  }

  get verdict() {
    return this.choice === "both-bad" ? "both-bad" : null;
  }

  get remembered() {
    return get(BOTH_BAD) ?? [];
  }

  noticed(input) {
    if (input.name === "pair") this.settled();
  }

  /** Choose; false if that is not offered. */
  choose(choice) {
    if (!this.controls.some((control) => control.value === choice)) return false;
    this.put(choice);
    this.settled();
    return true;
  }

  undo() {
    if (!this.done.length) return null;
    this.put(this.done.pop());
    this.known = this.choice;
    this.remember();
    this.changed();
    return 0;
  }

  show([first, second], verdict = null) {
    if (!first || !second) this.put(null);
    else if (first === second) this.put(verdict ?? "tie");
    else this.put(first < second ? "first" : "second");
    this.done = [];
    this.known = this.choice;
  }

  put(choice) {
    for (const control of this.controls) {
      if (control.type === "radio") control.checked = control.value === choice;
      else control.classList.toggle("chosen", control.value === choice);
    }
  }

  settled() {
    const before = this.known;
    this.known = this.choice;
    if (this.known !== before) this.done.push(before);
    this.complain(false);
    this.remember();
    this.changed();
  }

  remember() {
    const others = this.remembered.filter((screen) => screen !== this.screen).slice(-REMEMBERED);
    put(BOTH_BAD, this.verdict ? [...others, this.screen] : others);
  }

  complain(wrong) {
    const group = this.form.querySelector("#pair");
    group.classList.toggle("missing", wrong);
    if (group.getAttribute("role") !== "radiogroup") return;
    if (wrong) group.setAttribute("aria-invalid", "true");
    else group.removeAttribute("aria-invalid");
  }

  askFor() {
    this.complain(true);
    this.controls[0].focus({ preventScroll: true });
  }
}
