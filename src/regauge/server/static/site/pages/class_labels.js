/** What people say of the images of a class: other classes in them, and how often its label was selected, bin by bin. */

import { count, make } from "../../dom.js";
import { CORRECT, WRONG } from "../labels.js";
import { linkClass, linkLabels, linkPair, linkSet } from "../links.js";
import { countColumn, makeTable, shareColumn } from "../table.js";
import { makeShare } from "../words.js";

const BINS = ["[0, 0.2)", "[0.2, 0.4)", "[0.4, 0.6)", "[0.6, 0.8)", "[0.8, 1]"];

/** The bin of a frequency, in whole numbers: k of n. */
export const findBin = (k, n) => Math.min(BINS.length - 1, Math.floor((5 * k) / n));

/**
 * Other classes that a label set finds in the images of a class, and how often the dataset label itself is right.
 *
 * @param {import("../site_set.js").SiteSet} set
 * @param {any} version
 * @param {number} index
 * @param {number[]} rows
 */
export async function makePartners(set, version, index, rows) {
  const labels = await set.loadLabels(version.number);
  const judged = rows.filter((row) => labels.isKnown[row] && !labels.isProblematic[row]);
  /** @type {Map<number, { index: number, nWith: number, nInstead: number }>} */
  const found = new Map();
  let nRight = 0;
  let nWrong = 0;
  for (const row of judged) {
    const own = labels.judge(row, index);
    nRight += Number(own === CORRECT);
    nWrong += Number(own === WRONG);
    for (const { index: other, verdict } of labels.list(row)) {
      if (other === index || verdict !== CORRECT) continue;
      const held = found.get(other) ?? { index: other, nWith: 0, nInstead: 0 };
      held[own === CORRECT ? "nWith" : "nInstead"] += 1;
      found.set(other, held);
    }
  }
  const told = make("p", {}, linkLabels(version), ` judges ${count(judged.length, "image", "images")} of it: the dataset label is correct on ${nRight} and wrong on ${nWrong}.`);
  const table = makeTable({
    name: `other labels of ${set.study.getId(index)}`, caption: "What else people find in its images", empty: "People find no other class in its images.",
    rows: [...found.values()].sort((a, b) => b.nWith + b.nInstead - a.nWith - a.nInstead || a.index - b.index),
    columns: [
      { title: "Class", value: (row) => set.study.nameClass(row.index), show: (row) => linkClass(set.study, row.index) },
      shareColumn("Beside it", (row) => makeShare(row.nWith, judged.length), true),
      shareColumn("In its place", (row) => makeShare(row.nInstead, judged.length), true),
      { title: "Compare", value: (row) => set.study.getId(row.index), show: (row) => linkPair(set.study, index, row.index, { set: set.name }) },
    ],
  });
  return [make("h2", {}, "Labels"), told, table];
}

/**
 * How many images of every set lie in each bin of the selection frequency: candidates, those left out, and what was drawn.
 *
 * @param {import("../study.js").Study} study
 * @param {number} index
 */
export async function makeBins(study, index) {
  const rows = (await Promise.all(study.sets.map((set) => countBins(set, index)))).flat();
  if (!rows.length) return [];
  const lacks = study.sets.flatMap((set) => (set.facts.drawn?.lacks ?? []).filter(([one]) => one === index).map(([, where, n]) => make("p", {}, linkSet(set), ` lacks ${count(n, "image", "images")} ${where ? `in ${where}` : ""}.`)));
  const table = makeTable({
    name: `selection frequencies of ${study.getId(index)}`, caption: "How often people selected this class for images gathered for it", rows,
    columns: [
      { title: "Set", value: ({ set }) => set.name, show: ({ set }) => linkSet(set) },
      { title: "Images", value: (row) => row.what },
      { title: "Counts of", value: (row) => nameCounts(study, row), show: (row) => (row.number === undefined ? "the draw" : linkLabels(study.index.labels[row.number])) },
      ...BINS.map((bin, i) => countColumn(bin, (row) => row.bins[i])),
      countColumn("Not asked", (row) => row.nUnknown),
      countColumn("All", (row) => row.bins.reduce((a, b) => a + b, 0) + row.nUnknown),
    ],
  });
  return [make("h2", {}, "Selection frequency"), table, ...lacks];
}

const nameCounts = (study, { number }) => (number === undefined ? "the draw" : `${study.index.labels[number].name}@${study.index.labels[number].version}`);

async function countBins(set, index) {
  const number = set.chooseCounts();
  if (number === undefined && !set.isPool && !set.facts.drawn) return [];
  const [images, frequencies] = await Promise.all([set.loadImages(), number === undefined ? null : set.loadFrequencies(number)]);
  const make = (what) => ({ set, what, number, bins: BINS.map(() => 0), nUnknown: 0 });
  const groups = set.isPool ? [make("can be taken"), make("left out")] : [make(set.facts.drawn ? "drawn" : "in the set")];
  for (const row of images.listClass(index)) {
    const group = set.isPool && images.pool?.rule.get(row) ? groups[1] : groups[0];
    const found = images.findCounts(frequencies, row);
    if (found) group.bins[findBin(found.selected, found.shown)] += 1;
    else group.nUnknown += 1;
  }
  return groups;
}
