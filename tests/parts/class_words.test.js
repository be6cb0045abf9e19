import assert from "node:assert/strict";
import { test } from "node:test";

const { countSlips, findBases, findShortForm, findStem, findTypos, maskLetters, simplify } = await import("../../src/regauge/server/static/parts/class_words.js");

const forms = new Map([["geese", "goose"]]);

test("words are compared without accents, capitals and plurals, and slips are counted", () => {
  assert.equal(simplify(" Café-AU  lait's "), "cafe au laits");
  assert.equal(findStem("geese", forms), "goose");
  assert.deepEqual(["buses", "houses", "glass", "ponies", "shoes"].map((word) => findStem(word, forms)), ["bus", "house", "glass", "pony", "shoe"]);
  assert.deepEqual([countSlips("tern", "tern", 2), countSlips("tern", "tren", 2), countSlips("tern", "couch", 2)], [0, 1, 3]);
});

test("the nearest words are found, and pet names by what they begin with", () => {
  const masks = new Map(["tern", "turn", "gull"].map((word) => [word, maskLetters(word)]));
  assert.deepEqual([findTypos(masks, "tren"), findTypos(masks, "tirn"), findTypos(masks, "te")], [["tern"], ["tern", "turn"], []]);
  assert.deepEqual([findShortForm("westie"), findShortForm("pony"), findShortForm("terns")], ["west", "", ""]);
  assert.deepEqual([findBases("jogging"), findBases("tern")], [["jogg", "jogge", "jog"], []]);
});
