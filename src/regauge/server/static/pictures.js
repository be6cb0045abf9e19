/** Images of tasks: fetched and decoded ahead, asked for again when they do not come, and given back when a task is done. */

import { byId, setShown } from "./dom.js";
import { Pauses } from "./parts/retry.js";
import { fetchImage, isFramed } from "./requests.js";

/** Pixels of the larger copy that there is of every image. */
const LARGE = 1024;

/**
 * What is being done for an image.
 *
 * @typedef {object} Errand
 * @property {string} address
 * @property {Pauses} pauses
 * @property {number} nTries
 * @property {number} timer of the next try.
 * @property {boolean} isOver whether nobody wants the image any more.
 */

/** @type {WeakMap<HTMLImageElement, Errand>} */
const errands = new WeakMap();

/**
 * An image that is being fetched; it is tried again until it is there.
 *
 * @param {string} address
 * @param {string} alt
 * @returns {HTMLImageElement}
 */
export function fetchPicture(address, alt) {
  const picture = new Image();
  picture.alt = alt;
  picture.draggable = false;
  picture.decoding = "async";
  const errand = { address, pauses: new Pauses(), nTries: 0, timer: 0, isOver: false };
  errands.set(picture, errand);
  picture.addEventListener("error", () => tryAgain(picture, errand));
  picture.addEventListener("load", () => {
    delete picture.dataset.failed;
    picture.dataset.shown = "";
  });
  load(picture, address);
  return picture;
}

/** An address with one more word to the server; some have words already. */
const extend = (address, words) => `${address}${address.includes("?") ? "&" : "?"}${words}`;

function tryAgain(picture, errand) {
  if (errand.isOver) return;
  picture.dataset.failed = "";
  errand.nTries += 1;
  errand.timer = setTimeout(() => load(picture, extend(errand.address, `again=${errand.nTries}`)), errand.pauses.take());
}

/** Whether an image was there at any time. */
export const wasShown = (picture) => "shown" in picture.dataset;

/** Whether an image did not come, and is being asked for again. */
export const hasFailed = (picture) => "failed" in picture.dataset;

/**
 * Nobody wants an image any more: stop asking for it. The browser forgets it once nothing refers to it; its `src` stays, for
 * Chromium holds on to images that had one and lost it.
 *
 * @param {HTMLImageElement} picture
 */
export function releasePicture(picture) {
  const errand = errands.get(picture);
  if (errand) {
    errand.isOver = true;
    clearTimeout(errand.timer);
  }
  if (picture.src.startsWith("blob:")) URL.revokeObjectURL(picture.src);
}

/**
 * The larger copy of an image; there is one of each, so that nothing is told by asking for it.
 *
 * @param {HTMLImageElement} picture
 * @returns {Promise<HTMLImageElement>} rejects where it does not come.
 */
export async function fetchLarge(picture) {
  const errand = errands.get(picture);
  if (!errand) throw new Error("There is no larger copy of this image.");
  const address = extend(errand.address, `side=${LARGE}`);
  const large = new Image();
  large.src = isFramed ? URL.createObjectURL(await fetchImage(address)) : address;
  await large.decode();
  return large;
}

/** Begin to fetch an image; in a frame by script, for the address alone does not say who asks. */
async function load(picture, address) {
  if (!isFramed) {
    picture.src = address;
    return;
  }
  try {
    const content = await fetchImage(address);
    if (errands.get(picture)?.isOver) return;
    URL.revokeObjectURL(picture.src);
    picture.src = URL.createObjectURL(content);
  } catch {
    picture.dispatchEvent(new Event("error"));
  }
}

/** Resolves when an image is there, or when it did not come at the first try. */
function wait(picture) {
  if (picture.src) return picture.decode();
  return new Promise((resolve) => {
    picture.addEventListener("load", resolve, { once: true });
    picture.addEventListener("error", resolve, { once: true });
  });
}

/** Fetch and decode the images of a task; resolves when all that come at the first try are there. */
export function fetchPictures(task) {
  task.pictures ??= task.images.map((address) =>
    fetchPicture(address, task.images.length === 1 ? "The image to label" : ""),
  );
  return Promise.allSettled(task.pictures.map(wait));
}

/** Give the images of a task back; who looks at it again fetches them anew. */
export function releasePictures(task) {
  task.pictures?.forEach(releasePicture);
  delete task.pictures;
}

/**
 * Put the image of a task where it can be enlarged, and offer to report it while it does not come.
 *
 * @param {HTMLImageElement} picture
 * @param {object} options
 * @param {() => boolean} options.isStill whether it is still the one that is shown.
 * @param {boolean} [options.isKnown] whether it was shown when an earlier answer was given, so that there is nothing to report.
 */
export function showPicture(picture, { isStill, isKnown = false }) {
  const offer = () => isStill() && setShown(byId("unshown"), hasFailed(picture) && !wasShown(picture) && !isKnown);
  byId("enlarge").replaceChildren(picture);
  for (const event of ["load", "error"]) picture.addEventListener(event, offer);
  offer();
}
