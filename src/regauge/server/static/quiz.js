/** What comes before the first task: training, and a quiz with feedback after each answer. */

import { byId, isElsewhere, make, setShown } from "./dom.js";
import { owner } from "./owner.js";
import { fetchPictures, hasFailed, wasShown } from "./pictures.js";
import { Refusal, request } from "./requests.js";
import { train } from "./training.js";

/** A second click or key so soon after a question appears was meant for the one before. */
const TOO_SOON = 300;
const RETRY_PAUSE = 2_000;

/** Wait until somebody may work: at once for those who have passed, never for those who cannot. */
export async function waitForQualification({ campaign, version, hasBegun }) {
  if (!byId("qualify")) return;
  const view = await insist(() => request("GET", address(campaign)));
  if (view.state === "passed" || (view.state === "none" && (hasBegun || isRead(campaign, version)))) return;
  setShown(byId("qualify"), true);
  if (view.state === "none") await train({ campaign, quiz: view });
  else await new Quiz(campaign).take(view);
  keepRead(campaign, version);
  setShown(byId("qualify"), false);
}

const address = (campaign) => `/api/campaigns/${campaign}/quiz`;

/** Ask until the server answers; what it refuses is said, and then there is nothing more to do on this page. */
async function insist(ask) {
  const problem = byId("qualify-problem");
  for (;;) {
    try {
      const reply = await ask();
      problem.textContent = "";
      return reply;
    } catch (error) {
      setShown(byId("qualify"), true);
      problem.textContent = error.message;
      if (error instanceof Refusal) await new Promise(() => {});
      await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE));
    }
  }
}

/** The quiz. */
class Quiz {
  #campaign;
  #view = null;
  #question = null;
  #boxes = [];
  #shownAt = 0;
  #isSending = false;
  #nRight = 0;

  constructor(campaign) {
    this.#campaign = campaign;
    document.addEventListener("keydown", (event) => this.#press(event));
  }

  /** Go through training and questions until the quiz is passed. */
  async take(view) {
    this.#view = view;
    while (this.#view.state !== "passed") {
      if (this.#view.state === "failed") return this.#turnAway();
      if (this.#view.state === "training") {
        await train({ campaign: this.#campaign, quiz: this.#view });
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
    this.#view = await insist(() => request("POST", address(this.#campaign), { attempt }));
  }

  /** Show a question; resolves when its feedback was read. */
  #ask(question) {
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
    if (question.kind === "contains") this.#askContains(question.view.target);
    else this.#askClassify(question.view.candidates);
    window.scrollTo(0, 0);
    return new Promise((resolve) => {
      byId("quiz-next").onclick = resolve;
      byId("quiz-report").onclick = () => this.#report(resolve);
    });
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

  #askContains({ name, synonyms, gloss }) {
    byId("quiz-title").textContent = name;
    byId("quiz-meaning").textContent = [synonyms.join(", "), gloss].filter(Boolean).join(" – ");
    byId("quiz-ask").textContent = "Does the image contain it?";
    byId("quiz-choices").replaceChildren();
    byId("quiz-buttons").replaceChildren(
      this.#makeButton("Yes", "y", () => ({ mask: "1" })),
      this.#makeButton("No", "n", () => ({ mask: "0" })),
    );
    byId("quiz-title").focus({ preventScroll: true });
  }

  #askClassify(candidates) {
    byId("quiz-title").textContent = "What is in this image?";
    byId("quiz-meaning").textContent = "";
    byId("quiz-ask").textContent = "Select every label that is right.";
    this.#boxes = candidates.map(({ class: number }) => make("input", { type: "checkbox", value: String(number), id: `quiz-${number}` }));
    byId("quiz-choices").replaceChildren(...candidates.map((one, place) => makeChoice(this.#boxes[place], one, place + 1)));
    byId("quiz-buttons").replaceChildren(this.#makeButton("Submit", "↵", () => this.#readLabels()));
    this.#boxes[0].focus({ preventScroll: true });
  }

  #makeButton(words, key, read) {
    const button = make("button", { type: "button", "data-key": key === "↵" ? "Enter" : key }, `${words} `, make("kbd", {}, key));
    button.addEventListener("click", () => this.#send(button, read()));
    return button;
  }

  #readLabels() {
    const selected = this.#boxes.filter((box) => box.checked).map((box) => Number(box.value));
    return { selected, main: selected[0] ?? null };
  }

  async #send(button, answer) {
    if (this.#isSending || performance.now() - this.#shownAt < TOO_SOON || !wasShown(this.#question.pictures[0])) return;
    this.#isSending = true;
    try {
      const question = this.#question.id;
      const told = await request("POST", `${address(this.#campaign)}/answers`, { question, answer });
      if (this.#question.kind === "contains") button.setAttribute("aria-pressed", "true");
      this.#explain(told);
    } catch (error) {
      byId("quiz-problem").textContent = `${error.message} Please try again.`;
    } finally {
      this.#isSending = false;
    }
  }

  #explain({ is_right: isRight, shows, asked, next }) {
    byId("quiz-problem").textContent = "";
    for (const control of byId("quiz").querySelectorAll("#quiz-buttons button, #quiz-choices input")) control.disabled = true;
    const verdict = make("p", { className: isRight ? "verdict is-right" : "verdict is-wrong" }, isRight ? "✓ Right" : "✗ Not quite");
    byId("feedback").replaceChildren(verdict, make("p", {}, ...explain(shows, asked)));
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
    for (const id of ["quiz-picture", "quiz-choices", "quiz-buttons"]) byId(id).replaceChildren();
    const { state, n_questions: n, n_needed: needed, n_attempts_left: left } = this.#view;
    if (state === "failed") return;
    const score = `${this.#nRight} of ${n} were right`;
    const isPassed = state === "passed";
    byId("result-title").textContent = isPassed ? "You can begin" : "Not yet";
    byId("result-words").textContent = isPassed
      ? `${score}. Thank you – now come the tasks.`
      : `${score}; ${needed} are needed. You can try ${left === 1 ? "once" : `${left} times`} more, with other questions.`;
    await this.#wait(isPassed ? "To the tasks " : "Read the training again ");
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
    for (;;) {
      await this.#wait("Finish ");
      // Where people came from a platform, it goes on there.
      const isHere = document.dispatchEvent(new Event("finished", { cancelable: true }));
      if (isHere) location.assign(`/campaigns/${this.#campaign}/thanks`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE));
    }
  }

  #press(event) {
    if (isElsewhere(event) || event.ctrlKey || event.metaKey || event.repeat || byId("quiz").hidden || !byId("quiz-on").hidden) return;
    const box = this.#boxes[Number(event.key) - 1];
    const isChoice = this.#question.kind === "classify" && box;
    const button = [...byId("quiz-buttons").children].find((one) => one.dataset.key === event.key);
    if (isChoice) box.click();
    else if (button && !(event.key === "Enter" && event.target.closest("button"))) button.click();
    else return;
    event.preventDefault();
  }
}

function explain(shows, asked) {
  const gloss = shows.gloss ? ` – ${shows.gloss}` : "";
  if (asked === null) return ["The image shows ", make("strong", {}, shows.name), `${gloss}.`];
  if (asked.name === shows.name) return ["The image contains it."];
  return ["The image does not contain it. It shows ", make("strong", {}, shows.name), `${gloss}.`];
}

function makeChoice(box, { name, synonyms }, key) {
  const names = make("span", { className: "names" }, make("span", { className: "name" }, name));
  if (synonyms.length) names.append(" ", make("span", { className: "synonyms" }, synonyms.join(", ")));
  const label = make("label", { className: "label", htmlFor: box.id }, box, make("kbd", { "aria-hidden": "true" }, String(key)), names);
  return make("li", { className: "choice" }, label);
}

const readKey = (campaign, version) => `regauge.read.${owner}.${campaign}.${version}`;

function isRead(campaign, version) {
  try {
    return localStorage.getItem(readKey(campaign, version)) !== null;
  } catch {
    return false;
  }
}

function keepRead(campaign, version) {
  try {
    localStorage.setItem(readKey(campaign, version), "read");
  } catch {
    // They are shown it again next time.
  }
}
