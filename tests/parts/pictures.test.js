import { clear } from "./page.js";
import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

const { fetchLarge, fetchPicture, fetchPictures, hasFailed, releasePictures, showPicture, wasShown } = await import(
  "../../src/regauge/server/static/pictures.js"
);

beforeEach(clear);

const getSource = (picture) => picture.getAttribute("src");
const fire = (picture, name) => picture.dispatchEvent(new Event(name));

test("an image that does not come is asked for again, until it does", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const picture = fetchPicture("/images/x/0", "");
  fire(picture, "error");
  assert.deepEqual([hasFailed(picture), wasShown(picture)], [true, false]);
  mock.timers.tick(1_250);
  assert.equal(getSource(picture), "/images/x/0?again=1");
  fire(picture, "load");
  assert.deepEqual([hasFailed(picture), wasShown(picture)], [false, true]);
  mock.timers.reset();
});

test("a task that is over gives its pictures back, and nothing is asked for any more", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const task = { images: ["/images/x/0", "/images/x/1"] };
  fetchPictures(task);
  const [first, second] = task.pictures;
  fire(first, "error");
  releasePictures(task);
  mock.timers.tick(60_000);
  fire(second, "error");
  mock.timers.tick(60_000);
  assert.deepEqual([task.pictures, getSource(first), getSource(second)], [undefined, ...task.images]);
  fetchPictures(task);
  assert.equal(getSource(task.pictures[0]), "/images/x/0");
  releasePictures(task);
  releasePictures(task);
  mock.timers.reset();
});

test("the larger copy has the same address and a size", async () => {
  const picture = fetchPicture("/images/x/0", "");
  Image.prototype.decode = async () => {};
  const large = await fetchLarge(picture);
  assert.equal(getSource(large), "/images/x/0?side=1024");
  await assert.rejects(fetchLarge(new Image()), /no larger copy/);
});

/** A page with a place for the image of a task. */
function makePlace() {
  for (const id of ["enlarge", "unshown"]) document.body.append(Object.assign(document.createElement("div"), { id, hidden: true }));
  return [document.getElementById("enlarge"), document.getElementById("unshown")];
}

test("an image that does not come can be reported until it comes, and only while it is the one that is shown", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const [place, offer] = makePlace();
  const [first, second] = ["/images/x/0", "/images/x/1"].map((address) => fetchPicture(address, ""));
  let shown = first;
  showPicture(first, { isStill: () => shown === first });
  assert.deepEqual([place.firstChild, offer.hidden], [first, true]);
  fire(first, "error");
  assert.equal(offer.hidden, false);
  shown = second;
  showPicture(second, { isStill: () => shown === second });
  assert.deepEqual([place.firstChild, offer.hidden], [second, true]);
  fire(first, "error");
  assert.equal(offer.hidden, true);
  mock.timers.reset();
});

test("an image that was shown when an earlier answer was given need not be reported", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const [, offer] = makePlace();
  const picture = fetchPicture("/images/x/0", "");
  showPicture(picture, { isStill: () => true, isKnown: true });
  fire(picture, "error");
  assert.equal(offer.hidden, true);
  mock.timers.reset();
});
