import { clear, press } from "./page.js";
import { makeIndex } from "./classes.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const { ClassFinder, RecentClasses } = await import("../../src/regauge/server/static/parts/class_finder.js");

const index = makeIndex();
let chosen;
let input;

beforeEach(() => {
  clear();
  chosen = [];
  new ClassFinder(document.body, { index, onChoose: (place) => chosen.push(place) });
  input = document.querySelector("[role=combobox]");
});

function type(text) {
  input.focus();
  input.value = text;
  input.setSelectionRange(text.length, text.length);
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

const listNames = () => [...document.querySelectorAll("[role=option] .finder-name")].map((one) => one.textContent);
const findActive = () => document.getElementById(input.getAttribute("aria-activedescendant"))?.textContent ?? null;
const isOpen = () => input.getAttribute("aria-expanded") === "true";

test("typing shows classes with why they were found, and Enter chooses the first", () => {
  type("duck");
  assert.equal(findActive(), "drake a kind of duck");
  assert.equal(isOpen(), true);
  assert.equal(press("Enter", { on: input }), true);
  assert.deepEqual([chosen, isOpen(), input.value], [[2], false, "drake"]);
});

test("arrows go round, Escape closes the list and then empties the field", () => {
  type("seabird");
  assert.deepEqual(listNames(), ["tern", "gull"]);
  press("ArrowDown", { on: input });
  assert.match(findActive(), /^gull/);
  press("ArrowDown", { on: input });
  assert.match(findActive(), /^tern/);
  press("Escape", { on: input });
  assert.deepEqual([isOpen(), input.value], [false, "seabird"]);
  press("Escape", { on: input });
  assert.equal(input.value, "");
  assert.equal(press("Escape", { on: input }), false);
});

test("the arrow to the right shows the classes beside one, that to the left goes back", () => {
  type("tern");
  press("ArrowRight", { on: input });
  assert.deepEqual(listNames(), ["gull"]);
  assert.equal(document.querySelector("[role=status]").textContent, "1 class beside tern");
  press("ArrowLeft", { on: input });
  assert.deepEqual(listNames()[0], "tern");
  document.querySelector(".finder-more").click();
  assert.deepEqual(listNames(), ["gull"]);
  press("ArrowDown", { on: input });
  press("Enter", { on: input });
  assert.deepEqual(chosen, [1]);
});

test("an empty field offers the classes chosen last, the latest first", () => {
  for (const text of ["tern", "gull"]) {
    type(text);
    document.querySelector("[role=option]").click();
  }
  type("");
  assert.deepEqual(listNames(), ["gull", "tern"]);
  assert.equal(findActive(), null);
  assert.deepEqual(new RecentClasses(index).list(), [1, 0]);
});

test("what is kept and is not a class of this study is passed over", () => {
  const [key] = ["regauge.recent-classes.s1.7"];
  for (const kept of ['["c1", "gone", "n-bird", 5]', "nonsense", '{"a": 1}']) {
    localStorage.setItem(key, kept);
    assert.deepEqual(new RecentClasses(index).list(), kept.startsWith("[") ? [1] : []);
  }
});

test("names are text, never markup, and a search without a match says so", () => {
  type("day bed");
  assert.equal(document.querySelector("b"), null);
  assert.match(findActive(), /<b>day bed<\/b>/);
  type("qqqq");
  assert.equal(document.querySelector("[role=status]").textContent, "No class is like this.");
  assert.equal(isOpen(), false);
});
