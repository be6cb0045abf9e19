/** A test set or a batch of candidates: its images and answers, each part loaded when a page first needs it. */

import { Coding, Evidence, Frequencies, Labels, Objects } from "./labels.js";
import { need } from "./loader.js";
import { readTogether } from "./together.js";
import { findStarts, unpack, unpackIds, unpackWords } from "./unpack.js";

/** As `regauge.workflows.site.sets` has them. */
const [BLOCK, SHARD] = [480, 50];
/** Copies of pictures in a folder; as `regauge.workflows.site.pictures` has it. */
const PER_FOLDER = 1000;

export class Images {
  /**
   * @param {any} payload
   * @param {number} nClasses
   */
  constructor(payload, nClasses) {
    this.ids = unpackIds(payload.ids);
    this.n = this.ids.length;
    this.labels = unpack(payload.labels);
    this.nAnswered = unpack(payload.n_answered);
    this.nRight = unpack(payload.n_right);
    const { pool } = payload;
    this.pool = pool && { rule: unpackWords(pool.rule), reason: unpackWords(pool.reason), sameAs: unpackWords(pool.same_as), keyword: unpackWords(pool.keyword) };
    const { drawn } = payload;
    this.drawn = drawn && { shown: unpack(drawn.shown), selected: unpack(drawn.selected), isUpward: unpack(drawn.upward), isCarried: unpack(drawn.carried) };
    /** @type {Map<string, number> | null} */
    this.byId = null;
    // The images by dataset label, in row order, those without a label at the end.
    const counts = new Int32Array(nClasses + 1);
    const find = (row) => (this.labels[row] < 0 ? nClasses : this.labels[row]);
    for (let row = 0; row < this.n; row += 1) counts[find(row)] += 1;
    this.classStarts = findStarts(counts);
    const next = this.classStarts.slice();
    this.order = new Int32Array(this.n);
    this.places = new Int32Array(this.n);
    for (let row = 0; row < this.n; row += 1) {
      const place = next[find(row)]++;
      this.order[place] = row;
      this.places[row] = place;
    }
  }

  /** @returns {number} the row of an image; -1 where there is none. */
  findRow(id) {
    this.byId ??= new Map(this.ids.map((one, row) => [one, row]));
    return this.byId.get(id) ?? -1;
  }

  /**
   * How many saw an image and how many of them selected its dataset label: by a label set, or as it was drawn; null where that is
   * not known.
   *
   * @param {import("./labels.js").Frequencies | null} frequencies
   * @param {number} row
   */
  findCounts(frequencies, row) {
    const found = frequencies?.find(row, this.labels[row]);
    if (found || !this.drawn?.shown[row]) return found ?? null;
    return { shown: this.drawn.shown[row], selected: this.drawn.selected[row] };
  }

  /** The rows of the images of a class. */
  listClass(index) {
    return [...this.order.slice(this.classStarts[index], this.classStarts[index + 1])];
  }
}

export class SiteSet {
  /** @type {Map<string, Promise<any>>} */
  #held = new Map();

  /**
   * @param {import("./study.js").Study} study
   * @param {number} key
   * @param {any} facts
   */
  constructor(study, key, facts) {
    this.study = study;
    this.key = key;
    this.facts = facts;
    this.name = facts.name;
    this.isPool = facts.role === "pool";
    this.n = facts.n;
  }

  /** The participants who answered it. */
  get participants() {
    return this.facts.participants.map((number) => this.study.participants[number]);
  }

  /** The versions of label sets that cover an image of it, the latest of each name first. */
  get labelSets() {
    const all = this.facts.labels.map((number) => ({ ...this.study.index.labels[number], number }));
    return all.sort((a, b) => a.name.localeCompare(b.name) || b.version - a.version);
  }

  /** The latest version of each label set. */
  get latestLabels() {
    return this.labelSets.filter((one, i, all) => all[i - 1]?.name !== one.name);
  }

  /** The label set that is shown where none is chosen: of the latest versions the one that covers most images, and of equal ones that with most verdicts per image; undefined without any. */
  get usualLabels() {
    const covered = (one) => this.facts.covered[this.facts.labels.indexOf(one.number)] + one.n_verdicts / (1 + one.n_verdicts + one.n_images);
    return this.latestLabels.reduce((best, one) => (best && covered(best) >= covered(one) ? best : one), this.labelSets[0]);
  }

  /**
   * Whose selection counts are shown beside a label set: its own, or those of most images; undefined where none are known.
   *
   * @param {{ number: number } | undefined} labels
   */
  chooseCounts(labels) {
    const { counted, n_counted: n } = this.facts;
    if (labels && counted.includes(labels.number)) return labels.number;
    return counted.length ? counted[n.indexOf(Math.max(...n))] : undefined;
  }

  #keep(name, make) {
    let held = this.#held.get(name);
    if (!held) {
      held = need(name).then((payload) => payload && make(payload));
      held.catch(() => this.#held.delete(name));
      this.#held.set(name, held);
    }
    return held;
  }

  /** @returns {Promise<Images>} */
  loadImages() {
    return this.#keep(`s${this.key}`, (payload) => new Images(payload, this.study.nClasses));
  }

  /** @returns {Promise<Labels>} */
  loadLabels(number) {
    return this.#keep(`s${this.key}-l${number}`, (payload) => new Labels(payload, this.study.index.labels[number]));
  }

  /** @returns {Promise<Frequencies | null>} */
  loadFrequencies(number) {
    if (!this.facts.counted.includes(number)) return Promise.resolve(null);
    return this.#keep(`s${this.key}-l${number}-f`, (payload) => new Frequencies(payload));
  }

  /** @returns {Promise<Objects | null>} */
  loadObjects(number) {
    return this.#keep(`s${this.key}-l${number}-o`, (payload) => new Objects(payload));
  }

  /** @returns {Promise<Evidence | null>} */
  loadEvidence(number) {
    return this.#keep(`s${this.key}-l${number}-e`, (payload) => new Evidence(payload));
  }

  /** Classes that come together, and those that people accept for each other; null where neither is known. */
  loadTogether() {
    if (!this.facts.labels.length) return Promise.resolve(null);
    return this.#keep(`s${this.key}-together`, readTogether);
  }

  /** Where every image went after CONTAINS; null where that is not known. */
  loadSplit() {
    if (!this.facts.labels.length) return Promise.resolve(null);
    return this.#keep(`s${this.key}-split`, (payload) => unpackWords(payload.parts));
  }

  /** @returns {Promise<Coding>} */
  loadCoding(number) {
    return this.#keep(`s${this.key}-c${number}`, (payload) => new Coding(payload, this.study.index.codings[number]));
  }

  /** The first answers of a participant by their number; null where they did not answer this set. */
  loadFirsts(number) {
    const place = this.facts.participants.indexOf(number);
    return place < 0 ? Promise.resolve(null) : this.#keep(`s${this.key}-a${place}`, (payload) => unpack(payload.firsts));
  }

  /**
   * Everybody's first answers to some images: by row, in the order of the participants of the set.
   *
   * @param {number[]} rows
   * @returns {Promise<Map<number, Int16Array>>}
   */
  async loadAnswers(rows) {
    if (!this.facts.participants.length) return new Map();
    const images = await this.loadImages();
    const blocks = new Set(rows.map((row) => Math.floor(images.places[row] / BLOCK)));
    const nPeople = this.facts.participants.length;
    const found = new Map();
    for (const block of blocks) {
      const { firsts } = await this.#keep(`s${this.key}-b${block}`, (payload) => ({ firsts: unpack(payload.firsts) }));
      for (const row of rows) {
        const place = images.places[row] - block * BLOCK;
        if (place >= 0 && place < BLOCK) found.set(row, firsts.subarray(place * nPeople, (place + 1) * nPeople));
      }
    }
    return found;
  }

  /** Right first answers of every participant by class. */
  loadClassCounts() {
    if (!this.facts.participants.length) return Promise.resolve(null);
    return this.#keep(`s${this.key}-classes`, (payload) => {
      const [right, answered, n] = [unpack(payload.right), unpack(payload.answered), this.study.nClasses];
      const isAlike = answered.length === n;
      return { find: (place, index) => ({ k: right[place * n + index], n: answered[(isAlike ? 0 : place * n) + index] }) };
    });
  }

  /**
   * The images that were taken for a class although their dataset label is another, with how many took them for it.
   *
   * @returns {Promise<{ row: number, by: number }[]>}
   */
  async loadWrong(index) {
    if (!this.facts.participants.length) return [];
    const { starts, rows, by } = await this.#keep(`s${this.key}-w${Math.floor(index / SHARD)}`, (payload) => ({
      starts: findStarts(unpack(payload.n)),
      rows: unpack(payload.rows),
      by: unpack(payload.by),
    }));
    const found = [];
    for (let i = starts[index % SHARD]; i < starts[(index % SHARD) + 1]; i += 1) found.push({ row: rows[i], by: by[i] });
    return found;
  }

  /** What gives the address of the picture of an image; empty where there is none. */
  async loadPictures() {
    const { mode, prefix } = this.study.index.pictures;
    if (mode === "none") return () => "";
    const found = await this.#keep(`s${this.key}-p`, (payload) => readPictures(payload));
    if (found?.paths) return (row) => (found.paths[row] ? `${prefix}${found.paths[row]}` : "");
    const at = document.body.dataset.pictures ?? "pictures/";
    if (found?.numbers) return (row) => (found.numbers[row] < 0 ? "" : `${at}${Math.floor(found.numbers[row] / PER_FOLDER)}/${found.numbers[row]}.jpg`);
    return (row) => (found?.has[row] ? `${at}${this.key}/${row}.jpg` : "");
  }
}

/** Which images have a picture: the numbers of copies, where links lead, or which of them the server shows. */
function readPictures(payload) {
  if (payload.numbers) return { numbers: unpack(payload.numbers) };
  return payload.has ? { has: unpack(payload.has) } : { paths: unpackIds(payload.paths) };
}
