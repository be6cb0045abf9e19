/** PANEL: predictions for an image; vote on each, alone at first, and then knowing what the others say and why. */

import { Reference } from "./class_reference.js";
import { work } from "./desk.js";
import { byId, make, setShown } from "./dom.js";
import { EvidenceField } from "./evidence.js";
import { makeNames } from "./parts/class_card.js";
import { ImageViewer } from "./parts/image_viewer.js";
import { leaveFields } from "./parts/keymap.js";
import { VERDICTS, makeVerdicts } from "./parts/verdict_choice.js";
import { showPicture, wasShown } from "./pictures.js";
import { makeStance } from "./stances.js";

/**
 * @typedef {object} Prediction
 * @property {string} key what answers call it: its class.
 * @property {number} index the class.
 * @property {HTMLElement} element
 * @property {HTMLInputElement[]} boxes one for each verdict.
 */

const findVerdict = (/** @type {Prediction} */ { boxes }) => boxes.find((box) => box.checked)?.value ?? null;

/** The task. */
class Panel {
  #desk;
  /** @type {Prediction[]} */
  #predictions = [];
  #current = 0;
  /** @type {HTMLImageElement[]} */
  #pictures = [];
  /** @type {any} what was handed in last; null before. */
  #before = null;
  /** @type {any} */
  #discussion = null;
  #reference = new Reference(Number(byId("desk").dataset.campaign));
  #viewer = new ImageViewer({ report: () => this.#report() });
  #evidence;

  constructor(desk) {
    this.#desk = desk;
    this.#evidence = new EvidenceField({ changed: () => this.#changed() });
    byId("enlarge").addEventListener("click", () => this.#enlarge());
    byId("report").addEventListener("click", () => desk.submit({ not_shown: true }));
    for (const id of ["about", "argument"]) byId(id).addEventListener("input", () => this.#changed());
    leaveFields(byId("labels"), { leave: () => this.#goTo(this.#current), submit: () => desk.hand() });
    this.#bindKeys();
  }

  /** Whether a task is on the screen. */
  get isShown() {
    return !byId("review").hidden;
  }

  /** The image that is meant when one is reported. */
  get place() {
    return 0;
  }

  /** Show a task, with what was said before. */
  show(task, answer) {
    const { items, known, label, discussion } = task.view;
    const [picture] = task.pictures;
    this.#pictures = task.pictures;
    this.#before = discussion ? task.answer : null;
    this.#discussion = discussion;
    const title = items.length > 1 ? "Which predictions are correct?" : "Is the prediction correct?";
    byId("title").textContent = discussion ? "Discuss it" : title;
    setShown(byId("instructions"), !discussion);
    setShown(byId("locked"), Boolean(discussion?.is_locked));
    byId("argument-title").textContent = discussion ? "Your argument: everybody reads it" : "Your argument: the others read it once round 1 is closed";
    this.#showKnown(label, known);
    this.#showStances([...items, ...(label ? [label] : [])]);
    this.#predictions = items.map((one, place) => this.#makePrediction(one, place));
    byId("pairs").replaceChildren(...this.#predictions.map(({ element }) => element));
    for (const one of this.#predictions) for (const box of one.boxes) box.checked = box.value === answer?.verdicts?.[one.key];
    setShown(byId("label-wrong-line"), Boolean(label));
    field("label-wrong").checked = Boolean(answer?.label_wrong);
    field("problematic").checked = Boolean(answer?.problematic);
    // What was argued before stands above; what is said now is said once more.
    byId("argument").value = discussion && answer === task.answer ? "" : (answer?.argument ?? "");
    this.#evidence.show(discussion && answer === task.answer ? {} : (answer?.evidence ?? {}), task.id);
    showPicture(picture, { isStill: () => picture === this.#pictures[0] });
    byId("problem").textContent = "";
    setShown(byId("review"), true);
    byId("pairs").closest(".beside-scroll").scrollTop = 0;
    window.scrollTo(0, 0);
    this.#goTo(Math.max(0, this.#predictions.findIndex((one) => !findVerdict(one))));
    this.#settle();
  }

  /** Show no task. */
  clear() {
    setShown(byId("review"), false);
    byId("enlarge").replaceChildren();
    for (const id of ["pairs", "stance-list"]) byId(id).replaceChildren();
    this.#predictions = [];
    this.#pictures = [];
  }

  /** Hand the answer in if it is whole, or say what is missing. */
  hand() {
    const problem = this.#findProblem();
    byId("problem").textContent = problem;
    if (!problem) this.#desk.submit(this.#read());
  }

  #findProblem() {
    if (byId("revising").hidden && !this.#pictures.every(wasShown)) return "The image is not there yet. Wait for it, or report that it does not come.";
    if (this.#predictions.some((one) => !findVerdict(one))) return "Vote on every prediction.";
    const answer = this.#read();
    if (this.#before && votesOf(this.#before) !== votesOf(answer) && !answer.argument) return "Say why you change your vote: the others read the reason.";
    return this.#evidence.findProblem();
  }

  #read() {
    const verdicts = Object.fromEntries(this.#predictions.filter(findVerdict).map((one) => [one.key, findVerdict(one)]));
    const answer = /** @type {any} */ ({ verdicts });
    if (field("label-wrong").checked && !byId("label-wrong-line").hidden) answer.label_wrong = true;
    if (field("problematic").checked) answer.problematic = true;
    const argument = byId("argument").value.trim();
    if (argument) answer.argument = argument;
    const evidence = this.#evidence.read();
    if (Object.keys(evidence).length) answer.evidence = evidence;
    return answer;
  }

  /** The dataset label, and what the label set accepts and rejects for the image. */
  #showKnown(label, known) {
    const line = (title, classes) => (classes.length ? [make("dt", {}, title), make("dd", {}, ...classes.flatMap((one, at) => [...(at ? [", "] : []), this.#makeOpener(one)]))] : []);
    const having = (...verdicts) => known.filter(({ verdict }) => verdicts.includes(verdict));
    byId("known").replaceChildren(...line("Dataset label", label ? [label] : []), ...line("Accepted", having("correct")), ...line("Unclear", having("unclear")), ...line("Rejected", having("wrong")));
  }

  #showStances(classes) {
    const names = new Map(classes.map((one) => [String(one.class), one.name]));
    setShown(byId("stances"), this.#discussion !== null);
    byId("stance-list").replaceChildren(...(this.#discussion?.stances ?? []).map((one) => makeStance(one, names)));
  }

  #makePrediction(one, place) {
    const { boxes, group } = makeVerdicts(one.key, one.name);
    const score = one.score ? [make("span", { className: "quiet" }, `score ${one.score}`)] : [];
    const head = make("div", { className: "pair-head" }, makeNames(one), ...score, this.#makeOpener({ ...one, name: "Card" }, `Card and guide of ${one.name}`));
    const gloss = one.gloss ? [make("p", { className: "gloss" }, one.gloss)] : [];
    const element = make("li", { className: "pair" }, head, ...gloss, group);
    group.addEventListener("change", () => this.#changed());
    element.addEventListener("focusin", () => this.#mark(place));
    return { key: one.key, index: one.class, element, boxes };
  }

  /** What opens the card of a class: its images, the guide, and classes like it. */
  #makeOpener(one, label = `Card and guide of ${one.name}`) {
    const button = make("button", { type: "button", className: "quiet", "aria-label": label }, one.name);
    button.addEventListener("click", () => this.#reference.open(one.class));
    return button;
  }

  #vote(verdict) {
    const one = this.#predictions[this.#current];
    if (!one) return;
    for (const box of one.boxes) box.checked = box.value === verdict;
    this.#changed();
    const next = this.#predictions.findIndex((other) => !findVerdict(other));
    if (next >= 0) this.#goTo(next);
  }

  #goTo(place) {
    this.#mark(place);
    const boxes = this.#predictions[place]?.boxes ?? [];
    (boxes.find((box) => box.checked) ?? boxes[0])?.focus({ preventScroll: true });
    this.#predictions[place]?.element.scrollIntoView({ block: "nearest" });
  }

  #mark(place) {
    this.#current = place;
    this.#predictions.forEach(({ element }, at) => element.classList.toggle("is-current", at === place && this.#predictions.length > 1));
  }

  #changed() {
    this.#settle();
    this.#desk.keep(this.#read());
  }

  #settle() {
    const n = this.#predictions.length;
    byId("facts").textContent = n > 1 ? `${this.#predictions.filter(findVerdict).length} of ${n} voted on` : "";
    byId("problem").textContent = "";
  }

  #toggle(id) {
    const box = field(id);
    box.checked = !box.checked;
    this.#changed();
  }

  #bindKeys() {
    const when = () => this.isShown;
    this.#desk.keymap.add(
      ...VERDICTS.map(({ verdict, key, words }) => ({ keys: [key], words: words.toLowerCase(), isOnce: true, run: () => this.#vote(verdict), when })),
      { keys: ["j"], words: "the prediction before", run: () => this.#goTo(Math.max(0, this.#current - 1)), when },
      { keys: ["k"], words: "the next prediction", run: () => this.#goTo(Math.min(this.#predictions.length - 1, this.#current + 1)), when },
      { keys: ["l"], words: "the dataset label is wrong", isOnce: true, run: () => this.#toggle("label-wrong"), when: () => when() && !byId("label-wrong-line").hidden },
      { keys: ["p"], words: "the image is problematic", isOnce: true, run: () => this.#toggle("problematic"), when },
      { keys: ["g"], words: "card and guide of the class", run: () => this.#reference.open(this.#predictions[this.#current].index), when },
      { keys: ["n"], words: "write an argument", run: () => byId("argument").focus(), when },
      { keys: ["e"], words: "give evidence from outside", run: () => this.#evidence.focus(), when },
      { keys: ["z"], words: "enlarge the image", run: () => this.#enlarge(), when },
      { keys: ["Enter"], words: "submit", isOnce: true, run: () => this.#desk.hand(), when },
    );
  }

  #report() {
    this.#viewer.close();
    this.#desk.report();
  }

  #enlarge() {
    if (this.#pictures[0]) this.#viewer.show(this.#pictures[0]);
  }
}

const field = (id) => /** @type {HTMLInputElement} */ (byId(id));

/** What somebody votes, without the reasons, so that two can be compared. */
function votesOf({ verdicts, label_wrong: isWrong, problematic }) {
  const sorted = Object.entries(verdicts).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([sorted, Boolean(isWrong), Boolean(problematic)]);
}

work({ makeView: (desk) => new Panel(desk) });
