/** Numbers in words: shares with their limits, in the manner of all pages. */

import { findLimits } from "./stats.js";

/** Stands where there is no number. */
export const MISSING = "–";

/** @param {number} n */
export const writeCount = (n) => n.toLocaleString("en");

/** @param {number | null} value */
export const writePercent = (value) => (value == null || Number.isNaN(value) ? MISSING : `${(100 * value).toFixed(1)}%`);

/** "83.3% [82.9, 83.6]", and ", n = 48" where a number of images is given. */
export function writeEstimate(value, low, high, n = 0) {
  if (value == null || Number.isNaN(value)) return MISSING;
  return `${writePercent(value)} [${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]${n ? `, n = ${writeCount(n)}` : ""}`;
}

/**
 * A share with everything that is told of it.
 *
 * @typedef {{ k: number, n: number, value: number | null, low: number | null, high: number | null }} Share
 */

/**
 * @param {number} k
 * @param {number} n
 * @returns {Share}
 */
export function makeShare(k, n) {
  const limits = findLimits(k, n);
  return { k, n, value: n ? k / n : null, low: limits && limits[0], high: limits && limits[1] };
}

/**
 * @param {Share} share
 * @param {boolean} [hasN] whether it says of how many.
 */
export const writeShare = (share, hasN = false) => writeEstimate(share.value, share.low, share.high, hasN ? share.n : 0);

/** "p < 0.001" or "p = 0.043". */
export const writeP = (p) => (p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`);

/** A cell of a CSV file; one that a spreadsheet would compute is marked as text. */
export function writeCell(value) {
  if (value == null || (typeof value === "number" && Number.isNaN(value))) return "";
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * @param {string[]} names
 * @param {unknown[][]} rows
 */
export const writeCsv = (names, rows) => [names, ...rows].map((row) => `${row.map(writeCell).join(",")}\n`).join("");

/** A name as a file can have it. */
export const nameFile = (text) => text.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[-.]+|-+$/g, "").slice(0, 80) || "table";
