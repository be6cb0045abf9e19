/**
 * The keys of a page or of a dialog. Each is declared once, with its words, from which the help is made.
 *
 * Keys that are typed into a field, or pressed while a dialog is open, are not for the page. Whoever types by voice, or touches
 * keys by accident, can switch single keys off; browsers remember that. What is pressed together with Ctrl stays, as do
 * arrows, Space and Escape, unless a binding says that it goes with the others.
 */

import { make } from "../dom.js";
import { browserStore } from "./store.js";

const SWITCH_KEY = "regauge.keys";
const wasLeftOn = () => browserStore.read(SWITCH_KEY) !== "off";
let isOn = wasLeftOn();

/** Fields that take no text; all others do. */
const WITHOUT_TEXT = new Set(["checkbox", "radio", "button", "submit", "reset", "image", "file"]);
const EDITABLE = "textarea, select, [contenteditable]:not([contenteditable=false]), [role=textbox], [role=searchbox], [role=combobox], [role=spinbutton]";
/** What Enter and Space press by themselves. */
const PRESSED = "a[href], button, summary";
const STAYING = new Set(["Escape", " ", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"]);

const NAMES = { " ": "Space", Enter: "↵", Backspace: "⌫", Escape: "Esc", ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" };

/**
 * A key, or several, and what they do.
 *
 * @typedef {object} Binding
 * @property {string[]} keys as browsers name them, "Ctrl+" or "Shift+" before them; Ctrl is also ⌘.
 * @property {(event: KeyboardEvent, key: string) => unknown} run
 * @property {string} [words] what it does, for the help; without them the help is silent about it.
 * @property {string[]} [shown] the keys as the help shows them, where it does not list all.
 * @property {() => boolean} [when] whether it does something now; always where nothing is said.
 * @property {() => boolean} [isHere] whether what is shown has it at all; where not, it does nothing and the help is silent about it.
 * @property {boolean} [isOnce] whether a key that is held down counts once.
 * @property {boolean} [stays] whether it works even if single keys are switched off.
 * @property {string} [over] controls on which it takes Enter from what they would do by themselves.
 */

/** Whether what is typed there is text. */
export function isEditable(target) {
  if (!(target instanceof Element)) return false;
  const field = target.closest("input");
  if (field) return !WITHOUT_TEXT.has(field.type);
  return target.closest(EDITABLE) !== null;
}

/** Whether single keys do something. */
export const areKeysOn = () => isOn;

/**
 * Switch single keys on or off: for all pages in this browser, or for this page alone where the browser keeps nothing.
 *
 * @param {boolean} wanted
 */
export function switchKeys(wanted) {
  if (wanted) browserStore.remove(SWITCH_KEY);
  else browserStore.write(SWITCH_KEY, "off");
  setOn(wanted);
}

/** Hints of keys that do nothing are hidden. */
function setOn(wanted) {
  isOn = wanted;
  document.documentElement.toggleAttribute("data-keys-off", !isOn);
}

/** The keys of one page or dialog. */
export class Keymap {
  /** @type {Binding[]} */
  #bindings = [];
  #root;

  /** @param {Document | HTMLElement} root where keys are heard. */
  constructor(root = document) {
    this.#root = root;
    root.addEventListener("keydown", (event) => this.#press(/** @type {KeyboardEvent} */ (event)));
  }

  /**
   * Add keys; gives a function that takes them away again.
   *
   * @param {...Binding} bindings
   * @returns {() => void}
   */
  add(...bindings) {
    this.#bindings.push(...bindings);
    return () => {
      this.#bindings = this.#bindings.filter((one) => !bindings.includes(one));
    };
  }

  /** What the help tells. */
  get told() {
    return this.#bindings.filter((one) => one.words && (one.isHere?.() ?? true));
  }

  #press(event) {
    if (event.defaultPrevented || event.altKey || event.isComposing || this.#isElsewhere(event)) return;
    for (const key of nameKeys(event)) {
      const binding = this.#bindings.find((one) => one.keys.includes(key) && isMeant(one, key, event));
      if (!binding) continue;
      event.preventDefault();
      if (this.#root !== document) event.stopPropagation();
      if (!(binding.isOnce && event.repeat)) binding.run(event, key);
      return;
    }
  }

  /** Whether a key is for a field, or for a dialog that is open above. */
  #isElsewhere({ target }) {
    if (isEditable(target)) return true;
    return this.#root === document && document.querySelector("dialog[open]") !== null;
  }
}

function isMeant(binding, key, event) {
  if (!isOn && !doesStay(binding, key)) return false;
  if ((binding.when && !binding.when()) || (binding.isHere && !binding.isHere())) return false;
  const isPressing = (event.key === "Enter" || event.key === " ") && !event.ctrlKey && !event.metaKey;
  const control = isPressing && event.target instanceof Element ? event.target.closest(PRESSED) : null;
  return !control || (binding.over !== undefined && control.matches(binding.over));
}

const doesStay = (binding, key) => binding.stays ?? (key.startsWith("Ctrl+") || STAYING.has(key));

/**
 * The names under which a key may be bound, the most particular first. Shift and 1 give "!" on many keyboards, and on some 1
 * needs Shift: so digits are also known by where they lie.
 *
 * @param {KeyboardEvent} event
 * @returns {string[]}
 */
function nameKeys({ key, code, shiftKey, ctrlKey, metaKey }) {
  if (ctrlKey || metaKey) return [`Ctrl+${key}`];
  const small = key.length === 1 ? key.toLowerCase() : key;
  // On a number pad the same keys may be arrows.
  const [, digit] = (key.length === 1 && /^(?:Digit|Numpad)([0-9])$/.exec(code ?? "")) || [];
  if (shiftKey) return [`Shift+${digit ?? small}`, key];
  return digit ? [key, small, digit] : [key, small];
}

/** A key as people know it. */
export function showKey(key) {
  const [, modifier = "", rest] = /^(Ctrl\+|Shift\+)?(.+)$/s.exec(key) ?? [];
  const name = NAMES[rest] ?? rest;
  if (modifier === "Ctrl+") return `${isApple() ? "⌘" : "Ctrl"} ${name}`;
  return modifier ? `Shift ${name}` : name;
}

const isApple = () => /Mac|iPhone|iPad/.test(navigator.platform);

/**
 * The keys with their words, and the switch that turns single ones off.
 *
 * @param {...Keymap} keymaps
 * @returns {HTMLElement}
 */
export function describeKeys(...keymaps) {
  const rows = keymaps.flatMap((one) => one.told).map(({ keys, shown, words }) => {
    const names = (shown ?? keys.map(showKey)).map((name) => make("kbd", {}, name));
    return make("div", {}, make("dt", {}, ...names.flatMap((name) => [name, " "])), make("dd", {}, words ?? ""));
  });
  const box = make("input", { type: "checkbox", checked: isOn });
  box.addEventListener("change", () => switchKeys(box.checked));
  const note = make("p", { className: "quiet" }, "Without them, Ctrl, arrows, Space and Tab still work. This browser remembers your choice.");
  return make(
    "div",
    { className: "key-help" },
    make("dl", { className: "keys" }, ...rows),
    make("label", { className: "row" }, box, "Use single-key shortcuts"),
    note,
  );
}

/** A dialog that tells the keys of a page that has no other help; opened by a button. */
export class KeyHelp {
  #dialog;
  #keymap;
  #close = make("button", { type: "button" }, "Close ", make("kbd", { className: "stays" }, "Esc"));

  /**
   * @param {Keymap} keymap
   * @param {HTMLElement} button what opens it; so does its key, h.
   */
  constructor(keymap, button) {
    this.#keymap = keymap;
    const actions = make("p", { className: "actions" }, this.#close);
    this.#dialog = make("dialog", { className: "help", "aria-label": "Keys" }, make("h2", {}, "Keys"), make("div"), actions);
    this.#close.addEventListener("click", () => this.#dialog.close());
    button.addEventListener("click", () => this.show());
    keymap.add({ keys: ["h"], words: "this help", run: () => this.show() });
    document.body.append(this.#dialog);
  }

  show() {
    this.#dialog.children[1].replaceChildren(describeKeys(this.#keymap));
    this.#dialog.showModal();
    this.#close.focus({ preventScroll: true });
    // One reads from the beginning.
    this.#dialog.scrollTop = 0;
  }
}

window.addEventListener("storage", ({ key }) => key === SWITCH_KEY && setOn(wasLeftOn()));
setOn(isOn);

/**
 * From a field in which one writes, Escape leads back to the task, and Ctrl and Enter submit.
 *
 * @param {HTMLElement} element what the fields stand in.
 * @param {object} options
 * @param {(field: HTMLElement) => unknown} options.leave
 * @param {() => unknown} options.submit
 */
export function leaveFields(element, { leave, submit }) {
  element.addEventListener("keydown", (event) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || !target.matches("textarea, input:not([type=radio], [type=checkbox])")) return;
    if (event.key === "Escape") leave(target);
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
  });
}
