/** Tables that stand by themselves: whatever the study has of them. */

import { make } from "../../dom.js";
import { writeAddress } from "../address.js";
import { link, linkClass, linkImage, linkLabels, linkName, linkSet } from "../links.js";
import { need } from "../loader.js";
import { makeTable } from "../table.js";
import { MISSING, writeCount } from "../words.js";

/**
 * @param {import("../study.js").Study} study
 * @param {import("../address.js").Place} place
 */
export async function showTables(study, { parts }) {
  const all = study.index.tables;
  const chosen = all.find((one) => one.name === parts[0]);
  if (!chosen) {
    const items = all.map((one) => make("li", {}, link(writeAddress("tables", [one.name]), one.title)));
    return { title: "Tables", nodes: [make("ul", {}, ...items)] };
  }
  const found = await need(`t-${chosen.name}`);
  if (!found) return { title: chosen.title, nodes: [make("p", { className: "empty" }, "The study has nothing of this yet.")] };
  return { title: chosen.title, nodes: found.tables.flatMap((one) => showTable(study, found.tables.length > 1 ? one : { ...one, title: "" }, one.title)) };
}

function showTable(study, table, caption) {
  const set = table.set ? study.findSet(table.set) : undefined;
  const columns = table.columns
    .map((name, at) => ({ name, at }))
    .filter(({ name }) => !/_(low|high)$/.test(name) || !table.columns.includes(name.replace(/_(low|high)$/, "")))
    .map((one) => makeColumn(study, set, table.columns, one));
  const about = table.about.map((one) => make("p", {}, one));
  return [...(table.title ? [make("h2", {}, table.title)] : []), ...about, makeTable({ name: table.name, caption, columns, rows: table.rows })];
}

/** A column of a table: classes, images and participants are links, and a number stands with its limits. */
function makeColumn(study, set, names, { name, at }) {
  const words = name.replace(/^n_/, "").replaceAll("_", " ");
  const title = `${words[0].toUpperCase()}${words.slice(1)}`;
  const [low, high] = ["low", "high"].map((end) => names.indexOf(`${name}_${end}`));
  const places = [[name, at], [`${name}_low`, low], [`${name}_high`, high]].filter(([, place]) => Number(place) >= 0);
  /** @type {[string, (row: any) => any][]} */
  const csv = places.map(([one, place]) => [String(one), (row) => row[place]]);
  const isNumber = !/(^|_)class$/.test(name);
  return { title, csv, isNumber: isNumber && !/^(image_id|participant|test_set|slice|labels|kind)$/.test(name), value: (row) => row[at], show: (row) => showCell(study, { set, owner: row[names.indexOf("test_set")] }, name, [row[at], row[low], row[high]]) };
}

function showCell(study, { set, owner }, name, [value, low, high]) {
  if (value == null) return MISSING;
  if (/(^|_)class$/.test(name) && typeof value === "number") return linkClass(study, value);
  if (name === "image_id" && set) return linkImage(set, String(value));
  if (name === "participant") return linkName(study, String(value));
  if (name === "slice" && study.findSet(owner)) return link(writeAddress("browse", [owner], { slice: value }), String(value));
  const labels = name === "labels" && study.index.labels.find((one) => `${one.name}@${one.version}` === value);
  if (labels) return linkLabels(labels);
  if (name === "test_set" && study.findSet(value)) return linkSet({ name: value });
  if (typeof value !== "number") return String(value);
  const write = (one) => (Number.isInteger(one) ? writeCount(one) : one.toFixed(3));
  return low == null || high == null ? write(value) : `${write(value)} [${write(low)}, ${write(high)}]`;
}
