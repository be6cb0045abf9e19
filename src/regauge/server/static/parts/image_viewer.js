/** An image as large as the screen and larger: it can be moved by drag, wheel, touch or arrows. */

import { make } from "../dom.js";
import { fetchLarge, releasePicture } from "../pictures.js";
import { Keymap } from "./keymap.js";

/** How many steps of size there are; the style sheet says how large each is. */
const N_SCALES = 5;
/** Share of the room that an arrow moves. */
const STEP = 0.2;

/** A viewer; a page may tell it how to go to other images and how to select. A page can have several. */
export class ImageViewer {
  #options;
  #scale = 0;
  #isDragged = false;
  /** @type {HTMLImageElement | null} */
  #large = null;
  #turn = 0;

  #image = make("img", { alt: "", draggable: false });
  #room = make("div", { className: "zoom-room", tabIndex: 0, role: "group", "aria-label": "The image" }, this.#image);
  #name = make("span", { className: "zoom-name" });
  #select = makeButton("Select", "");
  #smaller = makeButton("−", "Smaller");
  #larger = makeButton("+", "Larger");
  #report = makeButton("Report ", "", make("kbd", {}, "x"));
  #close = makeButton("Close ", "", make("kbd", { className: "stays" }, "Esc"));
  #bar = make("p", { className: "zoom-bar" }, this.#name, this.#smaller, this.#larger, this.#report, this.#select, this.#close);
  #dialog = make("dialog", { className: "zoom", "aria-label": "Enlarged image" }, this.#room, this.#bar);

  /**
   * @param {object} [options]
   * @param {(step: number) => unknown} [options.go] show the image so many places on.
   * @param {() => unknown} [options.toggle] select the image or take it back.
   * @param {() => unknown} [options.report] say what is wrong with the image.
   * @param {() => unknown} [options.closed] what to do after the viewer is closed.
   */
  constructor(options = {}) {
    this.#options = options;
    this.#select.hidden = !options.toggle;
    this.#select.addEventListener("click", () => options.toggle?.());
    this.#report.hidden = !options.report;
    this.#report.addEventListener("click", () => options.report?.());
    this.#smaller.addEventListener("click", () => this.#setScale(this.#scale - 1));
    this.#larger.addEventListener("click", () => this.#setScale(this.#scale + 1));
    this.#close.addEventListener("click", () => this.close());
    // The browser tells of a dialog it has closed only in a moment, when the next key may have been pressed already.
    this.#dialog.addEventListener("cancel", () => this.close());
    this.#dialog.addEventListener("close", () => this.#tidy());
    this.#listenToPointers();
    this.#bindKeys();
    document.body.append(this.#dialog);
  }

  /** Whether an image is being shown. */
  get isOpen() {
    return this.#dialog.open;
  }

  /**
   * Show an image, under its name and, where it can be selected, with whether it is.
   *
   * @param {HTMLImageElement} picture as `fetchPicture` gives it.
   * @param {object} [about]
   * @param {string} [about.name]
   * @param {boolean} [about.isSelected]
   */
  show(picture, { name = "", isSelected = false } = {}) {
    this.#name.textContent = name;
    this.#select.textContent = isSelected ? "✓ Selected" : "Select";
    this.#select.setAttribute("aria-pressed", String(isSelected));
    if (this.isOpen && this.#dialog.dataset.address === picture.src) return;
    this.#dialog.dataset.address = picture.src;
    this.#image.src = picture.currentSrc || picture.src;
    this.#image.alt = picture.alt || name;
    this.#setScale(0);
    if (!this.isOpen) this.#dialog.showModal();
    this.#room.focus();
    this.#sharpen(picture);
  }

  /** Show nothing. */
  close() {
    this.#dialog.close();
    this.#tidy();
  }

  /** What the page shows is there at once; a larger copy takes its place when it has come. */
  async #sharpen(picture) {
    const turn = (this.#turn += 1);
    const large = await fetchLarge(picture).catch(() => null);
    if (!large) return;
    if (turn !== this.#turn) {
      releasePicture(large);
      return;
    }
    this.#release();
    this.#large = large;
    this.#image.src = large.src;
  }

  #release() {
    if (this.#large) releasePicture(this.#large);
    this.#large = null;
  }

  /** Once after each closing, however it came about. */
  #tidy() {
    if (this.isOpen || !this.#dialog.dataset.address) return;
    this.#turn += 1;
    this.#image.removeAttribute("src");
    delete this.#dialog.dataset.address;
    this.#release();
    this.#options.closed?.();
  }

  #setScale(wanted) {
    const scale = Math.max(0, Math.min(wanted, N_SCALES - 1));
    const room = this.#room;
    const x = (room.scrollLeft + room.clientWidth / 2) / (room.scrollWidth || 1);
    const y = (room.scrollTop + room.clientHeight / 2) / (room.scrollHeight || 1);
    this.#scale = scale;
    room.dataset.scale = String(scale);
    // What was in the middle stays there.
    room.scrollTo(x * room.scrollWidth - room.clientWidth / 2, y * room.scrollHeight - room.clientHeight / 2);
    this.#smaller.disabled = scale === 0;
    this.#larger.disabled = scale === N_SCALES - 1;
  }

  #bindKeys() {
    new Keymap(this.#dialog).add(
      { keys: ["ArrowRight"], run: () => this.#go(1, 0) },
      { keys: ["ArrowLeft"], run: () => this.#go(-1, 0) },
      { keys: ["ArrowDown"], run: () => this.#go(0, 1) },
      { keys: ["ArrowUp"], run: () => this.#go(0, -1) },
      { keys: ["+", "="], run: () => this.#setScale(this.#scale + 1) },
      { keys: ["-"], run: () => this.#setScale(this.#scale - 1) },
      { keys: ["0"], run: () => this.#setScale(0) },
      { keys: [" "], run: () => this.#options.toggle?.(), when: () => Boolean(this.#options.toggle) },
      { keys: ["x"], isOnce: true, run: () => this.#options.report?.(), when: () => Boolean(this.#options.report) },
      { keys: ["z"], run: () => this.close() },
    );
  }

  /** Arrows move an image that is larger than the room; else they lead to the next one. */
  #go(x, y) {
    if (this.#scale) this.#room.scrollBy(x * STEP * this.#room.clientWidth, y * STEP * this.#room.clientHeight);
    else if (x) this.#options.go?.(x);
  }

  #listenToPointers() {
    const room = this.#room;
    room.addEventListener("pointerdown", (event) => {
      this.#isDragged = false;
      if (event.pointerType !== "touch" && this.#scale) room.setPointerCapture(event.pointerId);
    });
    room.addEventListener("pointermove", (event) => {
      if (!room.hasPointerCapture(event.pointerId)) return;
      this.#isDragged ||= event.movementX !== 0 || event.movementY !== 0;
      room.scrollBy(-event.movementX, -event.movementY);
    });
    room.addEventListener("wheel", (event) => {
      // Two fingers on a touchpad that move apart come as a wheel with Ctrl.
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.#setScale(this.#scale - Math.sign(event.deltaY));
    });
    this.#dialog.addEventListener("click", ({ target }) => {
      const isAside = target === this.#dialog || (this.#room.contains(/** @type {Node} */ (target)) && !this.#scale);
      if (isAside && !this.#isDragged) this.close();
    });
  }
}

function makeButton(words, name, ...rest) {
  return make("button", { type: "button", ...(name ? { "aria-label": name } : {}) }, words, ...rest);
}
