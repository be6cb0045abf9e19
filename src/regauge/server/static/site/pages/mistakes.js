/** Coded mistakes: by category, severity and participant, and the images behind each number. */

import { count, make } from "../../dom.js";
import { writeAddress } from "../address.js";
import { makeLongGallery } from "../gallery.js";
import { SEVERITIES } from "../labels.js";
import { link, linkClass, linkLabels, linkName, linkSet } from "../links.js";
import { countColumn, makeTable } from "../table.js";
import { makeShare, writeShare } from "../words.js";

/**
 * @param {import("../study.js").Study} study
 * @param {import("../address.js").Place} place
 */
export async function showMistakes(study, place) {
  const all = study.index.codings.map((one, number) => ({ ...one, number }));
  const list = makeTable({
    name: "codings", caption: "Coded mistakes", rows: all, empty: "No mistake is coded yet. On a participant's page, all mistakes are shown by verdict and distance.",
    columns: [
      { title: "Coding", value: (row) => row.name, show: (row) => link(writeAddress("mistakes", [row.name]), row.name) },
      { title: "Participant", value: (row) => row.participant, show: (row) => linkName(study, row.participant) },
      { title: "Test set", value: (row) => row.set, show: (row) => nameSet(study, row.set) },
      { title: "Labels", value: (row) => row.labels, show: (row) => nameLabels(study, row.labels) },
      countColumn("Mistakes", (row) => row.n_coded), countColumn("Major", (row) => row.n_major), countColumn("Overturned", (row) => row.n_overturned),
    ],
  });
  if (!place.parts[0]) return { title: "Mistakes", nodes: [list] };
  const facts = all.find((one) => one.name === place.parts[0]);
  const set = facts && study.sets.find((one) => one.facts.codings.includes(facts.number));
  if (!facts || !set) throw new Error(`There is no coding ${place.parts[0]} here.`);
  const coding = await set.loadCoding(facts.number);
  const { category = "", severity = "" } = place.asked;
  const nodes = [
    make("p", {}, linkName(study, facts.participant), " on ", nameSet(study, facts.set), " under ", nameLabels(study, facts.labels), `: ${count(facts.n_coded, "mistake", "mistakes")}, ${facts.n_overturned} overturned.`),
    makeCells(coding, facts, place), make("h2", {}, [category, severity].filter(Boolean).join(", ") || "All mistakes"), await makeImages(study, set, coding, { category, severity }),
  ];
  return { title: facts.name, nodes };
}

/** A set or a label set by name: a link where the website has it. */
const nameSet = (study, name) => (study.findSet(name) ? linkSet({ name }) : make("span", {}, name));

function nameLabels(study, name) {
  const found = study.index.labels.find((one) => `${one.name}@${one.version}` === name);
  return found ? linkLabels(found) : make("span", {}, name);
}

/** Categories by severities, every number with the images behind it. */
function makeCells(coding, facts, place) {
  const rows = coding.categoryNames.map((category, code) => ({
    category, counts: SEVERITIES.map((_, severity) => coding.rows.filter((_row, i) => coding.categories[i] === code && coding.severities[i] === severity).length),
  }));
  const total = (row) => row.counts.reduce((a, b) => a + b, 0);
  return makeTable({
    name: `categories of ${facts.name}`, caption: "By category and severity", rows,
    columns: [
      { title: "Category", value: (row) => row.category, show: (row) => link(writeAddress("mistakes", place.parts, { category: row.category }), row.category) },
      ...SEVERITIES.map((severity, i) => ({
        title: severity, isNumber: true, value: (row) => row.counts[i],
        show: (row) => (row.counts[i] ? link(writeAddress("mistakes", place.parts, { category: row.category, severity }), String(row.counts[i])) : "0"),
      })),
      countColumn("All", total),
      { title: "Share", isNumber: true, value: total, show: (row) => writeShare(makeShare(total(row), coding.rows.length), true) },
    ],
  });
}

function makeImages(study, set, coding, { category, severity }) {
  const shown = [...coding.rows].map((row, i) => ({ row, i, category: coding.categoryNames[coding.categories[i]], severity: SEVERITIES[coding.severities[i]] }))
    .filter((one) => one.row >= 0 && (!category || one.category === category) && (!severity || one.severity === severity))
    .map((one) => ({ row: one.row, lines: [make("span", {}, "answered ", linkClass(study, coding.predictions[one.i])), make("span", { className: "quiet" }, `${one.category}, ${one.severity}`)] }));
  return makeLongGallery(set, shown, "No mistake is like this.");
}
