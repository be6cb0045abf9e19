/**
 * The search for classes, as `regauge.taxonomy.search` has it: the same index, the same whole numbers for scores, and so the same
 * order. A test gives both the same queries; whoever changes one changes the other.
 */

import { findHeadPhrase, matchIds, matchNumber, readQuery } from "./class_query.js";
import { MIN_PART, findPetForm, findShortForm, findStem, findTypos, maskLetters, simplify, split } from "./class_words.js";

/**
 * What the server sends: the classes, then the nodes above them, each by its place.
 *
 * @typedef {object} FinderData
 * @property {string[]} ids
 * @property {string[][]} names
 * @property {string[][]} kinds names of things that are a kind of it and have no place of their own.
 * @property {string[][]} related words for what it is used for, or goes with.
 * @property {number[][]} parents
 * @property {string[]} glosses of the classes.
 * @property {[string, string][]} forms one form of a word and another for it.
 * @property {string[]} fillers words of glosses that say nothing.
 * @property {string[]} describing words that say what sort of thing is meant, as colours do.
 */

/**
 * A name that can be found; the sort says whose it is.
 *
 * @typedef {{ place: number, name: string, simple: string, stems: string, sort: number }} Text
 */

/**
 * A class that was found: its number, the score, why, and the text that matched, if one did.
 *
 * @typedef {{ index: number, score: number, reason: string, text: Text | null }} Found
 */

/**
 * What a word is worth in a class.
 *
 * @typedef {{ weight: number, field: number, quality: number, number: number }} Worth
 */

/** @typedef {import("./class_query.js").Query} Query */

const MAX_LETTERS = 100;
const WIDTH = 100;
const [WHOLE_TEXT, LAST_WORDS, FIRST_WORDS, WORDS, FIRST_LETTERS, STARTS, INSIDE_TEXT, SIMILAR_TEXT] = [0, 1, 2, 3, 4, 5, 6, 7];
const [OWN, ABOVE, KIND, KIND_OF_NODE, RELATED, GLOSS] = [0, 1, 2, 3, 4, 5];
const [SIMILAR, INSIDE, START, WHOLE, LAST, NAME] = [0, 1, 2, 3, 4, 5];
const [NAME_SORT, KIND_SORT, RELATED_SORT] = [0, 1, 2];
const TIERS = [
  [900, 780, 740, 700, 600, 520, 280, 200],
  [650, 560, 550, 540, 480, 470, 150, 190],
  [640, 515, 510, 500, 460, 450, 140, 180],
  [560, 300, 295, 290, 250, 245, 130, 170],
  [570, 310, 305, 300, 255, 250, 135, 175],
];
const [NEAR, NEAR_HEIGHT, GENUS] = [820, 3, 545];
const [ALL_WORDS, SOME_WORDS] = [205, 100];
const WEIGHTS = [
  [6, 2, 6, 7, 10, 12], [5, 1, 4, 4, 8, 11], [4, 1, 3, 4, 7, 10],
  [1, 1, 1, 1, 2, 4], [3, 1, 2, 3, 4, 9], [1, 1, 1, 3, 7, 7],
];
const [BEST_WEIGHT, SOLID_WEIGHT] = [12, 3];
const FIELD_REASONS = ["words", "above", "kind", "kind", "related", "gloss"];
const REASONS = ["name", "words", "start", "words", "start", "words", "part", "similar"];

/** The classes and nodes, prepared for searches. */
export class ClassIndex {
  /** @param {FinderData} data */
  constructor(data) {
    this.data = data;
    this.nClasses = data.glosses.length;
    this.forms = new Map(data.forms);
    this.fillers = new Set(data.fillers);
    this.describing = new Set(data.describing);
    /** @type {Text[]} */
    this.texts = [];
    data.names.forEach((names, place) => {
      for (const name of names) this.#addText(place, name, NAME_SORT);
      for (const name of data.kinds[place]) this.#addText(place, name, KIND_SORT);
      for (const name of data.related[place] ?? []) this.#addText(place, name, RELATED_SORT);
    });
    this.glossesOf = this.#indexGlosses();
    this.#openCompounds();
    /** @type {Map<string, number[]>} */
    this.textsOf = new Map();
    /** @type {Map<string, number[]>} */
    this.joined = new Map();
    this.joinedLetters = new Map();
    this.texts.forEach(({ stems, sort }, number) => {
      for (const stem of new Set(split(stems))) put(this.textsOf, stem, number);
      const joined = stems.replaceAll(" ", "");
      put(this.joined, joined, number);
      if (sort === NAME_SORT && stems.includes(" ")) this.joinedLetters.set(joined, maskLetters(joined));
    });
    this.letters = new Map([...this.textsOf.keys()].map((stem) => [stem, maskLetters(stem)]));
    this.genera = this.#findGenera();
    /** @type {[number, number][][]} */
    this.below = this.#findBelow();
    /** @type {number[][]} */
    this.children = data.ids.map(() => []);
    data.parents.forEach((parents, place) => parents.forEach((parent) => this.children[parent].push(place)));
  }

  #addText(place, name, sort) {
    const simple = simplify(name);
    const stems = split(simple).map((word) => findStem(word, this.forms)).join(" ");
    if (simple) this.texts.push({ place, name, simple, stems, sort });
  }

  /** Names of classes with a word that is written of two, as two, where the gloss has one of these. */
  #openCompounds() {
    const known = new Set(this.texts.flatMap((text) => split(text.stems)));
    for (const text of this.texts.filter((one) => one.sort === NAME_SORT)) {
      for (const stem of split(text.stems)) {
        for (let at = MIN_PART; at <= stem.length - MIN_PART; at += 1) {
          const parts = [stem.slice(0, at), stem.slice(at)];
          if (!parts.every((part) => known.has(part)) || !parts.some((part) => this.glossesOf.get(part)?.includes(text.place))) continue;
          const stems = text.stems.replaceAll(stem, parts.join(" "));
          this.texts.push({ ...text, simple: stems, stems });
        }
      }
    }
  }

  #indexGlosses() {
    /** @type {Map<string, number[]>} */
    const found = new Map();
    this.data.glosses.forEach((gloss, index) => {
      for (const word of new Set(split(simplify(gloss)))) {
        const stem = findStem(word, this.forms);
        if (!this.fillers.has(word) && found.get(stem)?.at(-1) !== index) put(found, stem, index);
      }
    });
    return found;
  }

  /** The last word, and the last two, of the phrase with which each gloss begins: what a class is. */
  #findGenera() {
    /** @type {Map<string, number[]>} */
    const found = new Map();
    this.data.glosses.forEach((gloss, index) => {
      const words = split(simplify(gloss.split(/[;:,(]/, 1)[0]));
      const start = words.findIndex((word) => !this.fillers.has(word));
      const end = words.findIndex((word, i) => i > start && this.fillers.has(word));
      const phrase = (start < 0 ? [] : words.slice(start, end < 0 ? undefined : end)).map((word) => findStem(word, this.forms));
      for (const stems of new Set([phrase.slice(-1).join(" "), phrase.slice(-2).join(" ")])) if (stems) put(found, stems, index);
    });
    return found;
  }

  #findBelow() {
    /** @type {[number, number][][]} */
    const below = this.data.ids.map(() => []);
    for (let index = 0; index < this.nClasses; index += 1) {
      for (const [place, height] of this.findHeights(index)) below[place].push([index, height]);
    }
    return below;
  }

  /**
   * Fewest levels from a place up to itself and to every place above it.
   *
   * @param {number} place
   * @returns {Map<number, number>}
   */
  findHeights(place) {
    const heights = new Map();
    let level = new Set([place]);
    for (let height = 0; level.size; height += 1) {
      for (const one of level) heights.set(one, height);
      level = new Set([...level].flatMap((one) => this.data.parents[one]).filter((parent) => !heights.has(parent)));
    }
    return heights;
  }

  /**
   * The way from a root down to a place, by the first parents.
   *
   * @param {number} place
   * @returns {number[]}
   */
  findPath(place) {
    const path = [place];
    for (;;) {
      const parent = this.data.parents[path[0]].find((one) => !path.includes(one));
      if (parent === undefined) return path;
      path.unshift(parent);
    }
  }

  /**
   * Other classes below the parents of a class, the nearest first.
   *
   * @param {number} index
   * @returns {number[]}
   */
  findSiblings(index) {
    const near = this.data.parents[index].flatMap((parent) => this.below[parent]);
    const heights = new Map();
    for (const [one, height] of near) heights.set(one, Math.min(height, heights.get(one) ?? height));
    heights.delete(index);
    return [...heights].sort((a, b) => a[1] - b[1] || a[0] - b[0]).map(([one]) => one);
  }

  /**
   * The classes that a text may mean, best first; empty when nothing is even similar.
   *
   * @param {string} text
   * @param {number} [limit]
   * @returns {Found[]}
   */
  search(text, limit = 10) {
    const query = readQuery(this, text.slice(0, MAX_LETTERS));
    if (!query.words.length) return [];
    /** @type {Map<number, Found>} */
    const best = new Map();
    const word = text.trim();
    for (const matches of [matchNumber(this, word), matchIds(this, word), matchWords(this, query)]) {
      for (const found of matches) {
        const held = best.get(found.index);
        if (held === undefined || found.score > held.score) best.set(found.index, found);
      }
    }
    return [...best.values()].sort((a, b) => b.score - a.score || a.index - b.index).slice(0, limit);
  }

  /**
   * Why a class was found, in a few words; empty where its name says it.
   *
   * @param {Found} found
   */
  explain({ index, reason, text }) {
    if (text && reason === "above") return `a kind of ${text.name}`;
    if (text && reason === "kind") {
      return text.place === index ? `includes ${text.name}` : `${text.name} is a kind of ${this.data.names[text.place][0]}`;
    }
    return text && reason === "related" ? `has to do with ${text.name}` : reason;
  }
}

function put(map, key, value) {
  const held = map.get(key);
  if (held) held.push(value);
  else map.set(key, [value]);
}

/** @returns {Generator<Found>} */
function* matchWords(index, query) {
  const nLetters = query.words.length === 1 ? 1 : 2;
  const qualities = query.words.map((word, i) => rateTexts(index, findHits(index, word, query.stems[i], nLetters), query.simple.length === 1));
  const inAll = [...qualities[0].keys()].filter((number) => qualities.every((one) => one.has(number))).sort((a, b) => a - b);
  /** @type {Map<number, number>} */
  let forms = new Map(findHeadPhrase(index, query).map((number) => [number, WORDS]));
  for (const number of inAll) forms.set(number, findForm(index.texts[number], query, Math.min(...qualities.map((one) => one.get(number)))));
  const joined = query.stems.join("");
  for (const number of index.joined.get(joined) ?? []) forms.set(number, WHOLE_TEXT);
  if (!forms.size) {
    const nearest = findTypos(index.joinedLetters, joined);
    forms = new Map(nearest.flatMap((stems) => index.joined.get(stems).map((number) => [number, SIMILAR_TEXT])));
  }
  const isNamed = [...forms].some(([number, form]) => form === WHOLE_TEXT && index.texts[number].sort === NAME_SORT);
  for (const [number, form] of forms) {
    const text = index.texts[number];
    for (const found of spread(index, text, query, form)) if (!isNamed || text.sort === NAME_SORT || found.index === text.place) yield found;
  }
  for (const place of index.genera.get(query.stems.join(" ")) ?? []) yield { index: place, score: GENUS * WIDTH, reason: "gloss", text: null };
  yield* matchAcross(index, query, qualities);
}

function findHits(index, word, stem, nLetters) {
  /** @type {Map<string, number>} */
  const hits = new Map();
  let isKnown = false;
  for (const one of index.textsOf.keys()) {
    const isStart = one.startsWith(word);
    if (isStart ? word.length >= nLetters || word.length > 2 : word.length > 2 && one.includes(word)) {
      hits.set(one, isStart ? START : INSIDE);
      isKnown ||= isStart;
    }
  }
  const pet = findPetForm(word);
  if (index.textsOf.has(pet) && !hits.has(pet)) hits.set(pet, SIMILAR);
  if (index.textsOf.has(stem)) hits.set(stem, WHOLE);
  else if (!isKnown) {
    const short = findShortForm(word);
    const meant = short ? [...index.textsOf.keys()].filter((one) => one.startsWith(short)) : [];
    for (const one of [...findTypos(index.letters, stem), ...meant]) if (!hits.has(one)) hits.set(one, SIMILAR);
  }
  return hits;
}

function rateTexts(index, hits, namesOnly) {
  /** @type {Map<number, number>} */
  const rated = new Map();
  for (const [stem, quality] of hits) {
    for (const number of index.textsOf.get(stem)) {
      if (quality > (rated.get(number) ?? -1) && !(namesOnly && index.texts[number].sort !== NAME_SORT)) rated.set(number, quality);
    }
  }
  return rated;
}

function findForm(text, query, quality) {
  const stems = query.stems.join(" ");
  if (stems === text.stems) return WHOLE_TEXT;
  if (quality === WHOLE && text.stems.endsWith(` ${stems}`)) return LAST_WORDS;
  if (quality === WHOLE) return text.stems.startsWith(`${stems} `) ? FIRST_WORDS : WORDS;
  if (quality === START) return text.simple.startsWith(query.simple) ? FIRST_LETTERS : STARTS;
  return quality === INSIDE ? INSIDE_TEXT : SIMILAR_TEXT;
}

/** @returns {Generator<Found>} */
function* spread(index, text, query, form) {
  const [short, long] = [query.simple.length, text.simple.length].sort((a, b) => a - b);
  const share = Math.floor((99 * short) / long);
  for (const [place, height] of index.below[text.place]) {
    const field = findField(text, height);
    const bonus = height === 0 ? share : Math.max(0, 99 - 9 * height);
    const isWords = field !== OWN && form !== SIMILAR_TEXT && form !== INSIDE_TEXT;
    const reason = isWords ? FIELD_REASONS[field] : REASONS[form];
    const isNear = form === WHOLE_TEXT && field === ABOVE && height <= NEAR_HEIGHT;
    yield { index: place, score: (isNear ? NEAR : TIERS[field][form]) * WIDTH + bonus, reason, text };
  }
}

function findField(text, height) {
  if (text.sort === RELATED_SORT) return RELATED;
  if (text.sort === KIND_SORT) return height ? KIND_OF_NODE : KIND;
  return height ? ABOVE : OWN;
}

const add = (numbers) => numbers.reduce((sum, one) => sum + one, 0);

/** @returns {Generator<Found>} */
function* matchAcross(index, query, qualities) {
  const weighed = qualities.map((rated, position) => weighClasses(index, position, query, rated));
  const counts = weighed.map((found, position) => findImportance(index, found, query, position));
  const sum = add(counts);
  for (const place of new Set(weighed.flatMap((found) => [...found.keys()]))) {
    const known = weighed.flatMap((found, i) => (found.has(place) ? [{ worth: /** @type {Worth} */ (found.get(place)), count: counts[i] }] : []));
    const isSuch = (weighed[query.head]?.get(place)?.weight ?? 0) >= SOLID_WEIGHT;
    if (!isSuch && 3 * add(known.map(({ count }) => count)) < sum) continue;
    const worth = Math.floor((99 * add(known.map((one) => one.worth.weight * one.count))) / (BEST_WEIGHT * sum));
    const isSolid = weighed.length === 1 || known.every((one) => one.worth.weight >= SOLID_WEIGHT);
    if (known.length < weighed.length || !isSolid) {
      yield { index: place, score: SOME_WORDS * WIDTH + 2 * WIDTH * worth, reason: "some words", text: null };
      continue;
    }
    const weakest = known.map((one) => one.worth).reduce((held, one) => (one.field > held.field ? one : held));
    if (weighed.length === 1 && weakest.field !== GLOSS) continue;
    const isTypo = known.some((one) => one.worth.quality === SIMILAR);
    const text = weakest.number >= 0 ? index.texts[weakest.number] : null;
    yield { index: place, score: ALL_WORDS * WIDTH + 2 * WIDTH * worth, reason: isTypo ? "similar" : FIELD_REASONS[weakest.field], text };
  }
}

/** How much a word counts beside others: rare ones more, what the thing is twice, a typo half, and a colour next to nothing. */
function findImportance(index, found, query, position) {
  if (!found.size) return 0;
  const worths = [...found.values()];
  const nSolid = worths.filter((one) => one.weight >= SOLID_WEIGHT).length || found.size;
  let count = 32 - Math.clz32(Math.floor(index.nClasses / nSolid));
  if (worths.every((one) => one.quality === SIMILAR)) count = Math.max(1, Math.floor(count / 2));
  if (position === query.head) return 2 * count;
  return index.describing.has(query.words[position]) ? 1 : count;
}

/** @returns {Map<number, Worth>} */
function weighClasses(index, position, query, rated) {
  const [word, stem] = [query.words[position], query.stems[position]];
  const mayStart = position === query.words.length - 1 && (query.words.length === 1 || !index.textsOf.has(stem));
  const found = weighGlosses(index, mayStart && word.length > 2 ? word : "", stem);
  for (const number of [...rated.keys()].sort((a, b) => a - b)) {
    const text = index.texts[number];
    let quality = rated.get(number) === START && !mayStart ? INSIDE : rated.get(number);
    if (quality === WHOLE && (text.stems === stem || text.stems.endsWith(` ${stem}`))) quality = text.stems === stem ? NAME : LAST;
    for (const [place, height] of index.below[text.place]) {
      const field = findField(text, height);
      const weight = WEIGHTS[field][quality];
      const held = found.get(place);
      if (held === undefined || weight > held.weight) found.set(place, { weight, field, quality, number });
    }
  }
  return found;
}

/** @returns {Map<number, Worth>} */
function weighGlosses(index, start, stem) {
  /** @type {Map<number, number>} */
  const qualities = new Map((index.genera.get(stem) ?? []).map((place) => [place, LAST]));
  for (const [one, classes] of index.glossesOf) {
    if (one !== stem && !(start && one.startsWith(start))) continue;
    for (const place of classes) qualities.set(place, Math.max(one === stem ? WHOLE : START, qualities.get(place) ?? 0));
  }
  return new Map([...qualities].map(([place, quality]) => [place, { weight: WEIGHTS[GLOSS][quality], field: GLOSS, quality, number: -1 }]));
}
