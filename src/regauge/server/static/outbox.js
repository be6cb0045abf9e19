/**
 * Answers on their way: written down in this browser before they are sent, and struck out when the server has them on disk.
 *
 * Each answer lies under a key of its own, so that several tabs can add and strike out without getting into each other's way:
 * the study, the number of whoever gave it, and an id of our own making, by which the server takes it once however often it
 * comes. Several people may share a computer, and several studies an address.
 *
 * Earlier versions kept answers under a name. Whose they are the server knows, for it knows whom it asked: what it takes was
 * ours; the rest is set aside, as is what cannot be read, and the page says so.
 */

import { owner } from "./owner.js";
import { Refusal, Unreachable, isStillHere, request } from "./requests.js";

const PREFIX = "regauge.answer.";
const OLD_PREFIX = "regauge.outbox.";
/** Set aside, and set aside after somebody was told. */
const ASIDE = "regauge.aside.";
const TOLD = "regauge.told.";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;

/** What the answers are doing. */
export const Mood = Object.freeze({
  SAVED: "saved",
  SAVING: "saving",
  OFFLINE: "offline",
  TOO_FAST: "too fast",
  NOT_STORING: "not storing",
  SIGNED_OUT: "signed out",
  STALE: "stale",
});

/** What it means that the server answers, but not now. */
const MOOD_OF = { 429: Mood.TOO_FAST, 503: Mood.NOT_STORING };

/** Answers that could not be written down: storage is full or switched off. They are here until they are sent. */
const memory = new Map();
let isLeaving = false;

/** Let the page go without asking: somebody was asked already. */
export function leaveNow() {
  isLeaving = true;
}

/** How many answers of whoever is here the server does not have yet, and how many of these only this tab has. */
export function countWaiting() {
  const n_unkept = [...memory.values()].filter((entry) => !entry.refusal).length;
  return { n: n_unkept + listOwn().filter((entry) => !entry.refusal).length, n_unkept };
}

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
  #mood = Mood.SAVED;
  #pause = FIRST_PAUSE;
  #nextAt = 0;
  #timer = null;
  #isSending = false;

  constructor() {
    super();
    window.addEventListener("online", () => this.flush());
    window.addEventListener("storage", (event) => this.#hear(event));
    document.addEventListener("visibilitychange", () => document.hidden || this.flush());
    window.addEventListener("beforeunload", (event) => !isLeaving && this.waiting.length && event.preventDefault());
  }

  /** What the answers are doing. */
  get mood() {
    return this.#mood;
  }

  /** In how many seconds what waits is sent again; at least one. */
  get secondsLeft() {
    return Math.max(1, Math.ceil((this.#nextAt - Date.now()) / 1000));
  }

  /** Answers that the server does not have yet, the oldest first. */
  get waiting() {
    return this.#list().filter((entry) => !entry.refusal);
  }

  /** Answers that the server will not take, with its words in `refusal`. */
  get refused() {
    return this.#list().filter((entry) => entry.refusal);
  }

  /** How many answers were set aside: they cannot be read, or are not ours to send. */
  get nAside() {
    return listAside().length;
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

  /** Forget the answers that were refused; those set aside stay, and are told no more. */
  dismiss() {
    for (const entry of this.refused) this.#strike(entry);
    for (const key of listAside()) move(key, TOLD + key.slice(ASIDE.length));
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
        await send(next);
        this.#strike(next);
        this.#pause = FIRST_PAUSE;
        this.#tell(Mood.SAVING);
      } catch (error) {
        if (!(await isFinal(error))) throw error;
        this.#write({ ...next, refusal: error.message });
      }
    }
    await this.#sendOld();
  }

  /** What an earlier version has kept under a name like ours: the server says whether it is ours. */
  async #sendOld() {
    for (const key of listOld()) {
      const entry = read(key);
      if (entry === null) continue;
      try {
        await send(entry);
        remove(key);
      } catch (error) {
        if (!(await isFinal(error))) throw error;
        if (error.status === NOT_YOURS) {
          move(key, ASIDE + key);
          continue;
        }
        this.#write({ ...entry, refusal: error.message });
        remove(key);
      }
    }
  }

  #holdUp(error) {
    if (error instanceof Refusal) {
      this.#tell(error.status === 401 ? Mood.SIGNED_OUT : Mood.STALE);
      return;
    }
    if (!(error instanceof Unreachable)) console.error(error);
    // A little chance keeps many browsers from coming back at the same moment.
    const pause = Math.min(1000 * (error.seconds ?? 0), LONGEST_PAUSE) + this.#pause * (0.75 + Math.random() / 2);
    this.#nextAt = Date.now() + pause;
    this.#timer = setTimeout(() => this.flush(), pause);
    this.#tell(MOOD_OF[error.status] ?? Mood.OFFLINE);
    this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE);
  }

  #hear(event) {
    if (!event.key?.startsWith(ownPrefix())) return;
    const entry = event.newValue && !event.oldValue ? parse(event.key, event.newValue) : null;
    if (entry) this.dispatchEvent(new CustomEvent("elsewhere", { detail: entry }));
    this.#tell(this.#mood);
  }

  #tell(mood) {
    this.#mood = mood === Mood.SAVED && this.waiting.length ? Mood.SAVING : mood;
    this.dispatchEvent(new Event("change"));
  }

  #list() {
    return [...listOwn(), ...memory.values()].sort((a, b) => a.at - b.at);
  }

  #write(entry) {
    try {
      localStorage.setItem(ownPrefix() + entry.client_id, JSON.stringify(entry));
    } catch {
      // Storage that is full or switched off: this tab keeps the answer, and asks before it is closed.
      memory.set(entry.client_id, entry);
    }
  }

  #strike(entry) {
    memory.delete(entry.client_id);
    remove(ownPrefix() + entry.client_id);
  }
}

/** What the server says where an assignment is not that of whoever asks. */
const NOT_YOURS = 404;

const ownPrefix = () => `${PREFIX}${owner}.`;
const oldPrefix = () => `${OLD_PREFIX}${document.body.dataset.who}.`;

/** What lies under our name; names may have dots in them, ids have none. */
function listOld(before = "") {
  const prefix = before + oldPrefix();
  return listKeys(prefix).filter((key) => !key.slice(prefix.length).includes("."));
}

const listAside = () => [...listKeys(ASIDE + ownPrefix()), ...listOld(ASIDE)];

async function send({ client_id, assignment_id, answer, seconds, revision }) {
  await request("POST", "/api/answers", { client_id, assignment_id, answer, seconds, revision });
}

/** Whether the same answer will never be taken; not so where somebody else has come in since, in whose name it must not go. */
async function isFinal(error) {
  if (!(error instanceof Refusal) || error.status === 401 || error.status === 403) return false;
  return error.status !== NOT_YOURS || isStillHere();
}

function listOwn() {
  return listKeys(ownPrefix())
    .map(read)
    .filter((entry) => entry !== null);
}

/** The answer under a key; null where there is none that can be read: it is set aside, and keeps no other from going out. */
function read(key) {
  const text = localStorage.getItem(key);
  if (text === null) return null;
  const entry = parse(key, text);
  if (entry === null) move(key, ASIDE + key);
  return entry;
}

function parse(key, text) {
  try {
    const entry = JSON.parse(text);
    const isWhole =
      key.endsWith(`.${entry.client_id}`) &&
      typeof entry.assignment_id === "string" &&
      typeof entry.answer === "object" &&
      entry.answer !== null &&
      Number.isFinite(entry.at);
    return isWhole ? entry : null;
  } catch {
    return null;
  }
}

function listKeys(prefix) {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  } catch {
    return [];
  }
}

function move(key, other) {
  const text = localStorage.getItem(key);
  // Another tab may have been faster.
  if (text === null) return;
  // Taken away first: where storage is full there is no room for both.
  localStorage.removeItem(key);
  try {
    localStorage.setItem(other, text);
  } catch {
    localStorage.setItem(key, text);
  }
}

function remove(key) {
  try {
    localStorage.removeItem(key);
  } catch {
    // It was never there.
  }
}
