/** Tables that can be sorted by any column and saved as CSV; long ones show their first rows until more are asked for. */

import { count, make } from "../dom.js";
import { makeSaver } from "./downloads.js";
import { MISSING, writeCount, writeCsv, writeShare } from "./words.js";

const FIRST = 50;
const MORE = 200;

/**
 * A column: its title, the value that it is sorted by and that a file gets, and how a page shows it.
 *
 * @typedef {object} Column
 * @property {string} title
 * @property {(row: any) => any} value
 * @property {(row: any) => Node | string} [show]
 * @property {boolean} [isNumber]
 * @property {[string, (row: any) => any][]} [csv] columns of the file in place of the one.
 */

/**
 * A column with a share, its limits and its counts.
 *
 * @param {string} title
 * @param {(row: any) => import("./words.js").Share} find
 * @param {boolean} [hasN] whether it says of how many; a column beside it does otherwise.
 * @returns {Column}
 */
export function shareColumn(title, find, hasN = false) {
  const name = title.toLowerCase().replaceAll(" ", "_");
  return {
    title, isNumber: true, value: (row) => find(row).value, show: (row) => writeShare(find(row), hasN),
    csv: [
      [name, (row) => find(row).value], [`${name}_low`, (row) => find(row).low], [`${name}_high`, (row) => find(row).high],
      [`${name}_n`, (row) => find(row).n], [`${name}_count`, (row) => find(row).k],
    ],
  };
}

/**
 * @param {string} title
 * @param {(row: any) => any} value
 * @returns {Column}
 */
export const countColumn = (title, value) => ({
  title, value, isNumber: true, show: (row) => (value(row) == null ? MISSING : writeCount(value(row))),
});

/**
 * @param {object} options
 * @param {string} options.name what the file is called.
 * @param {string} options.caption
 * @param {Column[]} options.columns
 * @param {any[]} options.rows
 * @param {string} [options.empty] what stands where there is no row.
 */
export function makeTable({ name, caption, columns, rows, empty = "Nothing here." }) {
  if (!rows.length) return make("p", { className: "empty" }, empty);
  const view = { rows: [...rows], nShown: FIRST, by: -1, isDown: false };
  const body = make("tbody");
  const more = make("button", { type: "button", className: "quiet" });
  const heads = columns.map((column, at) => makeHead(column, () => sort(at)));
  const fill = () => {
    body.replaceChildren(...view.rows.slice(0, view.nShown).map((row) => makeRow(columns, row)));
    more.hidden = view.nShown >= view.rows.length;
    more.textContent = `Show more (${writeCount(view.rows.length - view.nShown)} left)`;
  };
  const sort = (at) => {
    view.isDown = view.by === at ? !view.isDown : Boolean(columns[at].isNumber);
    view.by = at;
    view.rows.sort(compareBy(columns[at].value, view.isDown));
    heads.forEach((head, i) => head.setAttribute("aria-sort", i !== at ? "none" : view.isDown ? "descending" : "ascending"));
    fill();
  };
  more.addEventListener("click", () => {
    view.nShown += MORE;
    fill();
  });
  fill();
  const words = make("caption", {}, make("span", {}, caption), " ", make("span", { className: "quiet" }, count(rows.length, "row", "rows")));
  const table = make("table", { className: "data" }, words, make("thead", {}, make("tr", {}, ...heads)), body);
  const saver = makeSaver("CSV", `${name}.csv`, "text/csv", () => write(columns, view.rows));
  return make("div", { className: "table-box" }, make("div", { className: "table-scroll", tabIndex: 0, role: "region", "aria-label": caption }, table), make("div", { className: "row" }, more, saver));
}

function makeHead(column, onSort) {
  const button = make("button", { type: "button", className: "quiet sort" }, column.title);
  button.addEventListener("click", onSort);
  return make("th", { scope: "col", className: column.isNumber ? "number" : "", "aria-sort": "none" }, button);
}

function makeRow(columns, row) {
  return make("tr", {}, ...columns.map((column, i) => {
    const shown = column.show ? column.show(row) : String(column.value(row) ?? MISSING);
    return i === 0 ? make("th", { scope: "row" }, shown) : make("td", { className: column.isNumber ? "number" : "" }, shown);
  }));
}

function compareBy(value, isDown) {
  const sign = isDown ? -1 : 1;
  return (one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a === b) return 0;
    if (a == null || b == null) return a == null ? 1 : -1;
    return sign * (typeof a === "string" ? a.localeCompare(String(b), "en", { numeric: true }) : a - b);
  };
}

function write(columns, rows) {
  /** @type {[string, (row: any) => any][]} */
  const cells = columns.flatMap(({ title, value, csv }) => csv ?? [[title.toLowerCase().replaceAll(" ", "_"), value]]);
  return writeCsv(cells.map(([name]) => name), rows.map((row) => cells.map(([, find]) => find(row))));
}
