/** Selections that were not submitted yet, kept in this browser, so that a closed tab loses none of them. */

import { owner } from "./owner.js";

const PREFIX = `regauge.draft.${owner}.`;
/** Earlier versions kept them under the assignment alone, which is somebody's own, too. */
const OLD_PREFIX = "regauge.draft.";
const N_KEPT = 20;

/** Keep what is selected for an assignment, and the seconds spent on it so far. */
export function keepDraft(assignmentId, answer, seconds) {
  try {
    localStorage.setItem(PREFIX + assignmentId, JSON.stringify({ answer, seconds, at: Date.now() }));
  } catch {
    // Without storage there are no drafts.
  }
}

/** What was selected for an assignment; null where nothing was kept. */
export function findDraft(assignmentId) {
  return read(PREFIX + assignmentId) ?? read(OLD_PREFIX + assignmentId);
}

/** Forget a draft, and the oldest ones of the same person beyond a few: those of tasks that were answered on another device. */
export function dropDraft(assignmentId) {
  try {
    localStorage.removeItem(PREFIX + assignmentId);
    localStorage.removeItem(OLD_PREFIX + assignmentId);
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
    const ages = keys.map((key) => [read(key)?.at ?? 0, key]).sort((a, b) => b[0] - a[0]);
    for (const [, key] of ages.slice(N_KEPT)) localStorage.removeItem(key);
  } catch {
    // As above.
  }
}

function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}
