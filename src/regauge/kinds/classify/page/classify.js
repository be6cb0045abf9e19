/** CLASSIFY: one image and its candidates; select all labels that are right, and the main object's. */

import { work } from "./desk.js";
import { byId, isElsewhere, make, setShown } from "./dom.js";
import { hasFailed, wasShown } from "./pictures.js";
import { Zoom } from "./zoom.js";

/** Keys of the candidates; letters with a meaning of their own are left out. */
const KEYS = "123456789acdefgijklnopqrstvwxy";

/** The image and its labels. */
class Choices {
  #desk;
  #rows = [];
  #toggled = [];
  #picture = null;
  /** Whether the main object was chosen by hand; a choice that made itself does not outlive a second label. */
  #isChosen = false;
  /** Whether it was asked if really none of the labels is right. */
  #isAsked = false;
  /** Whether the image was shown when an earlier answer was given. */
  #isKnown = false;
  #zoom = new Zoom();

  constructor(desk) {
    this.#desk = desk;
    byId("candidates").addEventListener("change", (event) => this.#changed(event.target));
    byId("candidates").addEventListener("keydown", (event) => this.#move(event));
    document.addEventListener("keydown", (event) => this.#press(event));
    byId("enlarge").addEventListener("click", () => this.#zoom.show(this.#picture));
    byId("report").addEventListener("click", () => this.#desk.submit({ not_shown: true }));
  }

  /** Whether a task is on the screen. */
  get isShown() {
    return !byId("split").hidden;
  }

  /** Show a task, with what was selected before. */
  show(task, answer) {
    [this.#picture] = task.pictures;
    byId("enlarge").replaceChildren(this.#picture);
    this.#isKnown = Boolean(answer);
    for (const event of ["load", "error"]) this.#picture.addEventListener(event, () => this.#offerReport());
    this.#offerReport();
    this.#rows = task.view.candidates.map((candidate, place) => makeRow(candidate, KEYS[place]));
    for (const row of this.#rows) this.#explainOnDemand(row);
    byId("candidates").replaceChildren(...this.#rows.map((row) => row.element));
    this.#toggled = [];
    this.#isChosen = answer?.main != null && answer.selected.length > 1;
    for (const row of this.#rows) row.box.checked = answer?.selected.includes(row.class) ?? false;
    for (const row of this.#rows) row.radio.checked = row.class === answer?.main;
    this.#settle();
    this.#explain(null);
    setShown(byId("split"), true);
    byId("candidates").closest(".choices-scroll").scrollTop = 0;
    window.scrollTo(0, 0);
    this.#rows[0].box.focus({ preventScroll: true });
  }

  /** Show no task. */
  clear() {
    setShown(byId("split"), false);
    byId("enlarge").replaceChildren();
    byId("candidates").replaceChildren();
  }

  /** Hand the answer in if it is whole, or say what is missing. */
  hand() {
    const problem = this.#findProblem();
    this.#complain(problem);
    this.#isAsked = !this.#selected.length;
    if (!problem) this.#desk.submit(this.#read());
  }

  /** Whoever is not shown the image can say so and go on. */
  #offerReport() {
    const isMissing = hasFailed(this.#picture) && !wasShown(this.#picture) && !this.#isKnown;
    setShown(byId("unshown"), isMissing);
  }

  get #selected() {
    return this.#rows.filter((row) => row.box.checked);
  }

  get #main() {
    return this.#rows.find((row) => row.radio.checked) ?? null;
  }

  #read() {
    return { selected: this.#selected.map((row) => row.class), main: this.#main?.class ?? null };
  }

  #findProblem() {
    if (!wasShown(this.#picture) && !this.#isKnown) return "The image is not there yet. Wait for it, or report that it does not come.";
    if (!this.#selected.length) return this.#isAsked ? "" : "No label selected. If none of them is right, submit once more.";
    if (!this.#main) return "Which of the selected labels names the main object? Mark it as main.";
    return "";
  }

  #complain(words) {
    byId("problem").textContent = words;
    if (!words) return;
    const [first] = this.#selected;
    (first ? first.radio : this.#rows[0].box).focus();
  }

  #changed(input) {
    const row = this.#rows.find((one) => one.box === input || one.radio === input);
    if (row.radio === input) this.#isChosen = true;
    else this.#toggled.push(row);
    this.#settle();
    this.#desk.keep(this.#read());
  }

  /** Offer the choice of the main object among what is selected; it makes itself when there is only one. */
  #settle() {
    const selected = this.#selected;
    if (this.#main && !this.#main.box.checked) {
      this.#main.radio.checked = false;
      this.#isChosen = false;
    }
    if (selected.length > 1 && !this.#isChosen && this.#main) this.#main.radio.checked = false;
    if (selected.length === 1) {
      selected[0].radio.checked = true;
      this.#isChosen = false;
    }
    for (const row of this.#rows) {
      setShown(row.main, row.box.checked);
      row.element.classList.toggle("is-main", row.radio.checked);
    }
    this.#isAsked = false;
    byId("facts").textContent = `${selected.length} selected`;
    byId("problem").textContent = "";
  }

  #toggle(row) {
    row.box.checked = !row.box.checked;
    row.box.focus();
    this.#changed(row.box);
  }

  #mark(row) {
    if (!row.box.checked) this.#toggle(row);
    row.radio.checked = true;
    this.#changed(row.radio);
  }

  #markNext() {
    const selected = this.#selected;
    if (selected.length) this.#mark(selected[(selected.indexOf(this.#main) + 1) % selected.length]);
  }

  #undo() {
    const row = this.#toggled.pop();
    if (!row) return;
    this.#toggle(row);
    this.#toggled.pop();
  }

  #press(event) {
    if (isElsewhere(event) || !this.isShown || event.ctrlKey || event.metaKey) return;
    const row = this.#rows[KEYS.indexOf(findKey(event))];
    if (event.key === "?") this.#pin(this.#findFocused());
    else if (event.key === "z") this.#zoom.show(this.#picture);
    else if (event.key === "u") this.#undo();
    else if (event.key === "m") this.#markNext();
    else if (event.key === "Enter" && !event.target.closest("button, a")) event.repeat || this.#desk.hand();
    else if (row) event.shiftKey ? this.#mark(row) : this.#toggle(row);
    else return;
    event.preventDefault();
  }

  #move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.target.type === "radio" || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.#rows[this.#rows.indexOf(this.#findFocused()) + step]?.box.focus();
  }

  #findFocused() {
    return this.#rows.find((row) => row.element.contains(document.activeElement)) ?? null;
  }

  #explainOnDemand(row) {
    row.why.addEventListener("click", () => this.#pin(row));
    row.element.addEventListener("pointerenter", () => this.#explain(row));
    row.element.addEventListener("focusin", () => this.#explain(row));
  }

  #explain(row) {
    byId("explained").textContent = row?.gloss.textContent ? `${row.name}: ${row.gloss.textContent}` : "";
  }

  #pin(row) {
    if (!row) return;
    const isPinned = row.gloss.hidden;
    setShown(row.gloss, isPinned);
    row.why.setAttribute("aria-expanded", String(isPinned));
  }
}

/** The key without what Shift does to it: on many keyboards Shift and 1 give "!". */
function findKey(event) {
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code);
  return digit ? digit[1] : event.key.length === 1 ? event.key.toLowerCase() : "none";
}

function makeRow({ class: number, name, synonyms, gloss, link }, key) {
  const id = `label-${number}`;
  const box = make("input", { type: "checkbox", id });
  const radio = make("input", { type: "radio", name: "main", value: String(number) });
  const names = make("span", { className: "names" }, make("span", { className: "name" }, name));
  if (synonyms.length) names.append(" ", make("span", { className: "synonyms" }, synonyms.join(", ")));
  const label = make("label", { className: "label", htmlFor: id }, box, key ? make("kbd", { "aria-hidden": "true" }, key) : "", names);
  const main = make("label", { className: "main" }, radio, make("span", {}, "main", make("span", { className: "word" }, " object")));
  radio.setAttribute("aria-label", `${name} is the main object`);
  const told = make("p", { className: "gloss", id: `${id}-gloss`, hidden: true }, gloss || "There is no description of this label.");
  const why = make(
    "button",
    { type: "button", className: "why", "aria-expanded": "false", "aria-controls": told.id, "aria-label": `What is ${name}?` },
    "?",
  );
  const more = make(
    "a",
    { className: "more", href: link, target: "_blank", rel: "noreferrer noopener", "aria-label": `Look up ${name} (opens a new tab)` },
    "↗",
  );
  const element = make("li", { className: "choice" }, label, main, why, more, told);
  return { class: number, name, box, radio, main, why, gloss: told, element };
}

work((desk) => new Choices(desk));
