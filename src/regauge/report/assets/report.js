"use strict";

/** @type {(id: string) => any} */
const byId = (id) => document.getElementById(id);
/** @type {(selector: string) => any[]} */
const list = (selector) => [...document.querySelectorAll(selector)];

const root = document.documentElement;
const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
const isNarrow = window.matchMedia("(max-width: 1000px)");
let hasChosen = false;

function isDark() {
  return root.dataset.theme === "dark";
}

function setTheme(theme) {
  root.dataset.theme = theme;
  byId("theme").textContent = theme === "dark" ? "Light page" : "Dark page";
}

/** What a cell sorts by: its number, or its text where no cell of the column has one; empty cells come last either way. */
function readCell(row, column) {
  const cell = row.cells[column];
  if (column === 0 || cell.classList.contains("text")) return cell.textContent.trim();
  return cell.dataset.value === undefined ? null : Number(cell.dataset.value);
}

function compare(first, second, sign) {
  if (first === null || second === null) return Number(first === null) - Number(second === null);
  return sign * (typeof first === "string" ? first.localeCompare(second, undefined, { numeric: true }) : first - second);
}

function sortBy(header) {
  const table = header.closest("table");
  const column = header.cellIndex;
  const before = header.getAttribute("aria-sort");
  const isWords = column === 0 || header.classList.contains("text");
  const descending = before ? before === "ascending" : !isWords && header.dataset.first !== "ascending";
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

/** A link into something that is folded unfolds it. */
function unfold() {
  const target = window.location.hash ? byId(window.location.hash.slice(1)) : null;
  for (let one = target?.closest("details"); one; one = one.parentElement.closest("details")) one.open = true;
  target?.scrollIntoView();
}

/** On a narrow page the contents are one line until somebody asks for them. */
function fitContents() {
  list(".contents details").forEach((one) => { one.open = !isNarrow.matches; });
}

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
isNarrow.addEventListener("change", fitContents);
list(".contents a").forEach((link) => {
  link.addEventListener("click", () => isNarrow.matches && fitContents());
});
window.addEventListener("hashchange", unfold);

// Paper cannot be unfolded; what is too long for it is left out there.
const folded = list("main details:not(.off-paper)");
window.addEventListener("beforeprint", () => folded.forEach((one) => { one.dataset.was = one.open; one.open = true; }));
window.addEventListener("afterprint", () => folded.forEach((one) => { one.open = one.dataset.was === "true"; }));
fitContents();
setTheme(prefersDark.matches ? "dark" : "light");
unfold();
