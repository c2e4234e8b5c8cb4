/**
 * Answers on their way to the server.
 *
 * An answer is kept on the device, under the judge it belongs to, until the server has said that it is stored or has
 * refused it. Answers go out in order, one at a time. Each has a submission id of its own, by which the server knows an
 * answer that comes a second time, so sending again is always safe.
 */

import { get, keys, onlyInMemory, put, remove } from "./storage.js";

const PAUSES = [1, 2, 5, 10, 30]; // seconds between attempts
const PATIENCE = 20_000; // milliseconds for one attempt
const LONGEST_PAUSE = 60;

export class Queue {
  /**
   * `request()` gives what every request needs: {api, token}. `changed()` is called whenever something happened;
   * before it `stored(entry, receipt)` or `refused(entry)`. `then(entry)` says what the server shall send along with
   * the receipt: "nothing", or the "page" of the next screen.
   */
  constructor(judge, request, { changed, stored = () => {}, refused = () => {}, then = () => "nothing" }) {
    this.prefix = `palmares:queue:${judge}:`;
    this.request = request;
    Object.assign(this, { changed, onStored: stored, onRefused: refused, then });
    this.failures = 0;
    this.signedOut = false;
    this.revisions = new Map(); // screen → revision the server has confirmed to this page
    addEventListener("online", () => this.flush());
  }

  entries() {
    return keys(this.prefix).map((key) => ({ key, ...get(key) }));
  }

  waiting(screen) {
    return this.entries().filter((entry) => !entry.refused && (!screen || entry.screen === screen));
  }

  refused() {
    return this.entries().filter((entry) => entry.refused);
  }

  /** Screens whose first answer the server does not have yet. */
  get unsent() {
    return this.waiting().flatMap((entry) => (entry.body.revision === 0 ? [entry.screen] : []));
  }

  get fragile() {
    return onlyInMemory(this.prefix);
  }

  add(screen, page, body) {
    const submission = randomId();
    const revision = Math.max(body.revision, this.revisions.get(screen) ?? 0);
    const last = this.entries().at(-1)?.order ?? 0;
    const order = last + 1;
    const key = `${this.prefix}${String(order).padStart(9, "0")}:${submission}`;
    put(key, { order, screen, page, body: { ...body, revision, submission } });
    this.changed();
  }

  drop(...keys) {
    keys.forEach(remove);
    this.changed();
  }

  /** The judge has decided about a refused answer to a screen. */
  settled(screen) {
    for (const { key, screen: refused } of this.refused()) if (refused === screen) remove(key);
  }

  /** What is stored stays: neither this device nor the server keeps the refused answer any longer. */
  async keepStored({ key, page }) {
    this.drop(key);
    const form = new URLSearchParams({ csrf: this.request().token, action: "keep" });
    await fetch(page, { method: "POST", body: form, redirect: "manual" }).catch(() => {});
  }

  /** The refused answer takes the place of the one that the judge was shown as stored. */
  replace({ key, screen, page, body, refused }) {
    remove(key);
    this.add(screen, page, { ...body, revision: refused.stored.revision });
    this.flush();
  }

  /** Send what waits, now. Resolves when everything is sent or an attempt failed. */
  async flush() {
    clearTimeout(this.timer);
    if (this.sending) {
      this.again = true;
      return this.sending;
    }
    this.sending = exclusively(this.prefix, () => this.sendAll());
    try {
      await this.sending;
    } finally {
      this.sending = null;
    }
    if (this.again) {
      this.again = false;
      return this.flush();
    }
  }

  async sendAll() {
    this.signedOut = false;
    for (let entry = this.waiting()[0]; entry; entry = this.waiting()[0]) {
      const pause = await this.send(entry);
      this.changed();
      if (pause !== null) {
        this.timer = setTimeout(() => this.flush(), pause * 1000);
        return;
      }
    }
  }

  /** Send one answer; gives the seconds to wait before the next attempt, or null to go on at once. */
  async send(entry) {
    let response;
    try {
      response = await post(this.request(), entry, this.then(entry));
    } catch {
      return this.later();
    }
    if (response.ok) return this.stored(entry, await response.json().catch(() => ({})));
    if (response.status === 401 || response.status === 403) {
      this.signedOut = true;
      return this.later();
    }
    if (response.status >= 500 || response.status === 429 || response.status === 408) {
      return this.later(Number(response.headers.get("Retry-After")));
    }
    let problem;
    try {
      problem = await response.json();
    } catch (error) {
      // Cut off on the way, as when this page makes room for another: why it was refused is asked again.
      if (!(error instanceof SyntaxError)) return this.later();
      problem = {};
    }
    return this.refuse(entry, problem, response.status);
  }

  stored(entry, receipt) {
    this.failures = 0;
    this.revisions.set(entry.screen, receipt.revision);
    remove(entry.key);
    this.settled(entry.screen); // what was refused before has been replaced by what is stored now
    // A change made while the first answer was on its way builds on that answer.
    for (const later of this.waiting(entry.screen)) {
      const { key, ...kept } = later;
      put(key, { ...kept, body: { ...kept.body, revision: receipt.revision } });
    }
    this.onStored(entry, receipt);
    return null;
  }

  refuse(entry, problem, status) {
    this.failures = 0;
    const { key, ...kept } = entry;
    const { kind = "refused", message = `HTTP ${status}`, stored } = problem.error ?? {};
    const refused = { ...kept, refused: { kind, message, stored } };
    put(key, refused);
    this.onRefused(refused);
    return null;
  }

  later(atLeast = 0) {
    this.failures += 1;
    const pause = PAUSES[Math.min(this.failures, PAUSES.length) - 1];
    return Math.min(Math.max(pause, atLeast || 0), LONGEST_PAUSE);
  }
}

function post({ api, token }, entry, then) {
  return fetch(`${api}/screens/${entry.screen}/answer`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF-Token": token },
    body: JSON.stringify({ ...entry.body, then }),
    keepalive: true,
    signal: AbortSignal.timeout(PATIENCE),
  });
}

/** Two windows of one judge shall not send the same answer at the same time; where there are no locks, it does no harm. */
function exclusively(name, task) {
  return navigator.locks ? navigator.locks.request(name, task) : task();
}

function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
