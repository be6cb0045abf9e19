/** REVIEW: an image with its open labels, or a label with images; say of each whether it is correct, wrong or unclear. */

import { work } from "./desk.js";
import { Discussion } from "./discussion.js";
import { byId, make, setShown } from "./dom.js";
import { makeClassCard, makeLookUp, makeNames } from "./parts/class_card.js";
import { ImageViewer } from "./parts/image_viewer.js";
import { leaveFields } from "./parts/keymap.js";
import { Undo } from "./parts/undo.js";
import { NO_LINK, isWebAddress } from "./parts/web_address.js";
import { showPicture, wasShown } from "./pictures.js";
import { Reference } from "./class_reference.js";
import { Referring, makeReferral, showReferral } from "./referring.js";
import { MoreClasses } from "./more_classes.js";
import { PROBLEMS, REASONS, VERDICTS, findReason, findTitle, findVerdict, hasScores, isOpen, makeProblem, makeReasons, makeScore, makeUndo, makeVerdicts, takeBack, tellOpen, toggleScores } from "./verdicts.js";

/** The task. */
class Review {
  #desk;
  /** @type {import("./verdicts.js").Pair[]} */
  #pairs = [];
  #current = 0;
  /** @type {number[]} the classes of the labels; one where the task is a grid. */
  #classes = [];
  /** @type {import("./verdicts.js").Pair | null} the label that was judged last, which a reason is said of. */
  #last = null;
  /** Whether it was said that labels have no verdict. */
  #isAsked = false;
  /** @type {HTMLImageElement[]} */
  #pictures = [];
  #isGrid = false;
  /** Whether it is asked what is missing. */
  #isComplete = false;
  /** What the button says once something was named. */
  #submitText = "";
  #more = new MoreClasses({ choose: (index, name) => this.add(index, name), changed: () => this.#changed() });
  #referring = new Referring();
  #undo = new Undo();
  #reference = new Reference(Number(byId("desk").dataset.campaign));
  #discussion;
  #viewer = new ImageViewer({ report: () => this.#report() });

  constructor(desk) {
    this.#desk = desk;
    byId("enlarge").addEventListener("click", () => this.#enlarge());
    byId("report").addEventListener("click", () => desk.submit({ not_shown: true }));
    byId("problems").append(...PROBLEMS.map(makeProblem));
    byId("bulk").append(...VERDICTS.map(({ verdict, words }) => this.#makeBulk(verdict, words)));
    byId("previous").after(makeUndo(this.#undo));
    for (const id of ["problems", "comment", "link"]) byId(id).addEventListener("input", () => this.#changed());
    this.#bindKeys();
    leaveFields(byId("labels"), { leave: () => this.#goTo(this.#current), submit: () => desk.hand() });
    this.#discussion = new Discussion(Number(byId("desk").dataset.campaign), { desk, findPlace: () => this.place });
  }

  /** Whether a task is on the screen. */
  get isShown() {
    return !byId("review").hidden;
  }

  /** The image that is meant when one is reported. */
  get place() {
    return this.#isGrid ? this.#current : 0;
  }

  /** Show a task, with what was said before. */
  show(task, answer) {
    const { items, known, target, is_complete: isComplete, expertise } = task.view;
    this.#isComplete = isComplete;
    setShown(byId("expertise"), Boolean(expertise));
    byId("expertise").textContent = `Referred to you as an expert in ${expertise}: your verdict stands alone.`;
    this.#submitText = byId("submit-text").textContent ?? "";
    this.#isGrid = Boolean(target);
    const [picture] = task.pictures;
    this.#pictures = task.pictures;
    this.#undo.clear();
    this.#last = null;
    byId("review").classList.toggle("is-grid", this.#isGrid);
    byId("class").replaceChildren(...(target ? [makeClassCard(target, { level: 1, id: "label", around: ["In which images is “", "” correct?"] }), this.#reference.makeOpener(target)] : []));
    this.#classes = target ? [target.class] : items.map((one) => one.class);
    byId("title").textContent = findTitle(task.view);
    setShown(byId("title"), !this.#isGrid);
    for (const id of ["labels", "pairs"]) byId(id).setAttribute("aria-labelledby", this.#isGrid ? "label" : "title");
    this.#pairs = items.map((one, place) => this.#makePair(one, place));
    byId("pairs").replaceChildren(...this.#pairs.map(({ element }) => element));
    this.#showAbout(known, answer);
    this.#discussion.show(task);
    for (const pair of this.#pairs) this.#restore(pair, answer);
    if (!this.#isGrid) showPicture(picture, { isStill: () => picture === this.#pictures[0] });
    byId("problem").textContent = "";
    setShown(byId("review"), true);
    byId("pairs").closest(".beside-scroll").scrollTop = 0;
    window.scrollTo(0, 0);
    this.#goTo(Math.max(0, this.#findOpen(0)));
    this.#settle();
  }

  /** Show no task. */
  clear() {
    setShown(byId("review"), false);
    byId("enlarge").replaceChildren();
    byId("pairs").replaceChildren();
    this.#discussion.show(null);
    this.#pairs = [];
    this.#pictures = [];
  }

  /** Hand the answer in if something was said, or say what is missing. */
  hand() {
    const problem = this.#findProblem();
    byId("problem").textContent = problem;
    if (!problem) this.#desk.submit(this.#read());
  }

  /** Add a class that nobody asked about. */
  add(index, name) {
    const asked = this.#pairs.findIndex(({ key }) => key === String(index));
    if (asked >= 0) {
      this.#goTo(asked);
      byId("problem").textContent = `${name} is asked about already.`;
      return;
    }
    this.#more.add(index, name);
  }

  #findProblem() {
    const judged = this.#isGrid ? this.#pictures.filter((_, place) => findVerdict(this.#pairs[place])) : this.#pictures;
    // What somebody looks at again was shown when it was answered.
    if (byId("revising").hidden && !judged.every(wasShown)) return this.#isGrid ? "An image that has a verdict is not there yet. Wait for it, or report it." : "The image is not there yet. Wait for it, or report that it does not come.";
    const link = /** @type {HTMLInputElement} */ (byId("link"));
    if (link.value && !isWebAddress(link.value.trim())) return NO_LINK;
    const { verdicts, refers, problems, more } = this.#read();
    if (!Object.keys(verdicts).length && !refers && !problems && !more && !this.#isComplete) return "Judge at least one label, or say what is wrong with the image.";
    const nOpen = this.#pairs.filter(isOpen).length;
    if (!nOpen || this.#isAsked) return "";
    this.#isAsked = true;
    return tellOpen(nOpen);
  }

  #read() {
    const verdicts = {};
    const reasons = {};
    const refers = {};
    const away = this.#pairs.filter((pair) => pair.isAway).map(({ key }) => key);
    for (const pair of this.#pairs) {
      const verdict = findVerdict(pair);
      if (pair.refers) refers[pair.key] = pair.refers;
      if (!verdict) continue;
      verdicts[pair.key] = verdict;
      const reason = findReason(pair);
      if (reason) reasons[pair.key] = reason;
    }
    const answer = /** @type {any} */ ({ verdicts });
    const problems = [.../** @type {NodeListOf<HTMLInputElement>} */ (byId("problems").querySelectorAll("input:checked"))].map(({ value }) => value);
    if (Object.keys(reasons).length) answer.reasons = reasons;
    if (Object.keys(refers).length) answer.refers = refers;
    if (away.length) answer.away = away;
    if (problems.length && !this.#isGrid) answer.problems = problems;
    if (this.#more.size && !this.#isGrid) answer.more = this.#more.indices;
    if (this.#isComplete && !answer.more) answer.nothing_more = true;
    for (const name of ["comment", "link"]) {
      const text = /** @type {HTMLInputElement} */ (byId(name)).value.trim();
      if (text) answer[name] = text;
    }
    return answer;
  }

  /** What is said of the image, and not of a label. */
  #showAbout(known, answer) {
    setShown(byId("about"), !this.#isGrid);
    setShown(byId("bulk"), this.#isGrid);
    setShown(byId("known"), known.length > 0);
    /** @type {HTMLDetailsElement} */ (byId("known")).open = this.#isComplete;
    byId("known-list").replaceChildren(...known.map(({ name, verdict }) => make("li", {}, `${name}: ${verdict}`)));
    for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (byId("problems").querySelectorAll("input"))) box.checked = Boolean(answer?.problems?.includes(box.value));
    this.#more.restore(answer?.more ?? []);
    /** @type {HTMLInputElement} */ (byId("comment")).value = answer?.comment ?? "";
    /** @type {HTMLInputElement} */ (byId("link")).value = answer?.link ?? "";
  }

  #makePair(one, place) {
    const name = this.#isGrid ? `Image ${place + 1}` : one.name;
    const { boxes, group } = makeVerdicts(one.key, name);
    const reasons = make("div", { className: "reasons", role: "group", "aria-label": `Why, for ${name}` });
    const gloss = !this.#isGrid && one.gloss ? make("p", { className: "gloss" }, one.gloss) : null;
    const head = this.#isGrid ? this.#makeCell(place) : make("div", { className: "pair-head" }, makeNames(one), ...makeScore(one), this.#reference.makeOpener(one), ...(one.link ? [makeLookUp(one, { isSign: true })] : []));
    const { button, line } = makeReferral(name, () => this.#refer(place));
    const element = make("li", { className: "pair" }, head, ...(this.#isGrid ? makeScore(one) : []), ...(gloss ? [gloss] : []), group, reasons, line);
    (this.#isGrid ? element : group).append(button);
    const pair = { key: one.key, name, element, boxes, reasons, gloss, referral: line, refers: "", referredTo: one.referred ?? "", isAway: false, held: { verdict: null, reason: null } };
    group.addEventListener("change", () => this.#judged(pair));
    element.addEventListener("focusin", () => this.#mark(place));
    return pair;
  }

  #makeCell(place) {
    const cell = make("button", { type: "button", className: "cell", "aria-label": `Enlarge image ${place + 1}` }, this.#pictures[place]);
    cell.addEventListener("click", () => this.#enlarge(place));
    return cell;
  }

  #makeBulk(verdict, words) {
    const button = make("button", { type: "button" }, `All that are open: ${words.toLowerCase()}`);
    button.addEventListener("click", () => this.#judgeAll(verdict));
    return button;
  }

  /** One verdict for every image that has none; one undo takes all of them back. */
  #judgeAll(verdict) {
    const open = this.#pairs.filter(isOpen);
    for (const pair of open) this.#choose(pair, verdict);
    const takeBack = () => {
      for (const pair of open) this.#choose(pair, null);
      this.#changed();
    };
    if (open.length) this.#undo.note(open, takeBack);
    this.#changed();
  }

  #restore(pair, answer) {
    this.#choose(pair, answer?.verdicts?.[pair.key] ?? null);
    const reason = answer?.reasons?.[pair.key];
    for (const box of pair.reasons.querySelectorAll("input")) box.checked = box.value === reason;
    pair.held = { verdict: findVerdict(pair), reason: reason ?? null };
    pair.refers = answer?.refers?.[pair.key] ?? "";
    showReferral(pair);
    if (answer?.away?.includes(pair.key)) this.#putAway(pair);
  }

  /** An image of a grid that was reported: nothing is said of it. */
  putAway(place) {
    if (!this.#isGrid) return void this.#desk.submit({ not_shown: true });
    this.#putAway(this.#pairs[place]);
    this.#undo.clear();
    this.#changed();
  }

  #putAway(pair) {
    pair.isAway = true;
    pair.refers = "";
    this.#choose(pair, null);
    for (const box of pair.boxes) box.disabled = true;
    pair.element.classList.add("away");
  }

  #choose(pair, verdict) {
    if (verdict) pair.refers = "";
    showReferral(pair);
    for (const box of pair.boxes) box.checked = box.value === verdict;
    this.#offerReasons(pair);
  }

  /** A reason belongs to some verdicts; grids have none, for one verdict there is much like the other. */
  #offerReasons(pair) {
    pair.reasons.replaceChildren(...(this.#isGrid ? [] : makeReasons(pair, () => this.#changed())));
  }

  /** A verdict by a click or a key; a key goes on to the next label that has none. */
  #judged(pair) {
    this.#noteUndo(pair);
    pair.refers = "";
    showReferral(pair);
    this.#offerReasons(pair);
    this.#changed();
  }

  /** Leave a label to experts, and go on to the next. */
  async #refer(place = this.#current) {
    const pair = this.#pairs[place];
    const words = pair && !pair.isAway ? await this.#referring.ask(pair.name) : "";
    if (!words || this.#pairs[place] !== pair) return;
    this.#noteUndo(pair);
    this.#choose(pair, null);
    pair.refers = words;
    showReferral(pair);
    this.#changed();
    const next = this.#findOpen(place + 1);
    this.#goTo(next >= 0 ? next : place);
  }

  /** Remember what was said of a label before, and that it was the last. */
  #noteUndo(pair) {
    const { held: before, refers } = pair;
    this.#last = pair;
    this.#undo.note(pair, () => {
      this.#choose(pair, before.verdict);
      pair.refers = refers;
      showReferral(pair);
      for (const box of pair.reasons.querySelectorAll("input")) box.checked = box.value === before.reason;
      this.#goTo(this.#pairs.indexOf(pair));
      this.#changed();
    });
  }

  #judge(verdict) {
    const pair = this.#pairs[this.#current];
    if (!pair || pair.isAway) return;
    this.#noteUndo(pair);
    this.#choose(pair, verdict);
    this.#changed();
    const next = this.#findOpen(this.#current + 1);
    if (next >= 0) this.#goTo(next);
  }

  #giveReason(key) {
    const pair = this.#last;
    if (!pair) return;
    const at = (REASONS[findVerdict(pair) ?? "wrong"] ?? []).findIndex((one) => one.key === key);
    pair.reasons.querySelectorAll("input")[at]?.click();
  }

  #skip() {
    const next = this.#findOpen(this.#current + 1);
    if (this.#pairs.length) this.#goTo(next >= 0 ? next : (this.#current + 1) % this.#pairs.length);
  }

  /** The next label without a verdict from a place on, then from the start; −1 where all have one. */
  #findOpen(start) {
    const order = [...this.#pairs.keys()].map((place) => (place + start) % this.#pairs.length);
    return order.find((place) => isOpen(this.#pairs[place])) ?? -1;
  }

  #goTo(place) {
    this.#mark(place);
    this.#pairs[place]?.boxes[0].focus({ preventScroll: true });
    this.#pairs[place]?.element.scrollIntoView({ block: "nearest" });
  }

  #mark(place) {
    this.#current = place;
    this.#pairs.forEach(({ element }, at) => element.classList.toggle("is-current", at === place));
  }

  #changed() {
    for (const pair of this.#pairs) pair.held = { verdict: findVerdict(pair), reason: findReason(pair) };
    this.#isAsked = false;
    this.#settle();
    this.#desk.keep(this.#read());
  }

  #settle() {
    // Who judges what was referred all the same has judged one more.
    const asked = this.#pairs.filter((pair) => findVerdict(pair) || (!pair.refers && !pair.referredTo));
    byId("facts").textContent = asked.length ? `${asked.filter(findVerdict).length} of ${asked.length} judged` : "";
    if (this.#isComplete) byId("submit-text").textContent = this.#more.size ? this.#submitText : "Nothing more";
    byId("problem").textContent = "";
  }

  #bindKeys() {
    const [when, isHere] = [() => this.isShown, () => !this.#isGrid];
    this.#desk.keymap.add(
      ...VERDICTS.map(({ verdict, key, words }) => ({ keys: [key], words: `${words.toLowerCase()}, and on to the next label`, isOnce: true, run: () => this.#judge(verdict), when })),
      { keys: ["o"], words: "the first reason for the verdict", run: () => this.#giveReason("o"), when, isHere },
      { keys: ["s"], words: "the second reason for the verdict", run: () => this.#giveReason("s"), when, isHere },
      { keys: ["k"], words: "skip the label", run: () => this.#skip(), when },
      { keys: ["j"], words: "go back one label", run: () => this.#goTo(Math.max(0, this.#current - 1)), when },
      { keys: ["p"], words: "say what is wrong with the image", run: () => byId("problems").querySelector("input")?.focus(), when, isHere },
      { keys: ["a"], words: "something else is here: find its class", run: () => this.#more.focus(), when: () => this.isShown && this.#more.isReady, isHere },
      { keys: ["g"], words: "card and guide of the class", run: () => this.#reference.open(this.#classes[this.#isGrid ? 0 : this.#current]), when },
      { keys: ["r"], words: "refer the label to an expert", isOnce: true, run: () => this.#refer(), when },
      { keys: ["v"], words: "show the scores of the labels, or hide them", run: toggleScores, when, isHere: hasScores },
      { keys: ["n"], words: "write a note", run: () => byId("comment").focus(), when },
      { keys: ["z"], words: "enlarge the image", run: () => this.#enlarge(this.place), when },
      { keys: ["y"], words: "undo the last verdict", run: () => takeBack(this.#undo), when },
      { keys: ["Enter"], words: "submit", isOnce: true, run: () => this.#desk.hand(), when },
    );
  }

  #report() {
    this.#viewer.close();
    this.#desk.report();
  }

  #enlarge(place = 0) {
    if (this.#pictures[place]) this.#viewer.show(this.#pictures[place]);
  }
}

work({ makeView: (desk) => new Review(desk) });
