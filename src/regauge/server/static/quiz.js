/** What comes before the first task: training, and a quiz with feedback after each answer. */

import { byId, make, setShown } from "./dom.js";
import { owner } from "./owner.js";
import { ChoiceList } from "./parts/choice_list.js";
import { showKey } from "./parts/keymap.js";
import { Pauses, insist } from "./parts/retry.js";
import { browserStore } from "./parts/store.js";
import { fetchPictures, hasFailed, releasePictures, wasShown } from "./pictures.js";
import { isRefusal, request } from "./requests.js";
import { train } from "./training.js";

/** A second click or key so soon after a question appears was meant for the one before. */
const TOO_SOON = 300;

/**
 * A question as a kind of task puts it.
 *
 * @typedef {object} QuizQuestion
 * @property {string} title
 * @property {string} meaning of what is asked for; empty where the title says it all.
 * @property {string} ask
 * @property {import("./parts/class_card.js").ClassView[]} [candidates] labels to select from.
 * @property {QuizButton[]} buttons what hands the answer in.
 *
 * @typedef {object} QuizButton
 * @property {string} words
 * @property {string} key
 * @property {(selected: number[]) => object} read the answer, given which labels are selected.
 */

/**
 * An image whose answer is known: the class that it shows, and the one that is asked for, if it is one.
 *
 * @typedef {object} Lesson
 * @property {import("./parts/class_card.js").ClassView} shows
 * @property {import("./parts/class_card.js").ClassView | null} asked
 *
 * What a kind of task says when it teaches.
 *
 * @typedef {object} Lessons
 * @property {(question: any) => QuizQuestion} ask how a question is put.
 * @property {(lesson: Lesson) => (string | Node)[]} explain what is right, after a question was answered.
 * @property {(lesson: Lesson & { isPositive: boolean }) => string} caption what is right, below an example.
 */

/** Wait until somebody may work: at once for those who have passed, never for those who cannot. */
export async function waitForQualification({ campaign, version, hasBegun, lessons, keymap }) {
  if (!byId("qualify")) return;
  const view = await persist(() => request("GET", address(campaign)));
  const readKey = `regauge.read.${owner}.${campaign}.${version}`;
  const isRead = browserStore.read(readKey) !== null;
  if (view.state === "passed" || (view.state === "none" && (hasBegun || isRead))) return;
  setShown(byId("qualify"), true);
  if (view.state === "none") await train({ campaign, quiz: view, lessons });
  else await new Quiz({ campaign, lessons, keymap }).take(view);
  // Where the browser keeps nothing, they are shown it again next time.
  browserStore.write(readKey, "read");
  setShown(byId("qualify"), false);
}

const address = (campaign) => `/api/campaigns/${campaign}/quiz`;

/** Ask until the server answers; what it refuses is said, and then there is nothing more to do on this page. */
async function persist(ask) {
  const complain = (error) => {
    setShown(byId("qualify"), true);
    byId("qualify-problem").textContent = error.message;
  };
  try {
    const reply = await insist(ask, { isFinal: isRefusal, heldUp: complain });
    byId("qualify-problem").textContent = "";
    return reply;
  } catch (error) {
    complain(error);
    return new Promise(() => {});
  }
}

/** The quiz. */
class Quiz {
  #campaign;
  /** @type {Lessons} */
  #lessons;
  #keymap;
  /** @type {any} where somebody stands, as the server says. */
  #view = null;
  /** @type {any} */
  #question = null;
  #list = new ChoiceList(byId("quiz-choices"), { name: "quiz" });
  #shownAt = 0;
  #isSending = false;
  #nRight = 0;

  constructor({ campaign, lessons, keymap }) {
    this.#campaign = campaign;
    this.#lessons = lessons;
    this.#keymap = keymap;
  }

  /** Go through training and questions until the quiz is passed. */
  async take(view) {
    this.#view = view;
    while (this.#view.state !== "passed") {
      if (this.#view.state === "failed") return this.#turnAway();
      if (this.#view.state === "training") {
        await train({ campaign: this.#campaign, quiz: this.#view, lessons: this.#lessons });
        await this.#begin();
      }
      this.#nRight = this.#view.n_right;
      while (this.#view.question) await this.#ask(this.#view.question);
      await this.#showResult();
    }
    return null;
  }

  async #begin() {
    const attempt = this.#view.n_attempts + 1;
    this.#view = await persist(() => request("POST", address(this.#campaign), { attempt }));
  }

  /** Show a question; resolves when its feedback was read. */
  async #ask(question) {
    const putAway = this.#put(question);
    await new Promise((resolve) => {
      byId("quiz-next").onclick = resolve;
      byId("quiz-report").onclick = () => this.#report(resolve);
    });
    putAway();
  }

  /** Gives a function that takes the question away again. */
  #put(question) {
    this.#question = question;
    this.#shownAt = performance.now();
    fetchPictures(question);
    const [picture] = question.pictures;
    byId("quiz-picture").replaceChildren(picture);
    const offer = () => setShown(byId("quiz-unshown"), question === this.#question && hasFailed(picture) && !wasShown(picture));
    for (const event of ["load", "error"]) picture.addEventListener(event, offer);
    offer();
    byId("quiz-number").textContent = `Question ${this.#view.n_answered + 1} of ${this.#view.n_questions}`;
    byId("feedback").replaceChildren();
    byId("quiz-problem").textContent = "";
    setShown(byId("quiz-on"), false);
    setShown(byId("quiz"), true);
    const forgetKeys = this.#showQuestion(this.#lessons.ask(question));
    window.scrollTo(0, 0);
    return () => {
      forgetKeys();
      releasePictures(question);
    };
  }

  /** The image does not come: another question comes in its place. */
  async #report(resolve) {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      this.#view = await request("POST", `${address(this.#campaign)}/reports`, { question: this.#question.id });
      setShown(byId("quiz-unshown"), false);
      resolve();
    } catch (error) {
      byId("quiz-problem").textContent = error.message;
    } finally {
      this.#isSending = false;
    }
  }

  /** @param {QuizQuestion} question */
  #showQuestion({ title, meaning, ask, candidates = [], buttons }) {
    byId("quiz-title").textContent = title;
    byId("quiz-meaning").textContent = meaning;
    byId("quiz-ask").textContent = ask;
    this.#list.show(candidates);
    const made = buttons.map((one) => this.#makeButton(one));
    byId("quiz-buttons").replaceChildren(...made);
    if (candidates.length) this.#list.focus();
    else byId("quiz-title").focus({ preventScroll: true });
    const when = () => !byId("quiz").hidden && byId("quiz-on").hidden;
    const select = candidates.length ? [{ ...this.#list.bind(), words: "select a label, or undo the selection", when }] : [];
    const hand = buttons.map(({ words, key }, place) => ({ keys: [key], words: words.toLowerCase(), isOnce: true, run: () => made[place].click(), when }));
    return this.#keymap.add(...select, ...hand);
  }

  #makeButton({ words, key, read }) {
    const button = make("button", { type: "button" }, `${words} `, make("kbd", {}, showKey(key)));
    button.addEventListener("click", () => this.#send(button, read(this.#list.selected.map((choice) => choice.class))));
    return button;
  }

  async #send(button, answer) {
    if (this.#isSending || performance.now() - this.#shownAt < TOO_SOON || !wasShown(this.#question.pictures[0])) return;
    this.#isSending = true;
    try {
      const question = this.#question.id;
      const told = await request("POST", `${address(this.#campaign)}/answers`, { question, answer });
      // Where there are several buttons, which one was pressed is the answer.
      if (byId("quiz-buttons").childElementCount > 1) button.setAttribute("aria-pressed", "true");
      this.#explain(told);
    } catch (error) {
      byId("quiz-problem").textContent = `${error.message} Please try again.`;
    } finally {
      this.#isSending = false;
    }
  }

  #explain({ is_right: isRight, shows, asked, next }) {
    byId("quiz-problem").textContent = "";
    for (const button of byId("quiz-buttons").children) button.disabled = true;
    this.#list.freeze();
    const verdict = make("p", { className: isRight ? "verdict is-right" : "verdict is-wrong" }, isRight ? "✓ Right" : "✗ Not quite");
    byId("feedback").replaceChildren(verdict, make("p", {}, ...this.#lessons.explain({ shows, asked })));
    this.#view = next;
    this.#nRight += isRight;
    if (next.question) fetchPictures(next.question);
    byId("quiz-next").firstChild.textContent = next.question ? "Next " : "See the result ";
    setShown(byId("quiz-on"), true);
    byId("quiz-next").focus();
  }

  /** Say how it went; resolves when somebody goes on. */
  async #showResult() {
    setShown(byId("quiz"), false);
    this.#list.clear();
    for (const id of ["quiz-picture", "quiz-buttons"]) byId(id).replaceChildren();
    const { state, n_questions: n, n_needed: needed, n_attempts_left: left } = this.#view;
    if (state === "failed") return;
    const score = `${this.#nRight} of ${n} were right`;
    const isPassed = state === "passed";
    byId("result-title").textContent = isPassed ? "You can begin" : "Not yet";
    byId("result-words").textContent = isPassed
      ? `${score}. Thank you – on to the tasks.`
      : `${score}; ${needed} are needed. You can try ${left === 1 ? "once" : `${left} times`} more, with other questions.`;
    await this.#wait(isPassed ? "Go to the tasks " : "Read the training again ");
  }

  async #wait(words) {
    byId("result-on").replaceChildren(words, make("kbd", {}, "↵"));
    setShown(byId("result"), true);
    window.scrollTo(0, 0);
    byId("result-on").focus({ preventScroll: true });
    await new Promise((resolve) => byId("result-on").addEventListener("click", resolve, { once: true }));
    setShown(byId("result"), false);
  }

  /** All attempts are used up: a friendly word, and the way out. It never resolves, for there are no tasks. */
  async #turnAway() {
    const { n_right: nRight, n_questions: n, n_needed: needed } = this.#view;
    byId("result-title").textContent = "Thank you for trying";
    byId("result-words").textContent =
      `${nRight} of ${n} answers were right; ${needed} were needed, and this was the last attempt. ` +
      "There are no tasks for you in this campaign. That says something about the quiz, not about you.";
    const pauses = new Pauses();
    for (;;) {
      await this.#wait("Finish ");
      // Where people came from a platform, it goes on there.
      const isHere = document.dispatchEvent(new Event("finished", { cancelable: true }));
      if (isHere) location.assign(`/campaigns/${this.#campaign}/thanks`);
      await pauses.wait();
    }
  }
}
