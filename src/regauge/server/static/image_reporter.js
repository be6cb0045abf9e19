/** Asks what is wrong with an image, and sends it to the people who run the study. */

import { ReasonDialog } from "./parts/reason_dialog.js";

const ADDRESS = "/api/reports";
/** What is offered to say, with what it means. */
const PROBLEMS = new Map([
  ["it is broken", "broken"],
  ["it upsets me", "upsetting"],
]);
const HINT = "The people who run the study will read this. A broken or upsetting image is put away, and nothing is counted for it.";

/** The dialog; what is said is kept in the outbox until the server has it. */
export class ImageReporter {
  #outbox;
  #dialog = new ReasonDialog({ presets: [...PROBLEMS.keys()], hint: HINT });

  /** @param {import("./outbox.js").Outbox} outbox */
  constructor(outbox) {
    this.#outbox = outbox;
  }

  /**
   * Ask about an image of a task.
   *
   * @param {{ id: string, images: string[] }} task
   * @param {number} place of the image.
   * @param {() => void} putAway what to do where the image is broken or upsetting.
   */
  ask(task, place, putAway) {
    const which = task.images.length > 1 ? `image ${place + 1}` : "the image";
    return this.#dialog.ask({ title: `What is wrong with ${which}?`, action: "Report" }, async (reason) => {
      const problem = PROBLEMS.get(reason) ?? "other";
      this.#outbox.post(ADDRESS, { assignment_id: task.id, place, problem, words: problem === "other" ? reason : "" });
      if (problem !== "other") putAway();
    });
  }
}
