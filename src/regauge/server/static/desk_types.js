/** What a desk and a kind of task know of each other: types alone, which no page loads. */

/**
 * What a kind of task brings.
 *
 * @typedef {object} KindOfTask
 * @property {(desk: import("./desk.js").Desk) => TaskView} makeView
 * @property {import("./quiz.js").Lessons} [lessons] what it says in training and quiz; a kind that has none does not teach.
 * @property {boolean} [isTest] whether people are tested: it is measured since when an image is shown, and only the last answer can
 *   be looked at again.
 */

/**
 * What shows a task, and reads the answer to it.
 *
 * @typedef {object} TaskView
 * @property {boolean} isShown whether a task is on the screen.
 * @property {(task: any, answer: any) => void} show a task, with what was selected before.
 * @property {() => void} clear show no task.
 * @property {() => void} hand the answer in if it is whole, by `desk.submit`; or say what is missing.
 * @property {boolean} [isFinal] whether answers stay as they are, so that nobody goes back.
 * @property {number} [place] of the image that is meant, where a task has several; the first by default.
 * @property {(place: number) => void} [putAway] an image that was reported; by default the task is given back.
 */

/**
 * A task as the server sends it, with its images once they are fetched.
 *
 * @typedef {object} Task
 * @property {string} id
 * @property {string[]} images addresses.
 * @property {any} view what the kind of task shows.
 * @property {any} [answer] of an earlier one that was asked for, or returned.
 * @property {string} [returned] what was said when the answer was returned.
 * @property {number} [revision]
 * @property {HTMLImageElement[]} [pictures]
 * @property {number | null} [shown_seconds] for so long it was on a screen before, where people are tested; of an answered one, until then.
 * @property {number | null} [seconds] that were spent on the answer before, where people are tested.
 * @property {number} [fetchedAt] when it came, by the clock of the page.
 * @property {import("./showing.js").Shown} [shown] since when it is on the screen.
 *
 * @typedef {{ task: Task, answer: any, seconds: number | null, revision: number, shownSeconds?: number | null }} Past
 */

export {};
