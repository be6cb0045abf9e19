/** Group review: what everybody answered in a training, one image at a time, and notes for the guide. */

import { byId, count, make, setShown } from "./dom.js";
import { offerToLeave } from "./leave.js";
import { fetchPicture, releasePicture } from "./pictures.js";
import { request } from "./requests.js";

/** No other class: the note is on the right one alone. */
const NONE = -1;

/** The images of a training, those that most people missed first. */
class GroupReview {
  #campaign = Number(byId("group").dataset.campaign);
  /** @type {{ id: string, n: number, n_right: number }[]} */
  #images = [];
  #at = 0;
  /** Counts what was asked for: an answer that comes late is for an image that is gone. */
  #turn = 0;
  /** @type {HTMLImageElement | null} */
  #picture = null;
  /** @type {{ other: number, note: string, version: number }[]} */
  #notes = [];

  constructor() {
    byId("before").addEventListener("click", () => this.#go(-1));
    byId("next").addEventListener("click", () => this.#go(1));
    byId("other").addEventListener("change", () => this.#showNote());
    byId("note-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#save();
    });
    document.addEventListener("keydown", (event) => this.#press(event));
    this.#load();
  }

  async #load() {
    try {
      const found = await request("GET", `/api/campaigns/${this.#campaign}/group`);
      this.#images = found.images;
      this.#tellCoverage(found);
      if (this.#images.length) await this.#show();
      else byId("place").textContent = "You have not answered an image yet. Images that you have answered come here, with what the others said.";
    } catch (error) {
      byId("place").textContent = `The answers cannot be shown: ${error.message}`;
    }
  }

  #tellCoverage({ n_written: written, n_classes: n, uncovered }) {
    const named = uncovered.map((one) => `${one.name} (${one.n})`).join(", ");
    const more = named ? ` Confused, and without an entry: ${named}.` : "";
    byId("coverage").textContent = `The guide has entries on ${written.toLocaleString("en")} of ${count(n, "class", "classes")}.${more}`;
  }

  #go(step) {
    const next = this.#at + step;
    if (next < 0 || next >= this.#images.length) return;
    if (this.#isEdited() && !window.confirm("Your note is not saved. Leave it?")) return;
    this.#at = next;
    this.#show();
  }

  #press(event) {
    const isTyping = event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLSelectElement;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#save();
    else if (event.key === "ArrowLeft" && !isTyping && !event.altKey) this.#go(-1);
    else if (event.key === "ArrowRight" && !isTyping && !event.altKey) this.#go(1);
    else if (event.key === "Escape" && isTyping) event.target.blur();
    else return;
    event.preventDefault();
  }

  async #show() {
    this.#turn += 1;
    const mine = this.#turn;
    const one = this.#images[this.#at];
    byId("problem").textContent = "";
    byId("saved").textContent = "";
    try {
      const found = await request("GET", `/api/group/${one.id}`);
      if (mine !== this.#turn) return;
      byId("place").textContent = `Image ${this.#at + 1} of ${this.#images.length}: ${one.n_right} of ${count(one.n, "person", "people")} right`;
      this.#showPicture(one.id, found.accepted[0].name);
      byId("right").textContent = found.accepted.map((accepted) => accepted.name).join(" or ");
      byId("answers").replaceChildren(...found.answers.map(makeRow));
      const wrong = found.answers.filter((answer) => !answer.is_right);
      this.#notes = found.notes;
      byId("other").replaceChildren(...wrong.map((answer) => makeOption(answer.class, answer.name)), makeOption(NONE, "no class in particular"));
      setShown(byId("other-row"), wrong.length > 0);
      this.#showNote();
      byId("before").disabled = this.#at === 0;
      byId("next").disabled = this.#at === this.#images.length - 1;
      setShown(byId("one"), true);
    } catch (error) {
      if (mine === this.#turn) byId("place").textContent = `The answers cannot be shown: ${error.message}`;
    }
  }

  #showPicture(id, name) {
    if (this.#picture) releasePicture(this.#picture);
    this.#picture = fetchPicture(`/images/${id}/0`, `Image of ${name}`);
    byId("picture").replaceChildren(this.#picture);
  }

  #findNote() {
    return this.#notes.find((note) => note.other === Number(byId("other").value));
  }

  #showNote() {
    byId("note").value = this.#findNote()?.note ?? "";
  }

  #isEdited() {
    return !byId("one").hidden && byId("note").value.trim() !== (this.#findNote()?.note ?? "");
  }

  async #save() {
    const [one, other, note] = [this.#images[this.#at], Number(byId("other").value), byId("note").value];
    if (!one) return;
    byId("problem").textContent = "";
    byId("saved").textContent = "";
    try {
      const stored = await request("POST", `/api/group/${one.id}/note`, { note, other, edited: this.#findNote()?.version ?? 0 });
      this.#notes = [...this.#notes.filter((known) => known.other !== other), { other, note: stored.note, version: stored.version }];
      byId("saved").textContent = "Saved in the guide";
    } catch (error) {
      byId("problem").textContent = error.message;
      if (error.status === 409) this.#learn(one.id);
    }
  }

  /** What somebody else has written meanwhile; the text in the field stays. */
  async #learn(id) {
    const mine = this.#turn;
    const found = await request("GET", `/api/group/${id}`).catch(() => null);
    if (!found || mine !== this.#turn) return;
    this.#notes = found.notes;
    const theirs = this.#findNote()?.note;
    if (theirs) byId("saved").textContent = `In the guide now: ${theirs}`;
  }
}

/** A class that people named, and how many did. */
function makeRow({ name, n, is_right: isRight, is_own: isOwn }) {
  const words = [`${isRight ? "✓" : "✗"} ${name}`, isOwn ? make("span", { className: "quiet" }, " – you, too") : ""];
  return make("tr", {}, make("td", {}, ...words), make("td", { className: "number" }, String(n)));
}

const makeOption = (value, words) => make("option", { value: String(value) }, words);

offerToLeave();
new GroupReview();
