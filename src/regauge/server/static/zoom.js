/** An image as large as the screen. */

import { byId } from "./dom.js";

/** The dialog; a page may tell it how to go to other images and how to select. */
export class Zoom {
  #dialog = byId("zoom");
  #image = byId("zoom-image");
  #select = byId("zoom-select");
  #options = {};

  /**
   * @param {object} options
   * @param {(step: number) => void} [options.go] show the image so many places on.
   * @param {() => void} [options.toggle] select the image or take it back.
   * @param {() => void} [options.closed] what to do after the dialog is closed.
   */
  constructor(options = {}) {
    this.#options = options;
    byId("zoom-close").addEventListener("click", () => this.#dialog.close());
    this.#dialog.addEventListener("click", (event) => event.target === this.#dialog && this.#dialog.close());
    this.#image.addEventListener("click", () => this.#dialog.close());
    this.#select.addEventListener("click", () => options.toggle?.());
    this.#select.hidden = !options.toggle;
    this.#dialog.addEventListener("keydown", (event) => this.#press(event));
    this.#dialog.addEventListener("close", () => options.closed?.());
  }

  /** Whether an image is being shown. */
  get isOpen() {
    return this.#dialog.open;
  }

  /** Show an image, under its name and, where it can be selected, with whether it is. */
  show(picture, { name = "", isSelected = false } = {}) {
    this.#image.src = picture.currentSrc || picture.src;
    this.#image.alt = picture.alt;
    byId("zoom-name").textContent = name;
    this.#select.textContent = isSelected ? "✓ Selected" : "Select";
    this.#select.setAttribute("aria-pressed", String(isSelected));
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  #press(event) {
    const steps = { ArrowRight: 1, ArrowLeft: -1 };
    if (event.key in steps && this.#options.go) this.#options.go(steps[event.key]);
    else if (event.key === " " && this.#options.toggle) this.#options.toggle();
    else if (event.key === "z") this.#dialog.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
