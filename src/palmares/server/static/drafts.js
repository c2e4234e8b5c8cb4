/**
 * Unfinished ranks, saved as they change: on the server, and on this device until the server has them.
 *
 * The server numbers the drafts of a screen. Who saves names the number the draft is based on, so a window that does not
 * know of a newer one is told, and the judge decides.
 */

import { get, put, remove } from "./storage.js";

const QUIET = 400; // milliseconds without a change before saving
const PAUSE = 5000; // milliseconds before another attempt

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

export class Draft {
  /** `ask(which, theirs)` is called when ranks are found elsewhere; `status(key)` when there is something to report. */
  constructor({ screen, judge, version, revision, request, ranks, status, ask }) {
    Object.assign(this, { screen, version, revision, request, ranks, status, ask });
    this.key = `palmares:draft:${judge}:${screen}`;
    this.urgently = () => this.dirty && !this.asking && this.save({ urgently: true });
    addEventListener("pagehide", this.urgently);
    addEventListener("online", this.urgently);
  }

  /** Ranks of this screen that never reached the server. */
  recover() {
    const kept = get(this.key);
    if (!kept) return;
    if (same(kept.ranks, this.ranks.values)) remove(this.key);
    else if (kept.version === this.version && kept.revision === this.revision) this.take(kept.ranks);
    else this.question("kept", kept.ranks);
  }

  take(ranks) {
    this.ranks.show(ranks);
    this.changed();
  }

  changed() {
    this.dirty = true;
    this.keep();
    clearTimeout(this.timer);
    if (this.asking) return;
    this.status("saving");
    this.timer = setTimeout(() => this.save(), QUIET);
  }

  keep() {
    put(this.key, { ranks: this.ranks.values, version: this.version, revision: this.revision });
  }

  /** The screen is left: save what is unsaved, and stop. What does not get through stays on this device. */
  leave() {
    this.urgently();
    this.end();
  }

  /** The screen was answered: there is no draft any more. Resolves when none is on its way to the server. */
  stop() {
    this.end();
    remove(this.key);
    return this.saving;
  }

  end() {
    clearTimeout(this.timer);
    removeEventListener("pagehide", this.urgently);
    removeEventListener("online", this.urgently);
    this.dirty = false;
    this.ended = true;
  }

  /** Save, one request after the other; urgently, at once. */
  async save({ urgently = false } = {}) {
    if (this.saving && !urgently) return;
    clearTimeout(this.timer);
    this.dirty = false;
    this.saving = this.attempt();
    const saved = await this.saving;
    this.saving = null;
    if (saved && this.dirty) this.save();
  }

  /** One request; gives whether the draft was saved. */
  async attempt() {
    try {
      return await this.answered(await this.put());
    } catch {
      return this.failed("offline");
    }
  }

  put() {
    const { api, token } = this.request();
    return fetch(`${api}/screens/${this.screen}/draft`, {
      method: "PUT",
      headers: { "Content-Type": "application/json", "X-CSRF-Token": token },
      body: JSON.stringify({ ranks: this.ranks.values, version: this.version }),
      keepalive: true, // the page may be left before the answer comes
    });
  }

  async answered(response) {
    if (this.ended) return false;
    if (response.status === 409) return this.conflict(await response.json().catch(() => ({})));
    if (response.status === 401 || response.status === 403) return this.failed("signed-out");
    if (!response.ok) return this.failed("offline");
    this.version = (await response.json()).version;
    if (this.dirty) {
      this.keep();
    } else {
      remove(this.key);
      this.status("saved");
    }
    return true;
  }

  failed(key) {
    if (this.ended) return false;
    this.dirty = true;
    this.status(key);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), PAUSE);
    return false;
  }

  /** Somebody saved a newer draft: fetch it, and let the judge choose. Or the campaign takes nothing any more. */
  async conflict({ error }) {
    if (error?.kind === "closed") {
      document.dispatchEvent(new Event("palmares:closed"));
      return false;
    }
    const { api } = this.request();
    const response = await fetch(`${api}/screens/${this.screen}`);
    if (!response.ok) return this.failed("offline");
    const theirs = await response.json();
    Object.assign(this, { version: theirs.draft_version, revision: theirs.revision });
    if (same(theirs.ranks, this.ranks.values)) {
      this.settle();
      return true;
    }
    return this.question("newer", theirs.ranks);
  }

  /** Save nothing until the judge has chosen. */
  question(which, theirs) {
    this.asking = true;
    clearTimeout(this.timer);
    this.ask(which, theirs);
    return false;
  }

  /** The judge has chosen: these ranks are what the server has, or, with `save`, what it shall have. */
  settle({ save = false } = {}) {
    this.asking = false;
    if (save) return this.changed();
    remove(this.key);
    return this.status("saved");
  }
}
