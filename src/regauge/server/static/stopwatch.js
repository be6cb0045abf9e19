/** Measures how long a task was on the screen: the time in other tabs and windows, and of breaks, does not count. */
export class Stopwatch {
  #seconds = 0;
  /** @type {number | null} */
  #since = null;
  #isPaused = false;

  constructor() {
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#halt() : this.#go()));
  }

  /** Begin anew, with the seconds that were spent before. */
  start(seconds = 0) {
    this.#seconds = seconds;
    this.#since = null;
    if (!document.hidden) this.#go();
  }

  /** Stand still until told to go on. */
  pause() {
    this.#halt();
    this.#isPaused = true;
  }

  /** Go on. */
  resume() {
    this.#isPaused = false;
    if (!document.hidden) this.#go();
  }

  /** Seconds so far, to the millisecond, as `showing.js` has them. */
  get seconds() {
    const running = this.#since === null ? 0 : (performance.now() - this.#since) / 1000;
    return Math.round(1000 * (this.#seconds + running)) / 1000;
  }

  #go() {
    if (!this.#isPaused) this.#since ??= performance.now();
  }

  #halt() {
    if (this.#since !== null) this.#seconds += (performance.now() - this.#since) / 1000;
    this.#since = null;
  }
}
