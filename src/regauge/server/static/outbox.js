/**
 * Answers on their way: written down in this browser before they are sent, and struck out when the server has them on disk.
 *
 * Each answer lies under a key of its own, so that several tabs can add and strike out without getting into each other's way.
 * It has an id of our own making, by which the server takes it once however often it comes.
 */

import { Refusal, Unreachable, request } from "./requests.js";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;

/** What the answers are doing. */
export const Mood = Object.freeze({
  SAVED: "saved",
  SAVING: "saving",
  OFFLINE: "offline",
  SIGNED_OUT: "signed out",
  STALE: "stale",
});

/** A random id, also where the address is not HTTPS and browsers offer less. */
export function makeId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The answers of one person in this browser. Fires "change" whenever something is added, sent, refused or held up, and "elsewhere"
 * with an entry when another tab adds one.
 */
export class Outbox extends EventTarget {
  #prefix;
  #memory = new Map();
  #mood = Mood.SAVED;
  #pause = FIRST_PAUSE;
  #timer = null;
  #isSending = false;

  constructor(who) {
    super();
    this.#prefix = `regauge.outbox.${who}.`;
    window.addEventListener("online", () => this.flush());
    window.addEventListener("storage", (event) => this.#hear(event));
    document.addEventListener("visibilitychange", () => document.hidden || this.flush());
    window.addEventListener("beforeunload", (event) => this.#memory.size && event.preventDefault());
  }

  /** What the answers are doing. */
  get mood() {
    return this.#mood;
  }

  /** Answers that the server does not have yet, the oldest first. */
  get waiting() {
    return this.#list().filter((entry) => !entry.refusal);
  }

  /** Answers that the server will not take, with its words in `refusal`. */
  get refused() {
    return this.#list().filter((entry) => entry.refusal);
  }

  /** Whether an answer to the assignment is on its way. */
  has(assignmentId) {
    return this.waiting.some((entry) => entry.assignment_id === assignmentId);
  }

  /** Write an answer down and send it. */
  put({ campaign, assignmentId, answer, seconds, revision }) {
    const entry = { client_id: makeId(), assignment_id: assignmentId, answer, seconds, revision, campaign, at: Date.now() };
    this.#write(entry);
    this.#pause = FIRST_PAUSE;
    this.flush();
  }

  /** Forget the answers that were refused. */
  dismiss() {
    for (const entry of this.refused) this.#strike(entry);
    this.#tell(this.#mood);
  }

  /** Send what waits, now. */
  async flush() {
    if (this.#isSending) return;
    clearTimeout(this.#timer);
    this.#isSending = true;
    try {
      await this.#sendAll();
      this.#tell(Mood.SAVED);
    } catch (error) {
      this.#holdUp(error);
    } finally {
      this.#isSending = false;
    }
  }

  async #sendAll() {
    for (let next = this.waiting[0]; next; next = this.waiting[0]) {
      if (this.#mood === Mood.SAVED) this.#tell(Mood.SAVING);
      try {
        const { client_id, assignment_id, answer, seconds, revision } = next;
        await request("POST", "/api/answers", { client_id, assignment_id, answer, seconds, revision });
        this.#strike(next);
        this.#pause = FIRST_PAUSE;
        this.#tell(Mood.SAVING);
      } catch (error) {
        if (!(error instanceof Refusal) || error.status === 401 || error.status === 403) throw error;
        this.#write({ ...next, refusal: error.message });
      }
    }
  }

  #holdUp(error) {
    if (error instanceof Refusal) {
      this.#tell(error.status === 401 ? Mood.SIGNED_OUT : Mood.STALE);
      return;
    }
    if (!(error instanceof Unreachable)) console.error(error);
    this.#tell(Mood.OFFLINE);
    // A little chance keeps many browsers from coming back at the same moment.
    this.#timer = setTimeout(() => this.flush(), this.#pause * (0.75 + Math.random() / 2));
    this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE);
  }

  #hear(event) {
    if (!event.key?.startsWith(this.#prefix)) return;
    if (event.newValue && !event.oldValue) {
      this.dispatchEvent(new CustomEvent("elsewhere", { detail: JSON.parse(event.newValue) }));
    }
    this.#tell(this.#mood);
  }

  #tell(mood) {
    this.#mood = mood === Mood.SAVED && this.waiting.length ? Mood.SAVING : mood;
    this.dispatchEvent(new Event("change"));
  }

  #list() {
    const stored = [];
    for (let place = 0; place < localStorageLength(); place += 1) {
      const key = localStorage.key(place);
      if (key?.startsWith(this.#prefix)) stored.push(JSON.parse(localStorage.getItem(key)));
    }
    return [...stored.filter(Boolean), ...this.#memory.values()].sort((a, b) => a.at - b.at);
  }

  #write(entry) {
    try {
      localStorage.setItem(this.#prefix + entry.client_id, JSON.stringify(entry));
    } catch {
      // Storage that is full or switched off: this tab keeps the answer, and asks before it is closed.
      this.#memory.set(entry.client_id, entry);
    }
  }

  #strike(entry) {
    this.#memory.delete(entry.client_id);
    try {
      localStorage.removeItem(this.#prefix + entry.client_id);
    } catch {
      // It was never there.
    }
  }
}

function localStorageLength() {
  try {
    return localStorage.length;
  } catch {
    return 0;
  }
}
