import { clear } from "./page.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const { makeGuide, releaseGuide } = await import("../../src/regauge/server/static/parts/guide_entry.js");

beforeEach(clear);

const ENTRY = {
  classes: [2],
  title: "husky",
  html: '<p>A <em>dog</em>. <img src="/p/1" alt="a dog" loading="lazy"></p>',
  version: 3,
  cases: [{ picture: "/c/4", verdict: "wrong", name: "husky", note: "<b>a wolf</b>" }],
  n_hidden: 0,
  n_unfinished: 0,
};

test("an entry shows its text, its pictures and its cases", () => {
  const guide = makeGuide({ version: 4, name: "husky", entries: [ENTRY] }, { level: 4 });
  assert.equal(guide.querySelector("h4").textContent, "husky");
  assert.equal(guide.querySelector(".guide-text em").textContent, "dog");
  const [first, second] = guide.querySelectorAll("img");
  assert.deepEqual([first.getAttribute("src"), first.alt, second.getAttribute("src")], ["/p/1", "a dog", "/c/4"]);
  assert.equal(guide.querySelector(".guide-cases li b").textContent, "wrong");
  releaseGuide(guide);
});

test("what people noted is text, never markup", () => {
  const guide = makeGuide({ version: 4, name: "husky", entries: [ENTRY] });
  assert.equal(guide.querySelector(".guide-cases .quiet").textContent, "<b>a wolf</b>");
});

test("what its reader has still to judge is told of by count", () => {
  const [one, three, none] = [1, 3, 0].map((n) => makeGuide({ version: 4, name: "husky", entries: [{ ...ENTRY, n_unfinished: n }] }).textContent);
  assert.match(one, /1 image not shown while the campaign asks about it\./);
  assert.match(three, /3 images not shown while the campaign asks about them\./);
  assert.doesNotMatch(none, /before you have judged/);
});

test("two classes are told apart, what is hidden is told of, and nothing is said where nothing is", () => {
  const pair = { ...ENTRY, classes: [2, 3], title: "husky or malamute", cases: [], n_hidden: 2 };
  const guide = makeGuide({ version: 4, name: "husky", entries: [pair] });
  assert.equal(guide.querySelector("h3").textContent, "How to tell: husky or malamute");
  assert.match(guide.textContent, /not shown in this campaign/);
  assert.equal(makeGuide({ version: 0, name: "husky", entries: [] }).textContent, "The guide says nothing of husky yet.");
});
