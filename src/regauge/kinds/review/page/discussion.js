/** REVIEW: what is said about the image of a task in threads, and handing an image back with a comment. */

import { byId, make, setShown } from "./dom.js";
import { makeId } from "./outbox.js";
import { ReasonDialog } from "./parts/reason_dialog.js";
import { Thread } from "./parts/thread.js";
import { request } from "./requests.js";

/**
 * A thread as the server sends it.
 *
 * @typedef {object} ThreadView
 * @property {number} id
 * @property {number} place of the image in the task.
 * @property {number | null} class_index
 * @property {boolean} is_resolved
 * @property {boolean} may_resolve
 * @property {import("./parts/thread.js").Comment[]} comments
 */

/** The threads of a task. They are asked for when somebody opens them; of what others wrote, the server says what one may know. */
export class Discussion {
  #campaign;
  #desk;
  #findPlace;
  /** @type {any} */
  #task = null;
  #turn = 0;
  #dialog = new ReasonDialog({ hint: "The manager reads it, and other reviewers once they have judged the image." });

  /**
   * @param {number} campaign
   * @param {object} options
   * @param {import("./desk.js").Desk} options.desk
   * @param {() => number} options.findPlace of the image that is meant.
   */
  constructor(campaign, { desk, findPlace }) {
    this.#campaign = campaign;
    this.#desk = desk;
    this.#findPlace = findPlace;
    byId("discussion").addEventListener("toggle", () => byId("discussion").open && this.#load());
    byId("hand-back").addEventListener("click", () => this.#handBack());
    const when = () => this.#task !== null;
    desk.keymap.add(
      { keys: ["d"], words: "comments about the image", run: () => this.#open(), when: () => when() && !byId("discussion").hidden },
      { keys: ["t"], words: "return what is shown with a comment, without a verdict", isOnce: true, run: () => this.#handBack(), when: () => when() && !byId("hand-back").hidden },
    );
  }

  /** Another task is on the screen, or none. */
  show(task) {
    this.#task = task;
    this.#turn += 1;
    const isMine = document.body.dataset.role === "annotator";
    setShown(byId("discussion"), isMine);
    setShown(byId("hand-back"), isMine && task !== null);
    byId("discussion").open = Boolean(task?.returned);
    byId("threads").replaceChildren();
    byId("new-thread").replaceChildren();
    if (byId("discussion").open) this.#load();
  }

  /** Whoever comes by the key can write at once. */
  #open() {
    byId("discussion").open = true;
    this.#offerNew();
    byId("new-thread").querySelector("textarea").focus();
    byId("discussion").scrollIntoView({ block: "nearest" });
  }

  #handBack() {
    if (!this.#task || this.#dialog.isOpen) return;
    const [what, verdict] = this.#task.view.target ? ["grid", "a verdict on any of its images"] : ["image", "a verdict"];
    const effect = [make("p", {}, `It leaves your tasks without ${verdict}. Say why; the manager goes by it.`)];
    this.#dialog.ask({ title: `Return the ${what}?`, action: "Return it", effect }, async (comment) => this.#desk.submit({ returned: true, comment }));
  }

  async #load() {
    const mine = this.#turn;
    this.#offerNew();
    try {
      const threads = await request("GET", `${this.#address}/threads`);
      if (mine === this.#turn) this.#render(threads);
    } catch (error) {
      if (mine === this.#turn) byId("threads").replaceChildren(make("p", { className: "problem", role: "alert" }, error.message));
    }
  }

  get #address() {
    return `/api/campaigns/${this.#campaign}/tasks/${this.#task.id}`;
  }

  /** @param {ThreadView[]} threads */
  #render(threads) {
    byId("threads").replaceChildren(...threads.map((one) => this.#makeThread(one)));
  }

  /** A field for a new thread, which stays, with what is written in it, while threads come. */
  #offerNew() {
    if (byId("new-thread").childElementCount) return;
    const hint = make("p", { className: "quiet" }, "What others wrote is shown once you have judged the image.");
    byId("new-thread").replaceChildren(this.#makeNew(), hint);
  }

  /** @param {ThreadView} thread */
  #makeThread({ id, place, class_index: index, is_resolved: isResolved, may_resolve: mayResolve, comments }) {
    const element = make("div");
    const title = this.#nameTopic(place, index);
    const send = this.#makeSender(() => ({ thread: id, place }), (threads) => {
      // Whoever writes again opens it again.
      if (isResolved) this.#render(threads);
      return findLast(threads.find((one) => one.id === id));
    });
    new Thread(element, { title, send }).show(comments);
    const problem = make("p", { className: "problem", role: "alert" });
    const resolve = make("button", { type: "button", className: "quiet" }, isResolved ? "Reopen" : "Resolve");
    resolve.addEventListener("click", () => this.#resolve({ thread: id, is_resolved: !isResolved }, problem));
    const head = make("p", { className: "row" }, make("b", {}, title), isResolved ? make("span", { className: "quiet" }, " resolved") : "", mayResolve ? resolve : "");
    const whole = make("section", { className: "talk", "aria-label": title }, head, problem, element);
    return isResolved ? make("details", {}, make("summary", {}, `${title}, resolved`), whole) : whole;
  }

  #nameTopic(place, index) {
    const { items, target } = this.#task.view;
    if (target) return `Image ${place + 1}`;
    return items.find((one) => one.class === index)?.name ?? (index === null ? "The image" : `class ${index}`);
  }

  /** A field that begins a thread, about the image or about one of its labels. */
  #makeNew() {
    const { items, target } = this.#task.view;
    const element = make("div");
    const about = make("select", {}, make("option", { value: "" }, "the image"), ...(target ? [] : items).map((one) => make("option", { value: String(one.class) }, one.name)));
    const send = this.#makeSender(
      () => ({ place: this.#findPlace(), class_index: target ? target.class : about.value ? Number(about.value) : null }),
      (threads) => {
        this.#render(threads);
        byId("new-thread").replaceChildren();
        this.#offerNew();
        return findLast(threads.at(-1));
      },
    );
    new Thread(element, { title: "A new thread", send });
    element.querySelector(".quiet")?.remove();
    const topic = target ? make("p", { className: "quiet" }, "About the image that is marked.") : make("label", { className: "row" }, "About", about);
    return make("section", { className: "talk", "aria-label": "A new thread" }, topic, element);
  }

  /**
   * What sends a comment. Sent again after an error, the same words are written once; and whoever has gone on to another task
   * meanwhile sees nothing of this one there.
   *
   * @param {() => object} describe what else is sent.
   * @param {(threads: ThreadView[]) => import("./parts/thread.js").Comment} show the threads as they are now; gives the comment.
   */
  #makeSender(describe, show) {
    const [mine, address] = [this.#turn, this.#address];
    let sent = { id: makeId(), body: "" };
    return async (text) => {
      const body = { ...describe(), text };
      const words = JSON.stringify(body);
      if (sent.body !== words) sent = { id: makeId(), body: words };
      const threads = await request("POST", `${address}/comments`, { client_id: sent.id, ...body });
      sent = { id: makeId(), body: "" };
      return mine === this.#turn ? show(threads) : { who: "You", at: new Date().toISOString(), text };
    };
  }

  /** Say that nothing is open in a thread, or that something is. */
  async #resolve(change, problem) {
    const mine = this.#turn;
    problem.textContent = "";
    try {
      const threads = await request("POST", `${this.#address}/resolve`, change);
      if (mine === this.#turn) this.#render(threads);
    } catch (error) {
      problem.textContent = error.message;
    }
  }
}

/** The last comment of a thread; one that was just written is there. */
function findLast(thread) {
  return thread.comments.at(-1);
}
