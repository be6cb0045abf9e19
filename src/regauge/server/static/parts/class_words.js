/** Words as the search for classes compares them, as `regauge.taxonomy.words` has it: without accents, in the singular, typos forgiven. */

/**
 * The text in small letters without accents, with a single space for anything between words.
 *
 * @param {string} text
 */
export function simplify(text) {
  const plain = text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
  return plain.replace(/['’`´.]/gu, "").replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

/**
 * The singular of a simple word, in one spelling.
 *
 * @param {string} word
 * @param {Map<string, string>} forms
 */
export function findStem(word, forms) {
  const singular = forms.get(word) ?? findSingular(word);
  return forms.get(singular) ?? singular;
}

const endsWith = (word, ...ends) => ends.some((end) => word.endsWith(end));

function findSingular(word) {
  if (word.length < 4 || !word.endsWith("s") || endsWith(word, "ss", "us", "is")) return word;
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (endsWith(word, "ches", "shes", "sses", "xes", "zes", "oes") && !word.endsWith("shoes")) return word.slice(0, -2);
  if (word.endsWith("uses") && !word.endsWith("ouses")) return word.slice(0, -2);
  return word.slice(0, -1);
}

/**
 * The words of a simple text.
 *
 * @param {string} simple
 * @returns {string[]}
 */
export const split = (simple) => simple.split(" ").filter(Boolean);

/** What a pet name begins with: west of westie; empty for other words. */
export function findShortForm(word) {
  const ending = ["ies", "ie", "y"].find((one) => word.endsWith(one) && word.length >= one.length + 4);
  return ending ? word.slice(0, -ending.length) : "";
}

/** So many letters has a word at least that stands in a compound. */
export const MIN_PART = 3;

/** What children call by a doubled letter and a y: pig of piggy; empty for other words. */
export function findPetForm(word) {
  const base = findShortForm(`--${word}`).slice(2);
  return base.length > 3 && base.at(-1) === base.at(-2) ? base.slice(0, -1) : "";
}

/** What a word may be made of that says what is done or who does it: vacuum of vacuuming. */
export function findBases(word) {
  return ["ings", "ing", "ers", "er", "est", "ed"].flatMap((ending) => {
    const base = word.slice(0, -ending.length);
    if (!word.endsWith(ending) || base.length < MIN_PART) return [];
    return [base, `${base}e`, ...(base.at(-1) === base.at(-2) ? [base.slice(0, -1)] : [])];
  });
}

const countForgiven = (word) => (word.length < 4 ? 0 : word.length >= 7 ? 2 : 1);

/** The letters that a word has, as bits. */
export function maskLetters(word) {
  let mask = 0;
  for (const letter of word) mask |= 1 << ((letter.codePointAt(0) ?? 0) % 31);
  return mask;
}

function countBits(number) {
  let n = 0;
  for (let left = number; left; left &= left - 1) n += 1;
  return n;
}

/** Slips between two words (optimal string alignment), or `limit` + 1 when there are more. */
export function countSlips(first, second, limit) {
  /** @type {number[]} */
  let before = [];
  let above = Array.from({ length: second.length + 1 }, (_, i) => i);
  for (let i = 1; i <= first.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= second.length; j += 1) {
      let least = Math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (first[i - 1] === second[j - 1] ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && first[i - 1] === second[j - 2] && first[i - 2] === second[j - 1];
      if (isSwapped) least = Math.min(least, before[j - 2] + 1);
      row.push(least);
    }
    if (Math.min(...row) > limit) return limit + 1;
    [before, above] = [above, row];
  }
  return Math.min(above[second.length], limit + 1);
}

/**
 * Of words with their letters as bits, those that are the fewest slips away, if that is few enough.
 *
 * @param {Map<string, number>} masks
 * @param {string} stem
 * @param {number} [most] no more slips than that.
 * @returns {string[]}
 */
export function findTypos(masks, stem, most = 2) {
  let limit = Math.min(most, countForgiven(stem));
  const mask = maskLetters(stem);
  /** @type {string[]} */
  let nearest = [];
  for (const [one, letters] of masks) {
    if (limit === 0 || Math.abs(one.length - stem.length) > limit || countBits(letters ^ mask) > 2 * limit) continue;
    const nSlips = countSlips(stem, one, limit);
    if (nSlips < limit) [limit, nearest] = [nSlips, [one]];
    else if (nSlips === limit) nearest.push(one);
  }
  return nearest;
}
