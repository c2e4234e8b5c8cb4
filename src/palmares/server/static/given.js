/** Source and reference of long texts stay in view; the judge may fold them, and outputs begin below them. */

import { put } from "./storage.js";

const KEY = "palmares:given"; // early.js reads it before the page is drawn
const RULE = 14; // pixels above the segment: the rule that parts it from the sentence before
const root = document.documentElement;
/** Not a style of the element itself: that would be in the text of pages that are kept, where the policy forbids it. */
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets.push(sheet);
const watcher = new ResizeObserver(([entry]) => measure(entry.target));

/** Call it for every screen, also for one whose texts are short. */
export function prepareGiven(panel, toggle) {
  watcher.disconnect();
  sheet.replaceSync("");
  if (!toggle) return;
  const show = () => {
    toggle.setAttribute("aria-expanded", String(root.dataset.given === "open"));
    beginAtSource(panel.querySelector(".source"));
  };
  toggle.hidden = false;
  toggle.addEventListener("click", () => {
    root.dataset.given = root.dataset.given === "open" ? "closed" : "open";
    put(KEY, root.dataset.given);
    show();
  });
  show();
  measure(panel);
  watcher.observe(panel);
}

/** Where the texts below begin to be visible: the page scrolls to that line, not to the top of the window. */
function measure(panel) {
  const sticks = getComputedStyle(panel).position === "sticky";
  const height = sticks ? Math.ceil(panel.getBoundingClientRect().height) : 0;
  sheet.replaceSync(`:root { --given: ${height}px; }`);
}

/** What stands before may be longer than there is room: the segment is shown, or the last turn of a conversation. */
function beginAtSource(source) {
  const given = source.closest(".given");
  const start = source.querySelector(".turn:last-child") ?? source;
  const margin = given.querySelector("h2").offsetHeight + RULE;
  for (const box of [given, given.parentElement]) {
    box.scrollTop += start.getBoundingClientRect().top - box.getBoundingClientRect().top - margin;
  }
}
