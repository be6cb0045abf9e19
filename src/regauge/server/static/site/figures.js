/** Figures as inline SVG: shares with their intervals, and bars. Colours come from the page; a saved figure brings its own. */

import { make } from "../dom.js";
import { makeSaver } from "./downloads.js";
import { MISSING, writeCount, writePercent } from "./words.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const [ROW, NAMES, VALUES, AXIS, WIDTH] = [22, 200, 130, 28, 760];
const ON_PAPER = `text{font:13px Helvetica,Arial,sans-serif;fill:#1a1a1a}.grid{stroke:#e6e6e6}.whisker{stroke:#0072b2;stroke-width:1.5}
.dot{fill:#0072b2}.dot.person{fill:#e69f00}.whisker.person{stroke:#e69f00}.dot.second{fill:#5f5f5f}.whisker.second{stroke:#5f5f5f}.bar{fill:#4d9cc9}`;

/**
 * @param {string} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} children
 */
function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/**
 * A row of dots: a name with one or several shares and their limits. The first is a diamond for people, a dot for models.
 *
 * @typedef {{ name: string, href?: string, isPerson?: boolean, points: { value: number | null, low: number | null, high: number | null, n?: number }[] }} DotRow
 */

/**
 * @param {object} options
 * @param {string} options.title
 * @param {string} options.name what the file is called.
 * @param {DotRow[]} options.rows
 * @param {string[]} [options.series] what the dots of a row are, in their order.
 */
export function drawDots({ title, name, rows, series = [] }) {
  const [low, high] = findRange(rows.flatMap((row) => row.points.flatMap((one) => [one.low, one.high])));
  const height = rows.length * ROW + AXIS;
  const place = (value) => NAMES + ((value - low) / (high - low)) * (WIDTH - NAMES - VALUES);
  const figure = start(title, height, rows.map((row) => `${row.name}: ${row.points.map((one) => writePercent(one.value)).join(", ")}`));
  for (const tick of findTicks(low, high)) {
    figure.append(draw("line", { x1: place(tick), x2: place(tick), y1: 0, y2: height - AXIS, class: "grid" }));
    figure.append(draw("text", { x: place(tick), y: height - 8, "text-anchor": "middle" }, `${Math.round(100 * tick)}%`));
  }
  rows.forEach((row, i) => figure.append(...drawRow(row, i * ROW + ROW / 2, place)));
  const kinds = [rows.some((row) => !row.isPerson) && ["models", "model"], rows.some((row) => row.isPerson) && ["people", "person"]].filter(Boolean);
  return frame(figure, title, name, [...(series.length > 1 ? series.map((one, i) => [i ? one : `${one}, coloured`, i ? "second" : "plain"]) : []), ...kinds]);
}

function drawRow(row, y, place) {
  const label = draw("text", { x: NAMES - 10, y: y + 4, "text-anchor": "end" }, shorten(row.name, 28));
  const parts = [row.href ? draw("a", { href: row.href, "aria-label": row.name }, label) : label];
  row.points.forEach(({ value, low, high }, i) => {
    if (value == null || low == null || high == null) return;
    const kind = `${row.isPerson ? " person" : ""}${i ? " second" : ""}`;
    parts.push(draw("line", { x1: place(low), x2: place(high), y1: y, y2: y, class: `whisker${kind}` }));
    parts.push(drawMark(place(value), y, { radius: i ? 3.5 : 4.5, kind, isPerson: row.isPerson }));
  });
  const whole = row.points[0];
  const n = row.points.length === 1 && whole.n ? `, n = ${writeCount(whole.n)}` : "";
  const words = `${row.points.map((one) => (one.value == null ? MISSING : writePercent(one.value))).join("  ")}${n}`;
  parts.push(draw("text", { x: WIDTH - VALUES + 12, y: y + 4 }, words));
  return parts;
}

function drawMark(x, y, { radius, kind, isPerson }) {
  if (!isPerson) return draw("circle", { cx: x, cy: y, r: radius, class: `dot${kind}` });
  const side = radius * 1.3;
  return draw("path", { d: `M${x} ${y - side}L${x + side} ${y}L${x} ${y + side}L${x - side} ${y}Z`, class: `dot${kind}` });
}

/**
 * Bars of counts, one below the other.
 *
 * @param {object} options
 * @param {string} options.title
 * @param {string} options.name
 * @param {{ name: string, value: number, href?: string }[]} options.rows
 */
export function drawBars({ title, name, rows }) {
  const most = Math.max(1, ...rows.map((row) => row.value));
  const figure = start(title, rows.length * ROW + 4, rows.map((row) => `${row.name}: ${row.value}`));
  rows.forEach((row, i) => {
    const y = i * ROW + ROW / 2;
    const label = draw("text", { x: NAMES - 10, y: y + 4, "text-anchor": "end" }, shorten(row.name, 28));
    const width = (row.value / most) * (WIDTH - NAMES - VALUES);
    figure.append(row.href ? draw("a", { href: row.href, "aria-label": row.name }, label) : label);
    figure.append(draw("rect", { x: NAMES, y: y - 6, width, height: 12, class: "bar" }));
    figure.append(draw("text", { x: NAMES + width + 8, y: y + 4 }, writeCount(row.value)));
  });
  return frame(figure, title, name, []);
}

function start(title, height, lines) {
  const words = draw("desc", {}, lines.slice(0, 100).join("; "));
  return draw("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "group", class: "figure", "aria-label": title }, draw("title", {}, title), words);
}

function frame(figure, title, name, series) {
  const legend = series.map(([words, kind]) => make("span", { className: `legend ${kind}` }, words));
  const saver = makeSaver("SVG", `${name}.svg`, "image/svg+xml", () => save(figure));
  const caption = make("figcaption", {}, title, " ", ...legend, saver);
  return make("figure", {}, caption, make("div", { className: "figure-scroll", tabIndex: 0, role: "region", "aria-label": title }, figure));
}

/** The figure as a file, with its colours and without links, which lead nowhere from there. */
function save(figure) {
  const copy = /** @type {Element} */ (figure.cloneNode(true));
  copy.setAttribute("xmlns", NAMESPACE);
  copy.setAttribute("width", String(WIDTH));
  for (const anchor of copy.querySelectorAll("a")) anchor.replaceWith(...anchor.childNodes);
  copy.prepend(draw("style", {}, ON_PAPER));
  return new XMLSerializer().serializeToString(copy);
}

function findRange(values) {
  const known = values.filter((one) => one != null && !Number.isNaN(one));
  if (!known.length) return [0, 1];
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return [Math.floor(low * 20) / 20, Math.max(Math.ceil(high * 20) / 20, Math.floor(low * 20) / 20 + 0.05)];
}

function findTicks(low, high) {
  const step = [0.01, 0.02, 0.05, 0.1, 0.2].find((one) => (high - low) / one <= 6) ?? 0.25;
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9; i += 1) ticks.push(i * step);
  return ticks;
}

const shorten = (text, n) => (text.length > n ? `${text.slice(0, n - 1)}…` : text);
