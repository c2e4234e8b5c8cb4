/** How far the judge has come: what the server has stored, and first answers that are on their way to it. */

import { say } from "./say.js";

export class Progress {
  /** `done` is what the server said when the page was loaded; `unsent` are screens whose first answer it lacks. */
  constructor(done, unsent) {
    this.stored = Number(done);
    this.unsent = new Set(unsent);
  }

  /** A screen was answered; a change of an answer counts no second time. */
  answered({ screen, revision }) {
    if (revision === "0") this.unsent.add(screen);
  }

  /** The server has counted anew, just now; these answers it lacks still. Also tells of what other windows sent. */
  counted({ done, target }, unsent) {
    this.stored = done;
    this.target = target;
    this.unsent = new Set(unsent);
  }

  /** An answer was refused, and none is stored for its screen. */
  refused(screen) {
    this.unsent.delete(screen);
  }

  /** Show it on a screen. Its page may have been fetched earlier: what it says of progress is out of date. */
  show(data) {
    const words = document.getElementById("progress-words");
    if (!words) return; // practice
    const done = this.stored + this.unsent.size;
    const target = this.target ?? Number(data.target);
    words.textContent = done < target ? say("progress.count", { done, target }) : say("progress.done", { done });
    const bar = document.getElementById("progress-bar");
    if (bar) bar.value = Math.min(done, target);
  }
}
