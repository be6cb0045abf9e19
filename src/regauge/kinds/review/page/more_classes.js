/** REVIEW: classes that nobody asked about and that are in the image. */

import { byId, setShown } from "./dom.js";
import { ClassFinder, loadClassIndex } from "./parts/class_finder.js";
import { makeChosen } from "./verdicts.js";

/** The classes that were added to an image, found by their names. */
export class MoreClasses {
  #changed;
  /** @type {Map<number, string>} classes that were added, with their names. */
  #chosen = new Map();
  /** @type {ClassFinder | null} */
  #finder = null;
  /** @type {(index: number) => string} */
  #name = (index) => `class ${index}`;

  /**
   * @param {object} options
   * @param {(index: number, name: string) => unknown} options.choose what to do with a class that was found.
   * @param {() => unknown} options.changed what to do when a class was taken away.
   */
  constructor({ choose, changed }) {
    this.#changed = changed;
    this.#offerFinder(choose);
  }

  /** Whether classes can be looked up. */
  get isReady() {
    return this.#finder !== null;
  }

  /** How many were added. */
  get size() {
    return this.#chosen.size;
  }

  /** The classes that were added, by their numbers. */
  get indices() {
    return [...this.#chosen.keys()];
  }

  /** Go to the field. */
  focus() {
    this.#finder?.focus();
  }

  /** Begin with these. */
  restore(indices) {
    this.#chosen = new Map(indices.map((index) => [index, this.#name(index)]));
    this.#show();
  }

  /** Add one. */
  add(index, name) {
    this.#chosen.set(index, name);
    this.#show();
    this.#changed();
  }

  /** Whoever finds something that nobody asked about looks its class up; without the classes, the rest of the page works. */
  async #offerFinder(choose) {
    try {
      const index = await loadClassIndex();
      this.#name = (place) => index.data.names[place]?.[0] ?? `class ${place}`;
      const onChoose = (place) => {
        choose(place, this.#name(place));
        this.#finder?.clear();
      };
      this.#finder = new ClassFinder(byId("finder"), { index, label: "Something else is here", onChoose });
      this.restore(this.indices);
    } catch {
      setShown(byId("more"), false);
    }
  }

  #show() {
    const remove = (index) => {
      this.#chosen.delete(index);
      this.#show();
      this.#changed();
    };
    byId("chosen").replaceChildren(...[...this.#chosen].map(([index, name]) => makeChosen(name, () => remove(index))));
  }
}
