/** Everybody's answers, and what a label set makes of them. */

import { CORRECT, NOT_COUNTED, UNCLEAR, UNJUDGED, WRONG } from "./labels.js";

/** Stands for the dataset labels where label sets are chosen. */
export const DATASET = "dataset";

/** What a mistake is called by what a label set says of the answer. */
export const MISTAKE_GROUPS = [
  { code: WRONG, name: "wrong" },
  { code: UNCLEAR, name: "disputed" },
  { code: UNJUDGED, name: "unjudged" },
  { code: CORRECT, name: "not the dataset label, but correct" },
  { code: NOT_COUNTED, name: "left out or not covered" },
];

/**
 * The set that an address names, or the first that has answers, or the first.
 *
 * @param {import("./study.js").Study} study
 * @param {string} [name]
 * @param {number} [participant] whose answers it must have.
 */
export function chooseSet(study, name, participant) {
  const has = (set) => (participant === undefined ? set.participants.length : set.facts.participants.includes(participant));
  return study.sets.find((set) => set.name === name) ?? study.testSets.find(has) ?? study.sets[0];
}

/**
 * The version of a label set of that name, or the usual one of a set; undefined where there is none.
 *
 * @param {import("./site_set.js").SiteSet} set
 * @param {string} [name]
 */
export const findVersion = (set, name) => set.labelSets.find((one) => `${one.name}@${one.version}` === name) ?? set.usualLabels;

/**
 * One participant's first answers on a set: the images that they answered otherwise than the dataset label says.
 *
 * @param {import("./site_set.js").SiteSet} set
 * @param {number} participant
 */
export async function loadMistakes(set, participant) {
  const [images, firsts] = await Promise.all([set.loadImages(), set.loadFirsts(participant)]);
  const rows = [];
  for (let row = 0; firsts && row < images.n; row += 1) {
    if (firsts[row] >= 0 && images.labels[row] >= 0 && firsts[row] !== images.labels[row]) rows.push(row);
  }
  return { images, firsts, rows };
}

/**
 * Whether one participant is right on every image, by dataset labels or as a label set says, where unclear counts as right.
 *
 * @param {import("./site_set.js").Images} images
 * @param {ArrayLike<number>} firsts
 * @param {import("./labels.js").Labels | null} labels
 * @returns {Int8Array} 1 right, 0 wrong, -1 where the answer does not count or nobody judged it.
 */
export function findOutcomes(images, firsts, labels) {
  return Int8Array.from(images.labels, (label, row) => {
    if (firsts[row] < 0) return -1;
    if (!labels) return label < 0 ? -1 : Number(firsts[row] === label);
    const verdict = labels.judge(row, firsts[row]);
    return verdict === NOT_COUNTED || verdict === UNJUDGED ? -1 : Number(verdict !== WRONG);
  });
}

/** How many levels up two classes have a node in common, by the hierarchy; null where nothing joins them. */
export class Distances {
  #parents;
  /** @type {Map<number, Map<number, number>>} */
  #heights = new Map();
  /** @type {Map<string, number | null>} */
  #known = new Map();

  /** @param {{ parents: number[][] }} data */
  constructor({ parents }) {
    this.#parents = parents;
  }

  get isKnown() {
    return this.#parents.some((one) => one.length);
  }

  #find(place) {
    let heights = this.#heights.get(place);
    if (heights) return heights;
    heights = new Map();
    let level = [place];
    for (let height = 0; level.length; height += 1) {
      for (const one of level) heights.set(one, height);
      level = [...new Set(level.flatMap((one) => this.#parents[one]))].filter((one) => !heights.has(one));
    }
    this.#heights.set(place, heights);
    return heights;
  }

  /**
   * @param {number} first
   * @param {number} second
   */
  count(first, second) {
    const key = first < second ? `${first} ${second}` : `${second} ${first}`;
    let found = this.#known.get(key);
    if (found === undefined) {
      const [up, other] = [this.#find(first), this.#find(second)];
      const levels = [...up].filter(([node]) => other.has(node)).map(([node, height]) => Math.max(height, other.get(node) ?? 0));
      found = levels.length ? Math.min(...levels) : null;
      this.#known.set(key, found);
    }
    return found;
  }
}

/**
 * Pairs of dataset label and answer with how often each came, the most frequent first.
 *
 * @param {Iterable<[number, number, number]>} answers label, answer, how often
 */
export function countPairs(answers) {
  /** @type {Map<string, { label: number, answer: number, n: number, nImages: number }>} */
  const found = new Map();
  for (const [label, answer, n] of answers) {
    const key = `${label} ${answer}`;
    const held = found.get(key) ?? { label, answer, n: 0, nImages: 0 };
    held.n += n;
    held.nImages += 1;
    found.set(key, held);
  }
  return [...found.values()].sort((a, b) => b.n - a.n || a.label - b.label || a.answer - b.answer);
}
