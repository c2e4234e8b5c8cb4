/** The ranks on the screen: reading, setting and taking them back, and which output is the current one. */

export class Ranks {
  constructor(form, changed) {
    this.form = form;
    this.outputs = [...form.querySelectorAll(".output")];
    this.changed = changed;
    this.known = this.values;
    this.done = []; // [index, rank before], the last one at the end
    form.addEventListener("change", (event) => this.noticed(event.target));
    form.addEventListener("focusin", (event) => {
      const index = this.outputs.indexOf(event.target.closest(".output"));
      if (index >= 0) this.mark(index);
    });
    this.mark(Math.max(this.firstMissing(), 0));
  }

  get values() {
    return this.outputs.map((output) => Number(output.querySelector("input:checked")?.value) || null);
  }

  /** What is said of the outputs besides their ranks. */
  get verdict() {
    return null;
  }

  /** Places (from 1) without a rank. */
  get missing() {
    return this.values.flatMap((rank, index) => (rank === null ? [index + 1] : []));
  }

  firstMissing(from = 0) {
    const ranks = this.values;
    const order = ranks.map((_, step) => (from + step) % ranks.length);
    return order.find((index) => ranks[index] === null) ?? -1;
  }

  /** A rank was chosen with the mouse, a finger or the arrow keys of the browser itself. */
  noticed(input) {
    const index = this.outputs.indexOf(input.closest(".output"));
    if (index >= 0) this.settled(index);
  }

  /** Give a rank; false if there is no such rank. */
  set(index, rank) {
    const input = this.outputs[index].querySelector(`input[value="${rank}"]`);
    if (!input) return false;
    input.checked = true;
    this.settled(index);
    return true;
  }

  /** Take the last rank back; gives the index of its output, or null if there is nothing to take back. */
  undo() {
    const step = this.done.pop();
    if (!step) return null;
    const [index, rank] = step;
    this.put(index, rank);
    this.known = this.values;
    this.changed();
    return index;
  }

  /** Show ranks that come from elsewhere; there is nothing to take back in them. */
  show(ranks) {
    ranks.forEach((rank, index) => this.put(index, rank));
    this.done = [];
    this.known = this.values;
    this.mark(Math.max(this.firstMissing(), 0));
  }

  put(index, rank) {
    for (const input of this.outputs[index].querySelectorAll("input")) input.checked = Number(input.value) === rank;
  }

  settled(index) {
    const before = this.known;
    this.known = this.values;
    if (this.known[index] !== before[index]) this.done.push([index, before[index]]);
    this.complain(index, false);
    this.changed();
  }

  complain(index, wrong) {
    const output = this.outputs[index];
    output.classList.toggle("missing", wrong);
    if (wrong) output.setAttribute("aria-invalid", "true");
    else output.removeAttribute("aria-invalid");
  }

  /** Lead the judge to what has no rank yet. */
  askFor(places) {
    places.forEach((place) => this.complain(place - 1, true));
    this.go(places[0] - 1);
  }

  mark(index) {
    this.current = index;
    this.outputs.forEach((output, at) => output.classList.toggle("current", at === index));
  }

  /** Make an output the current one and put the focus on it, so that it is read out. */
  go(index) {
    const inside = Math.min(Math.max(index, 0), this.outputs.length - 1);
    this.mark(inside);
    enter(this.outputs[inside]);
  }
}

/** Put the focus on an output. One that is taller than what is left of the window is shown from its top. */
function enter(output) {
  const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(document.documentElement);
  const room = innerHeight - (parseFloat(scrollPaddingTop) || 0) - (parseFloat(scrollPaddingBottom) || 0);
  const tall = output.offsetHeight > room;
  output.focus({ preventScroll: tall });
  if (tall) output.scrollIntoView({ block: "start" });
}
