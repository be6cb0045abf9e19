/** CLASSIFY: one image and its candidates; select all labels that are right, and the main object's. */

import { work } from "./desk.js";
import { byId, make, setShown } from "./dom.js";
import { ChoiceList } from "./parts/choice_list.js";
import { ImageViewer } from "./parts/image_viewer.js";
import { showPicture, wasShown } from "./pictures.js";

/** The image and its labels. */
class Labels {
  #desk;
  /** @type {HTMLImageElement | null} */
  #picture = null;
  /** What stands in the line of a label: the choice of the main object. */
  #mains = new Map();
  /** Whether the main object was chosen by hand; a choice that made itself does not outlive a second label. */
  #isChosen = false;
  /** Whether it was asked if really none of the labels is right. */
  #isAsked = false;
  /** Whether the image was shown when an earlier answer was given. */
  #isKnown = false;
  #viewer = new ImageViewer({ report: () => this.#report() });
  #list = new ChoiceList(byId("candidates"), {
    isDescribed: true,
    changed: () => this.#changed(),
    extend: (choice) => this.#offerMain(choice),
  });

  constructor(desk) {
    this.#desk = desk;
    this.#bindKeys();
    byId("enlarge").addEventListener("click", () => this.#enlarge());
    byId("report").addEventListener("click", () => this.#desk.submit({ not_shown: true }));
  }

  /** Whether a task is on the screen. */
  get isShown() {
    return !byId("split").hidden;
  }

  /** Show a task, with what was selected before. */
  show(task, answer) {
    const [picture] = task.pictures;
    this.#picture = picture;
    this.#isKnown = Boolean(answer);
    showPicture(picture, { isStill: () => picture === this.#picture, isKnown: this.#isKnown });
    this.#mains.clear();
    this.#list.show(task.view.candidates, answer?.selected);
    this.#isChosen = answer?.main != null && answer.selected.length > 1;
    for (const [choice, { radio }] of this.#mains) radio.checked = choice.class === answer?.main;
    this.#settle();
    this.#explain(null);
    setShown(byId("split"), true);
    byId("candidates").closest(".choices-scroll").scrollTop = 0;
    window.scrollTo(0, 0);
    this.#list.focus();
  }

  /** Show no task. */
  clear() {
    setShown(byId("split"), false);
    byId("enlarge").replaceChildren();
    this.#list.clear();
    this.#mains.clear();
    this.#picture = null;
  }

  /** Hand the answer in if it is whole, or say what is missing. */
  hand() {
    const problem = this.#findProblem();
    this.#complain(problem);
    this.#isAsked = !this.#list.selected.length;
    if (!problem) this.#desk.submit(this.#read());
  }

  get #main() {
    return this.#list.choices.find((choice) => this.#mains.get(choice).radio.checked) ?? null;
  }

  #read() {
    return { selected: this.#list.selected.map((choice) => choice.class), main: this.#main?.class ?? null };
  }

  #findProblem() {
    if (!wasShown(this.#picture) && !this.#isKnown) return "The image has not loaded yet. Wait for it, or report that it does not load.";
    if (!this.#list.selected.length) return this.#isAsked ? "" : "No label selected. If none of them is right, submit once more.";
    if (!this.#main) return "Which of the selected labels names the main object? Mark it as main.";
    return "";
  }

  #complain(words) {
    byId("problem").textContent = words;
    if (!words) return;
    const [first] = this.#list.selected;
    if (first) this.#mains.get(first).radio.focus();
    else this.#list.focus();
  }

  /** The choice of the main object among the labels; it is shown beside those that are selected. */
  #offerMain(choice) {
    const radio = make("input", { type: "radio", name: "main", value: String(choice.class), "aria-label": `${choice.name} is the main object` });
    const words = make("span", {}, "main", make("span", { className: "word" }, " object"));
    const element = make("label", { className: "main" }, radio, words);
    this.#mains.set(choice, { radio, element });
    radio.addEventListener("change", () => this.#choose(choice));
    for (const event of ["pointerenter", "focusin"]) choice.element.addEventListener(event, () => this.#explain(choice));
    return [element];
  }

  #choose(choice) {
    this.#mains.get(choice).radio.checked = true;
    this.#isChosen = true;
    this.#changed();
  }

  #changed() {
    this.#settle();
    this.#desk.keep(this.#read());
  }

  /** Offer the choice of the main object among what is selected; it makes itself when there is only one. */
  #settle() {
    const { selected } = this.#list;
    if (this.#main && !this.#main.box.checked) {
      this.#unmark();
      this.#isChosen = false;
    }
    if (selected.length > 1 && !this.#isChosen) this.#unmark();
    if (selected.length === 1) {
      this.#mains.get(selected[0]).radio.checked = true;
      this.#isChosen = false;
    }
    for (const [choice, { radio, element }] of this.#mains) {
      setShown(element, choice.box.checked);
      choice.element.classList.toggle("is-main", radio.checked);
    }
    this.#isAsked = false;
    byId("facts").textContent = `${selected.length} selected`;
    byId("problem").textContent = "";
  }

  #unmark() {
    for (const { radio } of this.#mains.values()) radio.checked = false;
  }

  #mark(choice) {
    if (!choice.box.checked) this.#list.toggle(choice);
    this.#choose(choice);
  }

  #markNext() {
    const { selected } = this.#list;
    const place = selected.findIndex((choice) => choice === this.#main);
    if (selected.length) this.#mark(selected[(place + 1) % selected.length]);
  }

  #bindKeys() {
    const when = () => this.isShown;
    this.#desk.keymap.add(
      { ...this.#list.bind(), words: "select a label, or undo the selection", when },
      { ...this.#list.bind((choice) => this.#mark(choice), "Shift+"), words: "mark it as the main object", when },
      { keys: ["m"], words: "mark the next of the selected labels as the main object", run: () => this.#markNext(), when },
      // The list and the browser do it.
      { keys: [], shown: ["↑", "↓", "Space"], words: "move from label to label, and select", run: () => {} },
      { keys: ["?"], words: "explain the label under the cursor", run: () => this.#list.explain(this.#list.focused), when },
      { keys: ["z"], words: "enlarge the image", run: () => this.#enlarge(), when },
      { keys: ["u"], words: "undo the last selection", run: () => this.#list.undo(), when },
      { keys: ["Enter"], words: "submit", isOnce: true, run: () => this.#desk.hand(), when },
    );
  }

  /** A dialog lies above the page, not above what is enlarged. */
  #report() {
    this.#viewer.close();
    this.#desk.report();
  }

  #enlarge() {
    if (this.#picture) this.#viewer.show(this.#picture);
  }

  /** A line below the list says what the label under the pointer means. */
  #explain(choice) {
    byId("explained").textContent = choice?.gloss ? `${choice.name}: ${choice.gloss}` : "";
  }
}

/** A question of a quiz is a task without a main object: the answer names the first label that is selected. */
function ask({ view: { candidates } }) {
  return {
    title: "What is in this image?",
    meaning: "",
    ask: "Select every label that is right.",
    candidates,
    buttons: [{ words: "Submit", key: "Enter", read: (selected) => ({ selected, main: selected[0] ?? null }) }],
  };
}

/** What the image shows: nothing in particular is asked for. */
function explain({ shows }) {
  return ["The image shows ", make("strong", {}, shows.name), `${shows.gloss ? ` – ${shows.gloss}` : ""}.`];
}

work({ makeView: (desk) => new Labels(desk), lessons: { ask, explain, caption: ({ shows }) => shows.name } });
