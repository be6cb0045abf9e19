/** The whole card of a class: what it means, the guide, reference images, all images of the test set, and what it is confused with. */

import { count, make, setShown } from "../dom.js";
import { fetchPicture, releasePicture } from "../pictures.js";
import { makeClassCard, tellMeaning } from "./class_card.js";
import { ImageViewer } from "./image_viewer.js";

const N_ON_PAGE = 20;

/**
 * A class beside another one: its description, its share of the answers where that may be known, and a few images.
 *
 * @typedef {import("./class_card.js").ClassView & { share: number | null, images: string[] }} Beside
 */

/**
 * A card as the server sends it; images are addresses.
 *
 * @typedef {object} Album
 * @property {string | null} guide what the labeling guide says; null where it says nothing.
 * @property {number} n_unchecked images that are not shown because they may be copies of hidden ones.
 * @property {number} n_unfinished images that are not shown because the campaign asks about them and whoever looks has not finished them.
 * @property {string[]} references
 * @property {number} [n_references_wanted] as many as there should be; 0 where nobody said.
 * @property {string[]} tested
 * @property {Beside[]} confused
 * @property {Beside[]} [similar] what a file of the campaign calls similar.
 * @property {Beside[]} siblings
 */

/** Text without markup, a paragraph for each that it has. */
const tellGuide = (text) => make("div", {}, ...text.split(/\n{2,}/).map((one) => make("p", {}, one)));

/** Shows one card after the other in the same place. */
export class ClassAlbum {
  #container;
  #options;
  /** @type {HTMLImageElement[]} */
  #pictures = [];
  /** @type {HTMLImageElement[]} */
  #row = [];
  #at = 0;
  #viewer = new ImageViewer({ go: (step) => this.#go(step), closed: () => this.#row[this.#at]?.closest("button")?.focus() });

  /**
   * @param {HTMLElement} container
   * @param {object} [options]
   * @param {(place: number) => unknown} [options.onOpen] somebody wants to see another class.
   * @param {(text: string) => HTMLElement} [options.renderGuide] makes elements of what the guide says.
   * @param {number} [options.level] of the heading.
   */
  constructor(container, { onOpen = () => {}, renderGuide = tellGuide, level = 2 } = {}) {
    this.#container = container;
    this.#options = { onOpen, renderGuide, level };
  }

  /** @param {import("./class_card.js").ClassView & Album} card */
  show(card) {
    this.clear();
    const { level, renderGuide } = this.#options;
    const parts = [makeClassCard(card, { level })];
    if (card.guide) parts.push(this.#makeSection("Labeling guide", renderGuide(card.guide)));
    if (card.n_unchecked) {
      const words = `${count(card.n_unchecked, "image", "images")} not shown: without checksums nobody can tell whether they are hidden ones`;
      parts.push(make("p", { className: "quiet" }, words));
    }
    if (card.n_unfinished) {
      const words = `${count(card.n_unfinished, "image", "images")} not shown while the campaign asks about ${card.n_unfinished === 1 ? "it" : "them"}`;
      parts.push(make("p", { className: "quiet" }, words));
    }
    const { references, n_references_wanted: nWanted = 0 } = card;
    if (references.length < nWanted) {
      const there = references.length ? `Only ${count(references.length, "reference image", "reference images")}` : "No reference image";
      parts.push(make("p", { className: "quiet" }, `${there} of this class; ${nWanted} were wanted`));
    }
    if (references.length) parts.push(this.#makeGallery("Reference images", references, card.name));
    if (card.tested.length) parts.push(this.#makeGallery("In the test set", card.tested, card.name));
    if (card.confused.length) parts.push(this.#makeSection("Also answered for its images", this.#makeBesides(card.confused)));
    if (card.similar?.length) parts.push(this.#makeSection("Similar to it", this.#makeBesides(card.similar)));
    if (card.siblings.length) parts.push(this.#makeSection("Next to it in the hierarchy", this.#makeBesides(card.siblings)));
    this.#container.append(make("article", { className: "class-album" }, ...parts));
  }

  /** Take the card away and give its images back. */
  clear() {
    this.#pictures.forEach(releasePicture);
    this.#pictures = [];
    this.#row = [];
    this.#container.replaceChildren();
  }

  #makeSection(title, ...content) {
    return make("section", {}, make(`h${this.#options.level + 1}`, {}, title), ...content);
  }

  /** Images, a page at a time. */
  #makeGallery(title, addresses, name) {
    const list = make("ul", { className: "album-images" });
    const told = make("span", { className: "quiet", role: "status" });
    const [back, on] = ["‹ Previous", "Next ›"].map((words) => make("button", { type: "button" }, words));
    const isLong = addresses.length > N_ON_PAGE;
    let first = 0;
    let shown = /** @type {HTMLImageElement[]} */ ([]);
    const show = (from) => {
      first = from;
      shown.forEach(releasePicture);
      const some = addresses.slice(first, first + N_ON_PAGE);
      shown = some.map((address, i) => this.#fetch(address, `${name}, image ${first + i + 1} of ${addresses.length}`));
      list.replaceChildren(...shown.map((picture) => make("li", {}, this.#makeButton(picture, shown))));
      const all = count(addresses.length, "image", "images");
      told.textContent = isLong ? `${first + 1}–${first + some.length} of ${all}` : all;
      back.disabled = first === 0;
      on.disabled = first + N_ON_PAGE >= addresses.length;
    };
    back.addEventListener("click", () => show(Math.max(0, first - N_ON_PAGE)));
    on.addEventListener("click", () => show(first + N_ON_PAGE));
    show(0);
    const bar = make("p", { className: "row album-bar" }, told, back, on);
    setShown(back, isLong);
    setShown(on, isLong);
    return this.#makeSection(title, list, bar);
  }

  #fetch(address, alt) {
    const picture = fetchPicture(address, alt);
    this.#pictures.push(picture);
    return picture;
  }

  #makeButton(picture, row) {
    const button = make("button", { type: "button", className: "album-image", "aria-label": `Enlarge ${picture.alt}` }, picture);
    button.addEventListener("click", () => {
      this.#row = row;
      this.#at = row.indexOf(picture);
      this.#go(0);
    });
    return button;
  }

  #go(step) {
    const at = this.#at + step;
    if (!this.#row[at]) return;
    this.#at = at;
    this.#viewer.show(this.#row[at], { name: this.#row[at].alt });
  }

  /** @param {Beside[]} classes */
  #makeBesides(classes) {
    return make("ul", { className: "album-beside" }, ...classes.map((one) => make("li", {}, ...this.#makeBeside(one))));
  }

  /** @param {Beside} one */
  #makeBeside(one) {
    const open = make("button", { type: "button", className: "quiet" }, one.name);
    open.addEventListener("click", () => this.#options.onOpen(/** @type {number} */ (one.class)));
    const share = one.share === null ? "" : `${tellShare(one.share)} of the answers`;
    const shown = one.images.map((address, i) => this.#fetch(address, `${one.name}, image ${i + 1}`));
    const images = make("div", { className: "album-few" }, ...shown.map((picture) => this.#makeButton(picture, shown)));
    const told = make("p", { className: "quiet" }, tellMeaning(one));
    return [make("p", { className: "row" }, open, make("span", { className: "quiet" }, share)), images, told];
  }
}

/** A share in percent; what is not nothing is never called 0%. */
const tellShare = (share) => (share > 0 && share < 0.0005 ? "less than 0.1%" : `${(100 * share).toFixed(1)}%`);
