/** Selections that were not submitted yet, kept in this browser, so that a closed tab loses none of them. */

const PREFIX = "regauge.draft.";
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
  try {
    return JSON.parse(localStorage.getItem(PREFIX + assignmentId));
  } catch {
    return null;
  }
}

/** Forget a draft, and the oldest ones beyond a few: those of tasks that were answered on another device. */
export function dropDraft(assignmentId) {
  try {
    localStorage.removeItem(PREFIX + assignmentId);
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
    const ages = keys.map((key) => [JSON.parse(localStorage.getItem(key)).at, key]).sort((a, b) => b[0] - a[0]);
    for (const [, key] of ages.slice(N_KEPT)) localStorage.removeItem(key);
  } catch {
    // As above.
  }
}
