import { clear, press } from "./page.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const { KeyHelp, Keymap, areKeysOn, describeKeys, isEditable, leaveFields, showKey, switchKeys } = await import(
  "../../src/regauge/server/static/parts/keymap.js"
);
const { make } = await import("../../src/regauge/server/static/dom.js");

beforeEach(() => {
  switchKeys(true);
  clear();
});

/** Keys on a page of their own, and what they did. */
function bind(bindings, root = document.body.appendChild(document.createElement("main"))) {
  const done = [];
  const keymap = new Keymap(root);
  keymap.add(...bindings.map((one) => ({ run: (_, key) => done.push(key), ...one })));
  return { keymap, root, done };
}

test("a key does what it was bound to, and nothing else hears of it", () => {
  const { root, done } = bind([{ keys: ["h", "?"] }]);
  assert.equal(press("h", { on: root }), true);
  assert.equal(press("?", { on: root, shiftKey: true }), true);
  assert.equal(press("x", { on: root }), false);
  assert.equal(press("h", { on: root, ctrlKey: true }), false);
  assert.equal(press("h", { on: root, altKey: true }), false);
  assert.deepEqual(done, ["h", "?"]);
});

const FIELDS = {
  input: {}, textarea: {}, select: {}, div: { "contenteditable": "true" }, span: { role: "textbox" },
};
for (const type of ["text", "search", "email", "url", "tel", "password", "number", "date", "range", ""]) {
  test(`husky typed into a field of type “${type}” opens nothing`, () => {
    const { root, done } = bind([{ keys: [..."husky"] }]);
    const field = root.appendChild(make("input", { type }));
    for (const key of "husky") assert.equal(press(key, { on: field }), false);
    assert.deepEqual(done, []);
  });
}
for (const [tag, attributes] of Object.entries(FIELDS)) {
  test(`husky typed into ${tag} opens nothing`, () => {
    const { root, done } = bind([{ keys: [..."husky"] }]);
    const field = root.appendChild(document.createElement(tag));
    for (const [name, value] of Object.entries(attributes)) field.setAttribute(name, value);
    const inside = tag === "div" ? field.appendChild(document.createElement("b")) : field;
    for (const key of "husky") press(key, { on: inside });
    assert.equal(isEditable(inside), true);
    assert.deepEqual(done, []);
  });
}

test("boxes, radio buttons and buttons take no text", () => {
  for (const type of ["checkbox", "radio", "button", "submit"]) {
    const { root, done } = bind([{ keys: ["z"] }]);
    press("z", { on: root.appendChild(make("input", { type })) });
    assert.deepEqual(done, ["z"]);
  }
});

test("what is being composed, or was taken already, is left alone", () => {
  const { root, done } = bind([{ keys: ["a"] }]);
  press("a", { on: root, isComposing: true });
  const button = root.appendChild(make("button"));
  button.addEventListener("keydown", (event) => event.preventDefault());
  press("a", { on: button });
  assert.deepEqual(done, []);
});

test("a page hears nothing while a dialog is open, and the dialog hears its own keys", () => {
  const page = bind([{ keys: ["z"] }], document);
  const dialog = document.body.appendChild(make("dialog"));
  const above = bind([{ keys: ["z"] }], dialog);
  dialog.setAttribute("open", "");
  press("z", { on: document.body });
  press("z", { on: dialog });
  assert.deepEqual([page.done, above.done], [[], ["z"]]);
  dialog.removeAttribute("open");
  press("z", { on: document.body });
  assert.deepEqual(page.done, ["z"]);
});

test("Enter and Space are for the button that has the focus, unless a binding takes them", () => {
  const { root, done } = bind([{ keys: ["Enter", " ", "Ctrl+Enter"], over: ".picture" }]);
  const button = root.appendChild(make("button"));
  for (const key of ["Enter", " "]) assert.equal(press(key, { on: button }), false);
  press("Enter", { on: button, ctrlKey: true });
  press("Enter", { on: root.appendChild(make("button", { className: "picture" })) });
  press("Enter", { on: root });
  assert.deepEqual(done, ["Ctrl+Enter", "Enter", "Enter"]);
});

test("digits are known by where they lie, with Shift and without", () => {
  const { root, done } = bind([{ keys: ["1", "Shift+1", "Shift+d"] }]);
  press("!", { on: root, code: "Digit1", shiftKey: true });
  press("&", { on: root, code: "Digit1" });
  press("D", { on: root, code: "KeyD", shiftKey: true });
  assert.deepEqual(done, ["Shift+1", "1", "Shift+d"]);
});

test("keys of the number pad that lead somewhere are not digits", () => {
  const { root, done } = bind([{ keys: ["4", "ArrowLeft"] }, { keys: ["7"] }]);
  press("4", { on: root, code: "Numpad4" });
  press("ArrowLeft", { on: root, code: "Numpad4" });
  assert.equal(press("Home", { on: root, code: "Numpad7" }), false);
  assert.equal(press("Clear", { on: root, code: "Numpad5" }), false);
  assert.deepEqual(done, ["4", "ArrowLeft"]);
});

test("⌘ is Ctrl", () => {
  const { root, done } = bind([{ keys: ["Ctrl+Enter"] }]);
  press("Enter", { on: root, metaKey: true });
  assert.deepEqual(done, ["Ctrl+Enter"]);
  assert.equal(showKey("Ctrl+Enter"), "Ctrl ↵");
  navigator.platform = "MacIntel";
  assert.equal(showKey("Ctrl+Enter"), "⌘ ↵");
  navigator.platform = "Linux x86_64";
});

test("what does nothing at the moment takes no key, and a key held down may count once", () => {
  let isThere = false;
  const { root, done } = bind([{ keys: ["u"], when: () => isThere, isOnce: true }]);
  assert.equal(press("u", { on: root }), false);
  isThere = true;
  press("u", { on: root });
  assert.equal(press("u", { on: root, repeat: true }), true);
  assert.deepEqual(done, ["u"]);
});

test("single keys can be switched off; Ctrl, arrows and Escape stay, and browsers remember it", () => {
  const { root, done } = bind([
    { keys: ["1", "m", "Enter", "Backspace", "Ctrl+Enter", "ArrowUp", "Escape"] },
    { keys: ["ArrowRight"], stays: false },
  ]);
  switchKeys(false);
  assert.equal(areKeysOn(), false);
  assert.equal(localStorage.getItem("regauge.keys"), "off");
  assert.equal(document.documentElement.hasAttribute("data-keys-off"), true);
  for (const key of ["1", "m", "Enter", "Backspace", "ArrowRight"]) assert.equal(press(key, { on: root }), false);
  press("Enter", { on: root, ctrlKey: true });
  for (const key of ["ArrowUp", "Escape"]) press(key, { on: root });
  assert.deepEqual(done, ["Ctrl+Enter", "ArrowUp", "Escape"]);
  switchKeys(true);
  assert.equal(localStorage.getItem("regauge.keys"), null);
  assert.equal(press("m", { on: root }), true);
});

test("another tab switches them off here, too", () => {
  localStorage.setItem("regauge.keys", "off");
  window.dispatchEvent(new StorageEvent("storage", { key: "regauge.keys" }));
  assert.equal(areKeysOn(), false);
});

test("the help is made of what is bound, and is silent about what has no words", () => {
  const { keymap } = bind([
    { keys: ["u"], words: "undo the last selection" },
    { keys: ["+", "="], shown: ["+"], words: "larger images" },
    { keys: ["Escape"] },
  ]);
  const help = describeKeys(keymap);
  const rows = [...help.querySelectorAll("dl > div")].map((row) => row.textContent);
  assert.deepEqual(rows, ["u undo the last selection", "+ larger images"]);
});

test("keys that were taken away do nothing and are not told", () => {
  const { keymap, root, done } = bind([]);
  const takeAway = keymap.add({ keys: ["y"], words: "yes", run: () => done.push("y") });
  takeAway();
  press("y", { on: root });
  assert.deepEqual([done, keymap.told], [[], []]);
});

test("the switch stands in the help, which opens by its button and by h", () => {
  const keymap = new Keymap(document.body.appendChild(make("main")));
  const button = document.body.appendChild(make("button"));
  new KeyHelp(keymap, button);
  button.click();
  const dialog = document.querySelector("dialog[open]");
  const box = dialog.querySelector("input[type=checkbox]");
  assert.equal(box.checked, true);
  box.click();
  assert.equal(areKeysOn(), false);
});

test("a key that what is shown does not have does nothing, and the help is silent about it", () => {
  let isHere = false;
  const { keymap, root, done } = bind([{ keys: ["o"], words: "a reason", isHere: () => isHere }, { keys: ["c"], words: "correct" }]);
  const tell = () => [...describeKeys(keymap).querySelectorAll("dd")].map((one) => one.textContent);
  assert.equal(press("o", { on: root }), false);
  assert.deepEqual([tell(), done], [["correct"], []]);
  isHere = true;
  press("o", { on: root });
  assert.deepEqual([tell(), done], [["a reason", "correct"], ["o"]]);
});

test("from a field Escape leaves and Ctrl with Enter submits, and choices are no such fields", () => {
  const root = document.body.appendChild(make("main", {}, make("textarea"), make("input", { type: "radio" })));
  const [field, choice] = root.children;
  const done = [];
  leaveFields(root, { leave: (one) => done.push(one), submit: () => done.push("submitted") });
  press("Escape", { on: choice });
  press("Enter", { on: field });
  press("Escape", { on: field });
  press("Enter", { on: field, ctrlKey: true });
  assert.deepEqual(done, [field, "submitted"]);
});
