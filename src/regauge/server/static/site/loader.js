/**
 * The data of the website, in chunks: each is a script that hands its data over by `regauge.take`. A browser loads scripts from a
 * folder (`file:`), where it refuses every request for data.
 */

const NAME = /^[a-z][a-z0-9-]*$/;

/** @type {Map<string, { promise: Promise<any>, resolve: (payload: any) => void, reject: (error: Error) => void }>} */
const asked = new Map();
/** The state of the study that the first chunk was of. */
let known = "";

/** Where chunks are; a server has them elsewhere than a folder. */
const findBase = () => document.body.dataset.data ?? "data/";

/**
 * Called by every chunk.
 *
 * @param {string} name
 * @param {string} state
 * @param {any} payload
 */
export function take(name, state, payload) {
  const one = asked.get(name);
  if (!one) return;
  known ||= state;
  if (state === known) one.resolve(payload.none ? null : payload);
  else one.reject(new Error("The study has changed since this page was opened. Reload the page to see it as it is now."));
}

/**
 * The data of a chunk, loaded once; null where there is nothing to tell.
 *
 * @param {string} name
 * @returns {Promise<any>}
 */
export function need(name) {
  const held = asked.get(name);
  if (held) return held.promise;
  if (!NAME.test(name)) return Promise.reject(new Error(`There is no part ${name}.`));
  /** @type {any} */
  const one = {};
  one.promise = new Promise((resolve, reject) => Object.assign(one, { resolve, reject }));
  asked.set(name, one);
  one.promise.catch(() => asked.delete(name));
  addScript(name, one.reject);
  return one.promise;
}

function addScript(name, reject) {
  const script = document.createElement("script");
  script.src = `${findBase()}${name}.js`;
  script.async = true;
  script.addEventListener("load", () => {
    script.remove();
    // A script that came without handing anything over is not ours; where it did, this changes nothing.
    reject(new Error(`The file ${name}.js is damaged.`));
  });
  script.addEventListener("error", () => {
    script.remove();
    reject(new Error(`The file ${name}.js could not be loaded. Check that the folder is complete, or that you are still signed in.`));
  });
  document.head.append(script);
}
