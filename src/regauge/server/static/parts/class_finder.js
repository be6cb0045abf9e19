/** Find a class while typing: by names, what it is a kind of, or everyday words; recent and similar classes are one key away. */

import { count, make, setShown } from "../dom.js";
import { owner } from "../owner.js";
import { request } from "../requests.js";
import { ClassIndex } from "./class_search.js";
import { browserStore } from "./store.js";

const MAX_RECENT = 10;
const MAX_SHOWN = 10;
const MAX_SIBLINGS = 50;
let nFinders = 0;

/** @type {Promise<ClassIndex> | null} */
let loading = null;

/**
 * The index of the study's classes: one file, which browsers keep. Pages ask as often as they like; it is loaded once.
 *
 * @returns {Promise<ClassIndex>}
 */
export function loadClassIndex() {
  loading ??= fetchIndex().catch((error) => {
    loading = null;
    throw error;
  });
  return loading;
}

async function fetchIndex() {
  const { address } = await request("GET", "/api/classes");
  return new ClassIndex(await request("GET", address));
}

/** The classes that somebody chose last in this browser, by their ids. */
export class RecentClasses {
  #index;
  #key;
  #store;

  /**
   * @param {ClassIndex} index
   * @param {import("./store.js").Store} [store]
   */
  constructor(index, store = browserStore) {
    this.#index = index;
    this.#store = store;
    this.#key = `regauge.recent-classes.${owner}`;
  }

  /** @returns {number[]} the latest first; classes that are gone are left out. */
  list() {
    const kept = this.#store.readData(this.#key);
    if (!Array.isArray(kept)) return [];
    const places = kept.map((id) => this.#index.data.ids.indexOf(id));
    return places.filter((place) => place >= 0 && place < this.#index.nClasses);
  }

  /** @param {number} place */
  note(place) {
    const all = [place, ...this.list().filter((one) => one !== place)].slice(0, MAX_RECENT);
    this.#store.writeData(this.#key, all.map((one) => this.#index.data.ids[one]));
  }
}

/**
 * What the list shows.
 *
 * @typedef {{ place: number, why: string }} Option
 */

/** A field with a list below it. Whoever chooses a class by click, touch or Enter is told by `onChoose`. */
export class ClassFinder {
  #index;
  #onChoose;
  #recent;
  /** @type {Option[]} */
  #options = [];
  #active = -1;
  /** Whose siblings are shown; -1 where it is what was typed. */
  #around = -1;
  #list;
  #input;
  #told = make("p", { className: "quiet finder-told", role: "status" });
  #more = make("button", { type: "button", className: "quiet finder-more" });

  /**
   * @param {HTMLElement} container
   * @param {object} options
   * @param {ClassIndex} options.index
   * @param {(place: number) => unknown} options.onChoose
   * @param {string} [options.label]
   * @param {RecentClasses} [options.recent]
   */
  constructor(container, { index, onChoose, label = "Find a class", recent = new RecentClasses(index) }) {
    nFinders += 1;
    const id = `class-finder-${nFinders}`;
    this.#index = index;
    this.#onChoose = onChoose;
    this.#recent = recent;
    this.#list = make("ul", { id: `${id}-list`, className: "finder-list", role: "listbox", "aria-label": "Classes", hidden: true });
    this.#input = make("input", {
      id, type: "text", role: "combobox", autocomplete: "off", spellcheck: false, autocapitalize: "none",
      "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": `${id}-list`,
    });
    this.#more.hidden = true;
    const words = make("label", { htmlFor: id }, label);
    container.append(make("div", { className: "class-finder" }, words, this.#input, this.#list, this.#told, this.#more));
    this.#listen();
  }

  /** Put the focus into the field. */
  focus() {
    this.#input.focus();
  }

  /** The class that is marked in the list; -1 where none is. */
  get marked() {
    return this.#isOpen && this.#active >= 0 ? this.#options[this.#active].place : -1;
  }

  /** Empty the field and close the list. */
  clear() {
    this.#input.value = "";
    this.#close();
  }

  #listen() {
    this.#input.addEventListener("input", () => this.#search());
    this.#input.addEventListener("focus", () => this.#search());
    this.#input.addEventListener("keydown", (event) => this.#press(event));
    this.#input.addEventListener("blur", ({ relatedTarget }) => {
      if (relatedTarget !== this.#more) this.#close();
    });
    // A press on the list must not take the focus from the field.
    this.#list.addEventListener("pointerdown", (event) => event.preventDefault());
    this.#list.addEventListener("click", ({ target }) => {
      const item = /** @type {Element} */ (target).closest("[role=option]");
      if (item) this.#choose([...this.#list.children].indexOf(item));
    });
    this.#more.addEventListener("click", () => {
      this.#input.focus({ preventScroll: true });
      if (this.#around < 0) this.#showSiblings();
      else this.#search();
    });
    this.#more.addEventListener("pointerdown", (event) => event.preventDefault());
  }

  #press(event) {
    if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 5, PageUp: -5 };
    const isAtEnd = this.#input.selectionStart === this.#input.value.length && this.#input.selectionEnd === this.#input.value.length;
    if (event.key in steps) this.#isOpen ? this.#move(steps[event.key]) : this.#search();
    else if (event.key === "Enter" && this.#isOpen && this.#active >= 0) this.#choose(this.#active);
    else if (event.key === "Escape" && this.#isOpen) this.#close();
    else if (event.key === "Escape" && this.#input.value) this.clear();
    else if (event.key === "ArrowRight" && isAtEnd && this.#isOpen && this.#active >= 0 && this.#around < 0) this.#showSiblings();
    else if (event.key === "ArrowLeft" && this.#around >= 0) this.#search();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  get #isOpen() {
    return !this.#list.hidden;
  }

  #search() {
    this.#around = -1;
    const text = this.#input.value;
    if (text.trim()) {
      const found = this.#index.search(text, MAX_SHOWN);
      this.#show(found.map((one) => ({ place: one.index, why: this.#explain(one) })));
      this.#told.textContent = found.length ? count(found.length, "class", "classes") : "No class is like this.";
    } else {
      const recent = this.#recent.list();
      this.#show(recent.map((place) => ({ place, why: "recent" })));
      this.#told.textContent = recent.length ? count(recent.length, "recent class", "recent classes") : "";
    }
  }

  /** Why a class was found, where its first name does not say it. */
  #explain(found) {
    const { reason, text } = found;
    if (reason === "above" || reason === "kind" || reason === "related") return this.#index.explain(found);
    if (reason === "gloss") return this.#index.data.glosses[found.index];
    return text && text.name !== this.#index.data.names[found.index][0] ? text.name : "";
  }

  #showSiblings() {
    const { place } = this.#options[this.#active];
    const siblings = this.#index.findSiblings(place).slice(0, MAX_SIBLINGS);
    const [name] = this.#index.data.names[place];
    this.#around = place;
    this.#show(siblings.map((one) => ({ place: one, why: this.#index.data.glosses[one] })));
    this.#told.textContent = siblings.length ? `${count(siblings.length, "class", "classes")} beside ${name}` : `No class is beside ${name}.`;
  }

  /** @param {Option[]} options */
  #show(options) {
    this.#options = options;
    this.#list.replaceChildren(...options.map((one, i) => this.#makeItem(one, i)));
    setShown(this.#list, options.length > 0);
    this.#input.setAttribute("aria-expanded", String(options.length > 0));
    // All that was found is to be seen, and the field stays in view where it does not fit.
    if (options.length) this.#list.parentElement?.scrollIntoView?.({ block: "nearest" });
    this.#activate(options.length && this.#input.value.trim() && this.#around < 0 ? 0 : -1);
  }

  #makeItem({ place, why }, number) {
    const item = make("li", { id: `${this.#list.id}-${number}`, role: "option", "aria-selected": "false" });
    item.append(make("span", { className: "finder-name" }, this.#index.data.names[place][0]));
    if (why) item.append(" ", make("span", { className: "finder-why" }, why));
    return item;
  }

  #move(step) {
    const n = this.#options.length;
    if (!n) return;
    const at = this.#active < 0 ? (step > 0 ? 0 : n - 1) : this.#active + step;
    this.#activate(Math.abs(step) === 1 ? (at + n) % n : Math.max(0, Math.min(n - 1, at)));
  }

  #activate(number) {
    this.#list.children[this.#active]?.setAttribute("aria-selected", "false");
    this.#active = number;
    const item = this.#list.children[number];
    item?.setAttribute("aria-selected", "true");
    item?.scrollIntoView?.({ block: "nearest" });
    if (item) this.#input.setAttribute("aria-activedescendant", item.id);
    else this.#input.removeAttribute("aria-activedescendant");
    const isBack = this.#around >= 0;
    setShown(this.#more, isBack || number >= 0);
    if (isBack) this.#more.replaceChildren("Back ", make("kbd", { className: "stays" }, "←"));
    else if (item) {
      const name = this.#index.data.names[this.#options[number].place][0];
      this.#more.replaceChildren(`Classes beside ${name} `, make("kbd", { className: "stays" }, "→"));
    }
  }

  #choose(number) {
    const { place } = this.#options[number];
    this.#recent.note(place);
    this.#input.value = this.#index.data.names[place][0];
    this.#input.select();
    this.#close();
    this.#onChoose(place);
  }

  #close() {
    this.#around = -1;
    this.#show([]);
    this.#told.textContent = "";
  }
}
