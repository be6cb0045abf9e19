/** LABEL, training: what is told after an answer, and what somebody wants more of. */

import { byId, count, make, setShown } from "./dom.js";
import { makeClassCard } from "./parts/class_card.js";
import { findGuide, makeGuide, releaseGuide } from "./parts/guide_entry.js";
import { fetchPicture, releasePicture } from "./pictures.js";
import { request } from "./requests.js";

const N_IMAGES = 6;

/** Says whether an answer was right, with the classes beside each other. */
export class Told {
  #campaign;
  /** @type {HTMLImageElement[]} */
  #pictures = [];
  /** @type {HTMLElement[]} */
  #guides = [];

  /** @param {number} campaign */
  constructor(campaign) {
    this.#campaign = campaign;
  }

  /** Whether something is told now. */
  get isShown() {
    return !byId("told").hidden;
  }

  /** @param {string} assignmentId of an answer that the server has. */
  async show(assignmentId) {
    const { is_right: isRight, named, accepted } = await request("GET", `/api/feedback/${assignmentId}`);
    this.clear();
    const names = accepted.map((one) => one.name).join(" or ");
    const words = isRight ? ["Right: ", make("b", {}, named.name)] : ["Not right. It is ", make("b", {}, names)];
    const more = isRight && accepted.length > 1 ? make("p", { className: "quiet" }, `Accepted: ${names}`) : "";
    const classes = isRight ? [named] : [accepted[0], named];
    const cards = make("div", { className: "label-beside" }, ...classes.map((one, place) => this.#makeCard(one, place && !isRight ? "You named" : "")));
    byId("told").className = `label-told ${isRight ? "was-right" : "was-wrong"}`;
    byId("told").replaceChildren(make("p", { className: "lead" }, ...words), more, cards);
    setShown(byId("told"), true);
    byId("told").focus({ preventScroll: true });
  }

  /** Tell nothing. */
  clear() {
    this.#pictures.forEach(releasePicture);
    this.#guides.forEach(releaseGuide);
    this.#pictures = [];
    this.#guides = [];
    byId("told").replaceChildren();
    setShown(byId("told"), false);
  }

  #makeCard(one, before) {
    const room = make("section", { className: "label-one" });
    if (before) room.append(make("p", { className: "quiet" }, before));
    room.append(makeClassCard(one, { level: 2 }));
    this.#fill(room, one);
    return room;
  }

  /** Reference images and what the guide says come after the words; without them these stand alone. */
  async #fill(room, one) {
    const address = `/api/classes/${one.class}/card?campaign=${this.#campaign}`;
    const [card, guide] = await Promise.allSettled([request("GET", address), findGuide(this.#campaign, one.class)]);
    if (card.status === "fulfilled") {
      const images = card.value.references.slice(0, N_IMAGES).map((where, i) => fetchPicture(where, `${one.name}, reference image ${i + 1}`));
      this.#pictures.push(...images);
      room.append(make("div", { className: "label-few" }, ...images));
    }
    if (guide.status === "fulfilled" && guide.value.entries.length) {
      const said = makeGuide(guide.value);
      this.#guides.push(said);
      room.append(said);
    }
  }
}

/** What somebody asks for more of, and what they confuse. */
export class Requests {
  #campaign;
  /** @type {string[]} */
  #names = [];

  /** @param {number} campaign */
  constructor(campaign) {
    this.#campaign = campaign;
    setShown(byId("requests"), true);
    byId("requests").addEventListener("toggle", () => /** @type {HTMLDetailsElement} */ (byId("requests")).open && this.#load());
  }

  async #load() {
    try {
      const lessons = await request("GET", `/api/campaigns/${this.#campaign}/lessons`);
      this.#names = lessons.requests;
      this.#show(lessons);
    } catch (error) {
      byId("request-room").replaceChildren(make("p", { className: "problem" }, error.message));
    }
  }

  #show({ n, n_right: nRight, confusions, suggested, has_group: hasGroup }) {
    const field = make("input", { type: "text", "aria-label": "A class, a kind such as dogs, or a group" });
    const add = make("button", { type: "submit" }, "Ask for it");
    const form = make("form", { className: "row" }, field, add);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#ask([...this.#names, field.value]);
    });
    const asked = this.#names.map((name) => this.#makeButton(`${name} ✕`, () => this.#ask(this.#names.filter((one) => one !== name)), `No more ${name} first`));
    const offered = suggested.map((one) => this.#makeButton(one.name, () => this.#ask([...this.#names, one.id])));
    const told = confusions.map((one) => make("li", {}, `${one.accepted}, named ${one.named}: ${count(one.n, "time", "times")}`));
    byId("request-room").replaceChildren(
      make("p", { className: "quiet" }, n ? `${nRight} of ${count(n, "answer", "answers")} right so far.` : "Nothing answered yet."),
      form,
      make("p", { className: "row" }, ...asked),
      ...(offered.length ? [make("p", { className: "row" }, "You confuse most:", ...offered)] : []),
      make("ul", { className: "quiet" }, ...told),
      ...(hasGroup ? [make("p", {}, make("a", { href: `/campaigns/${this.#campaign}/group` }, "Look at everybody's answers together"))] : []),
      make("p", { className: "problem", id: "request-problem", role: "alert" }),
    );
  }

  #makeButton(words, run, label = words) {
    const button = make("button", { type: "button", "aria-label": label }, words);
    button.addEventListener("click", run);
    return button;
  }

  async #ask(names) {
    try {
      await request("POST", `/api/campaigns/${this.#campaign}/requests`, { names });
      await this.#load();
    } catch (error) {
      byId("request-problem").textContent = error.message;
    }
  }
}
