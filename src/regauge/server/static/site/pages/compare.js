/** Two participants on the same images: who is right where, and whether the difference is more than chance. */

import { make } from "../../dom.js";
import { writeAddress } from "../address.js";
import { makeSelect } from "../forms.js";
import { explainPictures, makeLongGallery } from "../gallery.js";
import { DATASET, findOutcomes } from "../judged.js";
import { linkClass, linkParticipant } from "../links.js";
import { testPair } from "../stats.js";
import { countColumn, makeTable, shareColumn } from "../table.js";
import { makeSetTabs } from "../tabs.js";
import { makeShare, writeCount, writeP } from "../words.js";

/** @param {{ name: string }[]} who */
const nameCells = ([first, second]) => ["both right", `only ${first.name} right`, `only ${second.name} right`, "both wrong"];

/**
 * @param {import("../study.js").Study} study
 * @param {import("../address.js").Place} place
 */
export async function showCompare(study, place) {
  const who = [0, 1].map((i) => study.findParticipant(place.parts[i] ?? "") ?? study.participants[i]);
  if (!who[1]) throw new Error("Two participants are compared, and the study has fewer.");
  const sets = study.sets.filter((set) => who.every((one) => set.facts.participants.includes(one.number)));
  if (!sets.length) throw new Error(`${who[0].name} and ${who[1].name} answered no set both.`);
  const set = sets.find((one) => one.name === place.asked.set) ?? sets[0];
  const version = set.labelSets.find((one) => `${one.name}@${one.version}` === place.asked.labels);
  const [images, labels, ...firsts] = await Promise.all([set.loadImages(), version ? set.loadLabels(version.number) : null, ...who.map((one) => set.loadFirsts(one.number))]);
  const cells = sortImages(...firsts.map((one) => findOutcomes(images, one, labels)));
  const at = Math.max(0, Math.min(3, Number(place.asked.cell ?? 1) || 0));
  const shown = cells[at].map((row) => ({ row, lines: firsts.map((one, i) => make("span", {}, linkParticipant(who[i]), ": ", linkClass(study, one[row]))) }));
  const nodes = [
    makeChoice(study, who, set, place), makeSetTabs(sets, set, { ...place, parts: who.map((one) => one.name) }), ...makeNumbers({ who, set, cells, place, version }),
    make("h2", {}, nameCells(who)[at].replace(/^./, (first) => first.toUpperCase())), make("p", { className: "quiet" }, explainPictures(study)), await makeLongGallery(set, shown, "No image is like this."),
  ];
  return { title: `${who[0].name} and ${who[1].name}`, nodes };
}

/** The rows of each cell; images that one of them did not answer, or that nobody judged, are in none. */
function sortImages(first, second) {
  /** @type {number[][]} */
  const cells = [[], [], [], []];
  first.forEach((one, row) => {
    const other = second[row];
    if (one < 0 || other < 0) return;
    cells[one ? (other ? 0 : 1) : other ? 2 : 3].push(row);
  });
  return cells;
}

function makeChoice(study, who, set, place) {
  const people = study.participants.map((one) => ({ value: one.name, words: one.name }));
  const go = (parts, changes = {}) => {
    location.hash = writeAddress("compare", parts, { ...place.asked, ...changes });
  };
  const names = who.map((one) => one.name);
  const versions = [{ value: DATASET, words: "dataset labels" }, ...set.labelSets.map((one) => ({ value: `${one.name}@${one.version}`, words: `${one.name}@${one.version}` }))];
  return make(
    "div", { className: "row fields" },
    makeSelect("First", people, names[0], (name) => go([name, names[1]])),
    makeSelect("Second", people, names[1], (name) => go([names[0], name])),
    makeSelect("Judged by", versions, place.asked.labels ?? DATASET, (labels) => go(names, { labels: labels === DATASET ? "" : labels })),
  );
}

function makeNumbers({ who, set, cells, place, version }) {
  const sizes = cells.map((one) => one.length);
  const n = sizes.reduce((a, b) => a + b, 0);
  const p = testPair(sizes[1], sizes[2]);
  const rows = nameCells(who).map((name, at) => ({ name, at, share: makeShare(sizes[at], n) }));
  const table = makeTable({
    name: `${who[0].name} and ${who[1].name}`, caption: `First answers on ${set.name}, ${version ? `judged by ${version.name}@${version.version}; unclear counts as right` : "by dataset labels"}`, rows,
    columns: [
      { title: "Images", value: (row) => row.name, show: (row) => make("a", { href: writeAddress("compare", who.map((one) => one.name), { ...place.asked, cell: row.at }) }, row.name) },
      countColumn("Number", (row) => row.share.k),
      shareColumn("Share", (row) => row.share, true),
    ],
  });
  const words = `Right on ${writeCount(sizes[0] + sizes[1])} and ${writeCount(sizes[0] + sizes[2])} of ${writeCount(n)} images that both answered and that are judged. McNemar's exact test: ${writeP(p)}.`;
  return [make("p", {}, linkParticipant(who[0]), " and ", linkParticipant(who[1]), `. ${words}`), table];
}
