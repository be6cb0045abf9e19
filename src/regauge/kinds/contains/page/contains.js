/** CONTAINS: a grid of images and one class; select every image that contains it. */

import { MOST, chooseColumns } from "./columns.js";
import { work } from "./desk.js";
import { byId, count, make, setShown } from "./dom.js";
import { makeClassCard, tellMeaning } from "./parts/class_card.js";
import { ImageViewer } from "./parts/image_viewer.js";
import { browserStore } from "./parts/store.js";
import { Undo } from "./parts/undo.js";
import { hasFailed, wasShown } from "./pictures.js";

const SIZE_KEY = "regauge.columns";
const LONG_TOUCH = 500;
const SLIP = 10;

/** The grid. */
class Grid {
  #desk;
  #grid = byId("grid");
  #boxes = [];
  #pictures = [];
  #undo = new Undo();
  /** Cells that an earlier answer was about, or a draft of one: they were shown then. */
  #known = 0n;
  /** What was missing when it was asked whether to submit without it: it stays out, even if it comes at the last moment. */
  #without = null;
  /** Per task the places of images that were reported: they are put away, and nothing is said of them. */
  #away = new Map();
  /** @type {Set<number>} those of the task on the screen. */
  #reported = new Set();
  #at = 0;
  #enlarged = 0;
  #seen = new Set();
  /** @type {IntersectionObserver | null} */
  #watcher = null;
  #viewer = new ImageViewer({
    go: (step) => this.#zoomTo(this.#enlarged + step),
    toggle: () => this.#toggle(this.#enlarged, { again: true }),
    report: () => this.#report(),
    // The browser goes back to the image that was enlarged first; here one goes on from the last.
    closed: () => this.#boxes[this.#enlarged] && this.#focus(this.#enlarged),
  });

  constructor(desk) {
    this.#desk = desk;
    this.#grid.addEventListener("change", (event) => this.#changed(this.#boxes.indexOf(event.target)));
    this.#grid.addEventListener("focusin", (event) => this.#focused(event));
    this.#grid.addEventListener("click", (event) => this.#clicked(event));
    this.#grid.addEventListener("dblclick", (event) => this.#clickedTwice(event));
    this.#listenForLongTouches();
    byId("question-yes").addEventListener("click", () => this.#send());
    byId("question-no").addEventListener("click", () => this.#askNot());
    byId("question").addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      // It takes back the question, not the change that is being made.
      event.preventDefault();
      this.#askNot();
    });
    byId("smaller").addEventListener("click", () => this.#resize(1));
    byId("larger").addEventListener("click", () => this.#resize(-1));
    window.addEventListener("resize", () => this.#arrange());
    this.#bindKeys();
  }

  /** Whether a task is on the screen. */
  get isShown() {
    return !this.#grid.hidden;
  }

  /** Show a task, with what was selected before. */
  show(task, answer) {
    byId("class").replaceChildren(makeClassCard(task.view.target, { level: 1, id: "target", around: task.view.ask }));
    this.#grid.setAttribute("aria-labelledby", "target");
    this.#pictures = task.pictures;
    this.#reported = this.#away.get(task.id) ?? new Set();
    this.#away.set(task.id, this.#reported);
    this.#boxes = task.pictures.map((_, place) => makeBox(place));
    this.#grid.replaceChildren(...task.pictures.map((picture, place) => makeCell(this.#boxes[place], picture)));
    this.#select(answer ? BigInt(`0x${answer.mask}`) : 0n);
    for (const place of this.#reported) this.#hide(place);
    this.#known = answer ? ~BigInt(`0x${answer.not_shown ?? "0"}`) : 0n;
    this.#undo.clear();
    this.#askNot({ isQuiet: true });
    setShown(this.#grid, true);
    setShown(byId("taskbar"), true);
    this.#arrange();
    window.scrollTo(0, 0);
    this.#watch();
    this.#focus(0);
    this.#count();
  }

  /** Show no task. */
  clear() {
    this.#watcher?.disconnect();
    this.#seen.clear();
    this.#grid.replaceChildren();
    this.#boxes = [];
    this.#pictures = [];
    setShown(this.#grid, false);
    setShown(byId("taskbar"), false);
  }

  /** Hand the answer in; one that is empty, or about less than the whole grid, is asked about first. */
  hand() {
    const missing = this.#missing.filter((place) => !this.#reported.has(place));
    if (!byId("question").hidden) this.#send();
    else if (missing.length) this.#askWithout(missing);
    else if (!this.#boxes.some((box) => box.checked)) this.#ask("No image contains it – submit?", "Submit none");
    else this.#send();
  }

  /** The image that a key or a button means: the last that was focused. */
  get place() {
    return this.#at;
  }

  /** An image that was reported is put away. */
  putAway(place) {
    this.#reported.add(place);
    this.#hide(place);
    this.#undo.clear();
    this.#askNot({ isQuiet: true });
    this.#count();
    this.#desk.keep(this.#read());
  }

  #hide(place) {
    this.#boxes[place].checked = false;
    this.#boxes[place].setAttribute("aria-label", `Image ${place + 1}, put away`);
    this.#grid.children[place].classList.add("away");
  }

  #report() {
    const place = this.#enlarged;
    this.#viewer.close();
    this.#desk.report(place);
  }

  /** The places of images that were never on the screen, or were put away. */
  get #missing() {
    if (this.#without) return [...new Set([...this.#without, ...this.#reported])];
    const isMissing = (place) => this.#reported.has(place) || !wasShown(this.#pictures[place]) && !((this.#known >> BigInt(place)) & 1n);
    return this.#boxes.map((_, place) => place).filter(isMissing);
  }

  /** Nobody answers for images that they were not shown; what is only late is waited for. */
  #askWithout(missing) {
    const late = missing.filter((place) => !hasFailed(this.#pictures[place]));
    if (late.length) {
      byId("facts").textContent = `${count(late.length, "image is", "images are")} still loading`;
      return;
    }
    this.#without = missing;
    const isNothing = missing.length === this.#boxes.length;
    const words = isNothing ? "None of the images" : count(missing.length, "image", "images");
    this.#ask(`${words} could not be shown – ${isNothing ? "report it and go on" : "submit without"}?`, isNothing ? "Report" : "Submit");
  }

  #send() {
    const answer = this.#read();
    this.#askNot({ isQuiet: true });
    this.#desk.submit(answer);
  }

  #read() {
    const missing = this.#missing;
    if (missing.length === this.#boxes.length) return { not_shown: true };
    const mask = toMask(this.#boxes.map((_, place) => place).filter((place) => this.#boxes[place].checked));
    const answer = { mask: mask.toString(16) };
    return missing.length ? { ...answer, not_shown: toMask(missing).toString(16) } : answer;
  }

  #select(mask) {
    this.#boxes.forEach((box, place) => (box.checked = Boolean((mask >> BigInt(place)) & 1n)));
  }

  #changed(place) {
    // What nobody sees, nobody selects.
    if (this.#missing.includes(place)) {
      this.#boxes[place].checked = false;
      return;
    }
    this.#undo.note(place, () => this.#takeBack(place));
    this.#askNot({ isQuiet: true });
    this.#count();
    this.#desk.keep(this.#read());
  }

  #toggle(place, { again = false } = {}) {
    this.#boxes[place].checked = !this.#boxes[place].checked;
    this.#changed(place);
    if (again) this.#zoomTo(place);
  }

  #takeBack(place) {
    this.#toggle(place);
    this.#focus(place);
  }

  #count() {
    const n = this.#boxes.filter((box) => box.checked).length;
    byId("facts").textContent = `${n} selected`;
  }

  /** One image at a time is in the tab order, and arrows go on from it. */
  #focus(place) {
    this.#boxes.forEach((box, other) => (box.tabIndex = other === place ? 0 : -1));
    this.#at = place;
    this.#boxes[place].focus({ preventScroll: place === 0 });
  }

  #focused(event) {
    const place = this.#boxes.indexOf(event.target);
    if (place < 0) return;
    this.#boxes[this.#at].tabIndex = -1;
    this.#boxes[place].tabIndex = 0;
    this.#at = place;
  }

  #bindKeys() {
    const isShown = () => this.isShown;
    const isInside = () => this.isShown && this.#grid.contains(document.activeElement);
    const isHere = () => isInside() || (this.isShown && document.activeElement === document.body);
    const isAtLast = () => isInside() && this.#at === this.#boxes.length - 1;
    const arrows = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];
    this.#desk.keymap.add(
      { keys: arrows, words: "move from image to image", run: (_, key) => this.#move(key), when: isHere },
      { keys: ["Home", "End"], run: (_, key) => this.#move(key), when: isInside },
      // The browser does it, for an image is a box to tick.
      { keys: [], shown: ["Space"], words: "select, or undo the selection", run: () => {} },
      { keys: ["z"], words: "enlarge; also by double click or by a long touch", run: () => this.#zoomTo(this.#at), when: isShown },
      { keys: ["u"], words: "undo the last selection", run: () => this.#undo.undo(), when: isShown },
      { keys: ["+", "="], shown: ["+"], words: "larger images", run: () => this.#resize(-1), when: isShown },
      { keys: ["-"], words: "smaller images", run: () => this.#resize(1), when: isShown },
      { keys: ["Enter"], words: "submit, on the last image", isOnce: true, run: () => this.#desk.hand(), when: isAtLast },
    );
  }

  #move(key) {
    if (!this.#grid.contains(document.activeElement)) {
      this.#focus(this.#at);
      return;
    }
    const columns = Number(this.#grid.dataset.columns);
    const last = this.#boxes.length - 1;
    const targets = {
      ArrowRight: this.#at + 1,
      ArrowLeft: this.#at - 1,
      ArrowDown: this.#at + columns > last && this.#at < last ? last : this.#at + columns,
      ArrowUp: this.#at - columns,
      Home: 0,
      End: last,
    };
    if (this.#boxes[targets[key]]) this.#focus(targets[key]);
  }

  #zoomTo(place) {
    if (!this.#pictures[place]) return;
    this.#enlarged = place;
    const name = `Image ${place + 1} of ${this.#boxes.length}`;
    this.#viewer.show(this.#pictures[place], { name, isSelected: this.#boxes[place].checked });
  }

  #clicked(event) {
    if (!event.target.closest(".enlarge")) return;
    event.preventDefault();
    this.#zoomTo(this.#find(event));
  }

  /** The two clicks have selected and unselected the image; it is as it was. */
  #clickedTwice(event) {
    if (event.target.closest(".enlarge") || this.#find(event) < 0) return;
    this.#undo.forgetLast(2);
    this.#zoomTo(this.#find(event));
  }

  #find(event) {
    const cell = event.target.closest(".cell");
    return cell ? [...this.#grid.children].indexOf(cell) : -1;
  }

  #listenForLongTouches() {
    let timer = null;
    let start = null;
    const stop = () => clearTimeout(timer);
    this.#grid.addEventListener("pointerdown", (event) => {
      stop();
      const place = this.#find(event);
      if (event.pointerType !== "touch" || place < 0) return;
      start = event;
      timer = setTimeout(() => this.#zoomTo(place), LONG_TOUCH);
    });
    this.#grid.addEventListener("pointermove", (event) => {
      if (start && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > SLIP) stop();
    });
    for (const name of ["pointerup", "pointercancel", "scroll"]) this.#grid.addEventListener(name, stop);
    // The browser's own menu of an image would come up at the same moment.
    this.#grid.addEventListener("contextmenu", (event) => event.pointerType === "touch" && event.preventDefault());
  }

  #ask(words, action) {
    byId("question-text").textContent = words;
    byId("question-yes").firstChild.textContent = `${action} `;
    setShown(byId("buttons"), false);
    setShown(byId("question"), true);
    byId("question-yes").focus();
  }

  #askNot({ isQuiet = false } = {}) {
    this.#without = null;
    setShown(byId("question"), false);
    setShown(byId("buttons"), true);
    if (!isQuiet) this.#focus(this.#at);
  }

  #resize(step) {
    const shown = Number(this.#grid.dataset.columns);
    const wanted = Math.max(1, Math.min(shown + step, MOST));
    const offset = wanted - this.#chooseColumns();
    browserStore.writeData(SIZE_KEY, offset);
    this.#arrange();
  }

  #chooseColumns() {
    const { width } = this.#grid.getBoundingClientRect();
    return chooseColumns(this.#boxes.length, width, window.innerHeight - byId("taskbar").offsetHeight);
  }

  #arrange() {
    if (!this.isShown) return;
    const columns = Math.max(1, Math.min(this.#chooseColumns() + loadOffset(), MOST));
    this.#grid.dataset.columns = columns;
  }

  /** Tell how much of the grid was on the screen: what is below the edge is easily forgotten. */
  #watch() {
    this.#watcher?.disconnect();
    this.#seen.clear();
    const bar = byId("seen");
    bar.max = this.#boxes.length;
    bar.value = 0;
    const watcher = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) if (entry.isIntersecting) this.#seen.add(entry.target);
        bar.value = this.#seen.size;
      },
      { threshold: 0.5 },
    );
    for (const cell of this.#grid.children) watcher.observe(cell);
    this.#watcher = watcher;
  }
}

/** Places as a mask, the first one being the lowest bit. */
function toMask(places) {
  return places.reduce((sum, place) => sum | (1n << BigInt(place)), 0n);
}

function makeBox(place) {
  return make("input", { type: "checkbox", tabIndex: -1, "aria-label": `Image ${place + 1}` });
}

function makeCell(box, picture) {
  const enlarge = make("button", { type: "button", className: "enlarge", tabIndex: -1, "aria-hidden": "true", title: "Enlarge (z)" });
  return make("label", { className: "cell" }, box, picture, enlarge);
}

const loadOffset = () => browserStore.readData(SIZE_KEY) ?? 0;

/** A question of a quiz is a grid of one image. */
function ask({ view: { target } }) {
  return {
    title: target.name,
    meaning: tellMeaning(target),
    ask: "Does the image contain it?",
    buttons: [
      { words: "Yes", key: "y", read: () => ({ mask: "1" }) },
      { words: "No", key: "n", read: () => ({ mask: "0" }) },
    ],
  };
}

/** Whether the image contains what was asked for, and what it shows instead. */
function explain({ shows, asked }) {
  if (asked.name === shows.name) return ["The image contains it."];
  const gloss = shows.gloss ? ` – ${shows.gloss}` : "";
  return ["The image does not contain it. It shows ", make("strong", {}, shows.name), `${gloss}.`];
}

const caption = ({ shows, isPositive }) => (isPositive ? "contains it" : `does not: it shows ${shows.name}`);

work({ makeView: (desk) => new Grid(desk), lessons: { ask, explain, caption } });
