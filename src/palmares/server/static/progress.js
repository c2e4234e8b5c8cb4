/** How far the judge has come: what the server knew when the page was loaded, and what was answered here since. */

import { say } from "./say.js";

export class Progress {
  /** `unsent` are screens whose first answer is still on its way from this device. */
  constructor(done, unsent) {
    this.known = Number(done);
    this.here = new Set(unsent);
  }

  /** A screen was answered; a change of an answer counts no second time. */
  answered({ screen, revision }) {
    if (revision === "0") this.here.add(screen);
  }

  /** Show it on a screen, whose page may have been fetched earlier or later than this one was loaded. */
  show(data) {
    const words = document.getElementById("progress-words");
    if (!words) return; // practice
    const done = Math.max(this.known + this.here.size, Number(data.done));
    const target = Number(data.target);
    words.textContent = done < target ? say("progress.count", { done, target }) : say("progress.done", { done });
    const bar = document.getElementById("progress-bar");
    if (bar) bar.value = Math.min(done, target);
  }
}
