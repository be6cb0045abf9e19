import "./page.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { makeClassCard, makeLookUp, makeNames, tellMeaning } = await import("../../src/regauge/server/static/parts/class_card.js");

const HUSKY = { class: 3, name: "husky", synonyms: ["Eskimo dog", "sled dog"], gloss: "breed of <b>dog</b>", link: "https://example.org/?q=husky" };

test("a card says names and meaning as text, never as markup, and where to look it up", () => {
  const card = makeClassCard(HUSKY, { level: 1, id: "target" });
  assert.equal(card.querySelector("h1 #target").textContent, "husky");
  assert.equal(card.querySelector(".meaning").textContent, "Eskimo dog, sled dog – breed of <b>dog</b>");
  assert.equal(card.querySelector("b"), null);
  const link = card.querySelector("a");
  assert.deepEqual([link.getAttribute("href"), link.rel, link.target], [HUSKY.link, "noreferrer noopener", "_blank"]);
});

test("the heading can be a question with the name in its middle", () => {
  const card = makeClassCard(HUSKY, { level: 1, id: "target", around: ["Which of these images contain a ", "?"] });
  assert.match(card.querySelector("h1").textContent, /^Which of these images contain a husky\?/);
  assert.equal(card.querySelector("#target").textContent, "husky");
});

test("what is not known is left out", () => {
  const card = makeClassCard({ name: "husky", synonyms: [], gloss: "" });
  assert.equal(card.querySelector(".meaning").textContent, "");
  assert.equal(card.querySelector("a"), null);
  assert.equal(card.querySelector("h2 .class-name").hasAttribute("id"), false);
  assert.equal(tellMeaning({ name: "", synonyms: [], gloss: "a dog" }), "a dog");
  assert.equal(tellMeaning({ name: "", synonyms: ["x"], gloss: "" }), "x");
  assert.equal(makeNames({ name: "husky", synonyms: [] }).textContent, "husky");
});

test("in a list the link is a sign with a name", () => {
  assert.equal(makeLookUp(HUSKY, { isSign: true }).getAttribute("aria-label"), "Look up husky (opens a new tab)");
});
