"use strict";

/** @type {any} with `vegaEmbed`, from the script before this one. */
const page = window;
/** @type {(id: string) => any} */
const byId = (id) => document.getElementById(id);
/** @type {(selector: string) => any[]} */
const list = (selector) => [...document.querySelectorAll(selector)];

const root = document.documentElement;
const { specs, dark } = JSON.parse(byId("data").textContent);
const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
const isNarrow = window.matchMedia("(max-width: 640px)");
const views = new Map();
let hasChosen = false;

function isDark() {
  return root.dataset.theme === "dark";
}

/** The value in the colours of the page; only what stands under the name of a colour is one: a model may be called "white". */
function recolour(value, name = "") {
  if (Array.isArray(value)) return value.map((one) => recolour(one, name));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, recolour(one, key)]));
  }
  return (isDark() && /color$|^background$|^range$/i.test(name) && dark[value]) || value;
}

/** On a narrow page: one panel per row, as wide as the page, without the printed names that would overlap. */
function narrow(spec, width) {
  delete spec.title;
  spec.config.padding = { left: 0, right: 16, top: 8, bottom: 8 };
  spec.columns = 1;
  if (spec.hconcat) {
    spec.concat = spec.hconcat;
    delete spec.hconcat;
  }
  const panels = spec.concat || [spec];
  const { y } = panels[0].layer.find((layer) => layer.encoding.y).encoding;
  const hasNames = y.type === "nominal";
  const inner = width - (hasNames ? 152 : 72);
  for (const panel of panels) {
    panel.height *= hasNames ? 1 : inner / panel.width;
    panel.width = inner;
    panel.layer = panel.layer.filter((layer) => !JSON.stringify(layer.encoding).includes("label_y"));
    for (const { encoding } of panel.layer) {
      if (hasNames && encoding.y) encoding.y.axis = { ...y.axis, labelLimit: 120 };
      for (const channel of [encoding.color, encoding.shape]) {
        if (channel?.legend) Object.assign(channel.legend, { orient: "top", columns: 1, labelLimit: width - 24 });
      }
    }
  }
  return spec;
}

/** What the title of a figure says, as text that wraps. */
function tell(title) {
  return [`${title.text}.`, ...[title.subtitle].flat()].join(" ");
}

/** A drawing is one picture with one name, beside its menu; its numbers are in the table. */
function nameDrawing(place) {
  const drawing = place.querySelector("svg.marks");
  for (const part of drawing.querySelectorAll("[role]")) {
    for (const name of ["role", "aria-label", "aria-roledescription"]) part.removeAttribute(name);
  }
  drawing.removeAttribute("aria-roledescription");
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", place.getAttribute("aria-label"));
  place.querySelector("summary")?.setAttribute("aria-label", "Save the figure");
}

/** Draw a figure in place; until then, and when it fails, the picture that came with the page stays. */
async function draw(place) {
  const spec = recolour(specs[place.dataset.figure]);
  const caption = place.parentElement.querySelector(".told");
  const options = {
    ast: true,
    renderer: "svg",
    actions: !isNarrow.matches && { export: true, source: false, compiled: false, editor: false },
    downloadFileName: place.dataset.figure,
    tooltip: { theme: isDark() ? "dark" : "light" },
  };
  caption.textContent = tell(spec.title);
  caption.hidden = !isNarrow.matches;
  try {
    views.get(place)?.finalize();
    views.set(place, await page.vegaEmbed(place, isNarrow.matches ? narrow(spec, place.parentElement.clientWidth) : spec, options));
    nameDrawing(place);
    place.classList.add("ready");
  } catch (error) {
    console.error(error);
  }
}

function drawAll() {
  list(".live").forEach((place) => {
    place.classList.contains("ready") ? draw(place) : observer.observe(place.parentElement);
  });
}

const observer = new IntersectionObserver((entries) => {
  for (const entry of entries.filter((one) => one.isIntersecting)) {
    observer.unobserve(entry.target);
    draw(entry.target.querySelector(".live"));
  }
}, { rootMargin: "600px" });

function setTheme(theme) {
  root.dataset.theme = theme;
  byId("theme").textContent = theme === "dark" ? "Light page" : "Dark page";
  drawAll();
}

/** What a cell sorts by: its number, or its text where it has none; empty cells come last either way. */
function readCell(row, column) {
  const cell = row.cells[column];
  if (column === 0) return cell.textContent.trim();
  return cell.dataset.value === undefined ? null : Number(cell.dataset.value);
}

function compare(first, second, sign) {
  if (first === null || second === null) return Number(first === null) - Number(second === null);
  return sign * (typeof first === "string" ? first.localeCompare(second) : first - second);
}

function sortBy(header) {
  const table = header.closest("table");
  const column = header.cellIndex;
  const before = header.getAttribute("aria-sort");
  const descending = before ? before === "ascending" : column > 0 && header.dataset.first !== "ascending";
  table.querySelectorAll("th[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
  header.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const rows = [...table.tBodies[0].rows];
  rows.sort((one, other) => compare(readCell(one, column), readCell(other, column), descending ? -1 : 1));
  table.tBodies[0].append(...rows);
}

function filterRows(input) {
  const wanted = input.value.trim().toLowerCase();
  const rows = byId(input.dataset.table).tBodies[0].rows;
  for (const row of rows) row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
}

root.classList.add("js");
list("thead button").forEach((button) => {
  button.addEventListener("click", () => sortBy(button.closest("th")));
});
list("input[data-table]").forEach((input) => {
  input.addEventListener("input", () => filterRows(input));
});
byId("theme").hidden = false;
byId("theme").addEventListener("click", () => {
  hasChosen = true;
  setTheme(isDark() ? "light" : "dark");
});
prefersDark.addEventListener("change", (event) => hasChosen || setTheme(event.matches ? "dark" : "light"));
isNarrow.addEventListener("change", drawAll);

// Paper cannot be unfolded; only tables of many pages stay folded.
const folded = list("main > details").filter((one) => one.querySelectorAll("tr").length <= 200);
window.addEventListener("beforeprint", () => folded.forEach((one) => { one.dataset.was = one.open; one.open = true; }));
window.addEventListener("afterprint", () => folded.forEach((one) => { one.open = one.dataset.was === "true"; }));
setTheme(prefersDark.matches ? "dark" : "light");
