/** A dialog that asks why before something is done, says what will happen, and does it. */

import { make, setShown } from "../dom.js";
import { Keymap } from "./keymap.js";

const NEEDED = "Say why: the reason is kept with the decision.";
const MAX_LENGTH = 1_000;

/**
 * @typedef {object} Question
 * @property {string} title
 * @property {string} action the word on the button.
 * @property {boolean} [isDangerous] whether it cannot be undone.
 * @property {string} [reason] filled in.
 * @property {boolean} [isNeeded] whether a reason must be given.
 * @property {string} [label] what is asked for, where it is no reason.
 * @property {string} [needed] what is said where nothing was typed and something must be.
 * @property {Node[]} [effect] what will happen.
 */

/**
 * What is done; it may say how far it is.
 *
 * @typedef {(reason: string, say: (words: string) => void) => Promise<unknown>} Doing
 */

/** The dialog; it belongs to no page in particular, and a page can have several. */
export class ReasonDialog {
  #presets;
  /** @type {(string | Node)[]} the key that does it where Enter begins a new line, as the button shows it. */
  #key;
  #title = make("h2");
  #effect = make("div", { className: "effect", "aria-live": "polite" });
  #label = make("span");
  #text;
  #mistake = make("p", { className: "mistake", role: "alert" });
  #yes = make("button", { type: "submit" });
  #dialog = make("dialog", { className: "reason-dialog" });
  #isNeeded = true;
  #needed = NEEDED;
  #isBusy = false;
  /** @type {Doing} */
  #doing = async () => undefined;
  /** @type {(isDone: boolean) => void} */
  #tell = () => {};

  /**
   * @param {object} [options]
   * @param {string[]} [options.presets] reasons of which one can be chosen by a click or its number, and then it is done.
   * @param {string} [options.hint] what becomes of the reason.
   */
  constructor({ presets = [], hint = "It is kept in the log with your name." } = {}) {
    this.#presets = presets.map((reason, place) => this.#makePreset(reason, place + 1));
    const hasLines = presets.length === 0;
    this.#text = hasLines ? make("textarea") : make("input", { type: "text", autocomplete: "off" });
    this.#key = hasLines ? [" ", make("kbd", {}, "Ctrl ↵")] : [];
    this.#text.maxLength = MAX_LENGTH;
    this.#dialog.append(this.#makeForm(hint));
    new Keymap(this.#dialog).add(
      // The key that opened the dialog may be down still.
      { keys: this.#presets.map((_, place) => String(place + 1)), isOnce: true, run: (_, key) => this.#presets[Number(key) - 1].click() },
    );
    this.#dialog.addEventListener("close", () => this.#isBusy || this.#tell(false));
    document.body.append(this.#dialog);
  }

  /** Whether something is being asked. */
  get isOpen() {
    return this.#dialog.open;
  }

  /**
   * Ask, and do it; where that fails the dialog stays and says why.
   *
   * @param {Question} question
   * @param {Doing} doing
   * @returns {Promise<boolean>} whether it was done; resolves when the dialog is closed, and what was begun has ended.
   */
  ask({ title, action, isDangerous = false, reason = "", isNeeded = true, label = "", needed = NEEDED, effect = [] }, doing) {
    this.#doing = doing;
    this.#needed = needed;
    this.#isNeeded = isNeeded;
    this.#title.textContent = title;
    this.#dialog.setAttribute("aria-label", title);
    this.#yes.replaceChildren(action, ...this.#key);
    this.#yes.className = isDangerous ? "danger" : "primary";
    this.#label.textContent = label ? label : this.#presets.length ? "Another reason" : isNeeded ? "Why" : "Why (optional)";
    this.#effect.replaceChildren(...effect);
    setShown(this.#effect, effect.length > 0);
    this.#say("");
    this.#setBusy(false);
    this.#text.value = reason;
    this.#dialog.showModal();
    (this.#presets[0] ?? this.#text).focus();
    return new Promise((resolve) => (this.#tell = resolve));
  }

  async #answer(reason) {
    if (this.#isNeeded && !reason) {
      this.#say(this.#needed);
      this.#text.focus();
      return;
    }
    this.#setBusy(true);
    const tell = this.#tell;
    // Whoever has closed the dialog may be asked something else by now.
    const isHere = () => this.isOpen && tell === this.#tell;
    try {
      await this.#doing(reason, (words) => isHere() && this.#say(words));
      tell(true);
      if (isHere()) this.#dialog.close();
    } catch (error) {
      if (!isHere()) return tell(false);
      this.#say(error.message);
      this.#setBusy(false);
    }
  }

  #say(words) {
    this.#mistake.textContent = words;
  }

  #setBusy(isBusy) {
    this.#isBusy = isBusy;
    for (const button of [this.#yes, ...this.#presets]) button.disabled = isBusy;
  }

  #makePreset(reason, number) {
    const words = reason.charAt(0).toUpperCase() + reason.slice(1);
    const button = make("button", { type: "button" }, make("kbd", {}, String(number)), ` ${words}`);
    button.addEventListener("click", () => this.#answer(reason));
    return button;
  }

  #makeForm(hint) {
    const no = make("button", { type: "button" }, "Cancel ", make("kbd", { className: "stays" }, "Esc"));
    no.addEventListener("click", () => this.#dialog.close());
    const form = make(
      "form",
      { method: "dialog" },
      this.#title,
      this.#effect,
      ...(this.#presets.length ? [make("div", { className: "presets" }, ...this.#presets)] : []),
      make("div", { className: "field" }, make("label", {}, this.#label, this.#text), make("p", { className: "hint" }, hint), this.#mistake),
      make("p", { className: "actions" }, no, this.#yes),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#answer(this.#text.value.trim());
    });
    form.addEventListener("keydown", (event) => {
      const isMeant = event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.repeat;
      if (isMeant && this.#key.length && !this.#isBusy) form.requestSubmit();
    });
    return form;
  }
}
