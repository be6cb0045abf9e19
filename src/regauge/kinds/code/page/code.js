/** CODE: an image with a prediction that is not accepted; say what kind of mistake it is and how severe, or why it is none. */

import { Reference } from "./class_reference.js";
import { isSame, makeCoderStance } from "./coder_stances.js";
import { work } from "./desk.js";
import { byId, make, setShown } from "./dom.js";
import { PictureField } from "./evidence.js";
import { makeLookUp, makeNames } from "./parts/class_card.js";
import { ImageViewer } from "./parts/image_viewer.js";
import { leaveFields } from "./parts/keymap.js";
import { Options } from "./options.js";
import { browserStore } from "./parts/store.js";
import { Undo } from "./parts/undo.js";
import { NO_LINK, isWebAddress } from "./parts/web_address.js";
import { showPicture, wasShown } from "./pictures.js";

const SEVERITIES = [
  { value: "major", key: "m" },
  { value: "minor", key: "i" },
  { value: "borderline", key: "l" },
];
const REASONS = [
  { value: "missed object", key: "e" },
  { value: "against the guide", key: "u" },
  { value: "against the class's images", key: "c" },
];
/** The category of the standard list that needs a note. */
const OTHER = "other";
const MEANINGS_KEY = "regauge.code.meanings";
const EARLIER = { correct: "Judged correct before.", unclear: "Judged unclear before.", wrong: "Judged wrong before." };

/** The image, what was predicted, and what is said of it. */
class Coding {
  #desk;
  /** @type {any} */
  #view = null;
  /** @type {HTMLImageElement | null} */
  #picture = null;
  /** Whether the image was shown when an earlier answer was given. */
  #isKnown = false;
  /** @type {any} what was handed in last, where it is discussed; null otherwise. */
  #before = null;
  /** What was said before the next change. */
  #held = { category: "", severity: "", reason: "" };
  #undo = new Undo();
  #reference = new Reference(Number(byId("desk").dataset.campaign));
  #evidence = new PictureField({ changed: () => this.#desk.keep(this.#read()) });
  #viewer = new ImageViewer({ report: () => this.#report() });
  #categories = new Options("categories", { name: "category", change: () => this.#changed("category") });
  #severities = new Options("severities", { name: "severity", change: () => this.#changed("severity") });
  #reasons = new Options("reasons", { name: "reason", change: () => this.#changed("reason") });

  constructor(desk) {
    this.#desk = desk;
    byId("enlarge").addEventListener("click", () => this.#enlarge());
    byId("report").addEventListener("click", () => desk.submit({ not_shown: true }));
    this.#severities.offer(SEVERITIES);
    this.#reasons.offer(REASONS);
    for (const id of ["comment", "link", "argument"]) byId(id).addEventListener("input", () => desk.keep(this.#read()));
    leaveFields(byId("codes"), { leave: (field) => field.blur(), submit: () => desk.hand() });
    const undo = make("button", { type: "button" }, "Undo ", make("kbd", { "aria-hidden": "true" }, "y"));
    undo.addEventListener("click", () => this.#takeBack());
    byId("previous").after(undo);
    const meanings = /** @type {HTMLDetailsElement} */ (byId("meanings"));
    meanings.open = browserStore.read(MEANINGS_KEY) !== "closed";
    meanings.addEventListener("toggle", () => (meanings.open ? browserStore.remove(MEANINGS_KEY) : browserStore.write(MEANINGS_KEY, "closed")));
    this.#bindKeys();
  }

  /** Whether a task is on the screen. */
  get isShown() {
    return !byId("code").hidden;
  }

  /** Show a task, with what was said before. */
  show(task, answer) {
    const [picture] = task.pictures;
    this.#view = task.view;
    this.#picture = picture;
    this.#isKnown = Boolean(answer);
    showPicture(picture, { isStill: () => picture === this.#picture });
    this.#showLabels(task.view);
    this.#showDiscussion(task, answer);
    this.#categories.offer(task.view.categories.map((value, place) => ({ value, key: place < 9 ? String(place + 1) : "" })));
    this.#undo.clear();
    this.#choose({ category: answer?.category ?? "", severity: answer?.severity ?? "", reason: answer?.overturned ?? "" });
    for (const name of ["comment", "link"]) /** @type {HTMLInputElement} */ (byId(name)).value = answer?.[name] ?? "";
    this.#evidence.show(answer?.evidence?.picture ?? "", task.id);
    byId("problem").textContent = "";
    setShown(byId("code"), true);
    byId("codes").querySelector(".beside-scroll").scrollTop = 0;
    window.scrollTo(0, 0);
    // Whoever submits from a field goes on by keys, which must not be typed into the note of the next mistake.
    if (document.activeElement instanceof HTMLElement && byId("codes").contains(document.activeElement)) document.activeElement.blur();
  }

  /** Show no task. */
  clear() {
    setShown(byId("code"), false);
    byId("enlarge").replaceChildren();
    this.#picture = null;
    this.#view = null;
  }

  /** Hand the answer in, or say what is missing. */
  hand() {
    const [problem, where] = this.#findProblem();
    byId("problem").textContent = problem;
    if (problem) where?.focus();
    else this.#desk.submit(this.#read());
  }

  /** @returns {[string, HTMLElement | null]} what is missing, and where. */
  #findProblem() {
    if (!this.#picture || (!wasShown(this.#picture) && !this.#isKnown)) return ["The image is not there yet. Wait for it, or report that it does not come.", null];
    const { category, severity, reason } = this.#held;
    const note = /** @type {HTMLTextAreaElement} */ (byId("comment"));
    if (!category && !reason) return ["Choose a category, or say why it is not a mistake.", null];
    if (!reason && !severity) return ["Say how severe the mistake is.", null];
    if (this.#needsNote && !note.value.trim()) return [reason ? "Write down what you see: the verdict rests on it." : "Write down what kind of mistake it is.", note];
    const link = /** @type {HTMLInputElement} */ (byId("link"));
    if (this.#before && !isSame(this.#before, this.#read()) && !byId("argument").value.trim()) return ["Say why you change your vote: the others read the reason.", byId("argument")];
    if (link.value && !isWebAddress(link.value.trim())) return [NO_LINK, link];
    return [this.#evidence.problem, null];
  }

  get #needsNote() {
    return Boolean(this.#held.reason) || this.#held.category === OTHER;
  }

  #read() {
    const { category, severity, reason } = this.#held;
    const answer = /** @type {any} */ (reason ? { overturned: reason } : { ...(category ? { category } : {}), ...(severity ? { severity } : {}) });
    for (const name of ["comment", "link", ...(this.#view?.discussion ? ["argument"] : [])]) {
      const text = /** @type {HTMLInputElement} */ (byId(name)).value.trim();
      if (text) answer[name] = text;
    }
    if (this.#evidence.picture) answer.evidence = { picture: this.#evidence.picture };
    return answer;
  }

  /** What was predicted, and what the label set says of the image. */
  #showLabels({ prediction, score, verdict, accepted, rejected }) {
    const told = score === undefined ? [] : [make("span", { className: "quiet" }, `Score ${score < 0.005 ? "below 0.01" : score.toFixed(2)}`)];
    const look = prediction.link ? [makeLookUp(prediction, { isSign: true })] : [];
    const head = make("div", { className: "pair-head" }, makeNames(prediction), ...told, this.#reference.makeOpener(prediction), ...look);
    byId("prediction").replaceChildren(head, ...(prediction.gloss ? [make("p", { className: "gloss" }, prediction.gloss)] : []));
    byId("verdict").textContent = verdict ? EARLIER[verdict] : "Nobody has judged it yet.";
    byId("labels").replaceChildren(...this.#makeList("Accepted", accepted), ...this.#makeList("Rejected", rejected));
  }

  /** What the others say, once it may be seen; and a field to answer them. */
  #showDiscussion(task, answer) {
    const { discussion } = task.view;
    this.#before = discussion ? task.answer : null;
    byId("title").textContent = discussion ? "Talk about it" : "What kind of mistake is it?";
    for (const id of ["stances", "argument-line"]) setShown(byId(id), Boolean(discussion));
    setShown(byId("locked"), Boolean(discussion?.is_locked));
    byId("stance-list").replaceChildren(...(discussion?.stances ?? []).map(makeCoderStance));
    // What was argued before stands above; what is said now is said once more.
    byId("argument").value = discussion && answer !== task.answer ? (answer?.argument ?? "") : "";
  }

  #makeList(words, classes) {
    if (!classes.length) return [];
    const items = classes.map((one) => {
      const button = make("button", { type: "button", className: "quiet", "aria-label": `Card and guide of ${one.name}` }, one.name);
      button.addEventListener("click", () => this.#reference.open(one.class));
      return make("li", {}, button, one.verdict === "unclear" ? " (unclear)" : "");
    });
    return [make("div", {}, make("p", {}, make("b", {}, words)), make("ul", { "aria-label": words }, ...items))];
  }

  /** Somebody chose something: codes and reasons exclude each other. */
  #changed(what) {
    const before = this.#held;
    const now = { category: this.#categories.value, severity: this.#severities.value, reason: this.#reasons.value };
    this.#undo.note(what, () => this.#choose(before));
    this.#choose(what === "reason" ? { category: "", severity: "", reason: now.reason } : { ...now, reason: "" });
    this.#desk.keep(this.#read());
    if (what === "reason" && this.isShown) byId("comment").focus();
  }

  #choose(said) {
    this.#held = said;
    this.#categories.value = said.category;
    this.#severities.value = said.severity;
    this.#reasons.value = said.reason;
    for (const [part, word] of [["category", said.category], ["severity", said.severity], ["reason", said.reason]]) byId(`${part}-gloss`).textContent = findMeaning(part, word);
    setShown(byId("note-needed"), this.#needsNote);
    byId("problem").textContent = "";
  }

  #takeBack() {
    if (this.#undo.undo()) this.#desk.keep(this.#read());
    else byId("problem").textContent = "There is nothing to undo.";
  }

  #bindKeys() {
    const when = () => this.isShown;
    const digits = Array.from({ length: 9 }, (_, place) => String(place + 1));
    this.#desk.keymap.add(
      { keys: digits, shown: ["1", "…", "9"], words: "the category with that number", run: (_, key) => this.#categories.press(key), when },
      ...SEVERITIES.map(({ value, key }) => ({ keys: [key], words: value, run: () => this.#severities.press(key), when })),
      ...REASONS.map(({ value, key }) => ({ keys: [key], words: `no mistake: ${value}; then write the note`, isOnce: true, run: (event) => this.#press(event, key), when })),
      { keys: ["g"], words: "card and guide of the predicted class", run: () => this.#reference.open(this.#view.prediction.class), when },
      { keys: ["r"], words: "write an argument", isOnce: true, run: (event) => this.#goTo(event, "argument"), when, isHere: () => Boolean(this.#view?.discussion) },
      { keys: ["n"], words: "write a note", isOnce: true, run: (event) => this.#goTo(event, "comment"), when },
      { keys: ["w"], words: "what the words mean", run: () => byId("meanings").querySelector("summary").click(), when },
      { keys: ["z"], words: "enlarge the image", run: () => this.#enlarge(), when },
      { keys: ["y"], words: "undo the last choice", run: () => this.#takeBack(), when },
      { keys: ["Enter"], words: "submit", isOnce: true, run: () => this.#desk.hand(), when },
    );
  }

  /** The key itself is not typed into the note. */
  #press(event, key) {
    event.preventDefault();
    this.#reasons.press(key);
  }

  #goTo(event, id) {
    event.preventDefault();
    byId(id).focus();
  }

  #report() {
    this.#viewer.close();
    this.#desk.report();
  }

  #enlarge() {
    if (this.#picture) this.#viewer.show(this.#picture);
  }
}

/** What a word means, as the page says it further below. */
function findMeaning(part, word) {
  const terms = [...byId(`${part}-meanings`).querySelectorAll("dt")];
  return terms.find((one) => one.textContent === word)?.nextElementSibling?.textContent ?? "";
}

work({ makeView: (desk) => new Coding(desk) });
