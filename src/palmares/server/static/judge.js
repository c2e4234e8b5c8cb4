/** The judge's screens, made better: keys, saved drafts, going on without a network. Without this they are plain forms. */

import { fetchAhead, forget, keep, leaseAhead, page, put, swap } from "./ahead.js";
import { showBanner } from "./banner.js";
import { listen } from "./keys.js";
import { Progress } from "./progress.js";
import { Queue } from "./queue.js";
import { Screen } from "./screen.js";
import { answeredBefore, home, judge, request, state as stateThen } from "./site.js";

const PATIENCE = 2000; // milliseconds in which a draft on its way may arrive before the answer

const queue = new Queue(judge, request, { changed: queueChanged, stored, refused, then });
const given = new Map(); // screen → answer given from this page
const trail = []; // where the screens are that were answered from this page, in order
const progress = new Progress(document.getElementById("work").dataset.done, unsent());
let shown = null; // the screen that is shown
let address = null; // where it is
let open = null; // where the last screen is that came and had no answer: after a look back, it is the next one
let askedFrom = null; // the last screen of a HIT, from which the next HIT was asked for
let nextHit = null; // where that HIT begins
let waiting = false; // for the answers to arrive, as there is no other screen to show
let leaving = false; // this page, for one that the server makes
let state = stateThen; // of the campaign, as far as is known

/** Screens whose first answer the server lacks. One that it stored may be there still, if its receipt was lost. */
function unsent() {
  return queue.unsent.filter((screen) => !answeredBefore.includes(screen));
}

/** Make the screen that the page holds work. An answer that the server does not know yet stands for what it does know. */
function show() {
  const { screen, revision } = document.getElementById("work").dataset;
  const unsentAnswer = queue.waiting(screen).at(-1)?.body;
  const answer = unsentAnswer ?? given.get(screen);
  shown = new Screen({ known: answer?.ranks, answer, queued: Boolean(unsentAnswer), first: shown === null, answered });
  address = location.pathname;
  if (revision === "0" && !answer) open = address;
  waiting = false;
  progress.show(shown.data);
  tell();
  prepareWayBack();
  document.querySelector("#unstored form")?.addEventListener("submit", settled);
  fetchAhead(JSON.parse(shown.data.following));
  askAhead();
}

/** Ask for the next HIT, once, while the judge reads the last screen of this one and everything before it is stored. */
async function askAhead() {
  const isLast = address === open && shown.data.following === "[]" && !shown.practice;
  const isAway = leaving || waiting || document.hidden || !navigator.onLine;
  if (!isLast || isAway || state !== "open" || askedFrom === shown.id || queue.waiting().length) return;
  askedFrom = shown.id;
  const found = await leaseAhead(request());
  if (!found) return;
  nextHit = found.address;
  state = found.state;
  if (state === "closed") leave(home);
  else tell();
}

/** Take an answer, keep it until the server has it, and go on. `unsaved` is a draft that may still be on its way. */
async function answered(screen, answer, unsaved) {
  given.set(screen.id, answer);
  if (!trail.includes(address)) trail.push(address);
  progress.answered(screen.data);
  queue.add(screen.id, address, answer);
  keep(address);
  const next = nextReady([...JSON.parse(screen.data.following), open, nextHit]);
  if (next && !leaving) turnTo(next);
  else waitForAll(screen);
  // A draft that arrived after its answer would be taken for a newer one.
  await Promise.race([unsaved, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
  queue.flush();
}

function waitForAll(screen) {
  waiting = true;
  screen.wait("storing");
}

/** The first of these screens that is here and has no answer. */
function nextReady(addresses) {
  return addresses.find((there) => {
    const data = page(there)?.getElementById("work").dataset;
    return data?.revision === "0" && !given.has(data.screen) && !queue.waiting(data.screen).length;
  });
}

/** Show a page that is here already. */
function turnTo(there, { push = true } = {}) {
  shown.draft?.leave();
  if (push) history.pushState(null, "", there);
  swap(page(there));
  show();
}

/** Have the server make the page: what is here has come to an end. */
function leave(there) {
  leaving = true;
  location.assign(there);
}

// -- back to the screen before -----------------------------------------------------------------------

/** Where the answer is that was given before the one of this screen. */
function wayBack() {
  const here = trail.indexOf(address);
  const before = here < 0 ? trail.at(-1) : trail[here - 1];
  return before ?? document.getElementById("previous").getAttribute("href");
}

function prepareWayBack() {
  const there = wayBack();
  const link = document.getElementById("previous");
  if (there) link.href = there;
  link.hidden = !there;
  link.addEventListener("click", goBack);
  const button = document.getElementById("undo-last");
  if (!button) return;
  button.hidden = !there || !("oneStep" in shown.data); // elsewhere the link is enough
  button.addEventListener("click", goBack);
}

/** Whether the server is asked for a page: not if what it would show is older than what is here. */
const asksServer = (there) => (navigator.onLine && !queue.waiting().length) || !page(there);

/** Back to the screen before, to change its answer. */
function goBack(event) {
  const there = wayBack();
  if (asksServer(there)) {
    if (event.currentTarget.id === "undo-last") location.assign(there); // a link leads there by itself
    return;
  }
  event.preventDefault();
  keep(address);
  turnTo(there);
}

/** The back and forward buttons of the browser. A jump within the page is none of this. */
function moved() {
  const there = location.pathname;
  if (there === address) return;
  if (asksServer(there)) location.reload();
  else turnTo(there, { push: false });
}

// -- what becomes of answers -------------------------------------------------------------------------

/** The server makes a page only for a judge who waits, once everything is sent. After a failure, first things first. */
function then(entry) {
  return waiting && !queue.failures && queue.waiting().at(-1).key === entry.key ? "page" : "nothing";
}

function stored(entry, receipt) {
  state = receipt.state ?? state;
  if (receipt.progress) progress.counted(receipt.progress, queue.unsent);
  if (state === "closed" || receipt.over) leave(home);
  if (leaving || !receipt.page) return;
  put(receipt.page.address, receipt.page.html);
  if (waiting) turnTo(receipt.page.address);
}

function refused({ screen, page: there, refused: { kind } }) {
  given.delete(screen);
  forget(there);
  if (kind !== "conflict") progress.refused(screen); // there is another answer, which counts
  if (kind === "closed") closed();
  else if (kind === "conflict" && shown.id === screen) leave(there); // to the page that shows both
}

function closed() {
  state = "closed";
  leave(home);
}

/** The judge has chosen on the page of the screen itself. */
function settled() {
  shown.draft?.stop();
  queue.settled(shown.id);
}

async function keepStored(entry) {
  await queue.keepStored(entry);
  if (shown.id === entry.screen) leave(home);
}

function replace(entry) {
  if (shown.id === entry.screen) waitForAll(shown);
  queue.replace(entry);
}

function queueChanged() {
  tell();
  if (leaving || !shown) return;
  progress.show(shown.data);
  if (waiting && queue.failures) shown.wait("last-loaded");
  if (!queue.waiting().length && (waiting || shown.queued)) leave(home);
  askAhead();
}

function tell() {
  showBanner(queue, { keep: keepStored, replace, state });
}

show();
listen(() => shown);
queue.flush();

addEventListener("popstate", moved);
addEventListener("online", askAhead);
document.addEventListener("visibilitychange", askAhead);
addEventListener("storage", queueChanged);
addEventListener("pageshow", (event) => event.persisted && location.reload());
addEventListener("beforeunload", (event) => queue.fragile && event.preventDefault());
document.addEventListener("palmares:closed", closed);
