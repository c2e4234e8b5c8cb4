/** How long a screen was in view: time in which the page is hidden does not count. */

export class Stopwatch {
  constructor() {
    this.before = 0;
    this.since = document.hidden ? null : performance.now();
    document.addEventListener("visibilitychange", () => (document.hidden ? this.pause() : this.go()));
  }

  pause() {
    this.before = this.milliseconds;
    this.since = null;
  }

  go() {
    this.since ??= performance.now();
  }

  get milliseconds() {
    return this.before + (this.since === null ? 0 : performance.now() - this.since);
  }

  get seconds() {
    return Math.round(this.milliseconds / 100) / 10;
  }
}
