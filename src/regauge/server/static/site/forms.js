/** Fields of the filters: what is chosen goes into the address, and the page follows the address. */

import { make } from "../dom.js";
import { writeCount } from "./words.js";

let nFields = 0;

/**
 * A list to choose from.
 *
 * @param {string} label
 * @param {{ value: string, words: string }[]} choices
 * @param {string} chosen
 * @param {(value: string) => void} onChange
 */
export function makeSelect(label, choices, chosen, onChange) {
  nFields += 1;
  const options = choices.map(({ value, words }) => make("option", { value, selected: value === chosen }, words));
  const select = make("select", { id: `field-${nFields}` }, ...options);
  select.addEventListener("change", () => onChange(select.value));
  return make("div", { className: "field" }, make("label", { htmlFor: select.id }, label), select);
}

/**
 * Choices of which several may hold, each with how many images it would leave.
 *
 * @param {string} label
 * @param {{ value: string, words: string, n: number }[]} choices
 * @param {string[]} chosen
 * @param {(values: string[]) => void} onChange
 */
export function makeChecks(label, choices, chosen, onChange) {
  const boxes = choices.map(({ value, words, n }) => {
    const box = make("input", { type: "checkbox", value, checked: chosen.includes(value) });
    box.addEventListener("change", () => onChange(boxes.filter((one) => one.box.checked).map((one) => one.box.value)));
    const line = make("label", { className: "check" }, box, make("span", {}, words), make("span", { className: "n" }, writeCount(n)));
    return { box, line };
  });
  return make("fieldset", { className: "field" }, make("legend", {}, label), ...boxes.map((one) => one.line));
}

/**
 * A text; it holds when somebody stops typing.
 *
 * @param {string} label
 * @param {string} value
 * @param {(value: string) => void} onChange
 */
export function makeText(label, value, onChange) {
  nFields += 1;
  const input = make("input", { type: "search", id: `field-${nFields}`, value, autocomplete: "off", spellcheck: false });
  input.addEventListener("change", () => onChange(input.value.trim()));
  return make("div", { className: "field" }, make("label", { htmlFor: input.id }, label), input);
}

/**
 * From one percentage to another.
 *
 * @param {string} label
 * @param {[number, number]} range
 * @param {(range: [number, number]) => void} onChange
 */
export function makeRange(label, range, onChange) {
  const ends = ["from", "to"].map((word, i) => {
    nFields += 1;
    const input = make("input", { type: "range", id: `field-${nFields}`, min: "0", max: "100", step: "1", value: String(range[i]) });
    const told = make("span", { className: "told" }, `${range[i]}%`);
    input.addEventListener("input", () => told.replaceChildren(`${input.value}%`));
    input.addEventListener("change", () => onChange([Number(ends[0].input.value), Number(ends[1].input.value)]));
    return { input, line: make("label", { className: "slider" }, make("span", {}, word), input, told) };
  });
  return make("fieldset", { className: "field" }, make("legend", {}, label), ...ends.map((one) => one.line));
}
