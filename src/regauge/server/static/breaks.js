/** Offers a break after some time at work, between two tasks; nobody has to take it. */

import { byId, setShown } from "./dom.js";
import { owner } from "./owner.js";
import { tellTime } from "./parts/outlook.js";
import { browserStore } from "./parts/store.js";
import { Stopwatch } from "./stopwatch.js";

const PREFIX = "regauge.worked.";

/** The offer, and the break itself. */
export class Breaks {
  #seconds;
  #key;
  #worked = new Stopwatch();
  #clock;

  /**
   * @param {object} options
   * @param {number} options.minutes at work after which a break is offered; 0 for never.
   * @param {number} options.campaign which campaign.
   * @param {Stopwatch} options.clock what stands still during a break.
   */
  constructor({ minutes, campaign, clock }) {
    this.#seconds = 60 * minutes;
    this.#key = `${PREFIX}${owner}.${campaign}`;
    this.#clock = clock;
    if (!this.#seconds) return;
    this.#worked.start(browserStore.readData(this.#key) ?? 0);
    byId("break-take").addEventListener("click", () => this.take());
    byId("break-later").addEventListener("click", () => this.#reset());
    byId("break-end").addEventListener("click", () => byId("break").close());
    byId("break").addEventListener("close", () => this.#end());
    window.addEventListener("pagehide", () => this.#keep());
  }

  /** Whether there are breaks. */
  get isOffered() {
    return this.#seconds > 0;
  }

  /** A task appears: a good moment to offer one. */
  look() {
    if (!this.#seconds) return;
    this.#keep();
    if (this.#worked.seconds < this.#seconds || !byId("break-offer").hidden) return;
    byId("break-minutes").textContent = tellTime(this.#worked.seconds);
    setShown(byId("break-offer"), true);
  }

  /** Begin a break: the task is covered and the clock stands still, until they come back. */
  take() {
    if (!this.#seconds || byId("break").open) return;
    this.#clock.pause();
    this.#worked.pause();
    byId("break").showModal();
  }

  #end() {
    this.#clock.resume();
    this.#worked.resume();
    this.#reset();
  }

  #reset() {
    setShown(byId("break-offer"), false);
    this.#worked.start(0);
    this.#keep();
  }

  /** Where the browser keeps nothing, the time counts from when the page was opened. */
  #keep() {
    browserStore.writeData(this.#key, this.#worked.seconds);
  }
}
