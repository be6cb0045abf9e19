/**
 * Answers on their way, and whatever else must not be lost: written down in this browser before they are sent, each with the
 * address that it goes to, and struck out when the server has them on disk.
 *
 * Each lies under a key of its own, so that several tabs can add and strike out without getting into each other's way:
 * the study, the number of whoever gave it, and an id of our own making, by which the server takes it once however often it
 * comes. Several people may share a computer, and several studies an address.
 *
 * Earlier versions kept answers under a name. Whose they are the server knows, for it knows whom it asked: what it takes was
 * ours; the rest is set aside, as is what cannot be read, and the page says so.
 */

import { owner } from "./owner.js";
import { Pauses } from "./parts/retry.js";
import { browserStore, parse } from "./parts/store.js";
import { Refusal, Unreachable, isStillHere, request } from "./requests.js";

const PREFIX = "regauge.answer.";
/** What is not an answer to a task; pages of earlier versions that are still open do not touch it. */
const OTHER_PREFIX = "regauge.entry.";
const OLD_PREFIX = "regauge.outbox.";
/** Set aside, and set aside after somebody was told. */
const ASIDE = "regauge.aside.";
const TOLD = "regauge.told.";

/** Where answers go that do not say it. */
const ANSWERS = "/api/answers";
const PAUSES = { first: 500, longest: 30_000 };

/**
 * What is on its way. An answer to a task has its parts beside each other, as earlier versions wrote them; anything else has an
 * address of our server and a body.
 *
 * @typedef {object} Entry
 * @property {string} client_id
 * @property {number} at when it was written down.
 * @property {number} [campaign]
 * @property {string} [refusal] why the server will not take it.
 * @property {string} [address]
 * @property {Record<string, any>} [body]
 * @property {string} [assignment_id]
 * @property {any} [answer]
 * @property {number | null} [seconds]
 * @property {number} [revision]
 * @property {any} [shown] how long it was from the image being shown to the answer, where that is measured.
 */

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

/** What it means that nothing was taken, though it may be later: whoever answers is there, whatever is wrong with it. */
const findMood = ({ status }) => (status === 429 ? Mood.TOO_FAST : status ? Mood.NOT_STORING : Mood.OFFLINE);

/**
 * Answers that could not be written down: storage is full or switched off. They are here until they are sent.
 *
 * @type {Map<string, Entry>}
 */
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
  #pauses = new Pauses(PAUSES);
  #nextAt = 0;
  #timer = 0;
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

  /** Within how many seconds what waits is sent again, or sooner if something comes; at least one. */
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

  /**
   * Write an answer to a task down and send it.
   *
   * @param {Record<string, any>} one
   */
  put({ campaign, assignmentId, answer, seconds, revision, shown = null }) {
    this.#put({ assignment_id: assignmentId, answer, seconds, revision, campaign, ...(shown ? { shown } : {}) });
  }

  /**
   * Write something else down and send it; the server knows it again by the `client_id` that comes with the body.
   *
   * @param {string} address of our server, beginning with "/api/".
   * @param {Record<string, any>} body
   */
  post(address, body) {
    this.#put({ address, body });
  }

  #put(parts) {
    this.#write({ client_id: makeId(), ...parts, at: Date.now() });
    this.#pauses.reset();
    this.flush();
  }

  /** Forget the answers that were refused; those set aside stay, and are told no more. */
  dismiss() {
    for (const entry of this.refused) this.#strike(entry);
    for (const key of listAside()) browserStore.move(key, TOLD + key.slice(ASIDE.length));
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
        this.#pauses.reset();
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
        browserStore.remove(key);
      } catch (error) {
        if (!(await isFinal(error))) throw error;
        if (error.status === NOT_YOURS) {
          browserStore.move(key, ASIDE + key);
          continue;
        }
        this.#write({ ...entry, refusal: error.message });
        browserStore.remove(key);
      }
    }
  }

  #holdUp(error) {
    if (error instanceof Refusal) {
      this.#tell(error.status === 401 ? Mood.SIGNED_OUT : Mood.STALE);
      return;
    }
    if (!(error instanceof Unreachable)) console.error(error);
    const pause = Math.min(1000 * (error.seconds ?? 0), PAUSES.longest) + this.#pauses.take();
    this.#nextAt = Date.now() + pause;
    this.#timer = setTimeout(() => this.flush(), pause);
    this.#tell(findMood(error));
  }

  #hear(event) {
    if (!listPrefixes().some((prefix) => event.key?.startsWith(prefix))) return;
    const entry = event.newValue && !event.oldValue ? parseEntry(event.key, event.newValue) : null;
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
    // What lay here or there before is the same answer, and would be sent again.
    memory.delete(entry.client_id);
    if (browserStore.writeData(findKey(entry), entry)) return;
    // Where storage is full or switched off, this tab keeps the answer, and asks before it is closed.
    browserStore.remove(findKey(entry));
    memory.set(entry.client_id, entry);
  }

  #strike(entry) {
    memory.delete(entry.client_id);
    browserStore.remove(findKey(entry));
  }
}

/** What the server says where an assignment is not that of whoever asks. */
const NOT_YOURS = 404;

const listPrefixes = () => [`${PREFIX}${owner}.`, `${OTHER_PREFIX}${owner}.`];
const findKey = (entry) => listPrefixes()[entry.body ? 1 : 0] + entry.client_id;
const oldPrefix = () => `${OLD_PREFIX}${document.body.dataset.who}.`;

/** What lies under our name; names may have dots in them, ids have none. */
function listOld(before = "") {
  const prefix = before + oldPrefix();
  return browserStore.list(prefix).filter((key) => !key.slice(prefix.length).includes("."));
}

const listOwnKeys = (before = "") => listPrefixes().flatMap((prefix) => browserStore.list(before + prefix));
const listAside = () => [...listOwnKeys(ASIDE), ...listOld(ASIDE)];

/** @param {Entry} entry */
async function send({ client_id, address = ANSWERS, body, assignment_id, answer, seconds, revision, shown }) {
  const time = shown ? { shown } : {};
  await request("POST", address, body ? { ...body, client_id } : { client_id, assignment_id, answer, seconds, revision, ...time });
}

/** Whether the same answer will never be taken; not so where somebody else has come in since, in whose name it must not go. */
async function isFinal(error) {
  if (!(error instanceof Refusal) || error.status === 401 || error.status === 403) return false;
  return error.status !== NOT_YOURS || isStillHere();
}

function listOwn() {
  return listOwnKeys()
    .map(read)
    .filter((entry) => entry !== null);
}

/** The answer under a key; null where there is none that can be read: it is set aside, and keeps no other from going out. */
function read(key) {
  const text = browserStore.read(key);
  if (text === null) return null;
  const entry = parseEntry(key, text);
  if (entry === null) browserStore.move(key, ASIDE + key);
  return entry;
}

/** @returns {Entry | null} */
function parseEntry(key, text) {
  const entry = parse(text);
  const isOurs = isRecord(entry) && key.endsWith(`.${entry.client_id}`) && Number.isFinite(entry.at);
  return isOurs && (isAnswer(entry) || isPost(entry)) ? entry : null;
}

const isRecord = (data) => typeof data === "object" && data !== null;
const isAnswer = ({ assignment_id, answer, address, body }) =>
  typeof assignment_id === "string" && isRecord(answer) && address === undefined && body === undefined;
/** What stands in a browser goes to our own server only. */
const isPost = (entry) => typeof entry.address === "string" && entry.address.startsWith("/api/") && isRecord(entry.body);
