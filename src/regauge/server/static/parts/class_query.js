/**
 * What somebody typed, as the search for classes reads it and `regauge.taxonomy.query` has it: its words, and which of them says
 * what the thing is.
 */

import { MIN_PART, findBases, findStem, findTypos, simplify, split } from "./class_words.js";

/**
 * What was typed: simplified, its words, their stems, and the position of the one that says what the thing is, -1 where that cannot
 * be told.
 *
 * @typedef {{ simple: string, words: string[], stems: string[], head: number }} Query
 */

/** @typedef {import("./class_search.js").Found} Found */

const MAX_WORDS = 8;
const [ID, START_OF_ID, WIDTH] = [1000, 850, 100];
const BEFORE_PURPOSE = new Set(["for", "with", "without", "in", "on", "from", "to", "at", "that", "which"]);

/**
 * @param {import("./class_search.js").ClassIndex} index
 * @param {string} text
 * @returns {Query}
 */
export function readQuery(index, text) {
  const typed = split(simplify(text));
  const kept = leaveOutFillers(index, typed).slice(0, MAX_WORDS);
  const parts = kept.map((word) => readWord(index, word));
  const nBefore = parts.slice(0, countBeforePurpose(index, typed, kept)).flat().length;
  const words = parts.flat().slice(0, MAX_WORDS);
  const head = typed.includes("of") ? -1 : Math.min(nBefore, words.length) - 1;
  return { simple: words.join(" "), words, stems: words.map((word) => findStem(word, index.forms)), head };
}

/**
 * The numbers of texts that are called as the thing is, by two of its words or more but not all.
 *
 * @param {import("./class_search.js").ClassIndex} index
 * @param {Query} query
 * @returns {number[]}
 */
export function findHeadPhrase(index, { words, stems, head }) {
  for (let start = 0; start < head; start += 1) {
    const numbers = index.joined.get(stems.slice(start, head + 1).join(""));
    if (numbers && (start > 0 || head < words.length - 1)) return numbers;
  }
  return [];
}

/** How many of the words that were kept stand before the purpose of the thing; all, where none is told. */
function countBeforePurpose(index, typed, kept) {
  if (kept.length === typed.length) return kept.length;
  const at = typed.findIndex((word, i) => i > 0 && BEFORE_PURPOSE.has(word));
  const before = at < 0 ? typed : typed.slice(0, at);
  return before.filter((word) => !index.fillers.has(word)).length || kept.length;
}

/** The words without those that say nothing; all where a name has them, or nothing would be left. */
function leaveOutFillers(index, words) {
  const kept = words.filter((word) => !index.fillers.has(word));
  if (!kept.length || kept.length === words.length) return words;
  const texts = words.map((word) => index.textsOf.get(findStem(word, index.forms)) ?? []);
  return texts[0].some((number) => texts.every((one) => one.includes(number))) ? words : kept;
}

/** A word as it is, or what it is made of where no name and no gloss has it. */
function readWord(index, word) {
  const stem = findStem(word, index.forms);
  const isKnown = word.length < 2 * MIN_PART || index.textsOf.has(stem) || index.joined.has(stem) || index.glossesOf.has(stem);
  if (isKnown || index.joined.has(word) || [...index.textsOf.keys()].some((one) => one.startsWith(word))) return [word];
  if (findTypos(index.letters, stem, 1).length) return [word];
  const base = findBases(word).find((one) => index.textsOf.has(one) || index.glossesOf.has(one));
  return base === undefined ? splitCompound(index, word) : [base];
}

/** The two words that one is written of, the second as long as can be. */
function splitCompound(index, word) {
  for (let at = MIN_PART; at <= word.length - MIN_PART; at += 1) {
    const parts = [word.slice(0, at), word.slice(at)];
    if (parts.every((one) => index.textsOf.has(findStem(one, index.forms)))) return parts;
  }
  return [word];
}

/** @returns {Generator<Found>} */
export function* matchNumber(index, text) {
  if (/^[0-9]+$/.test(text) && text.length <= String(index.nClasses).length && Number(text) < index.nClasses) {
    yield { index: Number(text), score: ID * WIDTH, reason: "index", text: null };
  }
}

/** @returns {Generator<Found>} */
export function* matchIds(index, text) {
  for (let place = 0; place < index.nClasses; place += 1) {
    const one = index.data.ids[place];
    if (one === text) yield { index: place, score: ID * WIDTH, reason: "id", text: null };
    else if (text.length >= 4 && one.startsWith(text)) {
      const score = START_OF_ID * WIDTH + Math.floor((99 * text.length) / one.length);
      yield { index: place, score, reason: "id", text: null };
    }
  }
}
