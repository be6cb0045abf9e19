/** A list of classes of which some are selected: by a click, by their keys, or by arrows and Space. */

import { make, setShown } from "../dom.js";
import { makeLookUp, makeNames } from "./class_card.js";
import { Keymap } from "./keymap.js";
import { Undo } from "./undo.js";

/** Keys of the choices; letters that pages give a meaning of their own are left out. */
export const CHOICE_KEYS = "123456789acdefgijklnopqrstvwy";

/**
 * One class of the list.
 *
 * @typedef {object} Choice
 * @property {number} class its number.
 * @property {string} name
 * @property {string} gloss what it means; empty where nobody said.
 * @property {HTMLElement} element
 * @property {HTMLInputElement} box
 * @property {HTMLElement} told the meaning in the list, hidden until it is asked for.
 * @property {HTMLElement} why what asks for it.
 */

/** The list. */
export class ChoiceList {
  /** @type {Choice[]} */
  #choices = [];
  #list;
  #options;
  #undo = new Undo();

  /**
   * @param {HTMLElement} list
   * @param {object} [options]
   * @param {string} [options.name] what ids in the list begin with.
   * @param {boolean} [options.isDescribed] whether each class can be explained and looked up.
   * @param {(choice: Choice) => unknown} [options.changed] called when a class was selected, or taken back.
   * @param {(choice: Choice) => Node[]} [options.extend] what else stands in the line of a class.
   */
  constructor(list, options = {}) {
    this.#list = list;
    this.#options = { name: "label", isDescribed: false, changed: () => {}, extend: () => [], ...options };
    list.addEventListener("change", ({ target }) => {
      const choice = this.#choices.find(({ box }) => box === target);
      if (choice) this.#note(choice);
    });
    new Keymap(list).add(
      { keys: ["ArrowDown"], run: () => this.#move(1), when: isOutsideRadios },
      { keys: ["ArrowUp"], run: () => this.#move(-1), when: isOutsideRadios },
    );
  }

  /** The classes in the order of the list. */
  get choices() {
    return this.#choices;
  }

  /** Those that are selected. */
  get selected() {
    return this.#choices.filter(({ box }) => box.checked);
  }

  /** The class that has the focus; null if none has. */
  get focused() {
    return this.#choices.find(({ element }) => element.contains(document.activeElement)) ?? null;
  }

  /**
   * Keys that select, for the page.
   *
   * @param {(choice: Choice) => unknown} [choose] what they do.
   * @param {string} [modifier] "Shift+" where Shift is held.
   * @returns {import("./keymap.js").Binding}
   */
  bind(choose = (choice) => this.toggle(choice), modifier = "") {
    const keys = [...CHOICE_KEYS].map((key) => modifier + key);
    return {
      keys,
      shown: modifier ? [`${modifier.slice(0, -1)} 1 …`] : ["1 … 9", "a …"],
      isOnce: true,
      run: (_, key) => this.#choices[keys.indexOf(key)] && choose(this.#choices[keys.indexOf(key)]),
    };
  }

  /**
   * Show classes.
   *
   * @param {import("./class_card.js").ClassView[]} classes
   * @param {number[]} [selected] numbers of those that are selected.
   */
  show(classes, selected = []) {
    this.#undo.clear();
    this.#choices = classes.map((one, place) => this.#make(one, CHOICE_KEYS[place]));
    for (const choice of this.#choices) choice.box.checked = selected.includes(choice.class);
    this.#list.replaceChildren(...this.#choices.map(({ element }) => element));
  }

  /** Show nothing. */
  clear() {
    this.show([]);
  }

  /** Begin at the first one. */
  focus() {
    this.#choices[0]?.box.focus({ preventScroll: true });
  }

  /** @param {Choice} choice */
  toggle(choice) {
    choice.box.checked = !choice.box.checked;
    choice.box.focus();
    this.#note(choice);
  }

  /** Take the last selection back. */
  undo() {
    this.#undo.undo();
  }

  /** Nothing can be changed any more. */
  freeze() {
    for (const { box } of this.#choices) box.disabled = true;
  }

  /**
   * Show what a class means, or hide it again.
   *
   * @param {Choice | null} choice
   */
  explain(choice) {
    if (!choice || !this.#options.isDescribed) return;
    setShown(choice.told, choice.told.hidden);
    choice.why.setAttribute("aria-expanded", String(!choice.told.hidden));
  }

  #note(choice) {
    this.#undo.note(choice, () => this.toggle(choice));
    this.#options.changed(choice);
  }

  #move(step) {
    this.#choices[this.#choices.findIndex((one) => one === this.focused) + step]?.box.focus();
  }

  #make(one, key) {
    const id = `${this.#options.name}-${one.class}`;
    const box = make("input", { type: "checkbox", id });
    const hint = key ? [make("kbd", { "aria-hidden": "true" }, key)] : [];
    const label = make("label", { className: "label", htmlFor: id }, box, ...hint, makeNames(one));
    const told = make("p", { className: "gloss", id: `${id}-gloss`, hidden: true }, one.gloss || "There is no description of this label.");
    const why = makeWhy(one.name, told.id);
    const element = make("li", { className: "choice" }, label);
    const choice = { class: one.class, name: one.name, gloss: one.gloss, element, box, told, why };
    element.append(...this.#options.extend(choice));
    if (this.#options.isDescribed) element.append(why, ...(one.link ? [makeLookUp(one, { isSign: true })] : []), told);
    why.addEventListener("click", () => this.explain(choice));
    return choice;
  }
}

/** Among radio buttons arrows choose. */
const isOutsideRadios = () => !document.activeElement?.matches("input[type=radio]");

function makeWhy(name, controls) {
  const names = { "aria-expanded": "false", "aria-controls": controls, "aria-label": `What is ${name}?` };
  return make("button", { type: "button", className: "why", ...names }, "?");
}
