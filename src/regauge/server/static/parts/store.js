/**
 * What a browser keeps for a page.
 *
 * Storage may be full, switched off, or refused to a frame of another site, where even looking at it raises. Nothing here
 * raises: what cannot be read is not there, and what cannot be written is told by `false`.
 */

/** Texts under keys. */
export class Store {
  #find;

  /** @param {() => Storage} find where they lie; it may raise. */
  constructor(find) {
    this.#find = find;
  }

  /**
   * The text under a key; null where there is none.
   *
   * @param {string} key
   * @returns {string | null}
   */
  read(key) {
    return this.#attempt((area) => area.getItem(key), null);
  }

  /**
   * Write a text down; whether that worked.
   *
   * @param {string} key
   * @param {string} text
   * @returns {boolean}
   */
  write(key, text) {
    return this.#attempt((area) => {
      area.setItem(key, text);
      return true;
    }, false);
  }

  /**
   * What was written by `writeData`; null where there is nothing that can be read.
   *
   * @param {string} key
   * @returns {any}
   */
  readData(key) {
    return parse(this.read(key));
  }

  /**
   * Write numbers, lists or records down; whether that worked.
   *
   * @param {string} key
   * @param {unknown} data
   * @returns {boolean}
   */
  writeData(key, data) {
    return this.write(key, JSON.stringify(data));
  }

  /** @param {string} key */
  remove(key) {
    this.#attempt((area) => area.removeItem(key), undefined);
  }

  /**
   * The keys that begin so.
   *
   * @param {string} prefix
   * @returns {string[]}
   */
  list(prefix) {
    return this.#attempt((area) => Object.keys(area), []).filter((key) => key.startsWith(prefix));
  }

  /**
   * Put what lies under one key under another; another tab may have been faster, and then there is nothing to do.
   *
   * @param {string} key
   * @param {string} other
   */
  move(key, other) {
    const text = this.read(key);
    if (text === null) return;
    // Taken away first: where storage is full there is no room for both.
    this.remove(key);
    if (!this.write(other, text)) this.write(key, text);
  }

  /**
   * @template T
   * @param {(area: Storage) => T} doing
   * @param {T} otherwise
   * @returns {T}
   */
  #attempt(doing, otherwise) {
    try {
      return doing(this.#find());
    } catch {
      return otherwise;
    }
  }
}

/**
 * JSON as data; null for what is none.
 *
 * @param {string | null} text
 * @returns {any}
 */
export function parse(text) {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/** What this browser keeps until it is taken away. */
export const browserStore = new Store(() => window.localStorage);

/** What this tab keeps until it is closed. */
export const tabStore = new Store(() => window.sessionStorage);
