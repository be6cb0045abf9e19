/** The description of a class: its names, what it means, and where to look it up. */

import { make } from "../dom.js";

/**
 * A class as the server describes it.
 *
 * @typedef {object} ClassView
 * @property {number} [class] its number.
 * @property {string} name
 * @property {string[]} synonyms
 * @property {string} gloss empty where there is none.
 * @property {string} [link] where to look it up.
 */

/**
 * The whole description under a heading.
 *
 * @param {ClassView} one
 * @param {object} [options]
 * @param {number} [options.level] of the heading.
 * @param {string} [options.id] of the name, by which other elements can be labelled.
 * @param {string[]} [options.around] what stands before the name and after it, where the heading is a question.
 * @returns {HTMLElement}
 */
export function makeClassCard(one, { level = 2, id = "", around: [before, after] = ["", ""] } = {}) {
  const words = make("span", {}, before, make("span", { className: "class-name", id }, one.name), after);
  const heading = make(`h${level}`, {}, words);
  if (one.link) heading.append(" ", makeLookUp(one));
  const synonyms = make("span", { className: "class-synonyms" }, one.synonyms.join(", "));
  const gloss = make("span", { className: "class-gloss" }, one.gloss);
  const between = one.synonyms.length && one.gloss ? " – " : "";
  return make("div", { className: "class-card" }, heading, make("p", { className: "meaning" }, synonyms, between, gloss));
}

/**
 * Synonyms and meaning in one line.
 *
 * @param {ClassView} one
 * @returns {string}
 */
export const tellMeaning = ({ synonyms, gloss }) => [synonyms.join(", "), gloss].filter(Boolean).join(" – ");

/**
 * The names alone, for a list.
 *
 * @param {ClassView} one
 * @returns {HTMLElement}
 */
export function makeNames({ name, synonyms }) {
  const names = make("span", { className: "names" }, make("span", { className: "name" }, name));
  if (synonyms.length) names.append(" ", make("span", { className: "synonyms" }, synonyms.join(", ")));
  return names;
}

/**
 * The link to an encyclopedia, in words or, in a list, as a sign.
 *
 * @param {ClassView} one
 * @param {object} [options]
 * @param {boolean} [options.isSign]
 * @returns {HTMLElement}
 */
export function makeLookUp({ name, link }, { isSign = false } = {}) {
  const where = { href: link, target: "_blank", rel: "noreferrer noopener" };
  if (isSign) return make("a", { className: "more", "aria-label": `Look up ${name} (opens a new tab)`, ...where }, "↗");
  return make("a", { className: "look-up", ...where }, "Look it up", make("span", { className: "hidden" }, " (opens a new tab)"));
}
