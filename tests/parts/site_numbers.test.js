import assert from "node:assert/strict";
import { test } from "node:test";

import { readAddress, writeAddress } from "../../src/regauge/server/static/site/address.js";
import { allow, filterImages, sortRows } from "../../src/regauge/server/static/site/filters.js";
import { Labels } from "../../src/regauge/server/static/site/labels.js";
import { Distances, countPairs, findOutcomes } from "../../src/regauge/server/static/site/judged.js";
import { findLimits, testPair } from "../../src/regauge/server/static/site/stats.js";
import { unpack, unpackIds, unpackWords } from "../../src/regauge/server/static/site/unpack.js";
import { makeShare, nameFile, writeCsv, writeShare } from "../../src/regauge/server/static/site/words.js";

// By `regauge.stats.intervals.clopper_pearson` and `regauge.stats.paired.exact_mcnemar`, which are tested against scipy.
const LIMITS = [
  [0, 10, 0, 0.308497107819],
  [10, 10, 0.691502892181, 1],
  [7219, 10000, 0.713004366306, 0.730666235348],
  [1, 1, 0.025, 1],
  [3, 50, 0.0125485878353, 0.165481946604],
  [48, 50, 0.862862374396, 0.995118566574],
  [41000, 50000, 0.816603966222, 0.82335884195],
  [1, 60000, 4.21963377378e-07, 9.2857185542e-05],
  [59999, 60000, 0.999907142814, 0.999999578037],
  [500, 1000, 0.468549172972, 0.531450827028],
];
const PAIRS = [[2, 9, 0.0654296875], [0, 0, 1], [0, 7, 0.015625], [1200, 1300, 0.047681865221], [5, 5, 1], [3000, 3500, 5.92925752177e-10]];

test("limits of shares are those that the program computes", () => {
  for (const [k, n, low, high] of LIMITS) {
    const found = findLimits(k, n);
    assert.ok(Math.abs(found[0] - low) < 1e-9 && Math.abs(found[1] - high) < 1e-9, `${k} of ${n}: ${found}`);
  }
  assert.equal(findLimits(0, 0), null);
});

test("the test of two participants gives the program's p-value", () => {
  for (const [first, second, p] of PAIRS) assert.ok(Math.abs(testPair(first, second) - p) < 1e-9 * Math.max(1, p), `${first} ${second}: ${testPair(first, second)}`);
});

test("a share without images has no value, and is not 0", () => {
  assert.deepEqual(makeShare(0, 0), { k: 0, n: 0, value: null, low: null, high: null });
  assert.equal(writeShare(makeShare(0, 0)), "–");
  assert.equal(writeShare(makeShare(0, 10)), "0.0% [0.0, 30.8]");
});

test("columns are read as they were packed", () => {
  assert.deepEqual([...unpack({ t: "u2", d: "AQACACwB" })], [1, 2, 300]);
  assert.deepEqual([...unpack({ t: "i2", d: "///nAw==" })], [-1, 999]);
  assert.deepEqual([...unpack({ t: "f4", d: "AAAAPwAAgD4=" })], [0.5, 0.25]);
  assert.deepEqual([...unpack({ t: "bit", n: 10, d: "AQI=" })], [1, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  assert.deepEqual(unpackIds({ shared: { t: "u1", d: "AAQ=" }, rest: ["val_1", "2"] }), ["val_1", "val_2"]);
  const words = unpackWords({ words: ["b", "a"], codes: { t: "u1", d: "AAEA" } });
  assert.deepEqual([0, 1, 2].map(words.get), ["b", "a", "b"]);
});

test("an address keeps every name, and reads what nobody wrote without failing", () => {
  const hostile = "a/b?c=d&e#f%<script>é";
  const place = readAddress(writeAddress("class", [hostile, "two"], { who: hostile, page: "", is: "1,2" }));
  assert.deepEqual(place, { page: "class", parts: [hostile, "two"], asked: { who: hostile, is: "1,2" } });
  assert.deepEqual(readAddress(""), { page: "overview", parts: [], asked: {} });
  assert.deepEqual(readAddress("#browse/100%?a"), { page: "browse", parts: ["100%"], asked: { a: "" } });
});

test("filters leave what a loop leaves, and count what each choice would leave", () => {
  const n = 500;
  let seed = 1;
  const draw = (m) => (seed = (seed * 48271) % 2147483647) % m;
  const filters = [["a", 3, [1]], ["b", 5, [0, 2]], ["c", 2, []]].map(([name, m, listed]) => ({ name, n: m, codes: Uint8Array.from({ length: n }, () => draw(m)), allowed: allow(m, listed) }));
  const { rows, counts } = filterImages(n, filters);
  const passes = (row, but) => filters.every((one) => one.name === but || !one.allowed || one.allowed[one.codes[row]]);
  const all = [...Array(n).keys()];
  assert.deepEqual([...rows], all.filter((row) => passes(row)));
  for (const { name, n: m, codes } of filters) {
    const expected = Array.from({ length: m }, (_, code) => all.filter((row) => codes[row] === code && passes(row, name)).length);
    assert.deepEqual([...counts[name]], expected);
  }
  assert.deepEqual([...sortRows(Int32Array.of(0, 1, 2, 3), [5, 9, 5, 0], true)], [1, 0, 2, 3]);
  assert.deepEqual([...sortRows(Int32Array.of(0, 1, 2, 3), [5, 9, 5, 0], false)], [3, 0, 2, 1]);
});

const LABELS = new Labels(
  {
    known: { t: "bit", n: 4, d: "Bw==" }, problematic: { t: "bit", n: 4, d: "BA==" }, n: { t: "u1", d: "AgEAAA==" }, classes: { t: "u1", d: "AAEB" }, verdicts: { t: "u1", d: "AgEA" },
  },
  { name: "people", version: 1, kind: "multilabel", unlisted: "unjudged" },
);

test("a label set judges answers; problematic and unknown images do not count", () => {
  // Image 0: class 0 correct, class 1 unclear; image 1: class 1 wrong; image 2 problematic; image 3 not known.
  assert.deepEqual([[0, 0], [0, 1], [0, 2], [1, 1], [2, 0], [3, 0], [0, -1]].map(([row, index]) => LABELS.judge(row, index)), [2, 1, 3, 0, 4, 4, 4]);
  const images = { labels: [0, 0, 0, -1] };
  assert.deepEqual([...findOutcomes(images, [1, 1, 0, 0], LABELS)], [1, 0, -1, -1]);
  assert.deepEqual([...findOutcomes(images, [1, 0, -1, 0], null)], [0, 1, -1, -1]);
});

test("two classes are as far apart as their nearest common node is above the lower one", () => {
  // 0 and 1 below 3, 2 below 4, both below 5; 6 stands alone.
  const distances = new Distances({ parents: [[3], [3], [4], [5], [5], [], []] });
  assert.deepEqual([[0, 1], [0, 2], [2, 0], [0, 0], [0, 6]].map(([a, b]) => distances.count(a, b)), [1, 2, 2, 0, null]);
});

test("pairs of label and answer are counted, the most frequent first", () => {
  assert.deepEqual(countPairs([[0, 1, 1], [2, 1, 5], [0, 1, 2]]), [{ label: 2, answer: 1, n: 5, nImages: 1 }, { label: 0, answer: 1, n: 3, nImages: 2 }]);
});

test("a file is text alone, whatever names hold", () => {
  assert.equal(writeCsv(["a", "b"], [["=1+1", null], ['x,"y"', NaN], [-0.5, "é\n"]]), 'a,b\n\'=1+1,\n"x,""y""",\n-0.5,"é\n"\n');
  assert.equal(nameFile("../a b/c.csv"), "a-b-c.csv");
});
