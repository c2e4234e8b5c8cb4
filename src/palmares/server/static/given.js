/** Source and reference of long texts stay in view; the judge may fold them, and outputs begin below them. */

import { put } from "./storage.js";

const KEY = "palmares:given"; // early.js reads it before the page is drawn
const root = document.documentElement;
const watcher = new ResizeObserver(([entry]) => measure(entry.target));

/** Call it for every screen, also for one whose texts are short. */
export function prepareGiven(panel, toggle) {
  watcher.disconnect();
  root.style.removeProperty("--given");
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
  root.style.setProperty("--given", `${sticks ? Math.ceil(panel.getBoundingClientRect().height) : 0}px`);
}

/** What stands before the segment may be longer than there is room; whoever wants it scrolls back. */
function beginAtSource(source) {
  for (const box of [source.closest(".given"), source.closest(".given-texts")]) {
    box.scrollTop += source.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 4;
  }
}
