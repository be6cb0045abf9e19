/** Comments under something, the oldest first, and a field for another one. */

import { make, setShown } from "../dom.js";
import { localise } from "../live.js";
import { browserStore } from "./store.js";

const MAX_LENGTH = 2_000;

/**
 * @typedef {object} Comment
 * @property {string} who
 * @property {string} at when, as ISO 8601 in UTC.
 * @property {string} text
 */

/** The comments. */
export class Thread {
  /** @type {((text: string) => Promise<Comment>) | null} */
  #send;
  #draftKey;
  #list = make("ol", { className: "comments" });
  #nothing = make("p", { className: "quiet" }, "Nobody has said anything yet.");
  #text = make("textarea", { rows: 3, maxLength: MAX_LENGTH });
  #button = make("button", { type: "submit" }, "Comment");
  #problem = make("p", { className: "problem", role: "alert" });

  /**
   * @param {HTMLElement} element where they stand.
   * @param {object} options
   * @param {string} [options.title] of the list.
   * @param {string} [options.draftKey] under what the browser keeps a comment that was not sent; nowhere if empty.
   * @param {((text: string) => Promise<Comment>) | null} [options.send] hands a comment in; null where none can be added.
   */
  constructor(element, { title = "Comments", draftKey = "", send = null }) {
    this.#send = send;
    this.#draftKey = draftKey;
    this.#list.setAttribute("aria-label", title);
    element.classList.add("thread");
    element.replaceChildren(this.#list, this.#nothing, ...(send ? [this.#makeForm()] : []));
  }

  /** @param {Comment[]} comments */
  show(comments) {
    this.#list.replaceChildren(...comments.map(makeComment));
    this.#settle();
  }

  #add(comment) {
    this.#list.append(makeComment(comment));
    this.#settle();
  }

  #settle() {
    localise(this.#list);
    setShown(this.#nothing, this.#list.childElementCount === 0);
  }

  #makeForm() {
    const label = make("label", {}, make("span", {}, "Your comment"), this.#text);
    const form = make("form", {}, label, this.#problem, make("p", { className: "actions" }, this.#button));
    this.#text.value = (this.#draftKey && browserStore.read(this.#draftKey)) || "";
    this.#text.addEventListener("input", () => this.#keep());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#hand();
    });
    // In the field Enter begins a new line.
    this.#text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.repeat) form.requestSubmit();
    });
    return form;
  }

  #keep() {
    if (!this.#draftKey) return;
    if (this.#text.value) browserStore.write(this.#draftKey, this.#text.value);
    else browserStore.remove(this.#draftKey);
  }

  /** What cannot be sent stays in the field. */
  async #hand() {
    const text = this.#text.value.trim();
    if (!this.#send || !text || this.#button.disabled) return;
    this.#problem.textContent = "";
    this.#button.disabled = true;
    try {
      this.#add(await this.#send(text));
      this.#text.value = "";
      this.#keep();
    } catch (error) {
      this.#problem.textContent = error.message;
    } finally {
      this.#button.disabled = false;
      this.#text.focus();
    }
  }
}

function makeComment({ who, at, text }) {
  const head = make("p", { className: "quiet" }, make("b", {}, who), " ", make("time", { dateTime: at }));
  return make("li", { className: "comment" }, head, make("p", { className: "text" }, text));
}
