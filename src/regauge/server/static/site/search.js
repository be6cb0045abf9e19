/** The field in the header: classes by id, name, synonym and with typos; participants and images by what their names have. */

import { make } from "../dom.js";
import { ClassFinder } from "../parts/class_finder.js";
import { writeAddress } from "./address.js";

/** @param {import("./study.js").Study} study */
export function makeSearch(study) {
  const box = make("div", { className: "search" });
  const button = make("button", { type: "button" }, "Find a class");
  button.addEventListener("click", async () => {
    const index = await study.loadFinder();
    const nothing = { list: () => [], note: () => {} };
    const onChoose = (place) => {
      finder.clear();
      location.hash = writeAddress("class", [study.getId(place)]);
    };
    const finder = new ClassFinder(box, { index, onChoose, recent: /** @type {any} */ (nothing) });
    button.remove();
    finder.focus();
  });
  box.append(button);
  return box;
}
