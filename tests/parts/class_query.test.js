import assert from "node:assert/strict";
import { test } from "node:test";

import { findHeadPhrase, readQuery } from "../../src/regauge/server/static/parts/class_query.js";
import { makeIndex } from "./classes.js";

const index = makeIndex();
const read = (text) => {
  const { words, head } = readQuery(index, text);
  return [words, head];
};

test("what the thing is stands last, or before its purpose, and with of nobody can tell", () => {
  assert.deepEqual(read("white gull"), [["white", "gull"], 1]);
  assert.deepEqual(read("a couch for the gull"), [["couch", "the", "gull"], 0]);
  assert.deepEqual(read("couch of a gull"), [["couch", "of", "gull"], -1]);
});

test("a word that nobody knows is read as what it is made of", () => {
  assert.deepEqual(read("couching"), [["couch"], 0]);
  assert.deepEqual(read("couchgull"), [["couch", "gull"], 1]);
  assert.deepEqual(read("couhc"), [["couhc"], 0]);
});

test("the thing may be called by several of the words", () => {
  const names = (text) => findHeadPhrase(index, readQuery(index, text)).map((number) => index.texts[number].name);
  assert.deepEqual(names("old studio couch"), ["studio couch"]);
  assert.deepEqual([names("studio couch"), names("old couch")], [[], []]);
});
