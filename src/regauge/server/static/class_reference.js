/** The card of a class with what the guide says, at hand beside a task: a dialog `card-dialog` with `card` and `card-close` in it; `problem` says why there is none. */

import { byId, make } from "./dom.js";
import { ClassAlbum } from "./parts/class_album.js";
import { findGuide, makeGuide, releaseGuide } from "./parts/guide_entry.js";
import { request } from "./requests.js";

/** The card of a class with what the guide says, in a dialog. */
export class Reference {
  #campaign;
  #turn = 0;
  /** @type {HTMLElement} what the guide says of the class that is shown. */
  #guide = make("div");
  #album = new ClassAlbum(byId("card"), { onOpen: (place) => this.open(place), renderGuide: () => this.#guide });

  /** @param {number} campaign */
  constructor(campaign) {
    this.#campaign = campaign;
    byId("card-close").addEventListener("click", () => byId("card-dialog").close());
    byId("card-dialog").addEventListener("close", () => this.#clear());
  }

  /** Whether a card is on the screen. */
  get isOpen() {
    return byId("card-dialog").open;
  }

  /** @param {number} index */
  async open(index) {
    this.#turn += 1;
    const mine = this.#turn;
    byId("problem").textContent = "";
    if (!byId("card-dialog").open) byId("card-dialog").showModal();
    try {
      const [card, guide] = await Promise.all([request("GET", `/api/classes/${index}/card?campaign=${this.#campaign}`), this.#findGuide(index)]);
      if (mine !== this.#turn || !byId("card-dialog").open) return;
      this.#clear();
      this.#guide = guide?.entries.length ? makeGuide(guide) : make("div");
      this.#album.show({ ...card, guide: guide?.entries.length ? guide.name : null });
      byId("card-dialog").scrollTop = 0;
      byId("card-close").focus({ preventScroll: true });
    } catch (error) {
      if (mine !== this.#turn) return;
      byId("card-dialog").close();
      byId("problem").textContent = error instanceof Error ? error.message : "The card cannot be shown now.";
    }
  }

  /** What opens the card of a class: all its images, the guide, and classes like it. */
  makeOpener(one) {
    const button = make("button", { type: "button", className: "quiet", "aria-label": `Card and guide of ${one.name}` }, "Card ", make("kbd", { "aria-hidden": "true" }, "g"));
    button.addEventListener("click", () => this.open(one.class));
    return button;
  }

  /** Guests and previews read no guide. */
  async #findGuide(index) {
    try {
      return await findGuide(this.#campaign, index);
    } catch {
      return null;
    }
  }

  #clear() {
    releaseGuide(this.#guide);
    this.#album.clear();
  }
}
