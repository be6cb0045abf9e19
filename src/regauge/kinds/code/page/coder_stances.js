/** CODE: what the coders say of a mistake, once all of them may see it. */

import { make } from "./dom.js";
import { localise } from "./live.js";

/** What an answer says, in a few words. */
export function tellCodes({ category, severity, overturned }) {
  return overturned ? `no mistake: ${overturned}` : `${category}, ${severity}`;
}

/** Whether two answers say the same; notes may differ. */
export const isSame = (one, other) => tellCodes(one) === tellCodes(other);

const pictureOf = ({ evidence = {} }) => /** @type {any} */ (evidence).picture ?? "";

/**
 * What one coder said, the oldest first.
 *
 * @param {{ panelist: string, is_own: boolean, said: { at: string, is_change: boolean, is_late: boolean, answer: any }[] }} stance
 */
export function makeCoderStance({ panelist, is_own: isOwn, said }) {
  const who = `${panelist.replace("Panelist", "Coder")}${isOwn ? " (you)" : ""}`;
  const lines = said.map(({ at, is_late: isLate, answer }, place) => {
    const words = place && isSame(said[place - 1].answer, answer) ? "stays with it" : tellCodes(answer);
    const time = make("time", { dateTime: at });
    // A note or a link that was there before is not said once more.
    const before = place ? said[place - 1].answer : {};
    const reasons = [answer.argument, ...["comment", "link"].map((name) => answer[name] !== before[name] && answer[name])].filter(Boolean);
    const shown = pictureOf(answer) && pictureOf(answer) !== pictureOf(before) ? [make("img", { src: `/api/evidence/${pictureOf(answer)}`, alt: "Evidence that the coder gives", loading: "lazy" })] : [];
    return make("li", {}, make("p", {}, make("b", {}, words), " ", make("span", { className: "quiet" }, time, isLate ? ", after the lock" : "")), ...reasons.map((one) => make("p", { className: "text" }, one)), ...shown);
  });
  const element = make("li", { className: "coder-stance" }, make("p", {}, who), lines.length ? make("ol", {}, ...lines) : make("p", { className: "quiet" }, "Has not coded it."));
  localise(element);
  return element;
}
