/**
 * Unfinished ranks, saved as they change: on the server, and on this device until the server has them.
 *
 * The server numbers the drafts of a screen. Who saves names the number the draft is based on, so a window that does not
 * know of a newer one is told, and the judge decides.
 */

import { get, put, remove } from "./storage.js";

const QUIET = 400; // milliseconds without a change before saving

export class Draft {
  /** `ask(which, theirs)` is called when ranks are found elsewhere; `status(key)` when there is something to report. */
  constructor({ screen, judge, version, request, ranks, status, ask }) {
    Object.assign(this, { screen, version, request, ranks, status, ask });
    this.key = `palmares:draft:${judge}:${screen}`;
    this.leaving = () => this.dirty && this.save({ keepalive: true });
    addEventListener("pagehide", this.leaving);
    this.online = () => this.dirty && this.save();
    addEventListener("online", this.online);
  }

  /** Ranks of this screen that never reached the server. */
  recover() {
    const kept = get(this.key);
    if (!kept) return;
    const same = JSON.stringify(kept.ranks) === JSON.stringify(this.ranks.values);
    if (same) remove(this.key);
    else if (kept.version === this.version) this.take(kept.ranks);
    else this.ask("kept", kept.ranks);
  }

  take(ranks) {
    this.ranks.show(ranks);
    this.changed();
  }

  changed() {
    this.dirty = true;
    put(this.key, { ranks: this.ranks.values, version: this.version });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), QUIET);
  }

  /** Stop saving: the screen was answered or left. */
  stop() {
    clearTimeout(this.timer);
    removeEventListener("pagehide", this.leaving);
    removeEventListener("online", this.online);
    this.dirty = false;
    this.stopped = true;
    remove(this.key);
  }

  async save({ keepalive = false } = {}) {
    if (this.saving && !keepalive) return;
    clearTimeout(this.timer);
    this.saving = true;
    this.dirty = false;
    this.status("saving");
    try {
      this.answered(await this.put(keepalive));
    } catch {
      this.failed();
    } finally {
      this.saving = false;
    }
    if (this.dirty && !this.stopped && !this.offline) this.save();
  }

  put(keepalive) {
    const { api, token } = this.request();
    return fetch(`${api}/screens/${this.screen}/draft`, {
      method: "PUT",
      headers: { "Content-Type": "application/json", "X-CSRF-Token": token },
      body: JSON.stringify({ ranks: this.ranks.values, version: this.version }),
      keepalive,
    });
  }

  async answered(response) {
    this.offline = false;
    if (this.stopped) return;
    if (response.status === 409) return this.conflict();
    if (!response.ok) return this.failed();
    this.version = (await response.json()).version;
    if (!this.dirty) remove(this.key);
    else put(this.key, { ranks: this.ranks.values, version: this.version });
    this.status("saved");
  }

  failed() {
    if (this.stopped) return;
    this.offline = true;
    this.dirty = true;
    this.status("offline");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), 5000);
  }

  /** Somebody saved a newer draft: fetch it, and let the judge choose. */
  async conflict() {
    const { api } = this.request();
    const response = await fetch(`${api}/screens/${this.screen}`);
    if (!response.ok) return this.failed();
    const theirs = await response.json();
    this.version = theirs.draft_version;
    this.dirty = false;
    const same = JSON.stringify(theirs.ranks) === JSON.stringify(this.ranks.values);
    return same ? this.status("saved") : this.ask("newer", theirs.ranks);
  }
}
