/**
 * Measures how long it is from an image being shown to its answer, pauses and all: by the clock that can be set, by one that cannot,
 * and how long the page stood still meanwhile. The server decides which of them holds.
 */

import { Pauses } from "./parts/retry.js";
import { wasShown } from "./pictures.js";
import { Refusal, request } from "./requests.js";

/** So often the page looks whether it has stood still. */
const TICK = 5_000;
/** A longer gap between two looks is time in which the page did not run; browsers let hidden pages run once a minute. */
const GAP = 90_000;

/**
 * Since when an image is shown.
 *
 * @typedef {object} Shown
 * @property {number} wall by the clock of the computer.
 * @property {number} steady by the clock of the page.
 * @property {number} base seconds before that, which an earlier page or showing took.
 * @property {boolean} isAgain whether an earlier page had shown it.
 * @property {number} asleep seconds in which the page stood still.
 */

/** One clock for a page; each image has a beginning of its own. */
export class ShownClock {
  /** @type {Shown | null} */
  #current = null;
  #lastWall = Date.now();
  #lastSteady = performance.now();

  constructor() {
    setInterval(() => this.#look(), TICK);
  }

  /**
   * The image is on the screen now.
   *
   * @param {object} [before]
   * @param {number} [before.base]
   * @param {boolean} [before.isAgain]
   * @returns {Shown} to go on with it later.
   */
  begin({ base = 0, isAgain = false } = {}) {
    this.#look();
    return this.resume({ wall: Date.now(), steady: performance.now(), base, isAgain, asleep: 0 });
  }

  /** @param {Shown} shown */
  resume(shown) {
    this.#look();
    this.#current = shown;
    return shown;
  }

  /** No image is shown. */
  stop() {
    this.#current = null;
  }

  /** What an answer tells of it; null where the image was not shown. */
  read() {
    this.#look();
    if (!this.#current) return null;
    const { wall, steady, base, isAgain, asleep } = this.#current;
    const round = (seconds) => Math.round(1000 * seconds) / 1000;
    return {
      seconds: round(base + (Date.now() - wall) / 1000),
      steady: round(base + (performance.now() - steady) / 1000),
      asleep: round(asleep),
      is_again: isAgain,
    };
  }

  /** A computer that slept may stop either clock, so the larger gap tells. */
  #look() {
    const wall = Date.now();
    const steady = performance.now();
    const gap = Math.max(wall - this.#lastWall, steady - this.#lastSteady);
    if (gap > GAP && this.#current) this.#current.asleep += gap / 1000;
    this.#lastWall = wall;
    this.#lastSteady = steady;
  }
}

/** Measures the tasks of a desk from the moment in which the image of each is there, and tells the server, so that another page can go on. */
export class Showing {
  #clock = new ShownClock();
  #isTold;

  /**
   * @param {object} options
   * @param {boolean} options.isTold whether the server is told; not of those who only look.
   */
  constructor({ isTold }) {
    this.#isTold = isTold;
  }

  /** What an answer tells of the time since its image was shown; null where it was not. */
  read() {
    return this.#clock.read();
  }

  /**
   * A task comes on the screen.
   *
   * @param {import("./desk_types.js").Task} task
   * @param {object} options
   * @param {import("./desk_types.js").Past | null} options.revising the answer that is changed; null where it is the first one.
   * @param {() => boolean} options.isStill whether it is still on the screen.
   */
  show(task, { revising, isStill }) {
    this.#clock.stop();
    const [picture] = task.pictures ?? [];
    const begin = () => {
      if (!isStill()) return;
      // What is changed goes on from where it was handed in; what was not, from when it was first shown.
      if (revising) this.#clock.begin({ base: revising.shownSeconds ?? 0 });
      else if (task.shown) this.#clock.resume(task.shown);
      else {
        task.shown = this.#clock.begin(findEarlier(task));
        if (this.#isTold) this.#tell(task, isStill);
      }
    };
    if (wasShown(picture)) begin();
    else picture.addEventListener("load", begin, { once: true });
  }

  /** Say since when a task is on the screen, until the server has heard it or another one is there. */
  async #tell(task, isStill) {
    for (const pauses = new Pauses(); isStill(); ) {
      try {
        const ago = Math.max(0, performance.now() - task.shown.steady) / 1000;
        await request("POST", "/api/shown", { assignment_id: task.id, ago: Math.round(1000 * ago) / 1000 });
        return;
      } catch (error) {
        if (error instanceof Refusal) return;
        const pause = pauses.take();
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }
}

/** What an earlier page has shown of a task, by what the server knew when it gave it out. */
function findEarlier(task) {
  const { shown_seconds: before, fetchedAt = performance.now() } = task;
  if (typeof before !== "number") return {};
  return { base: before + (performance.now() - fetchedAt) / 1000, isAgain: true };
}
