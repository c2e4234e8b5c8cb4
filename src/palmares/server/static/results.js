/**
 * Keeps a page of results up to date: the server says which state results are in, and the page fetches those pieces of
 * itself that changed. Without this script the page is whole, and shows news when it is loaded again.
 */

const results = document.getElementById("results");
const said = document.getElementById("results-said");
const trouble = document.getElementById("results-trouble");
const state = document.getElementById("live");
const NOW_AND_THEN = 30_000; // milliseconds between two looks, where the server keeps no stream for this page
const TOLD = 3; // so many systems are named when the order changes

let wanted = mark();
let fetching = false;
let listening = true;

function mark() {
  return document.getElementById("results-state").dataset.mark;
}

/** Whether the analysis keeps up: what the server said last. */
function condition() {
  const words = document.getElementById("results-state").dataset.condition;
  return words === "ok" ? "live" : words;
}

function listen() {
  const source = new EventSource(results.dataset.events);
  source.addEventListener("open", () => live(condition()));
  source.addEventListener("results", ({ data }) => {
    wanted = data;
    refresh();
  });
  source.addEventListener("over", () => {
    source.close();
    over();
  });
  source.addEventListener("error", () => {
    live("connecting");
    if (source.readyState === EventSource.CLOSED) nowAndThen();
  });
}

/** The server refused a stream: too many are open, or this page may not be seen any more. */
function nowAndThen() {
  listening = false;
  live("looking now and then");
  const timer = setInterval(async () => {
    wanted = "";
    if ((await refresh()) === "over") clearInterval(timer);
  }, NOW_AND_THEN);
}

function live(words) {
  if (!state) return;
  state.textContent = words;
  state.classList.toggle("waiting", words !== "live");
}

function over() {
  live("ended");
  trouble.hidden = false;
  trouble.textContent = "This page shows no more news: you are signed out, or it is not published any more. Load it again to see what there is.";
}

/** Fetch what is shown until it is what is wanted; one request at a time. */
async function refresh() {
  if (fetching || wanted === mark()) return "same";
  fetching = true;
  try {
    const response = await fetch(results.dataset.fragment, { headers: { Accept: "text/html" } });
    if ([401, 403, 404].includes(response.status)) {
      over();
      return "over";
    }
    if (!response.ok) return "later";
    show(new DOMParser().parseFromString(await response.text(), "text/html"));
    return "shown";
  } catch {
    return "later"; // the network is away; the stream says when it is back
  } finally {
    fetching = false;
  }
}

/** Replace pieces that changed; where there are other pieces than before, all of them. */
function show(fresh) {
  const news = changes(fresh);
  const before = [...results.querySelectorAll("[data-piece]")].map(({ id }) => id);
  const after = [...fresh.querySelectorAll("[data-piece]")].map(({ id }) => id);
  const kept = remember();
  if (before.join() === after.join()) {
    for (const id of after) {
      const piece = document.getElementById(id);
      const other = fresh.getElementById(id);
      restoreFolds(other, kept.open);
      if (!piece.isEqualNode(other)) piece.replaceWith(document.importNode(other, true));
    }
  } else {
    restoreFolds(fresh.body, kept.open);
    results.replaceChildren(...[...fresh.body.childNodes].map((node) => document.importNode(node, true)));
  }
  restore(kept);
  if (listening) live(condition());
  if (news) said.textContent = news;
}

function remember() {
  const open = new Map([...results.querySelectorAll("details[id]")].map((each) => [each.id, each.open]));
  const scrolled = [...results.querySelectorAll(".scroll")].map((each) => [labelOf(each), each.scrollLeft]);
  const focused = results.contains(document.activeElement) ? place(document.activeElement) : null;
  return { open, scrolled, focused };
}

function restoreFolds(root, open) {
  for (const each of root.querySelectorAll("details[id]")) if (open.has(each.id)) each.open = open.get(each.id);
}

function restore({ scrolled, focused }) {
  for (const [label, left] of scrolled) {
    const box = [...results.querySelectorAll(".scroll")].find((each) => labelOf(each) === label);
    if (box && left) box.scrollLeft = left;
  }
  if (focused && !results.contains(document.activeElement)) find(focused)?.focus({ preventScroll: true });
}

const labelOf = (box) => box.getAttribute("aria-labelledby") ?? box.getAttribute("aria-label");
const FOCUSABLE = "a[href], summary, button, [tabindex]";

/** Where the focus is: in which piece, and the how manieth that can have it. */
function place(element) {
  const piece = element.closest("[data-piece]");
  return piece ? { id: piece.id, number: [...piece.querySelectorAll(FOCUSABLE)].indexOf(element) } : null;
}

function find({ id, number }) {
  const all = document.getElementById(id)?.querySelectorAll(FOCUSABLE) ?? [];
  return all[number] ?? all[all.length - 1];
}

/** What changed in the order of systems, in words; nothing if it is the same. */
function changes(fresh) {
  const lines = [];
  for (const section of fresh.querySelectorAll("[data-pair]")) {
    const head = section.querySelector("[data-order]");
    const order = JSON.parse(head.dataset.order);
    const before = JSON.parse(document.getElementById(head.id)?.dataset.order ?? "[]");
    if (!before.length || before.join("\n") === order.join("\n")) continue;
    const risen = order.filter((name, number) => before.indexOf(name) > number);
    const told = risen.slice(0, TOLD).map((name) => `${name} is now number ${order.indexOf(name) + 1}`);
    if (risen.length > TOLD) told.push(`${risen.length - TOLD} more systems rose`);
    lines.push(`${section.dataset.pair}: ${told.join(", ") || "the systems have changed"}.`);
  }
  return lines.join(" ");
}

if (!("still" in results.dataset)) listen();
