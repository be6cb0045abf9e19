/** Links that people give as evidence: what the server takes for one. */

const MAX_LINK = 2000;
export const NO_LINK = "A link begins with http:// or https://, and has no blanks and no name or password in it.";

/**
 * Whether a text is a link that a page may offer, as `is_web_address` has it.
 *
 * @param {string} text
 */
export function isWebAddress(text) {
  if (!/^https?:\/\/[^/?#]/i.test(text) || /[\s\\]/.test(text) || text.length > MAX_LINK) return false;
  try {
    const { username, password, hostname } = new URL(text);
    return Boolean(hostname) && !username && !password;
  } catch {
    return false;
  }
}
