/** What the labeling guide says of a class, to read beside a task: its entry, how to tell it from others, and cases. */

import { count, make } from "../dom.js";
import { read } from "../live.js";
import { fetchPicture, releasePicture } from "../pictures.js";
import { request } from "../requests.js";

/**
 * A verdict that the guide cites.
 *
 * @typedef {object} CitedCase
 * @property {string} picture its address.
 * @property {string} verdict
 * @property {string} name of the class that was judged.
 * @property {string} note
 */

/**
 * An entry, on one class or on two.
 *
 * @typedef {object} GuideText
 * @property {number[]} classes
 * @property {string} title
 * @property {string} html of the few tags that the server renders.
 * @property {number} version
 * @property {CitedCase[]} cases
 * @property {number} n_hidden pictures and cases that are not for those who work at the campaign.
 * @property {number} n_unfinished images that are not shown because the campaign asks about them and whoever reads has not finished them.
 */

/**
 * @typedef {object} ClassGuide
 * @property {number} version of the whole guide: what a verdict names as the guide that it was given by.
 * @property {string} name of the class.
 * @property {GuideText[]} entries
 */

/**
 * Ask for what the guide says of a class.
 *
 * @param {number} campaign
 * @param {number} index
 * @returns {Promise<ClassGuide>}
 */
export const findGuide = (campaign, index) => request("GET", `/api/campaigns/${campaign}/guide/${index}`);

/**
 * The entries as an element; where there are none, it says so.
 *
 * @param {ClassGuide} guide
 * @param {object} [options]
 * @param {number} [options.level] of the headings.
 * @returns {HTMLElement}
 */
export function makeGuide({ name, entries }, { level = 3 } = {}) {
  const shown = entries.map((one) => makeEntry(one, level));
  if (!shown.length) shown.push(make("p", { className: "quiet" }, `The guide says nothing of ${name} yet.`));
  return make("div", { className: "guide" }, ...shown);
}

/** Nobody looks at it any more: give its pictures back. */
export function releaseGuide(element) {
  for (const picture of element.querySelectorAll("img")) releasePicture(picture);
}

function makeEntry({ classes, title, html, cases, n_hidden: nHidden, n_unfinished: nUnfinished }, level) {
  const heading = make(`h${level}`, {}, classes.length > 1 ? `How to tell: ${title}` : title);
  const entry = make("section", { className: "guide-entry" }, heading, makeText(html));
  if (cases.length) entry.append(make("ul", { className: "guide-cases" }, ...cases.map(makeCase)));
  if (nHidden) entry.append(make("p", { className: "quiet" }, "Some pictures and cases are not shown in this campaign."));
  if (nUnfinished) entry.append(make("p", { className: "quiet" }, `${count(nUnfinished, "image", "images")} not shown while the campaign asks about ${nUnfinished === 1 ? "it" : "them"}.`));
  return entry;
}

/** The text, read in a document that is shown nowhere; its pictures are fetched as those of tasks are, in frames too. */
function makeText(html) {
  const text = make("div", { className: "guide-text" });
  const body = read(html, text);
  for (const picture of body.querySelectorAll("img")) {
    picture.replaceWith(fetchPicture(picture.getAttribute("src") ?? "", picture.alt));
  }
  text.append(...body.childNodes);
  return text;
}

function makeCase({ picture, verdict, name, note }) {
  const words = make("span", {}, make("b", {}, verdict), ` ${name}`);
  const said = note ? [make("span", { className: "quiet" }, note)] : [];
  return make("li", {}, fetchPicture(picture, `${verdict}: ${name}`), words, ...said);
}
