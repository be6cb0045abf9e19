/** The line that says how many tasks are done, how many are left, how long these take and what they pay. */

import { byId, count } from "./dom.js";
import { tellOutlook } from "./parts/outlook.js";

/** The line, by what the server said when the page was opened. */
export class ProgressLine {
  /** @type {number | null} done and left together; null where that is not told. */
  #total = null;

  /** @param {number} done when the page was opened. */
  constructor(done) {
    const { left } = byId("desk").dataset;
    if (left !== undefined) this.#total = done + Number(left);
  }

  /**
   * Show it as it is now.
   *
   * @param {number} done
   * @param {number} atHand tasks that are here: so many are left at least.
   */
  show(done, atHand) {
    const { recent, seconds, perTask, currency = "" } = byId("desk").dataset;
    const left = this.#total === null ? 0 : Math.max(this.#total - done, atHand);
    const all = left ? ` of ${(done + left).toLocaleString("en")}` : "";
    // Whoever came by an id is not told what was done before they came; nor should they think that it was lost.
    byId("done").textContent = `${done.toLocaleString("en")}${all} done${recent === undefined ? "" : " since you arrived"}`;
    byId("done").title = count(done, "task done", "tasks done");
    byId("ahead").textContent = tellOutlook({ left, seconds: Number(seconds) || null, perTask: Number(perTask) || null, currency });
  }
}
