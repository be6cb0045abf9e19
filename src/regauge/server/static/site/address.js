/** What the part of the address behind # says, `#page/one/two?name=value`: it holds all that a page shows, so links can be shared. */

/**
 * @typedef {{ page: string, parts: string[], asked: Record<string, string> }} Place
 */

/**
 * @param {string} hash
 * @returns {Place}
 */
export function readAddress(hash) {
  const [path, query = ""] = splitOnce(hash.replace(/^#\/?/, ""), "?");
  const [page, ...parts] = path.split("/").map(decode);
  /** @type {Record<string, string>} */
  const asked = {};
  for (const pair of query.split("&").filter(Boolean)) {
    const [name, value = ""] = splitOnce(pair, "=").map(decode);
    asked[name] = value;
  }
  return { page: page || "overview", parts, asked };
}

/**
 * The address of a page; what is empty is left out.
 *
 * @param {string} page
 * @param {(string | number)[]} [parts]
 * @param {Record<string, string | number | boolean | null | undefined>} [asked]
 */
export function writeAddress(page, parts = [], asked = {}) {
  const path = [page, ...parts].map((one) => encodeURIComponent(one)).join("/");
  const given = Object.entries(asked).filter(([, value]) => value !== "" && value != null && value !== false);
  const query = given.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`).join("&");
  return `#${path}${query ? `?${query}` : ""}`;
}

function splitOnce(text, at) {
  const place = text.indexOf(at);
  return place < 0 ? [text] : [text.slice(0, place), text.slice(place + 1)];
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    // Whoever typed a lone percent sign meant it.
    return text;
  }
}
