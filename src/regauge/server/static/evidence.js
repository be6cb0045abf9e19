/** Evidence from outside beside a vote: words, a link, and a picture, which is sent when it is chosen. */

import { byId, make } from "./dom.js";
import { NO_LINK, isWebAddress } from "./parts/web_address.js";
import { request } from "./requests.js";

const MAX_BYTES = 8 * 1024 * 1024;

/** The field of a picture: a file that is sent when it is chosen, and the picture itself. */
export class PictureField {
  #changed;
  #picture = "";
  #assignment = "";
  #problem = "";

  /**
   * @param {object} options
   * @param {() => unknown} options.changed what to do when a picture was sent or removed.
   */
  constructor({ changed }) {
    this.#changed = changed;
    byId("evidence-file").addEventListener("change", () => this.#send());
  }

  /** Show what was given for a task. */
  show(picture, assignment) {
    this.#assignment = assignment;
    this.#problem = "";
    byId("evidence-file").value = "";
    this.#keep(picture);
  }

  /** What the picture is asked for by; empty without one. */
  get picture() {
    return this.#picture;
  }

  /** Why it cannot be handed in yet; empty where it can. */
  get problem() {
    return this.#problem;
  }

  async #send() {
    const [file] = byId("evidence-file").files;
    if (!file) return;
    const mine = this.#assignment;
    this.#problem = "The picture is being sent …";
    try {
      if (file.size > MAX_BYTES) throw new Error("A picture has at most 8 MB.");
      const { picture } = await request("POST", "/api/evidence", { assignment_id: mine, content: await encode(file) });
      if (mine !== this.#assignment) return;
      this.#problem = "";
      this.#keep(picture);
      this.#changed();
    } catch (error) {
      if (mine !== this.#assignment) return;
      this.#problem = "";
      byId("evidence-file").value = "";
      byId("problem").textContent = error.message;
    }
  }

  #keep(picture) {
    this.#picture = picture;
    if (!picture) {
      byId("evidence-picture").replaceChildren();
      return;
    }
    const remove = make("button", { type: "button" }, "Remove the picture");
    remove.addEventListener("click", () => {
      this.#keep("");
      this.#changed();
    });
    byId("evidence-picture").replaceChildren(make("img", { src: `/api/evidence/${picture}`, alt: "Your picture" }), remove);
  }
}

/** The fields of a vote: words, a link and a picture. */
export class EvidenceField {
  #file;

  /**
   * @param {object} options
   * @param {() => unknown} options.changed what to do when something was given.
   */
  constructor({ changed }) {
    this.#file = new PictureField({ changed });
    for (const id of ["evidence-text", "evidence-link"]) byId(id).addEventListener("input", () => changed());
  }

  /** Show what was given for a task. */
  show({ text = "", link = "", picture = "" }, assignment) {
    byId("evidence-text").value = text;
    byId("evidence-link").value = link;
    byId("evidence").open = Boolean(text || link || picture);
    this.#file.show(picture, assignment);
  }

  /** What is given. */
  read() {
    const found = { text: byId("evidence-text").value.trim(), link: byId("evidence-link").value.trim(), picture: this.#file.picture };
    return Object.fromEntries(Object.entries(found).filter(([, said]) => said));
  }

  /** Why it cannot be handed in; empty where it can. */
  findProblem() {
    const { link = "" } = /** @type {any} */ (this.read());
    if (link && !isWebAddress(link)) return NO_LINK;
    return this.#file.problem;
  }

  /** Go there. */
  focus() {
    byId("evidence").open = true;
    byId("evidence-text").focus();
  }
}

/** The content of a file in base64. */
async function encode(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
