/** The judge's screens, made better: keys, saved drafts, going on without a network. Without this they are plain forms. */

import { fetchAhead, keep, page, swap } from "./ahead.js";
import { showBanner } from "./banner.js";
import { listen } from "./keys.js";
import { Progress } from "./progress.js";
import { Queue } from "./queue.js";
import { Screen } from "./screen.js";
import { home, judge, request } from "./site.js";

const PATIENCE = 2000; // milliseconds in which a draft on its way may arrive before the answer

const queue = new Queue(judge, request, queueChanged);
const given = new Map(); // screen → ranks given from this page; null if it was skipped
const progress = new Progress(document.getElementById("work").dataset.done, queue.unsent);
let shown = null; // the screen that is shown
let address = null; // where it is
let waiting = false; // for the answers to arrive, as there is no other screen to show

/** Make the screen that the page holds work. An answer that the server does not know yet stands for what it does know. */
function show() {
  const { screen } = document.getElementById("work").dataset;
  const unsent = queue.waiting(screen).at(-1);
  const known = unsent ? unsent.body.ranks : given.get(screen);
  shown = new Screen({ known, queued: Boolean(unsent), first: shown === null, answered });
  address = location.pathname;
  waiting = false;
  progress.show(shown.data);
  document.getElementById("previous")?.addEventListener("click", goBack);
  fetchAhead(JSON.parse(shown.data.following));
}

/** Take an answer, keep it until the server has it, and go on. `unsaved` is a draft that may still be on its way. */
async function answered(screen, answer, unsaved) {
  queue.add(screen.id, address, answer);
  given.set(screen.id, answer.ranks ?? null);
  progress.answered(screen.data);
  keep(address);
  const next = nextReady(JSON.parse(screen.data.following));
  if (next) open(next);
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
function nextReady(following) {
  return following.find((there) => {
    const data = page(there)?.getElementById("work").dataset;
    return data?.revision === "0" && !given.has(data.screen) && !queue.waiting(data.screen).length;
  });
}

/** Show a page that is here already. */
function open(there, { push = true } = {}) {
  shown.draft?.leave();
  if (push) history.pushState(null, "", there);
  swap(page(there));
  show();
}

/** Whether the server is asked for a page: not if what it would show is older than what is here. */
const asksServer = (there) => (navigator.onLine && !queue.waiting().length) || !page(there);

/** Back to the screen before, to change its answer. */
function goBack(event) {
  const there = new URL(event.currentTarget.href).pathname;
  if (asksServer(there)) return;
  event.preventDefault();
  keep(address);
  open(there);
}

function queueChanged() {
  showBanner(queue);
  if (waiting && queue.failures) shown.wait("last-loaded");
  if (!queue.waiting().length && (waiting || shown?.queued)) location.assign(home);
}

/** The back and forward buttons of the browser. A jump within the page is none of this. */
function moved() {
  const there = location.pathname;
  if (there === address) return;
  if (asksServer(there)) location.reload();
  else open(there, { push: false });
}

show();
listen(() => shown);
showBanner(queue);
queue.flush();

addEventListener("popstate", moved);
addEventListener("storage", queueChanged);
addEventListener("pageshow", (event) => event.persisted && location.reload());
addEventListener("beforeunload", (event) => queue.fragile && event.preventDefault());
