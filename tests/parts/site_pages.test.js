import { clear } from "./page.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const { make } = await import("../../src/regauge/server/static/dom.js");
const { need, take } = await import("../../src/regauge/server/static/site/loader.js");
const { drawDots } = await import("../../src/regauge/server/static/site/figures.js");
const { countColumn, makeTable, shareColumn } = await import("../../src/regauge/server/static/site/table.js");
const { makePicture } = await import("../../src/regauge/server/static/site/gallery.js");
const { findChanges } = await import("../../src/regauge/server/static/site/pages/labels.js");

const HOSTILE = '<img src=x onerror="alert(1)">';

/** Scripts that were asked for: this page loads none. */
const scripts = [];
document.head.append = (one) => scripts.push(one);

beforeEach(() => {
  clear();
  scripts.length = 0;
});

const script = (name) => scripts.findLast((one) => one.src.endsWith(`${name}.js`));

test("a chunk is loaded once, and whoever asks gets the same", async () => {
  const [first, second] = [need("index"), need("index")];
  assert.equal(scripts.length, 1);
  take("index", "a", { n: 1 });
  assert.deepEqual([await first, await second], [{ n: 1 }, { n: 1 }]);
  take("never-asked", "a", {});
});

test("a chunk of another state, a damaged one and a missing one are told, and can be asked for again", async () => {
  const other = need("s0");
  take("s0", "b", {});
  await assert.rejects(other, /The study has changed/);
  const damaged = need("s1");
  script("s1").dispatchEvent(new Event("load"));
  await assert.rejects(damaged, /s1\.js is damaged/);
  const missing = need("s1");
  script("s1").dispatchEvent(new Event("error"));
  await assert.rejects(missing, /s1\.js could not be loaded/);
  const again = need("s1");
  take("s1", "a", { none: true });
  assert.equal(await again, null);
  await assert.rejects(need("../x"), /no part/);
});

test("a table shows names as text, sorts by a column, and shows more when asked", () => {
  const rows = Array.from({ length: 60 }, (_, i) => ({ name: i ? `row ${i}` : HOSTILE, n: (i * 7) % 60, share: { k: i, n: 60, value: i / 60, low: 0, high: 1 } }));
  const columns = [{ title: "Name", value: (row) => row.name }, countColumn("Images", (row) => row.n), shareColumn("Share", (row) => row.share)];
  document.body.append(makeTable({ name: "t", caption: "All", columns, rows }));
  assert.equal(document.querySelectorAll("tbody tr").length, 50);
  assert.equal(document.querySelector("tbody th").textContent, HOSTILE);
  assert.equal(document.querySelector("img"), null);
  document.querySelectorAll("thead button")[1].click();
  assert.deepEqual([...document.querySelectorAll("thead th")].map((one) => one.getAttribute("aria-sort")), ["none", "descending", "none"]);
  assert.equal(document.querySelector("tbody tr td").textContent, "59");
  [...document.querySelectorAll("button")].find((one) => one.textContent.startsWith("Show more")).click();
  assert.equal(document.querySelectorAll("tbody tr").length, 60);
});

test("an empty table says so", () => {
  assert.equal(makeTable({ name: "t", caption: "All", columns: [], rows: [], empty: "Nobody yet." }).textContent, "Nobody yet.");
});

test("a figure draws every interval, and names are text", () => {
  document.body.append(drawDots({ title: "A", name: "a", rows: [{ name: HOSTILE, points: [{ value: 0.5, low: 0.4, high: 0.6 }] }, { name: "none", points: [{ value: null, low: null, high: null }] }] }));
  assert.equal(document.querySelectorAll(".whisker").length, 1);
  assert.equal(document.querySelectorAll(".dot").length, 1);
  assert.ok(document.querySelector("figure").textContent.includes(HOSTILE.slice(0, 20)));
  assert.equal(document.querySelector("img"), null);
});

test("where there is no picture, a place says so; one that is gone is replaced", () => {
  assert.equal(makePicture("", "a").textContent, "no picture");
  const image = document.body.appendChild(make("p", {}, makePicture("pictures/0/1.jpg", HOSTILE))).firstChild;
  assert.equal(image.alt, `image ${HOSTILE}`);
  image.dispatchEvent(new Event("error"));
  assert.equal(document.body.textContent, "picture not found");
});

test("versions are compared on the images that both cover", () => {
  const version = (known, problematic, lists) => ({ isKnown: known, isProblematic: problematic, list: (row) => lists[row] ?? [] });
  const old = version([1, 1, 1], [0, 0, 0], { 0: [{ index: 1, verdict: 2 }], 1: [{ index: 2, verdict: 0 }] });
  const now = version([1, 1, 0], [0, 1, 0], { 0: [{ index: 1, verdict: 0 }, { index: 3, verdict: 1 }], 1: [{ index: 2, verdict: 0 }] });
  assert.deepEqual(findChanges(3, old, now), {
    rows: [{ row: 0, index: 1, before: "correct", after: "wrong" }, { row: 0, index: 3, before: "unlisted", after: "unclear" }],
    nBoth: 2, nOnlyOld: 1, nOnlyNew: 0, nProblematic: 1,
  });
});
