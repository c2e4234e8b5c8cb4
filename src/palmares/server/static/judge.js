/** The judge's screen, made better: keys, saved drafts, going on without a network. Without this it is a plain form. */

import { fetchAhead, keep, page, swap } from "./ahead.js";
import { showBanner } from "./banner.js";
import { Draft } from "./drafts.js";
import { listen, prepareSwitch } from "./keys.js";
import { Queue } from "./queue.js";
import { Ranks } from "./ranks.js";
import { announce, button, listed, say } from "./say.js";
import { get, put } from "./storage.js";
import { Stopwatch } from "./stopwatch.js";

const DIFFERENCES = "palmares:differences";
const element = (id) => document.getElementById(id);
const request = () => ({ api: element("work").dataset.api, token: element("answer").elements.csrf.value });

class Screen {
  constructor() {
    this.data = element("work").dataset;
    this.id = this.data.screen;
    this.practice = "practice" in this.data;
    this.form = element("answer");
    this.watch = new Stopwatch();
    this.ranks = new Ranks(this.form, () => this.changed());
    this.draft = this.practice ? null : new Draft(this.draftParts());
    this.form.addEventListener("submit", (event) => this.onSubmit(event));
    element("skip-form").addEventListener("submit", (event) => this.onSkip(event));
    this.prepareControls();
    this.showQueued();
    if (!this.queued) this.draft?.recover();
  }

  draftParts() {
    const { judge, version } = this.data;
    const status = (key) => (element("status").textContent = say(key));
    const ask = (which, theirs) => this.askAbout(which, theirs);
    return { screen: this.id, judge, version: Number(version), request, ranks: this.ranks, status, ask };
  }

  prepareControls() {
    element("undo").hidden = false;
    element("undo").addEventListener("click", () => this.ranks.undo());
    prepareSwitch(element("keys"));
    element("differences").checked = Boolean(get(DIFFERENCES));
    element("differences").addEventListener("change", (event) => put(DIFFERENCES, event.target.checked));
    element("previous")?.addEventListener("click", (event) => goBack(event));
  }

  /** An answer to this very screen that has not reached the server yet stands for what the server does not know. */
  showQueued() {
    const entry = queue.waiting(this.id).at(-1);
    this.queued = Boolean(entry);
    if (!entry) return;
    if (entry.body.ranks) this.ranks.show(entry.body.ranks);
    element("status").textContent = say("queued");
  }

  changed() {
    this.queued = false;
    element("missing").hidden = this.ranks.missing.length > 0 && element("missing").hidden;
    if (!this.ranks.missing.length) element("missing").hidden = true;
    this.draft?.changed();
  }

  complete() {
    element("submit").focus();
    announce(say("all-ranked"));
  }

  toggle(id) {
    const panel = element(id);
    panel.open = !panel.open;
    panel.querySelector(panel.open ? "input, summary" : "summary").focus();
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

  onSubmit(event) {
    const { missing } = this.ranks;
    if (missing.length || this.leaving) {
      event.preventDefault();
      if (missing.length) this.nameMissing(missing);
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
      return;
    }
    event.preventDefault();
    if (!this.leaving) this.send({ skip: reason.value, note: note.value });
  }

  nameMissing(missing) {
    missing.forEach((place) => this.ranks.complain(place - 1, true));
    this.ranks.go(missing[0] - 1);
    const message = element("missing");
    message.hidden = false;
    message.textContent = say(missing.length === 1 ? "missing.one" : "missing.many", { places: listed(missing) });
  }

  send(answer) {
    this.leaving = true;
    this.draft?.stop();
    queue.add(this.id, location.pathname, { ...answer, revision: Number(this.data.revision), seconds: this.watch.seconds });
    goOn(this);
  }

  askAbout(which, theirs) {
    const words = { newer: ["newer", "use-newer"], kept: ["kept-here", "use-kept"] }[which];
    const line = document.createElement("div");
    line.className = "notice asking";
    line.setAttribute("role", "alert");
    const finish = (act) => () => {
      line.remove();
      act();
      this.ranks.go(this.ranks.current);
    };
    const take = () => (which === "newer" ? this.ranks.show(theirs) : this.draft.take(theirs));
    const stay = () => this.draft.changed();
    const text = document.createElement("span");
    text.textContent = say(words[0]);
    line.append(text, button(say(words[1]), finish(take)), button(say("keep-mine"), finish(stay)));
    document.querySelector(".asking")?.remove();
    document.querySelector(".outputs").before(line);
    element("status").textContent = "";
  }
}

/** Show the next screen that is there, or wait until the answers have arrived. */
function goOn(from) {
  answered.add(from.id);
  const done = Number(from.data.done) + (from.data.revision === "0" && !from.counted ? 1 : 0);
  keep(location.pathname);
  const next = nextReady(JSON.parse(from.data.following));
  if (next) {
    history.pushState(null, "", next.address);
    open(next.page, done);
  } else {
    element("submit").setAttribute("aria-disabled", "true");
    element("status").textContent = say("storing");
    waitingForAll = true;
  }
  queue.flush();
}

function nextReady(following) {
  for (const address of following) {
    const found = page(address);
    const work = found?.getElementById("work");
    if (work && work.dataset.revision === "0" && !answered.has(work.dataset.screen)) return { address, page: found };
  }
  return null;
}

function open(found, done) {
  swap(found);
  const { data } = (shown = new Screen());
  data.done = Math.max(done, Number(data.done));
  if (data.target && element("progress-bar")) {
    element("progress-bar").value = Math.min(data.done, data.target);
    element("progress-words").textContent = say("progress.count", { done: data.done, target: data.target });
  }
  fetchAhead(JSON.parse(data.following));
}

/** Back to the screen before: from the server if it can be asked, else from what this device has. */
function goBack(event) {
  const address = new URL(event.currentTarget.href).pathname;
  if (navigator.onLine && !queue.waiting().length) return;
  const found = page(address);
  if (!found) return;
  event.preventDefault();
  history.pushState(null, "", address);
  shown.draft?.stop();
  open(found, Number(shown.data.done));
  shown.counted = true;
}

function queueChanged() {
  showBanner(queue);
  if (waitingForAll && queue.failures) element("status").textContent = say("last-loaded");
  const idle = !queue.waiting().length;
  if (idle && (waitingForAll || shown?.queued)) location.assign(element("work").dataset.home);
}

let shown = null;
let waitingForAll = false;
const answered = new Set(); // screens answered from this page
const queue = new Queue(element("work").dataset.judge, request, queueChanged);

shown = new Screen();
listen(() => shown);
showBanner(queue);
queue.flush();
fetchAhead(JSON.parse(shown.data.following));

addEventListener("popstate", () => location.reload());
addEventListener("storage", () => showBanner(queue));
addEventListener("pageshow", (event) => event.persisted && location.reload());
addEventListener("beforeunload", (event) => queue.fragile && event.preventDefault());
