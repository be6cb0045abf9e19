/** Selections that were not submitted yet, kept in this browser, so that a closed tab loses none of them. */

import { owner } from "./owner.js";
import { browserStore } from "./parts/store.js";

const PREFIX = `regauge.draft.${owner}.`;
/** Earlier versions kept them under the assignment alone, which is somebody's own, too. */
const OLD_PREFIX = "regauge.draft.";
const N_KEPT = 20;

/** Keep what is selected for an assignment, and the seconds spent on it so far. */
export function keepDraft(assignmentId, answer, seconds) {
  browserStore.writeData(PREFIX + assignmentId, { answer, seconds, at: Date.now() });
}

/** What was selected for an assignment; null where nothing was kept. */
export function findDraft(assignmentId) {
  return browserStore.readData(PREFIX + assignmentId) ?? browserStore.readData(OLD_PREFIX + assignmentId);
}

/** Forget a draft, and the oldest ones of the same person beyond a few: those of tasks that were answered on another device. */
export function dropDraft(assignmentId) {
  browserStore.remove(PREFIX + assignmentId);
  browserStore.remove(OLD_PREFIX + assignmentId);
  const drafts = browserStore.list(PREFIX).map((key) => ({ key, at: browserStore.readData(key)?.at ?? 0 }));
  drafts.sort((a, b) => b.at - a.at);
  for (const { key } of drafts.slice(N_KEPT)) browserStore.remove(key);
}
