/** Requests to the server: JSON both ways, with the token that shows that one of our pages asks. */

const TIMEOUT = 20_000;

const { who } = document.body.dataset;
let { csrf } = document.body.dataset;

/** The server answered, and says no. */
export class Refusal extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/** The server did not answer, or cannot at the moment; the same request may do later. */
export class Unreachable extends Error {}

/**
 * Send a request and give what came back.
 *
 * @throws {Refusal} the server says no.
 * @throws {Unreachable} it does not answer, or is busy.
 */
export async function request(method, address, body) {
  try {
    return await ask(method, address, body);
  } catch (error) {
    // Somebody who came in anew, in this tab or another, has a new token; this page learns it and asks once more.
    if (!(error instanceof Refusal) || error.status !== 403 || !who || !(await refreshToken())) throw error;
    return ask(method, address, body);
  }
}

async function ask(method, address, body) {
  const reply = await reach(address, {
    method,
    headers: { "x-csrf-token": csrf, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    body: body === undefined ? undefined : JSON.stringify(body),
    // What is on its way arrives also when the page is closed.
    keepalive: method === "POST",
  });
  if (reply.status === 204) return null;
  if (reply.ok) return reply.json();
  if (reply.status >= 500 || reply.status === 408 || reply.status === 429) throw new Unreachable(await explain(reply));
  throw new Refusal(reply.status, await explain(reply));
}

async function reach(address, options) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), TIMEOUT);
  try {
    return await fetch(address, { ...options, signal: stop.signal, credentials: "same-origin" });
  } catch {
    throw new Unreachable("The server cannot be reached.");
  } finally {
    clearTimeout(timer);
  }
}

async function explain(reply) {
  const said = await reply.json().catch(() => null);
  return typeof said?.detail === "string" ? said.detail : `The server answered ${reply.status}.`;
}

/** Take over the token of the present session if it is still the same person's; true if it is another token. */
async function refreshToken() {
  const reply = await reach("/api/session", { method: "GET" });
  if (reply.status === 401) throw new Refusal(401, await explain(reply));
  if (!reply.ok) return false;
  const session = await reply.json();
  if (session.name !== who) {
    throw new Refusal(401, "Somebody else came in with another link in this browser. Please open your own link again.");
  }
  const isNew = session.csrf !== csrf;
  csrf = session.csrf;
  return isNew;
}
