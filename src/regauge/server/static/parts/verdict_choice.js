/** The three verdicts on a label, a prediction or an image, as reviews and panels ask for them. */

import { make } from "../dom.js";

/** What one can say, its key, and the words on the button. */
export const VERDICTS = [
  { verdict: "correct", key: "c", words: "Correct" },
  { verdict: "wrong", key: "w", words: "Wrong" },
  { verdict: "unclear", key: "u", words: "Unclear" },
];

/** The three verdicts on a label or an image, as radio buttons. */
export function makeVerdicts(key, name) {
  const boxes = VERDICTS.map(({ verdict }) => make("input", { type: "radio", name: `verdict-${key}`, value: verdict }));
  const labels = VERDICTS.map((one, at) => make("label", {}, boxes[at], one.words, " ", make("kbd", { "aria-hidden": "true" }, one.key)));
  return { boxes, group: make("fieldset", { className: "verdicts", "aria-label": name }, ...labels) };
}
