/** Columns as `regauge.formats.site.packing` writes them, as typed arrays. */

/**
 * A packed column: its type and its bytes in base64; of truth values also how many there are.
 *
 * @typedef {{ t: string, d: string, n?: number }} Packed
 */

const TYPES = { u1: Uint8Array, i1: Int8Array, u2: Uint16Array, i2: Int16Array, i4: Int32Array, f4: Float32Array };

/**
 * The numbers of a column; truth values as 0 and 1.
 *
 * @param {Packed} packed
 * @returns {any}
 */
export function unpack(packed) {
  const text = atob(packed.d);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  if (packed.t !== "bit") return new TYPES[packed.t](bytes.buffer);
  const found = new Uint8Array(packed.n ?? 0);
  for (let i = 0; i < found.length; i += 1) found[i] = (bytes[i >> 3] >> (i & 7)) & 1;
  return found;
}

/**
 * Texts of which each says how many letters it shares with the one before.
 *
 * @param {{ shared: Packed, rest: string[] }} packed
 * @returns {string[]}
 */
export function unpackIds({ shared, rest }) {
  const lengths = unpack(shared);
  let before = "";
  return rest.map((one, i) => {
    before = before.slice(0, lengths[i]) + one;
    return before;
  });
}

/**
 * Texts that come again and again: each once, and by row which one it is.
 *
 * @param {{ words: string[], codes: Packed }} packed
 * @returns {{ words: string[], codes: Uint8Array, get: (row: number) => string }}
 */
export function unpackWords({ words, codes }) {
  const column = unpack(codes);
  return { words, codes: column, get: (row) => words[column[row]] ?? "" };
}

/**
 * Where the entries of every row begin, and behind them where the last ends.
 *
 * @param {ArrayLike<number>} lengths
 * @returns {Int32Array}
 */
export function findStarts(lengths) {
  const starts = new Int32Array(lengths.length + 1);
  for (let i = 0; i < lengths.length; i += 1) starts[i + 1] = starts[i] + lengths[i];
  return starts;
}
