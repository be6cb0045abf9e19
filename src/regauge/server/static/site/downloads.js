/** Files that the page makes: tables as CSV, figures as SVG. */

import { make } from "../dom.js";
import { nameFile } from "./words.js";

/**
 * A button that saves a file, which is made when somebody asks for it.
 *
 * @param {string} words
 * @param {string} name
 * @param {string} type
 * @param {() => string} write
 */
export function makeSaver(words, name, type, write) {
  const button = make("button", { type: "button", className: "quiet save", title: `Save as ${nameFile(name)}` }, words);
  button.addEventListener("click", () => {
    const address = URL.createObjectURL(new Blob([write()], { type }));
    const anchor = make("a", { href: address, download: nameFile(name) });
    document.body.append(anchor);
    anchor.click();
    anchor.remove();
    URL.revokeObjectURL(address);
  });
  return button;
}
