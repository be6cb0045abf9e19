/** The study that the website is of: names, sets and scores. */

import { ClassIndex } from "../parts/class_search.js";
import { need } from "./loader.js";
import { SiteSet } from "./site_set.js";
import { unpack, unpackWords } from "./unpack.js";

/**
 * One score of one participant.
 *
 * @typedef {object} Score
 * @property {number} set
 * @property {string} participant
 * @property {string} metric
 * @property {string} labels
 * @property {number} n
 * @property {number} k right answers; -1 of a mean.
 * @property {number} nUnjudged
 * @property {number} value
 * @property {number} low
 * @property {number} high
 * @property {string} interval
 * @property {string} remark
 */

export class Study {
  #classes;
  /** @type {Promise<ClassIndex> | null} */
  #finder = null;
  /** @type {Promise<{ list: Score[], metrics: any, findings: { set: number, text: string }[] }> | null} */
  #scores = null;

  /**
   * @param {any} index
   * @param {any} classes
   */
  constructor(index, classes) {
    this.index = index;
    this.#classes = classes;
    this.nClasses = index.study.n_classes;
    /** @type {{ number: number, name: string, kind?: string, family?: string }[]} */
    this.participants = index.participants.map((one, number) => ({ ...one, number }));
    /** @type {SiteSet[]} */
    this.sets = index.sets.map((facts, key) => new SiteSet(this, key, facts));
    /** @type {Map<string, number>} */
    this.indexOf = new Map(classes.ids.map((id, i) => [id, i]));
    this.groupings = classes.groupings.map(({ name, groups }) => ({
      name,
      groups: groups.map((one) => ({ name: one.name, members: unpack(one.members) })),
    }));
  }

  static async open() {
    const [index, classes] = await Promise.all([need("index"), need("classes")]);
    return new Study(index, classes);
  }

  /** The test sets that participants answered or could, without pools. */
  get testSets() {
    return this.sets.filter((one) => !one.isPool);
  }

  /** The set of that name; without a name the first. */
  findSet(name) {
    return name ? this.sets.find((one) => one.name === name) : this.sets[0];
  }

  /** @param {string} name */
  findParticipant(name) {
    return this.participants.find((one) => one.name === name);
  }

  /** The class of an id or an index; -1 where there is none. */
  findClass(text) {
    const found = this.indexOf.get(text);
    if (found !== undefined) return found;
    return /^[0-9]+$/.test(text) && Number(text) < this.nClasses ? Number(text) : -1;
  }

  /** @param {number} index */
  nameClass(index) {
    return index < 0 ? "no label" : (this.#classes.names[index] ?? `class ${index}`);
  }

  /** @param {number} index */
  getId(index) {
    return this.#classes.ids[index] ?? String(index);
  }

  /** Where to read about a class. */
  async findLink(index) {
    const { links } = await need("links");
    return links[index] ?? `https://en.wikipedia.org/wiki/Special:Search?search=${encodeURIComponent(this.nameClass(index))}`;
  }

  /** The groups that a class is in, as [grouping, group]. */
  listGroups(index) {
    return this.groupings.flatMap(({ name, groups }) => groups.filter((one) => one.members.includes(index)).map((one) => [name, one]));
  }

  /** Everything that classes are found by: names, glosses, the hierarchy. */
  loadFinder() {
    this.#finder ??= need("finder").then((data) => new ClassIndex(data));
    return this.#finder;
  }

  /** All scores, and what the metrics mean. */
  loadScores() {
    this.#scores ??= need("scores").then((payload) => ({ list: payload.size ? listScores(payload) : [], metrics: payload.metrics, findings: payload.findings ?? [] }));
    return this.#scores;
  }
}

/** @returns {Score[]} */
function listScores(payload) {
  const [set, n, k, nUnjudged] = ["set", "n", "n_correct", "n_unjudged"].map((name) => unpack(payload[name]));
  const [value, low, high] = ["value", "low", "high"].map((name) => unpack(payload[name]));
  const [participant, metric, labels, interval, remark] = ["participant", "metric", "labels", "interval", "remark"].map((name) => unpackWords(payload[name]));
  return Array.from({ length: payload.size }, (_, i) => ({
    set: set[i], participant: participant.get(i), metric: metric.get(i), labels: labels.get(i), n: n[i], k: k[i], nUnjudged: nUnjudged[i],
    // Shares come with seven digits, which rounds 88.75% another way than the counts do.
    value: k[i] >= 0 && n[i] && Math.abs(k[i] / n[i] - value[i]) < 1e-6 ? k[i] / n[i] : value[i], low: low[i], high: high[i], interval: interval.get(i), remark: remark.get(i),
  }));
}
