/**
 * Requests to the server: JSON both ways, with the token that shows that one of our pages asks.
 *
 * In a frame of another site there are no cookies. There the page has a token of its own, which says who is there; it is kept
 * nowhere else.
 */

import { isOwn } from "./owner.js";

const TIMEOUT = 20_000;
const MAX_KEPT = 20_000;

const { who, token } = document.body.dataset;
let { csrf = "" } = document.body.dataset;

/** Whether the page is in a frame of another site, where images cannot be fetched by their address alone. */
export const isFramed = token !== undefined;

/** The server answered, and says no. */
export class Refusal extends Error {
  constructor(status, detail, said = null) {
    super(detail);
    this.status = status;
    this.said = said;
  }
}

/** Whether the server has said no: asking again would not help. */
export const isRefusal = (error) => error instanceof Refusal;

/** The server did not answer, or cannot at the moment; the same request may do later: after so many seconds, if it says so. */
export class Unreachable extends Error {
  /**
   * @param {string} detail
   * @param {object} [reply]
   * @param {number | null} [reply.status]
   * @param {number} [reply.seconds]
   */
  constructor(detail, { status = null, seconds = 0 } = {}) {
    super(detail);
    this.status = status;
    this.seconds = seconds;
  }
}

/**
 * Send a request and give what came back.
 *
 * @throws {Refusal} the server says no.
 * @throws {Unreachable} it does not answer, or is busy.
 */
export async function request(method, address, body, patience = TIMEOUT) {
  try {
    return await ask(method, address, body, patience);
  } catch (error) {
    // Somebody who came in anew, in this tab or another, has a new token; this page learns it and asks once more.
    if (!(error instanceof Refusal) || error.status !== 403 || !who || isFramed || !(await refreshToken())) throw error;
    return ask(method, address, body, patience);
  }
}

async function ask(method, address, body, patience) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const options = {
    method,
    headers: { ...identify(), ...(text === undefined ? {} : { "content-type": "application/json" }) },
    body: text,
    // What is on its way arrives also when the page is closed; browsers grant that to what is short.
    keepalive: method === "POST" && (text ?? "").length < MAX_KEPT,
  };
  const reply = await reach(address, options, patience);
  if (reply.status === 204) return null;
  if (reply.ok) return reply.json();
  if (reply.status >= 500 || reply.status === 408 || reply.status === 429) {
    throw new Unreachable(await explain(reply), { status: reply.status, seconds: findWait(reply) });
  }
  const said = await reply.clone().json().catch(() => null);
  throw new Refusal(reply.status, await explain(reply), said);
}

/** Fetch an image in a frame; resolves to what it holds. */
export async function fetchImage(address) {
  const reply = await reach(address, { method: "GET", headers: identify() });
  if (!reply.ok) throw new Unreachable(`The image did not load: ${reply.status}.`);
  return reply.blob();
}

function identify() {
  return isFramed ? { authorization: `Bearer ${token}` } : { "x-csrf-token": csrf };
}

async function reach(address, options, patience = TIMEOUT) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), patience);
  try {
    return await fetch(address, { ...options, signal: stop.signal, credentials: isFramed ? "omit" : "same-origin" });
  } catch {
    throw new Unreachable("The server cannot be reached.");
  } finally {
    clearTimeout(timer);
  }
}

/** The seconds that the server asks us to wait; 0 where it says nothing, or a date. */
function findWait(reply) {
  const seconds = Number(reply.headers.get("retry-after"));
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 0;
}

async function explain(reply) {
  const said = await reply.json().catch(() => null);
  return typeof said?.detail === "string" ? said.detail : `The server answered ${reply.status}.`;
}

/** Take over the token of the present session if it is still the same person's; true if it is another token. */
async function refreshToken() {
  const session = await findSession();
  if (session === null) return false;
  const isNew = session.csrf !== csrf;
  csrf = session.csrf;
  return isNew;
}

/** Whether whoever opened the page is still the one who is signed in; raises where somebody else is, or nobody. */
export async function isStillHere() {
  return isFramed || (await findSession()) !== null;
}

async function findSession() {
  const reply = await reach("/api/session", { method: "GET" });
  if (reply.status === 401) throw new Refusal(401, await explain(reply));
  if (!reply.ok) return null;
  const session = await reply.json();
  if (!isOwn(session)) {
    throw new Refusal(401, "Somebody else signed in with another link in this browser. Please open your own link again.");
  }
  return session;
}

/**
 * Send a filled-in form, and give the status and what came back: what is wrong with it is for the form to say.
 *
 * @throws {Unreachable} the server does not answer, or is busy.
 */
export async function send(address, form) {
  const ask = () => fetch(address, { method: "POST", headers: { "x-csrf-token": csrf }, body: form, credentials: "same-origin" });
  let reply = await ask().catch(() => null);
  if (reply?.status === 403 && (await refreshToken())) reply = await ask().catch(() => null);
  if (!reply || reply.status >= 500) throw new Unreachable("The server cannot be reached, or is busy. Nothing was lost: try again.");
  return { status: reply.status, reply: await reply.json().catch(() => ({ detail: `The server answered ${reply.status}.` })) };
}
