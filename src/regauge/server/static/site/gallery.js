/** Images side by side: a picture where there is one, an honest place where there is none, and what is said of each. */

import { make } from "../dom.js";
import { writeAddress } from "./address.js";
import { linkClass, linkImage } from "./links.js";

export const N_ON_PAGE = 48;

/** Why there are no pictures, in a sentence. */
export function explainPictures(study) {
  const { mode } = study.index.pictures;
  if (mode === "none") return "This website holds no pictures: many benchmarks forbid copies, so none are made unless somebody asks for them.";
  if (mode === "links") return "Pictures are loaded from where they are linked; none is copied here.";
  return mode === "served" ? "" : "Pictures are reduced copies.";
}

/**
 * The picture of an image, or a place that says there is none.
 *
 * @param {string} address
 * @param {string} id
 */
export function makePicture(address, id) {
  if (!address) return make("span", { className: "no-picture" }, "no picture");
  const image = make("img", { src: address, alt: `image ${id}`, loading: "lazy", decoding: "async", referrerPolicy: "no-referrer" });
  image.addEventListener("error", () => image.replaceWith(make("span", { className: "no-picture" }, "picture not found")), { once: true });
  return image;
}

/**
 * @param {import("./site_set.js").SiteSet} set
 * @param {{ row: number, lines?: (Node | string)[] }[]} shown
 */
export async function makeGallery(set, shown) {
  const [images, find] = await Promise.all([set.loadImages(), set.loadPictures()]);
  const items = shown.map(({ row, lines = [] }) => {
    const id = images.ids[row];
    const picture = make("a", { href: writeAddress("image", [set.name, id]), className: "picture", tabIndex: -1, "aria-label": `image ${id}` }, makePicture(find(row), id));
    const words = [linkImage(set, id), linkClass(set.study, images.labels[row]), ...lines].map((one) => make("p", {}, one));
    return make("li", { className: "card" }, picture, ...words);
  });
  return make("ul", { className: "gallery" }, ...items);
}

/**
 * A gallery of which more is shown when asked for.
 *
 * @param {import("./site_set.js").SiteSet} set
 * @param {{ row: number, lines?: (Node | string)[] }[]} all
 * @param {string} [empty]
 */
export async function makeLongGallery(set, all, empty = "No image here.") {
  if (!all.length) return make("p", { className: "empty" }, empty);
  const box = make("div", {}, await makeGallery(set, all.slice(0, N_ON_PAGE)));
  const more = make("button", { type: "button" }, "Show more images");
  let nShown = N_ON_PAGE;
  more.hidden = nShown >= all.length;
  more.addEventListener("click", async () => {
    const next = await makeGallery(set, all.slice(nShown, nShown + N_ON_PAGE));
    nShown += N_ON_PAGE;
    more.hidden = nShown >= all.length;
    more.before(next);
  });
  box.append(more);
  return box;
}
