/** One screen: its ranks, its draft, its controls, and what its keys do. */

import { Draft } from "./drafts.js";
import { prepareSwitch } from "./keys.js";
import { Ranks } from "./ranks.js";
import { announce, button, listed, say } from "./say.js";
import { judge, request } from "./site.js";
import { Stopwatch } from "./stopwatch.js";
import { get, put } from "./storage.js";

const DIFFERENCES = "palmares:differences";
const JUST_OPENED = 350; // milliseconds in which a second click or Enter was meant for the screen before
const QUIET = new Set(["saving", "saved", "storing"]);
const element = (id) => document.getElementById(id);

export class Screen {
  /** `known` are ranks given here before, if any; `first` is the page that was loaded; `answered()` takes an answer. */
  constructor({ known, queued, first, answered }) {
    this.data = element("work").dataset;
    this.id = this.data.screen;
    this.practice = "practice" in this.data;
    this.queued = queued;
    this.answered = answered;
    this.form = element("answer");
    this.watch = new Stopwatch();
    this.ranks = new Ranks(this.form, () => this.changed());
    this.draft = this.practice ? null : new Draft(this.draftParts());
    this.form.addEventListener("submit", (event) => this.onSubmit(event));
    element("skip-form").addEventListener("submit", (event) => this.onSkip(event));
    this.prepareControls();
    if (!first) this.ignoreSecondClick();
    if (known) this.ranks.show(known);
    if (queued) this.status("queued");
    this.draft?.recover();
  }

  draftParts() {
    const { version, revision } = this.data;
    const status = (key) => this.status(key);
    const ask = (which, theirs) => this.askAbout(which, theirs);
    const numbers = { version: Number(version), revision: Number(revision) };
    return { screen: this.id, judge, ...numbers, request, ranks: this.ranks, status, ask };
  }

  prepareControls() {
    element("undo").hidden = false;
    element("undo").addEventListener("click", () => this.undo());
    prepareSwitch(element("keys"));
    element("differences").checked = Boolean(get(DIFFERENCES));
    element("differences").addEventListener("change", (event) => put(DIFFERENCES, event.target.checked));
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
    const { missing } = this.ranks;
    if (!missing.length) element("missing").hidden = true;
    else if (!element("missing").hidden) this.nameMissing(missing);
    this.draft?.changed();
  }

  nameMissing(places) {
    const message = element("missing");
    message.hidden = false;
    message.textContent = say(places.length === 1 ? "missing.one" : "missing.many", { places: listed(places) });
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

  undo() {
    const index = this.ranks.undo();
    if (index === null) {
      this.status("nothing-to-undo");
    } else {
      this.ranks.go(index);
      announce(say("undone", { place: index + 1 }));
    }
    return true;
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
    panel.querySelector(id === "skip" ? "input[type=radio]" : "summary").focus({ preventScroll: true });
    return true;
  }

  /** Close a panel and go back to the outputs. */
  close(panel) {
    if (!panel) return false;
    panel.open = false;
    this.move(0);
    return true;
  }

  differences() {
    element("differences").click();
    return true;
  }

  submit() {
    this.form.requestSubmit(element("submit"));
    return true;
  }

  // -- answers ---------------------------------------------------------------------------------------

  onSubmit(event) {
    const { missing } = this.ranks;
    if (this.opening) {
      event.preventDefault();
    } else if (missing.length) {
      event.preventDefault();
      this.complain(missing);
    } else if (this.practice) {
      this.form.elements.seconds.value = this.watch.seconds;
    } else {
      event.preventDefault();
      this.send({ ranks: this.ranks.values });
    }
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

  complain(missing) {
    missing.forEach((place) => this.ranks.complain(place - 1, true));
    this.ranks.go(missing[0] - 1);
    this.nameMissing(missing);
  }

  send(answer) {
    if (this.sent) return;
    this.sent = true;
    const unsaved = this.draft.stop();
    this.answered(this, { ...answer, revision: Number(this.data.revision), seconds: this.watch.seconds }, unsaved);
  }

  /** The answer is on its way, and there is no other screen to show. */
  wait(key) {
    element("submit").setAttribute("aria-disabled", "true");
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
      this.draft.settle({ save: !others || which === "kept" });
      this.move(0);
    };
    line.append(words, button(take, choose(true)), button(say("keep-mine"), choose(false)));
    document.querySelector(".asking")?.remove();
    document.querySelector(".outputs").before(line);
    element("status").textContent = "";
  }
}
