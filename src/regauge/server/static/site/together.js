/** Classes that come together in images, and classes that people accept for each other on images of either. */

import { unpack } from "./unpack.js";

/**
 * @typedef {{ first: number, second: number, k: number | null, n: number, value: number, low: number, high: number, isAmbiguous: boolean }} ClassPair
 */

/**
 * @param {any} payload
 * @returns {{ by: string, company: ClassPair[] | null, ambiguous: ClassPair[] | null }}
 */
export function readTogether({ company, ambiguous }) {
  return {
    by: company?.by ?? "",
    company: company ? listPairs(company) : null,
    ambiguous: ambiguous ? listPairs(ambiguous) : null,
  };
}

/** @returns {ClassPair[]} */
function listPairs(payload) {
  const [first, second, n, value, low, high] = ["first", "second", "n", "value", "low", "high"].map((name) => unpack(payload[name]));
  const k = payload.n_images ? unpack(payload.n_images) : null;
  const isAmbiguous = payload.is_ambiguous ? unpack(payload.is_ambiguous) : null;
  return Array.from(first, (one, i) => ({
    first: one, second: second[i], k: k ? k[i] : null, n: n[i], value: value[i], low: low[i], high: high[i], isAmbiguous: Boolean(isAmbiguous?.[i]),
  }));
}

/**
 * What comes together with a class, the most often first.
 *
 * @param {ClassPair[]} pairs
 * @param {number} index
 */
export const findCompany = (pairs, index) => pairs.filter((one) => one.first === index);

/**
 * The classes that people accept for a class and it for them, each as the second of its pair.
 *
 * @param {ClassPair[]} pairs
 * @param {number} index
 */
export const findPartners = (pairs, index) => pairs.filter((one) => one.first === index || one.second === index).map((one) => (one.first === index ? one : { ...one, first: one.second, second: one.first }));
