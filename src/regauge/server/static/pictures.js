/** Images of tasks: fetched and decoded ahead, and asked for again when they do not come. */

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
    setTimeout(() => (picture.src = `${address}?again=${(n_tries += 1)}`), pause);
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  });
  picture.addEventListener("load", () => delete picture.dataset.failed);
  picture.src = address;
  return picture;
}

/** Fetch and decode the images of a task; resolves when all that come at the first try are there. */
export function fetchPictures(task) {
  task.pictures ??= task.images.map((address) =>
    fetchPicture(address, task.images.length === 1 ? "The image to label" : ""),
  );
  return Promise.allSettled(task.pictures.map((picture) => picture.decode()));
}
