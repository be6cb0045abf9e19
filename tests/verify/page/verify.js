/** VERIFY: one image and one label; say whether it is right, alone at first and then knowing what the others said. */

import { work } from "./desk.js";
import { byId, make, setShown } from "./dom.js";
import { makeClassCard } from "./parts/class_card.js";
import { wasShown } from "./pictures.js";

const VOTES = ["correct", "unclear", "wrong"];

/** The image and the question. */
class Question {
  #desk;
  #picture = null;
  #boxes = [.../** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("#votes input"))];

  constructor(desk) {
    this.#desk = desk;
    byId("votes").addEventListener("change", () => this.#changed());
    byId("comment").addEventListener("input", () => this.#changed());
    const when = () => this.isShown;
    VOTES.forEach((_, place) => desk.keymap.add({ keys: [String(place + 1)], words: "vote", run: () => this.#boxes[place].click(), when }));
    desk.keymap.add({ keys: ["Enter"], words: "submit", isOnce: true, run: () => desk.hand(), when });
  }

  /** Whether a task is on the screen. */
  get isShown() {
    return !byId("verify").hidden;
  }

  /** Show a task, with what was said before. */
  show(task, answer) {
    const { target, verdict, others } = task.view;
    [this.#picture] = task.pictures;
    byId("picture").replaceChildren(this.#picture);
    byId("class").replaceChildren(makeClassCard(target, { level: 1, id: "label" }));
    byId("verdict").textContent = verdict ? `So far it counts as ${verdict}.` : "";
    byId("others").replaceChildren(...others.map(({ vote, comment }) => make("li", {}, [vote, comment].filter(Boolean).join(": "))));
    for (const box of this.#boxes) box.checked = box.value === answer?.vote;
    byId("comment").value = answer?.comment ?? "";
    byId("problem").textContent = "";
    setShown(byId("verify"), true);
    this.#boxes[0].focus();
  }

  /** Show no task. */
  clear() {
    setShown(byId("verify"), false);
    byId("picture").replaceChildren();
  }

  /** Hand the vote in, or say what is missing. */
  hand() {
    const answer = this.#read();
    const problem = !wasShown(this.#picture) ? "The image is not there yet." : answer.vote ? "" : "Say whether the label is right.";
    byId("problem").textContent = problem;
    if (!problem) this.#desk.submit(answer);
  }

  #read() {
    const vote = this.#boxes.find((box) => box.checked)?.value ?? null;
    const comment = byId("comment").value;
    return comment ? { vote, comment } : { vote };
  }

  #changed() {
    this.#desk.keep(this.#read());
  }
}

work({ makeView: (desk) => new Question(desk) });
