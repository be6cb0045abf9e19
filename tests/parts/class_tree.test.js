import { clear, press } from "./page.js";
import { makeIndex } from "./classes.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const { ClassTree } = await import("../../src/regauge/server/static/parts/class_tree.js");

let chosen;
let tree;

beforeEach(() => {
  clear();
  chosen = [];
  tree = new ClassTree(document.body, { index: makeIndex(), onChoose: (place) => chosen.push(place), findPicture: (place) => (place === 4 ? `/pictures/${place}` : "") });
});

const listNames = () => [...document.querySelectorAll(".tree-node b")].map((one) => one.textContent);
const listWay = () => [...document.querySelectorAll(".tree-way li")].map((one) => one.textContent);
const click = (name) => [...document.querySelectorAll("button")].find((one) => one.textContent.startsWith(name)).click();

test("nodes that divide nothing are passed through, down to the class", () => {
  assert.deepEqual([listWay(), listNames()], [["All classes"], ["bird", "studio couch"]]);
  assert.match(document.querySelector(".tree-node").textContent, /bird 3 classes/);
  click("studio couch");
  assert.deepEqual(chosen, [3]);
});

test("a picture says nothing, and goes where it does not come", () => {
  const image = document.querySelector(".tree-node img");
  assert.deepEqual([image.getAttribute("src"), image.alt], ["/pictures/4", ""]);
  image.dispatchEvent(new Event("error"));
  assert.equal(document.querySelectorAll(".tree-node img").length, 0);
});

test("arrows move, Backspace goes up, and one button of the list is in the order of tabs", () => {
  click("bird");
  assert.deepEqual(listNames(), ["seabird", "drake"]);
  assert.match(document.activeElement.textContent, /^seabird/);
  press("ArrowRight");
  assert.match(document.activeElement.textContent, /^drake/);
  assert.equal(document.querySelectorAll('.tree-node[tabindex="0"]').length, 1);
  press("Backspace");
  assert.deepEqual(listNames(), ["bird", "studio couch"]);
  assert.match(document.activeElement.textContent, /^bird/);
  press("End");
  assert.match(document.activeElement.textContent, /^studio couch/);
  assert.equal(press("Backspace"), true);
  assert.deepEqual(listNames(), ["bird", "studio couch"]);
});

test("around a class its siblings are shown, and it is marked", () => {
  tree.show(0);
  assert.deepEqual(listNames(), ["gull", "tern"]);
  assert.match(document.querySelector('.tree-node[aria-current="true"]').textContent, /^tern/);
  assert.deepEqual(listWay(), ["All classes", "bird", "seabird"]);
});

test("every class can be reached from the top", () => {
  const found = new Set();
  const walk = (path) => {
    tree.show(-1);
    for (const name of path) click(name);
    const names = listNames();
    names.forEach((name) => {
      const n = chosen.length;
      tree.show(-1);
      for (const one of path) click(one);
      click(name);
      if (chosen.length > n) found.add(chosen.at(-1));
      else walk([...path, name]);
    });
  };
  walk([]);
  assert.deepEqual([...found].sort(), [0, 1, 2, 3]);
});
