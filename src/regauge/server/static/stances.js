/** What panelists say of an item of a discussion: their votes, and everything that they argued, the oldest first. */

import { make } from "./dom.js";
import { localise } from "./live.js";

/**
 * @param {any} stance as the server sends it.
 * @param {Map<string, string>} names of what is asked about, by the questions.
 */
export function makeStance({ panelist, is_own: isOwn, first, final, said }, names) {
  const who = make("b", {}, isOwn ? `${panelist} (you)` : panelist);
  const votes = make("p", {}, who, ": ", tellVotes(final, names));
  const before = tellVotes(first, names) === tellVotes(final, names) ? [] : [make("p", { className: "quiet" }, `In round 1: ${tellVotes(first, names)}`)];
  const element = make("li", { className: isOwn ? "stance is-own" : "stance" }, votes, ...before, ...said.flatMap((one) => makeSaid(one)));
  localise(element);
  return element;
}

function tellVotes(votes, names) {
  const found = Object.entries(votes).filter(([question, vote]) => names.has(question) || (vote !== "right" && vote !== "usable"));
  return found.map(([question, vote]) => (names.size > 2 || !names.has(question) ? `${names.get(question) ?? question}: ${vote}` : vote)).join(" · ") || "no vote yet";
}

function makeSaid({ at, is_late: isLate, answer }) {
  const { argument = "", evidence = {} } = answer;
  const { text = "", link = "", picture = "" } = evidence;
  if (![argument, text, link, picture].some(Boolean)) return [];
  const when = make("time", { dateTime: at, className: "quiet" }, `${at.slice(0, 16).replace("T", " ")} UTC`);
  const parts = [make("p", {}, argument, argument ? " " : "", when, isLate ? " after the lock, not counted" : "")];
  if (text) parts.push(make("p", {}, text));
  if (link) parts.push(make("p", {}, make("a", { href: link, target: "_blank", rel: "noopener noreferrer" }, link)));
  if (picture) parts.push(make("img", { src: `/api/evidence/${picture}`, alt: "Evidence that the panelist gives", loading: "lazy" }));
  return parts;
}
