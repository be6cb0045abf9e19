/** The hierarchy as a place to walk in: a way back, and below it what is there, each with a picture and its number of classes. */

import { count, make } from "../dom.js";
import { request } from "../requests.js";

/** Above all roots. */
const TOP = -1;
/** A node with a larger share of what is shown divides nothing: what is below it is shown in its place. */
const MOST = 0.8;

/**
 * Gives the address of an image at or below a place; empty where there is none.
 *
 * @param {import("./class_search.js").ClassIndex} index
 * @param {string} cards what addresses of cards end with.
 * @returns {Promise<(place: number) => string>}
 */
export async function loadPictures(index, cards) {
  const { classes } = await request("GET", `/api/classes/pictured?${cards}`);
  const pictured = new Set(classes);
  return (place) => {
    const hasAny = index.below[place].some(([one]) => pictured.has(one));
    return hasAny ? `/api/classes/nodes/${encodeURIComponent(index.data.ids[place])}/picture?${[cards, "side=256"].filter(Boolean).join("&")}` : "";
  };
}

/** A walk through the hierarchy. Nodes that divide nothing are passed through; a class that is opened is told by `onChoose`. */
export class ClassTree {
  #index;
  #onChoose;
  #findPicture;
  #place = TOP;
  #roots;
  #way = make("ol", { className: "tree-way" });
  #list = make("ul", { className: "tree-list" });

  /**
   * @param {HTMLElement} container
   * @param {object} options
   * @param {import("./class_search.js").ClassIndex} options.index
   * @param {(place: number) => unknown} options.onChoose
   * @param {(place: number) => string} [options.findPicture] the address of an image at or below a place; empty for none.
   */
  constructor(container, { index, onChoose, findPicture = () => "" }) {
    this.#index = index;
    this.#onChoose = onChoose;
    this.#findPicture = findPicture;
    this.#roots = index.data.parents.flatMap((parents, place) => (parents.length || !index.below[place].length ? [] : [place]));
    const way = make("nav", { "aria-label": "Where you are in the hierarchy" }, this.#way);
    container.append(make("div", { className: "class-tree" }, way, this.#list));
    this.#list.addEventListener("keydown", (event) => this.#press(event));
    this.show(TOP);
  }

  /**
   * Show what is below a node, or around a class.
   *
   * @param {number} place
   */
  show(place) {
    const isLeaf = place >= 0 && !this.#listBelow(place).length;
    const chosen = isLeaf ? place : TOP;
    this.#place = place;
    // Around a class: the last node on its way that is shown.
    if (isLeaf) this.#place = this.#listWay().at(-2) ?? TOP;
    this.#way.replaceChildren(...this.#listWay().map((one) => make("li", {}, this.#makeStep(one))));
    const shown = this.#listShown();
    this.#list.replaceChildren(...shown.map((one) => make("li", {}, this.#makeButton(one, one === chosen))));
    const first = Math.max(0, chosen === TOP ? 0 : shown.indexOf(chosen));
    this.#buttons.forEach((button, i) => (button.tabIndex = i === first ? 0 : -1));
  }

  get #buttons() {
    return /** @type {HTMLElement[]} */ ([...this.#list.querySelectorAll("button")]);
  }

  /** What hangs directly below a place and has classes. */
  #listBelow(place) {
    const children = place === TOP ? this.#roots : this.#index.children[place];
    return children.filter((one) => this.#index.below[one].length);
  }

  /** What is shown, what holds most first; a class that others are a kind of comes before them. */
  #listShown() {
    const shown = new Set(this.#divide(this.#listBelow(this.#place), new Set()));
    shown.delete(this.#place);
    const measure = (one) => this.#index.below[one].length;
    const sorted = [...shown].sort((a, b) => measure(b) - measure(a) || this.#name(a).localeCompare(this.#name(b), "en", { numeric: true }));
    return this.#isClass(this.#place) ? [this.#place, ...sorted] : sorted;
  }

  /** Places, where one that has most of all classes gives way to what is below it. */
  #divide(places, passed) {
    const n = new Set(places.flatMap((one) => this.#index.below[one].map(([place]) => place))).size;
    return places.flatMap((one) => {
      if (this.#isClass(one) || passed.has(one) || this.#index.below[one].length <= MOST * n) return [this.#passThrough(one)];
      passed.add(one);
      return this.#divide(this.#listBelow(one), passed);
    });
  }

  /** The first node on the way down with more than one thing below it, or the class at its end. */
  #passThrough(place) {
    const seen = new Set();
    for (let at = place; ; ) {
      const below = this.#isClass(at) ? [] : this.#listBelow(at);
      if (below.length !== 1 || seen.has(at)) return at;
      seen.add(at);
      [at] = below;
    }
  }

  /** The way from the top, without nodes that were passed through. */
  #listWay() {
    const path = this.#place === TOP ? [] : this.#index.findPath(this.#place);
    const way = [TOP];
    for (const one of path) {
      const above = way[way.length - 1];
      const before = above === TOP ? this.#roots : this.#listBelow(above);
      if (one === this.#place || this.#isClass(one) || this.#divide(before, new Set()).includes(one)) way.push(one);
    }
    return way;
  }

  #isClass(place) {
    return place >= 0 && place < this.#index.nClasses;
  }

  #name(place) {
    return place === TOP ? "All classes" : this.#index.data.names[place][0];
  }

  #makeStep(place) {
    if (place === this.#place) return make("span", { "aria-current": "true" }, this.#name(place));
    const button = make("button", { type: "button", className: "quiet" }, this.#name(place));
    button.addEventListener("click", () => this.#open(place));
    return button;
  }

  #makeButton(place, isChosen) {
    const n = this.#index.below[place].length;
    const isItself = this.#isClass(place) && (place === this.#place || !this.#listBelow(place).length);
    const told = isItself ? this.#index.data.glosses[place] : count(n, "class", "classes");
    const words = make("span", { className: "tree-words" }, make("b", {}, this.#name(place)), " ", make("span", { className: "quiet" }, told));
    const button = make("button", { type: "button", className: "tree-node" }, this.#makePicture(place), words);
    if (isChosen) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => (isItself ? this.#onChoose(place) : this.#open(place)));
    return button;
  }

  /** A picture says nothing that the words do not; where none comes, its place stays empty. */
  #makePicture(place) {
    const room = make("span", { className: "tree-picture" });
    const address = this.#findPicture(place);
    if (!address) return room;
    const image = make("img", { src: address, alt: "", loading: "lazy" });
    image.addEventListener("error", () => image.remove());
    room.append(image);
    return room;
  }

  #open(place) {
    this.show(place);
    this.#buttons.find(({ tabIndex }) => tabIndex === 0)?.focus();
  }

  #goUp() {
    const way = this.#listWay();
    if (way.length < 2) return;
    const came = this.#place;
    this.show(way[way.length - 2]);
    const shown = this.#listShown();
    this.#focus(Math.max(0, shown.findIndex((one) => one === came || (one >= 0 && this.#index.findPath(came).includes(one)))));
  }

  #focus(number) {
    const buttons = this.#buttons;
    buttons.forEach((button, i) => (button.tabIndex = i === number ? 0 : -1));
    buttons[number]?.focus();
  }

  #press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const buttons = this.#buttons;
    const at = buttons.indexOf(event.target.closest("button"));
    const tops = buttons.map((button) => button.offsetTop);
    const nColumns = Math.max(1, tops.filter((top) => top === tops[0]).length);
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: nColumns, ArrowUp: -nColumns, Home: -at, End: buttons.length - 1 - at };
    if (event.key in steps) this.#focus(Math.max(0, Math.min(buttons.length - 1, at + steps[event.key])));
    else if (event.key === "Backspace") this.#goUp();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
