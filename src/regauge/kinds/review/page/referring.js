/** REVIEW: a label that the reviewer refers to experts, who judge it alone. */

import { make, setShown } from "./dom.js";
import { ReasonDialog } from "./parts/reason_dialog.js";
import { request } from "./requests.js";

const MAX_LENGTH = 60;
/** Expertises that can be chosen by a number. */
const MAX_CHOICES = 9;
const HINT = "An expert in it judges the label alone; nobody else is asked about it any more.";

/** Asks to which experts a label is referred. */
export class Referring {
  /** @type {Promise<ReasonDialog> | null} one dialog, however often it is asked for before it is there. */
  #dialog = null;

  /**
   * Ask to whom.
   *
   * @param {string} name of the label.
   * @returns {Promise<string>} the expertise; empty where it was given up.
   */
  async ask(name) {
    this.#dialog ??= makeDialog();
    const dialog = await this.#dialog;
    if (dialog.isOpen) return "";
    let chosen = "";
    const question = { title: `Refer ${name} to an expert in …`, action: "Refer", label: "A kind, such as dogs, or a few words", needed: "Say in what: a kind, or a few words." };
    await dialog.ask(question, async (words) => {
      if (words.length > MAX_LENGTH) throw new Error(`Use up to ${MAX_LENGTH} characters.`);
      chosen = words.trim();
    });
    return chosen;
  }
}

async function makeDialog() {
  return new ReasonDialog({ presets: await findExpertises(), hint: HINT });
}

/** What there are experts of; without knowing, one can still write it. */
async function findExpertises() {
  try {
    const { expertises } = await request("GET", "/api/expertises");
    return expertises.slice(0, MAX_CHOICES);
  } catch {
    return [];
  }
}

/** The button that refers a label, and the line that says to whom it was; `refer` is called for a click. */
export function makeReferral(name, refer) {
  const button = make("button", { type: "button", className: "quiet", "aria-label": `Refer ${name} to an expert` }, "Refer ", make("kbd", { "aria-hidden": "true" }, "r"));
  button.addEventListener("click", refer);
  const line = make("p", { className: "referral", role: "status", hidden: true });
  return { button, line };
}

/** Say to whom a label is referred; nothing where to nobody. */
export function showReferral(pair) {
  const words = pair.refers || pair.referredTo;
  pair.referral.textContent = words ? `Referred to an expert in ${words}` : "";
  setShown(pair.referral, Boolean(words));
  pair.element.classList.toggle("is-referred", Boolean(words));
}
