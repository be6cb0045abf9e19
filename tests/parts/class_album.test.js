import { clear } from "./page.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const { ClassAlbum } = await import("../../src/regauge/server/static/parts/class_album.js");

const many = (n) => Array.from({ length: n }, (_, i) => `/api/classes/1/tested/${i}?campaign=7`);
const BESIDE = { class: 2, name: "gull", synonyms: ["mew"], gloss: "<i>white</i>", link: "", share: 0.125, images: many(2) };
const CARD = {
  class: 1, name: "tern", synonyms: [], gloss: "a bird", link: "", guide: "Look at the <b>tail</b>.\n\nForked.", n_unchecked: 0, n_unfinished: 0,
  references: many(1), tested: many(45), confused: [BESIDE], siblings: [{ ...BESIDE, class: 3, name: "skua", share: null }],
};
let opened;
let album;

beforeEach(() => {
  clear();
  opened = [];
  album = new ClassAlbum(document.body.appendChild(document.createElement("div")), { onOpen: (place) => opened.push(place) });
  album.show(CARD);
});

const listTitles = () => [...document.querySelectorAll("h3")].map((one) => one.textContent);
const find = (words) => [...document.querySelectorAll("button")].find((one) => one.textContent === words && !one.hidden);
const listAlts = () => [...document.querySelectorAll("section")][2].querySelectorAll("img");

test("a card has its parts, and those that are empty are left out", () => {
  assert.deepEqual(listTitles(), ["Labeling guide", "Reference images", "In the test set", "Also answered for its images", "Next to it in the hierarchy"]);
  album.show({ ...CARD, guide: null, references: [], tested: [], confused: [], siblings: [] });
  assert.deepEqual(listTitles(), []);
  assert.equal(document.querySelector("h2 .class-name").textContent, "tern");
});

test("what people wrote is text, unless the page renders it", () => {
  assert.equal(document.querySelector("section b, section i"), null);
  assert.equal(document.querySelectorAll("section p")[1].textContent, "Forked.");
});

test("images come twenty at a time, with words that tell nothing of where they are from", () => {
  assert.equal(listAlts().length, 20);
  assert.equal(listAlts()[0].alt, "tern, image 1 of 45");
  find("Next ›").click();
  find("Next ›").click();
  assert.equal(listAlts().length, 5);
  assert.equal(listAlts()[0].alt, "tern, image 41 of 45");
  assert.equal(find("Next ›").disabled, true);
  find("‹ Previous").click();
  assert.equal(listAlts()[0].alt, "tern, image 21 of 45");
});

test("classes beside it can be opened, with their share where it may be known", () => {
  find("gull").click();
  find("skua").click();
  assert.deepEqual(opened, [2, 3]);
  const told = [...document.querySelectorAll(".album-beside .row")].map((one) => one.textContent);
  assert.deepEqual(told, ["gull12.5% of the answers", "skua"]);
});

test("a share that is small is not called nothing, and images that were not compared are told", () => {
  album.show({ ...CARD, n_unchecked: 2, confused: [{ ...BESIDE, share: 0.0001 }] });
  assert.match(document.querySelector(".album-beside .row").textContent, /less than 0.1%/);
  assert.match(document.body.textContent, /2 images not shown: without checksums nobody can tell/);
});

test("a card says how many images it leaves out while they are asked about", () => {
  album.show({ ...CARD, n_unfinished: 3 });
  assert.match(document.body.textContent, /3 images not shown while the campaign asks about them/);
});

test("classes that a file calls similar stand beside those that are confused", () => {
  album.show({ ...CARD, similar: [{ ...BESIDE, share: null }] });
  const titles = [...document.querySelectorAll("h3")].map((one) => one.textContent);
  assert.ok(titles.includes("Similar to it"));
});
