/** CODE: some words of which one can be chosen, each with a key. */

import { byId, make } from "./dom.js";

/** The words, as radio buttons. */
export class Options {
  #element;
  #name;
  #change;
  /** @type {HTMLInputElement[]} */
  #boxes = [];

  /**
   * @param {string} id of the element that they stand in.
   * @param {object} options
   * @param {string} options.name of the group.
   * @param {() => unknown} options.change what to do once somebody chose one.
   */
  constructor(id, { name, change }) {
    this.#element = byId(id);
    this.#name = name;
    this.#change = change;
    this.#element.addEventListener("change", () => this.#change());
  }

  /**
   * Offer these; the same as before stay as they are.
   *
   * @param {{ value: string, key: string }[]} choices
   */
  offer(choices) {
    if (choices.map(({ value }) => value).join("\n") === this.#boxes.map(({ value }) => value).join("\n")) return;
    this.#boxes = choices.map(({ value, key }) => make("input", { type: "radio", name: this.#name, value, "data-key": key }));
    const labels = choices.map(({ value, key }, place) => make("label", {}, this.#boxes[place], value, ...(key ? [" ", make("kbd", { "aria-hidden": "true" }, key)] : [])));
    this.#element.replaceChildren(...labels);
  }

  /** The word that is chosen; empty for none. */
  get value() {
    return this.#boxes.find((box) => box.checked)?.value ?? "";
  }

  set value(word) {
    for (const box of this.#boxes) box.checked = box.value === word;
  }

  /** Choose the word with that key, if there is one. */
  press(key) {
    const box = this.#boxes.find((one) => one.dataset.key === key);
    if (!box) return;
    box.checked = true;
    this.#change();
  }
}
