import { clear, press } from "./page.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const { ChoiceList } = await import("../../src/regauge/server/static/parts/choice_list.js");
const { Keymap } = await import("../../src/regauge/server/static/parts/keymap.js");
const { make } = await import("../../src/regauge/server/static/dom.js");

const CLASSES = ["cat", "dog", "fox"].map((name, number) => ({ class: 10 + number, name, synonyms: [], gloss: `a ${name}`, link: "" }));

beforeEach(clear);

function show({ classes = CLASSES, selected = [], ...options } = {}) {
  const changed = [];
  const element = document.body.appendChild(make("ul"));
  const list = new ChoiceList(element, { changed: (choice) => changed.push(choice.name), ...options });
  list.show(classes, selected);
  const keymap = new Keymap(document.body.appendChild(make("main")));
  return { list, element, changed, keymap, type: (key, more) => press(key, { on: document.querySelector("main"), ...more }) };
}

const list_selected = (list) => list.selected.map(({ class: number }) => number);

test("classes are shown in their order with keys, and what was selected before is selected", () => {
  const { list, element } = show({ selected: [11] });
  assert.deepEqual([...element.querySelectorAll(".name")].map((one) => one.textContent), ["cat", "dog", "fox"]);
  assert.deepEqual([...element.querySelectorAll("kbd")].map((one) => one.textContent), ["1", "2", "3"]);
  assert.deepEqual(list_selected(list), [11]);
});

test("a click, a key and a program select alike, and each is told", () => {
  const { list, keymap, changed, type } = show();
  keymap.add(list.bind());
  list.choices[0].box.click();
  type("2");
  list.toggle(list.choices[2]);
  assert.deepEqual(list_selected(list), [10, 11, 12]);
  assert.deepEqual(changed, ["cat", "dog", "fox"]);
  assert.equal(document.activeElement, list.choices[2].box);
  type("9");
  assert.equal(changed.length, 3);
});

test("a key that is held down selects once", () => {
  const { list, keymap, type } = show();
  keymap.add(list.bind());
  for (const repeat of [false, true, true, true]) type("1", { repeat });
  assert.deepEqual(list_selected(list), [10]);
});

test("what cannot be looked up has no link", () => {
  const classes = [{ ...CLASSES[0], link: undefined }, { ...CLASSES[1], link: "https://look.test/dog" }];
  const { element } = show({ classes, isDescribed: true });
  assert.deepEqual([...element.querySelectorAll("a")].map((one) => one.href), ["https://look.test/dog"]);
});

test("selections are undone one after the other", () => {
  const { list } = show();
  for (const place of [0, 1, 0]) list.toggle(list.choices[place]);
  list.undo();
  assert.deepEqual(list_selected(list), [10, 11]);
  list.undo();
  list.undo();
  list.undo();
  assert.deepEqual(list_selected(list), []);
});

test("keys with Shift can do something else", () => {
  const { list, keymap, type } = show();
  const marked = [];
  keymap.add(list.bind(), list.bind((choice) => marked.push(choice.name), "Shift+"));
  type("!", { code: "Digit1", shiftKey: true });
  assert.deepEqual([marked, list_selected(list)], [["cat"], []]);
});

test("arrows go up and down and stop at the ends, and leave radio buttons alone", () => {
  const { list } = show({ extend: (choice) => [make("input", { type: "radio", name: "main", id: `main-${choice.class}` })] });
  list.focus();
  for (const key of ["ArrowUp", "ArrowDown", "ArrowDown", "ArrowDown"]) press(key);
  assert.equal(document.activeElement, list.choices[2].box);
  document.getElementById("main-10").focus();
  assert.equal(press("ArrowDown"), false);
});

test("what a class means is told on demand", () => {
  const { list } = show({ isDescribed: true });
  const [cat] = list.choices;
  assert.equal(cat.told.hidden, true);
  cat.why.click();
  assert.deepEqual([cat.told.hidden, cat.told.textContent, cat.why.getAttribute("aria-expanded")], [false, "a cat", "true"]);
  list.explain(cat);
  assert.equal(cat.told.hidden, true);
  list.explain(null);
});

test("two lists of one page have ids of their own, and one that is frozen takes no clicks", () => {
  const { list } = show();
  const other = show({ name: "quiz" }).list;
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  assert.equal(new Set(ids).size, ids.length);
  other.freeze();
  other.choices[0].box.click();
  assert.deepEqual([list_selected(list), list_selected(other)], [[], []]);
  list.clear();
  assert.deepEqual([list.choices, list.focused], [[], null]);
});
