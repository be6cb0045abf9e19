/** Images of tasks: fetched and decoded ahead, and asked for again when they do not come. */

import { fetchImage, isFramed } from "./requests.js";

const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 15_000;

/** An image that is being fetched; it is tried again until it is there. */
export function fetchPicture(address, alt) {
  const picture = new Image();
  picture.alt = alt;
  picture.draggable = false;
  picture.decoding = "async";
  let pause = FIRST_PAUSE;
  let n_tries = 0;
  picture.addEventListener("error", () => {
    picture.dataset.failed = "";
    setTimeout(() => load(picture, `${address}?again=${(n_tries += 1)}`), pause);
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  });
  picture.addEventListener("load", () => {
    delete picture.dataset.failed;
    picture.dataset.shown = "";
  });
  load(picture, address);
  return picture;
}

/** Whether an image was there at any time. */
export const wasShown = (picture) => "shown" in picture.dataset;

/** Whether an image did not come, and is being asked for again. */
export const hasFailed = (picture) => "failed" in picture.dataset;

/** Begin to fetch an image; in a frame by script, for the address alone does not say who asks. */
async function load(picture, address) {
  if (!isFramed) {
    picture.src = address;
    return;
  }
  try {
    const content = await fetchImage(address);
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
