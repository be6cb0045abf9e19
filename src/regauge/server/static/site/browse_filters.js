/** What can be filtered by on the page with all images: every filter as numbers per image, from what the address asks for. */

import { allow } from "./filters.js";
import { CORRECT, NOT_COUNTED, UNJUDGED, VERDICT_NAMES, WRONG } from "./labels.js";

export const RIGHT_NAMES = ["nobody answered", "none of them", "some of them", "all of them"];
export const OBJECT_NAMES = ["not known", "1 object", "2 objects", "3 objects", "4 or more"];
export const WHO_NAMES = ["no answer", "wrong", "right"];
export const VERDICTS_SHOWN = [CORRECT, 1, WRONG, UNJUDGED, NOT_COUNTED].map((code) => ({ code, name: code === NOT_COUNTED ? "left out or not covered" : VERDICT_NAMES[code] }));
/** Stands in addresses for images that nobody was asked about. */
export const UNSPLIT = "none";
/** Stands for a frequency that is not known; those that are known are whole percents. */
export const NO_FREQUENCY = 101;
export const SORTS = { row: "the order of the set", frequency: "selection frequency", right: "participants right", objects: "number of objects" };

/**
 * Everything that the filters of a set go by; what is not known is null.
 *
 * @typedef {object} Columns
 * @property {import("./site_set.js").Images} images
 * @property {Uint8Array | null} verdicts
 * @property {Uint8Array | null} objects
 * @property {Uint8Array | null} frequencies in whole percents.
 * @property {import("./labels.js").Frequencies | null} counts behind them.
 * @property {Uint8Array} right
 * @property {Uint8Array | null} who
 * @property {{ words: string[], codes: Uint8Array } | null} split where images went after CONTAINS.
 * @property {Uint8Array | null} slice
 */

/** @type {WeakMap<object, Map<string, any>>} */
const kept = new WeakMap();

/** What was computed of something once, under a name. */
function keep(owner, name, make) {
  const held = kept.get(owner) ?? new Map();
  kept.set(owner, held);
  if (!held.has(name)) held.set(name, make());
  return held.get(name);
}

/**
 * The label set that is chosen, or the one that is shown otherwise; undefined where there is none.
 *
 * @param {import("./site_set.js").SiteSet} set
 * @param {Record<string, string>} asked
 */
export const chooseLabels = (set, asked) => set.labelSets.find((one) => `${one.name}@${one.version}` === asked.labels) ?? set.usualLabels;

/**
 * @param {import("./site_set.js").SiteSet} set
 * @param {Record<string, string>} asked
 * @returns {Promise<Columns>}
 */
export async function loadColumns(set, asked) {
  const chosen = chooseLabels(set, asked);
  const counted = set.chooseCounts(chosen);
  const person = asked.who ? set.study.findParticipant(asked.who) : undefined;
  const [images, labels, frequencies, firsts, split] = await Promise.all([
    set.loadImages(),
    chosen ? set.loadLabels(chosen.number) : null,
    counted === undefined ? null : set.loadFrequencies(counted),
    person ? set.loadFirsts(person.number) : null,
    set.loadSplit(),
  ]);
  const slice = set.facts.slices.find((one) => one.name === asked.slice);
  return {
    images,
    verdicts: labels && keep(labels, "verdicts", () => Uint8Array.from(images.labels, (label, row) => labels.judge(row, label))),
    objects: labels?.nObjects ? keep(labels, "objects", () => Uint8Array.from(labels.nObjects, (n) => Math.min(n, 4))) : null,
    frequencies: frequencies || images.drawn ? keep(frequencies ?? images, "percent", () => findPercents(images, frequencies)) : null,
    counts: frequencies,
    split,
    right: keep(images, "right", () => findRight(images)),
    who: firsts && keep(firsts, "who", () => Uint8Array.from(firsts, (first, row) => (first < 0 ? 0 : first === images.labels[row] ? 2 : 1))),
    slice: slice ? keep(slice, "rows", () => unpackSlice(slice, images.n)) : null,
  };
}

function findPercents(images, frequencies) {
  const found = new Uint8Array(images.n).fill(NO_FREQUENCY);
  for (let row = 0; row < images.n; row += 1) {
    const counts = images.findCounts(frequencies, row);
    // 0% is nobody and 100% is everybody.
    if (counts) found[row] = counts.selected % counts.shown ? Math.max(1, Math.min(99, Math.round((100 * counts.selected) / counts.shown))) : 100 * (counts.selected / counts.shown);
  }
  return found;
}

function findRight({ n, nAnswered, nRight, labels }) {
  const found = new Uint8Array(n);
  for (let row = 0; row < n; row += 1) {
    if (!nAnswered[row] || labels[row] < 0) found[row] = 0;
    else found[row] = nRight[row] === 0 ? 1 : nRight[row] === nAnswered[row] ? 3 : 2;
  }
  return found;
}

function unpackSlice(slice, n) {
  const bytes = atob(slice.rows.d);
  return Uint8Array.from({ length: n }, (_, row) => (bytes.charCodeAt(row >> 3) >> (row & 7)) & 1);
}

const listNumbers = (text) => (text ? text.split(",").map(Number) : []);

/**
 * The filters that an address asks for, on the columns of a set.
 *
 * @param {import("./study.js").Study} study
 * @param {Columns} columns
 * @param {Record<string, string>} asked
 * @returns {import("./filters.js").Filter[]}
 */
export function makeFilters(study, columns, asked) {
  const { images } = columns;
  const classes = keep(images, "classes", () => Int32Array.from(images.labels, (label) => label + 1));
  const found = [
    { name: "class", codes: classes, n: study.nClasses + 1, allowed: allowClasses(study, asked) },
    { name: "right", codes: columns.right, n: 4, allowed: allow(4, listNumbers(asked.right)) },
  ];
  const add = (name, codes, n, listed) => codes && found.push({ name, codes, n, allowed: allow(n, listed) });
  add("verdict", columns.verdicts, 5, listNumbers(asked.verdict));
  add("objects", columns.objects, 5, listNumbers(asked.objects));
  add("who", columns.who, 3, listNumbers(asked.is));
  add("slice", columns.slice, 2, [1]);
  add("split", columns.split?.codes, columns.split?.words.length ?? 0, findCodes(columns.split, asked.split));
  add("rule", images.pool?.rule.codes, images.pool?.rule.words.length ?? 0, listNumbers(asked.rule));
  const [from, to] = readRange(asked);
  const percents = from > 0 || to < 100 ? Array.from({ length: to - from + 1 }, (_, i) => from + i) : [];
  add("frequency", columns.frequencies, NO_FREQUENCY + 1, percents);
  add("mislabeled", findMislabeled(columns), 2, asked.mislabeled ? [1] : []);
  if (asked.text) add("text", matchIds(images, asked.text), 2, [1]);
  return found;
}

/** The codes of the parts that an address names; their order differs from set to set. */
const findCodes = (split, text) => (split && text ? text.split(",").map((one) => split.words.indexOf(one === UNSPLIT ? "" : one)).filter((code) => code >= 0) : []);

/** @returns {[number, number]} */
export function readRange(asked) {
  const [from, to] = [Number(asked.from ?? 0), Number(asked.to ?? 100)].map((one) => Math.max(0, Math.min(100, Math.round(one) || 0)));
  return from <= to ? [from, to] : [to, from];
}

function allowClasses(study, { class: id = "", group = "" }) {
  if (id) return allow(study.nClasses + 1, [study.findClass(id) + 1]);
  if (!group) return null;
  const members = study.groupings.flatMap(({ name, groups }) => groups.filter((one) => `${name}/${one.name}` === group))[0]?.members ?? [];
  const allowed = new Uint8Array(study.nClasses + 1);
  for (const one of members) allowed[one + 1] = 1;
  return allowed;
}

/** Images whose dataset label people did not find: nobody selected it, or a label set calls it wrong. */
function findMislabeled({ images, verdicts, frequencies }) {
  if (!verdicts && !frequencies) return null;
  return keep(verdicts ?? frequencies ?? images, "mislabeled", () => Uint8Array.from(images.labels, (_, row) => Number(verdicts?.[row] === WRONG || frequencies?.[row] === 0)));
}

function matchIds(images, text) {
  const wanted = text.toLowerCase();
  const small = keep(images, "small ids", () => images.ids.map((one) => one.toLowerCase()));
  return Uint8Array.from(small, (one) => Number(one.includes(wanted)));
}

/** What the images can be sorted by, as whole numbers; null where that is not known. */
export function findSortColumn({ images, frequencies, objects }, sort) {
  if (sort === "frequency") return frequencies;
  if (sort === "right") return images.nRight;
  return sort === "objects" ? objects : null;
}
