/** One screen: its ranks, its draft, its controls, and what its keys do. */

import { Draft } from "./drafts.js";
import { prepareGiven } from "./given.js";
import { prepareSwitch } from "./keys.js";
import { Pair } from "./pair.js";
import { Ranks } from "./ranks.js";
import { announce, button, listed, say } from "./say.js";
import { judge, request } from "./site.js";
import { Stopwatch } from "./stopwatch.js";
import { get, put } from "./storage.js";

const DIFFERENCES = "palmares:differences";
const JUST_OPENED = 350; // milliseconds in which a second click or Enter was meant for the screen before
const QUIET = new Set(["saving", "saved", "storing"]);
const FIRST_IN = { skip: "input[type=radio]", comment: "textarea", keys: "summary" };
const element = (id) => document.getElementById(id);

export class Screen {
  /**
   * `known` are ranks given here before, if any, and `answer` all of what was said then; `first` is the page that was
   * loaded; `answered()` takes an answer.
   */
  constructor({ known, answer, queued, first, answered }) {
    this.data = element("work").dataset;
    this.id = this.data.screen;
    this.practice = "practice" in this.data;
    this.queued = queued;
    this.answered = answered;
    this.form = element("answer");
    this.watch = new Stopwatch();
    this.oneStep = "oneStep" in this.data;
    this.ranks = this.prepareRanks(() => this.changed());
    this.draft = this.practice ? null : new Draft(this.draftParts());
    this.form.addEventListener("submit", (event) => this.onSubmit(event));
    element("skip-form").addEventListener("submit", (event) => this.onSkip(event));
    this.prepareControls();
    if (!first) this.ignoreSecondClick();
    if (known) this.showAnswer(answer);
    if (queued) this.status("queued");
    this.draft?.recover();
  }

  prepareRanks(changed) {
    this.pairs = element("pair") !== null;
    if (!this.pairs) return new Ranks(this.form, changed);
    return new Pair(this.form, changed, { screen: this.id, answered: this.data.revision !== "0" });
  }

  draftParts() {
    const { version, revision } = this.data;
    const status = (key) => this.status(key);
    const ask = (which, theirs) => this.askAbout(which, theirs);
    const numbers = { version: Number(version), revision: Number(revision) };
    return { screen: this.id, judge, ...numbers, request, ranks: this.ranks, status, ask };
  }

  prepareControls() {
    const undo = element("undo");
    if (undo) {
      undo.hidden = false;
      undo.addEventListener("click", () => this.undo());
    }
    prepareGiven(element("given"), element("given-toggle"));
    prepareSwitch(element("keys"));
    element("differences").checked = Boolean(get(DIFFERENCES));
    element("differences").addEventListener("change", (event) => put(DIFFERENCES, event.target.checked));
  }

  /** Show an answer that was given here, and that the page does not know of. */
  showAnswer({ ranks, verdict, note, problem }) {
    this.ranks.show(ranks, verdict);
    this.form.elements.note.value = note ?? "";
    this.form.elements.problem.checked = Boolean(problem);
    element("comment").open = Boolean(note);
  }

  /** The screen has taken the place of the one before, under the mouse. */
  ignoreSecondClick() {
    const work = element("work");
    work.classList.add("opening");
    this.opening = true;
    setTimeout(() => {
      work.classList.remove("opening");
      this.opening = false;
    }, JUST_OPENED);
  }

  /** Report something beside the buttons; what goes as it should is not read out. */
  status(key) {
    element("status").textContent = say(key);
    if (!QUIET.has(key)) announce(say(key));
  }

  changed() {
    this.opening = false;
    this.queued = false;
    this.offerUndo();
    const { missing } = this.ranks;
    if (!missing.length) element("missing").hidden = true;
    else if (!element("missing").hidden) this.nameMissing(missing);
    this.draft?.changed();
  }

  offerUndo() {
    const undo = element("undo");
    if (undo) undo.disabled = !this.ranks.done.length;
  }

  nameMissing(places) {
    const names = { places: listed(places) };
    if (this.pairs) this.complain(say("not-chosen"));
    else this.complain(places.length === 1 ? say("missing.one", names) : say("missing.many", names));
  }

  complain(words) {
    element("missing").hidden = false;
    element("missing").textContent = words;
  }

  // -- what the keys do ------------------------------------------------------------------------------

  rank(number) {
    const { ranks } = this;
    const place = ranks.current + 1;
    if (!ranks.set(ranks.current, number)) return false;
    announce(say("ranked", { place, rank: number }));
    const next = ranks.firstMissing(place);
    if (next >= 0) ranks.go(next);
    else this.complete();
    return true;
  }

  complete() {
    element("submit").focus();
    announce(say("all-ranked"));
  }

  /** Choose between two; where one step is enough, that is the answer. False if it is not offered. */
  choose(choice) {
    if (this.opening) return true;
    if (!this.ranks.choose(choice)) return false;
    if (this.oneStep) return this.submit();
    announce(say("chosen", { choice: this.ranks.chosen.parentElement.textContent.trim() }));
    element("submit").focus({ preventScroll: true });
    return true;
  }

  undo() {
    if (this.oneStep) return this.undoLast();
    const index = this.ranks.undo();
    if (index === null) {
      this.status("nothing-to-undo");
    } else if (this.pairs) {
      announce(say("choice-undone"));
    } else {
      this.ranks.go(index);
      announce(say("undone", { place: index + 1 }));
    }
    return true;
  }

  /** Where an answer is submitted by one key, the one before is what can be undone. */
  undoLast() {
    if (element("undo-last").hidden) this.status("nothing-to-undo");
    else element("undo-last").click();
    return true;
  }

  press(id) {
    element(id)?.click();
    return element(id) !== null;
  }

  move(step) {
    this.ranks.go(this.ranks.current + step);
    return true;
  }

  toggle(id) {
    const panel = element(id);
    if (panel.open) return this.close(panel);
    panel.open = true;
    panel.scrollIntoView({ block: "nearest" });
    panel.querySelector(FIRST_IN[id]).focus({ preventScroll: true });
    return true;
  }

  /** Close a panel and go back to the outputs. */
  close(panel) {
    if (!panel) return false;
    panel.open = false;
    this.move(0);
    return true;
  }

  submit() {
    this.form.requestSubmit(this.oneStep ? this.ranks.chosen : element("submit"));
    return true;
  }

  // -- answers ---------------------------------------------------------------------------------------

  onSubmit(event) {
    if (this.opening || !this.isComplete(event.submitter)) {
      event.preventDefault();
    } else if (this.practice) {
      this.form.elements.seconds.value = this.watch.seconds;
    } else {
      event.preventDefault();
      const { note, problem } = this.form.elements;
      const { values: ranks, verdict } = this.ranks;
      this.send({ ranks, verdict, note: note.value.trim() || null, problem: problem.checked });
    }
  }

  /** Whether the form says all that it has to; what is missing is named. The button pressed may be the choice itself. */
  isComplete(pressed) {
    if (pressed?.name === "pair") this.ranks.choose(pressed.value);
    const { missing } = this.ranks;
    const { note, problem } = this.form.elements;
    if (missing.length) {
      this.ranks.askFor(missing);
      this.nameMissing(missing);
      return false;
    }
    if (!problem.checked || note.value.trim()) return true;
    element("comment").open = true;
    note.focus();
    this.complain(say("say-problem"));
    return false;
  }

  onSkip(event) {
    const { reason, note, seconds } = event.target.elements;
    if (this.practice) {
      seconds.value = this.watch.seconds;
    } else {
      event.preventDefault();
      this.send({ skip: reason.value, note: note.value });
    }
  }

  send(answer) {
    if (this.sent) return;
    this.sent = true;
    const unsaved = this.draft.stop();
    this.answered(this, { ...answer, revision: Number(this.data.revision), seconds: this.watch.seconds }, unsaved);
  }

  /** The answer is on its way, and there is no other screen to show. */
  wait(key) {
    for (const button of document.querySelectorAll("#submit, button.pair-choice")) button.setAttribute("aria-disabled", "true");
    this.status(key);
  }

  // -- ranks found elsewhere -------------------------------------------------------------------------

  /** Let the judge choose between the ranks on the screen and others: newer ones, or ones this device kept. */
  askAbout(which, theirs) {
    const [text, take] = which === "newer" ? [say("newer"), say("use-newer")] : [say("kept-here"), say("use-kept")];
    const line = document.createElement("div");
    line.className = "notice asking";
    line.setAttribute("role", "alert");
    const words = document.createElement("span");
    words.textContent = text;
    const choose = (others) => () => {
      line.remove();
      if (others) this.ranks.show(theirs);
      this.offerUndo();
      this.draft.settle({ save: !others || which === "kept" });
      this.move(0);
    };
    line.append(words, button(take, choose(true)), button(say("keep-mine"), choose(false)));
    document.querySelector(".asking")?.remove();
    document.querySelector(".outputs").before(line);
    element("status").textContent = "";
  }
}
