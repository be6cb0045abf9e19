/** REVIEW: what can be said of a label or an image, with its keys and words. */

import { byId, make } from "./dom.js";

export { VERDICTS, makeVerdicts } from "./parts/verdict_choice.js";

/** Why, by the verdict that it can be said of. */
export const REASONS = {
  correct: [
    { reason: "several objects", key: "o" },
    { reason: "synonym or subset", key: "s" },
  ],
  unclear: [
    { reason: "unclear image", key: "o" },
    { reason: "unclear hierarchy", key: "s" },
  ],
  wrong: [],
};
export const PROBLEMS = ["drawing or rendering", "heavily edited", "inappropriate"];

/**
 * One label of the image, or one image of the grid.
 *
 * @typedef {object} Pair
 * @property {string} key what answers call it.
 * @property {string} name what it is called aloud.
 * @property {HTMLElement} element
 * @property {HTMLInputElement[]} boxes one for each verdict.
 * @property {HTMLElement} reasons
 * @property {HTMLElement | null} gloss
 * @property {HTMLElement} referral the line that says to whom it was referred.
 * @property {string} refers the expertise that the reviewer refers it to; empty where they do not.
 * @property {string} referredTo the expertise that somebody else referred it to.
 * @property {boolean} isAway whether its image was reported, so that nothing is said of it.
 * @property {{ verdict: string | null, reason: string | null }} held what was said of it before the next change.
 */

/** @param {Pair} pair */
export const findVerdict = ({ boxes }) => boxes.find((box) => box.checked)?.value ?? null;

/** Whether nothing was said of it that will be asked.
 *
 * @param {Pair} pair
 */
export const isOpen = (pair) => !findVerdict(pair) && !pair.isAway && !pair.refers && !pair.referredTo;

/** What is asked. */
export function findTitle({ items, is_complete: isComplete }) {
  if (isComplete) return items.length ? "What is correct, and what else is here?" : "What else is here?";
  return items.length > 1 ? "Which labels are correct?" : "Is the label correct?";
}

export function makeProblem(problem) {
  return make("label", {}, make("input", { type: "checkbox", value: problem }), problem);
}

/** What shows the score that a label has, where the campaign shows any: whoever wants to judge without it does not look. */
export function makeScore({ score }) {
  if (score === undefined) return [];
  // One that is small is not called nothing.
  const button = make("button", { type: "button", className: "quiet score" });
  button.dataset.score = score < 0.005 ? "below 0.01" : score.toFixed(2);
  button.addEventListener("click", toggleScores);
  tellScore(button, false);
  return [button];
}

const listScores = () => /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#pairs .score"));
export const hasScores = () => listScores().length > 0;

/** Show the scores of all labels of the task, or hide them again. */
export function toggleScores() {
  const [first] = listScores();
  const isShown = first?.getAttribute("aria-pressed") !== "true";
  for (const button of listScores()) tellScore(button, isShown);
}

function tellScore(button, isShown) {
  button.setAttribute("aria-pressed", String(isShown));
  button.replaceChildren("Score ", isShown ? button.dataset.score : make("kbd", { "aria-hidden": "true" }, "v"));
}

/** Take the last verdict back, or say that there is none.
 *
 * @param {import("./parts/undo.js").Undo} undo
 */
export function takeBack(undo) {
  if (!undo.undo()) byId("problem").textContent = "There is nothing to undo.";
}

/** What takes the last verdict back, for those who have no keys. */
export function makeUndo(undo) {
  const button = make("button", { type: "button" }, "Undo ", make("kbd", { "aria-hidden": "true" }, "y"));
  button.addEventListener("click", () => takeBack(undo));
  return button;
}

/** The reasons that can be given for the verdict on a label. */
export function makeReasons(pair, onChange) {
  return (REASONS[findVerdict(pair) ?? "wrong"] ?? []).map(({ reason, key }) => {
    const box = make("input", { type: "radio", name: `reason-${pair.key}`, value: reason });
    box.addEventListener("change", onChange);
    return make("label", {}, box, reason, " ", make("kbd", { "aria-hidden": "true" }, key));
  });
}

/** A class that was added, and what takes it away again. */
export function makeChosen(name, remove) {
  const button = make("button", { type: "button", "aria-label": `Remove ${name}` }, `${name} ×`);
  button.addEventListener("click", remove);
  return make("li", {}, button);
}

/** That labels have no verdict, and what to do. */
export const tellOpen = (n) => (n === 1 ? "1 label has no verdict. Submit once more to leave it open." : `${n} labels have no verdict. Submit once more to leave them open.`);

/** @param {Pair} pair */
export const findReason = ({ reasons }) => /** @type {HTMLInputElement | null} */ (reasons.querySelector("input:checked"))?.value ?? null;
