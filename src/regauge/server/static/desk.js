/**
 * Where somebody works: tasks come in and lie ready, one is shown, its answer goes out, and earlier ones can be looked at again.
 *
 * The desk is the same for all kinds of task; a kind gives it a view that shows a task and reads the answer.
 */

import { byId, setShown } from "./dom.js";
import { addChosen } from "./chosen_item.js";
import { dropDraft, findDraft, keepDraft } from "./drafts.js";
import { offerHelp } from "./help.js";
import { ImageReporter } from "./image_reporter.js";
import { Outbox } from "./outbox.js";
import { Keymap } from "./parts/keymap.js";
import { Pauses } from "./parts/retry.js";
import { fetchPictures, releasePictures } from "./pictures.js";
import { ProgressLine } from "./progress_line.js";
import { Refusal, request } from "./requests.js";
import { sayAside, showStatus } from "./status.js";
import { Showing } from "./showing.js";
import { Stopwatch } from "./stopwatch.js";
import { Breaks } from "./breaks.js";
import { waitForConsent } from "./consent.js";
import { waitForQualification } from "./quiz.js";

const N_AHEAD = 2;
const MOST_AT_ONCE = 5;
/** A second click or key so soon after a task appears was meant for the one before. */
const TOO_SOON = 300;

/** @typedef {import("./desk_types.js").Task} Task */
/** @typedef {import("./desk_types.js").Past} Past */

/**
 * Set the desk up and begin.
 *
 * @param {import("./desk_types.js").KindOfTask} kind
 */
export async function work({ makeView, lessons, isTest = false }) {
  const { campaign, version, done, consented, breakMinutes } = byId("desk").dataset;
  const { role } = document.body.dataset;
  const isGuest = role === "guest";
  // Managers read the texts each time; the tasks that they try are no more used up than a guest's.
  const isTrying = role !== "annotator";
  await waitForConsent({ campaign, version: Number(version), isGiven: consented !== undefined, isGuest });
  const keymap = new Keymap();
  offerHelp(keymap);
  await waitForQualification({ campaign, version, hasBegun: Number(done) > 0, lessons, keymap });
  setShown(byId("work"), true);
  const desk = new Desk({ campaign: Number(campaign), done: Number(done), breakMinutes: Number(breakMinutes), isTrying, isTest, keymap });
  desk.begin(makeView(desk));
}

/** The desk. */
export class Desk {
  /** The keys of the page: a view adds its own. */
  keymap;
  #campaign;
  #isTrying;
  /** @type {Showing | null} measures since when images are shown, where people are tested. */
  #showing = null;
  #view;
  #outbox;
  #clock = new Stopwatch();
  #reporter;
  #breaks;
  #done;
  #progress;
  /** @type {Task[]} */
  #queue = [];
  /** @type {Past[]} */
  #past = [];
  /** @type {Task | null} */
  #current = null;
  /** @type {Past | null} */
  #revising = null;
  #isFetching = false;
  #chosen = Promise.resolve();
  #returned = new Set();
  #pauses = new Pauses();
  #shownAt = 0;
  /** @type {Task | null} the task on the screen. */
  #shown = null;

  constructor({ campaign, done, breakMinutes, isTrying, isTest, keymap }) {
    this.keymap = keymap;
    this.#campaign = campaign;
    this.#breaks = new Breaks({ minutes: breakMinutes, campaign, clock: this.#clock });
    this.#isTrying = isTrying;
    if (isTest) {
      this.#showing = new Showing({ isTold: !isTrying });
      window.addEventListener("pagehide", () => this.#keepTime());
    }
    this.#outbox = new Outbox();
    this.#reporter = new ImageReporter(this.#outbox);
    this.#progress = new ProgressLine(done);
    const isNew = (one) => one.campaign === campaign && !one.revision && one.answer.not_shown !== true;
    this.#done = done + this.#outbox.waiting.filter(isNew).length;
  }

  /** Begin to work. */
  begin(view) {
    this.#view = view;
    showStatus(byId("status"), this.#outbox);
    this.#outbox.addEventListener("change", () => this.#notice());
    this.#outbox.addEventListener("elsewhere", (/** @type {CustomEventInit} */ { detail }) => this.#passOver(detail.assignment_id));
    byId("submit").addEventListener("click", () => this.hand());
    byId("previous").addEventListener("click", () => this.goBack());
    byId("keep").addEventListener("click", () => this.#resume());
    byId("report-image").addEventListener("click", () => this.report());
    byId("refused-dismiss").addEventListener("click", () => this.#outbox.dismiss());
    window.addEventListener("online", () => this.#fetch());
    this.#bindKeys();
    this.#showDone();
    this.#chosen = addChosen(this.#campaign, { outbox: this.#outbox, queue: this.#queue }).then(() => this.#next());
    this.#outbox.flush();
  }

  /** Keep what is selected so far; the view calls it after every change. */
  keep(answer) {
    if (!this.#revising && this.#current && answer.not_shown !== true) keepDraft(this.#current.id, answer, this.#clock.seconds);
  }

  /** Where people are tested, the seconds that they spent are kept even before they chose anything. */
  #keepTime() {
    const task = this.#current;
    if (!this.#showing || !task || this.#revising || this.#shown !== task) return;
    keepDraft(task.id, findDraft(task.id)?.answer ?? null, this.#clock.seconds);
  }

  /** Somebody wants to hand in the answer; the view looks whether it is whole. */
  hand() {
    if (performance.now() - this.#shownAt >= TOO_SOON) this.#view.hand();
  }

  /** Take an answer and go on; the view calls it once the answer is whole. */
  submit(answer, { stays = false } = {}) {
    const task = this.#revising?.task ?? this.#current;
    if (!task) return;
    const work = this.#revising ?? { task, answer, revision: task.answer ? (task.revision ?? 0) + 1 : 0, seconds: null };
    const seconds = (this.#revising || task.answer) && work.seconds === null ? null : this.#clock.seconds;
    this.#outbox.put({
      campaign: this.#campaign,
      assignmentId: work.task.id,
      answer,
      seconds,
      revision: work.revision,
      ...(this.#showing ? { shown: this.#showing.read() } : {}),
    });
    const shownSeconds = this.#showing?.read()?.seconds ?? null;
    dropDraft(work.task.id);
    if (answer.not_shown === true) {
      // A report is not an answer: nobody can go back to it, and the task goes to somebody else.
      return this.#revising ? this.#resume() : this.goOn();
    }
    if (this.#revising) {
      Object.assign(work, { answer, seconds, revision: work.revision + 1, shownSeconds });
      return this.#resume();
    }
    // What was returned was answered before, here or elsewhere.
    this.#past = [...this.#past.filter((one) => one.task.id !== task.id), { task, answer, seconds, revision: work.revision + 1, shownSeconds }];
    this.#done += task.answer ? 0 : 1;
    this.#showDone();
    if (!stays) this.goOn();
  }

  /** Resolves when the server has the answer to a task, or rejects with why it does not take it. */
  whenSaved(assignmentId) {
    return new Promise((resolve, reject) => {
      const look = () => {
        const refused = this.#outbox.refused.find((one) => one.assignment_id === assignmentId);
        if (!refused && this.#outbox.has(assignmentId)) return;
        this.#outbox.removeEventListener("change", look);
        if (refused) reject(new Error(refused.refusal));
        else resolve(undefined);
      };
      this.#outbox.addEventListener("change", look);
      look();
    });
  }

  /** Say what is wrong with an image of the task on the screen: by default the one that is meant at the moment. */
  report(place = this.#view.place ?? 0) {
    const task = this.#shown;
    if (!task) return;
    this.#reporter.ask(task, place, () => {
      if (task !== this.#shown) return;
      if (this.#view.putAway) this.#view.putAway(place);
      else if (!this.#revising) this.submit({ not_shown: true });
    });
  }

  /** Go on to the next task; a view that stayed with the one that was answered calls it. */
  goOn() {
    this.#current = null;
    this.#next();
  }

  /** Look at the answer before this one again. */
  async goBack() {
    if (this.#showing && this.#revising) return;
    this.#keepTime();
    const place = this.#revising ? this.#past.indexOf(this.#revising) : this.#past.length;
    const earlier = this.#past[place - 1] ?? (this.#past.length ? null : await this.#fetchPrevious());
    if (!earlier) return;
    this.#revising = earlier;
    this.#show(earlier.task, earlier.answer, earlier.seconds ?? 0);
  }

  #canGoBack() {
    if (this.#view.isFinal) return false;
    if (this.#revising) return !this.#showing && this.#past.indexOf(this.#revising) > 0;
    return this.#past.length > 0 || (!this.#isTrying && this.#done > 0);
  }

  async #fetchPrevious() {
    if (this.#isTrying) return null;
    try {
      const task = await request("GET", `/api/campaigns/${this.#campaign}/previous`);
      if (task === null) {
        byId("status").textContent = "The previous answer can no longer be shown here.";
        return null;
      }
      const shownSeconds = task.shown_seconds ?? null;
      this.#past.push({ task, answer: task.answer, seconds: task.seconds ?? null, revision: task.revision + 1, shownSeconds });
      return this.#past[0];
    } catch (error) {
      byId("status").textContent = `The previous answer cannot be shown: ${error.message}`;
      return null;
    }
  }

  #resume() {
    this.#revising = null;
    if (this.#current) this.#showTask(this.#current);
    else this.#next();
  }

  #next() {
    this.#current = this.#queue.shift() ?? null;
    if (this.#current) {
      this.#showTask(this.#current);
      this.#fetchAhead();
    } else this.#wait("Fetching a task …");
    this.#fetch();
  }

  #showTask(task) {
    const draft = findDraft(task.id);
    this.#show(task, draft?.answer ?? task.answer ?? null, draft?.seconds ?? 0);
  }

  #show(task, answer, seconds) {
    fetchPictures(task);
    this.#shownAt = performance.now();
    this.#clock.start(seconds);
    setShown(byId("waiting"), false);
    const isRevising = this.#revising !== null;
    setShown(byId("revising"), isRevising);
    setShown(byId("returned"), Boolean(task.returned) && !isRevising);
    byId("returned-text").textContent = task.returned ?? "";
    setShown(byId("keep"), isRevising);
    byId("previous").disabled = !this.#canGoBack();
    byId("submit-text").textContent = isRevising ? "Save change" : "Submit";
    this.#view.show(task, answer);
    this.#breaks.look();
    this.#putOnScreen(task);
    this.#showing?.show(task, { revising: this.#revising, isStill: () => this.#shown === task });
  }

  /** Tasks at hand have their pictures; what is left gives them back, for they are large. */
  #putOnScreen(task) {
    const left = this.#shown;
    this.#shown = task;
    if (left && left !== task && !this.#isAtHand(left)) releasePictures(left);
  }

  #wait(words, { isStuck = false } = {}) {
    if (!byId("waiting").hidden && byId("waiting-text").textContent === words) return;
    this.#view.clear();
    this.#putOnScreen(null);
    byId("waiting-text").textContent = words;
    setShown(byId("waiting"), true);
    setShown(byId("waiting-actions"), isStuck);
    for (const id of ["revising", "returned"]) setShown(byId(id), false);
  }

  /** Have tasks at hand, once the one that the address names is there; asks again later where the server cannot be reached. */
  async #fetch() {
    await this.#chosen;
    const n_waiting = this.#outbox.waiting.length;
    const isIdle = !this.#current && !this.#revising;
    // Until an answer is acknowledged, its task is still ours and would come again.
    if (this.#isFetching || this.#queue.length >= N_AHEAD || (n_waiting && !isIdle)) return;
    this.#isFetching = true;
    try {
      const n = Math.min(N_AHEAD + 1 + n_waiting, MOST_AT_ONCE);
      const tasks = await request("POST", `/api/campaigns/${this.#campaign}/tasks`, { n });
      this.#pauses.reset();
      this.#take(tasks);
    } catch (error) {
      this.#holdUp(error);
    } finally {
      this.#isFetching = false;
    }
  }

  #take(tasks) {
    for (const task of tasks) task.fetchedAt = performance.now();
    const fresh = tasks.filter((task) => !this.#knows(task));
    this.#queue.push(...fresh);
    if (this.#current || this.#revising) {
      this.#fetchAhead();
      return;
    }
    if (this.#queue.length) this.#next();
    else if (!this.#outbox.waiting.length) this.#finish();
    else this.#wait("Your last answers are being saved …");
  }

  /** What is on the screen comes first, then the tasks at hand, one after the other. */
  async #fetchAhead() {
    for (const task of [this.#current, ...this.#queue]) if (this.#isAtHand(task)) await fetchPictures(task);
  }

  #isAtHand(task) {
    return task !== null && (task === this.#current || this.#queue.includes(task));
  }

  /** Those who only look are shown tasks again and again; everybody else gets each once. */
  #knows({ id, returned, revision }) {
    const isAtHand = this.#current?.id === id || this.#queue.some((task) => task.id === id);
    if (this.#isTrying) return isAtHand && this.#queue.length > 0;
    // An answer that was returned comes again, but not once it was changed.
    const isDone = (past) => past.task.id === id && !(returned && revision + 1 >= past.revision);
    return isAtHand || this.#past.some(isDone) || this.#outbox.has(id);
  }

  #holdUp(error) {
    if (error instanceof Refusal) {
      if (!this.#current && !this.#revising) this.#wait(error.message, { isStuck: true });
      return;
    }
    if (!this.#current && !this.#revising) {
      this.#wait("There is no connection. The next task will load when it is back; your answers are kept in this browser.");
    }
    setTimeout(() => this.#fetch(), this.#pauses.take());
  }

  /** Where the page is in a frame, something else comes after the last task. */
  #finish() {
    if (document.dispatchEvent(new Event("finished", { cancelable: true }))) location.assign(`/campaigns/${this.#campaign}/thanks`);
  }

  #notice() {
    const { refused, nAside } = this.#outbox;
    setShown(byId("refused"), refused.length + nAside > 0);
    if (refused.length) byId("refused-text").textContent = `An answer was not accepted: ${refused[0].refusal}`;
    else if (nAside) byId("refused-text").textContent = sayAside(nAside);
    refused.filter((entry) => !this.#returned.has(entry.client_id)).forEach((entry) => this.#giveBack(entry));
    if (!this.#outbox.waiting.length) this.#fetch();
  }

  /** A first answer that was refused is none: its task is still to be done and comes again. */
  #giveBack(entry) {
    this.#returned.add(entry.client_id);
    const isMine = this.#past.some(({ task }) => task.id === entry.assignment_id);
    if (!isMine || entry.revision) return;
    this.#past = this.#past.filter(({ task }) => task.id !== entry.assignment_id);
    this.#done -= 1;
    this.#showDone();
  }

  /** Another tab answered this task: go on to the next. */
  #passOver(assignmentId) {
    // What is not an answer to a task is nothing to us.
    if (!assignmentId) return;
    this.#queue.filter((task) => task.id === assignmentId).forEach(releasePictures);
    this.#queue = this.#queue.filter((task) => task.id !== assignmentId);
    if (this.#current?.id !== assignmentId) return;
    if (this.#shown !== this.#current) releasePictures(this.#current);
    this.#current = null;
    if (!this.#revising) this.#next();
  }

  #showDone() {
    this.#progress.show(this.#done, this.#queue.length + (this.#current ? 1 : 0));
  }

  /** The keys that all kinds of task have; those of the kind come before them in the help. */
  #bindKeys() {
    const isShown = () => this.#view.isShown;
    this.keymap.add(
      { keys: ["Ctrl+Enter"], words: "submit", isOnce: true, run: () => this.hand(), when: isShown },
      { keys: ["Backspace"], words: "change the previous answer", run: () => this.goBack(), when: () => isShown() && !byId("previous").disabled },
      { keys: ["x"], words: "report a broken or upsetting image", isOnce: true, run: () => this.report(), when: isShown },
      { keys: ["Escape"], run: () => this.#resume(), when: () => isShown() && this.#revising !== null },
    );
    if (this.#breaks.isOffered) this.keymap.add({ keys: ["b"], words: "take a break", run: () => this.#breaks.take(), when: isShown });
  }
}
