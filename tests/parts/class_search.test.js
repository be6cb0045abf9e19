import assert from "node:assert/strict";
import { test } from "node:test";

import { makeIndex } from "./classes.js";

const index = makeIndex();
const find = (text) => index.search(text).map((one) => [one.index, index.explain(one)]);

test("a node above, a kind and the gloss find classes and say why", () => {
  assert.deepEqual(find("duck"), [[2, "a kind of duck"]]);
  assert.deepEqual(find("kittiwakes"), [[1, "includes kittiwake"]]);
  assert.deepEqual(find("settee"), [[3, "settee is a kind of furniture"]]);
  assert.deepEqual(find("aquatic"), [[1, "gloss"]]);
  assert.deepEqual(find("boating"), [[0, "has to do with boating"], [1, "has to do with boating"]]);
  assert.deepEqual(find("zzzz"), []);
});

test("the word that says what the thing is counts most, and colours next to nothing", () => {
  assert.deepEqual(find("white couch")[0], [3, "some words"]);
  assert.deepEqual(find("couch for a gull")[0], [3, "some words"]);
  assert.deepEqual(find("couching"), find("couch"));
});

test("siblings are nearest first, and a path begins at the root", () => {
  assert.deepEqual(index.findSiblings(0), [1]);
  assert.deepEqual(index.findPath(2).map((place) => index.data.names[place][0]), ["thing", "bird", "duck", "drake"]);
});
