/** What is found together with a class, and what people take for one and the same. */

import { make } from "../../dom.js";
import { linkClass, linkPair } from "../links.js";
import { countColumn, makeTable } from "../table.js";
import { findCompany, findPartners } from "../together.js";
import { writeEstimate } from "../words.js";

/**
 * Tables of what comes together with a class in images of a set, and of its ambiguous partners; nothing where that is not known.
 *
 * @param {import("../site_set.js").SiteSet} set
 * @param {number} index
 */
export async function makeTogether(set, index) {
  const found = await set.loadTogether();
  if (!found) return [];
  /** @type {Node[]} */
  const nodes = [];
  if (found.company) nodes.push(makeCompany(set, index, found));
  if (found.ambiguous) nodes.push(makePartnerTable(set, index, found.ambiguous));
  return [make("h2", {}, "Classes that go with it"), make("div", { className: "columns" }, ...nodes)];
}

const estimateColumn = (title, name) => ({
  title, isNumber: true, value: (row) => row.value, show: (row) => writeEstimate(row.value, row.low, row.high),
  csv: [[name, (row) => row.value], [`${name}_low`, (row) => row.low], [`${name}_high`, (row) => row.high]].map(([key, find]) => /** @type {[string, (row: any) => any]} */ ([key, find])),
});

function makeCompany(set, index, { company, by }) {
  return makeTable({
    name: `objects with ${set.study.getId(index)}`, caption: `Other objects in its images, by ${by}`, rows: findCompany(company, index), empty: `No image of it holds another object by ${by}.`,
    columns: [
      { title: "Object", value: (row) => set.study.nameClass(row.second), show: (row) => linkClass(set.study, row.second) },
      countColumn("Images", (row) => row.k),
      countColumn("Of", (row) => row.n),
      estimateColumn("Share", "share"),
    ],
  });
}

function makePartnerTable(set, index, pairs) {
  return makeTable({
    name: `partners of ${set.study.getId(index)}`, caption: "Classes that people accept on each other's images", rows: findPartners(pairs, index), empty: "People accept no other class on its images that they accept it for.",
    columns: [
      { title: "Class", value: (row) => set.study.nameClass(row.second), show: (row) => linkPair(set.study, index, row.second, { set: set.name }) },
      estimateColumn("Both selected", "both_selected"),
      countColumn("Images", (row) => row.n),
      { title: "Ambiguous", value: (row) => (row.isAmbiguous ? "yes" : "no") },
    ],
  });
}
