/** Label sets: their versions, what they say of dataset labels, and what changed from one version to another. */

import { count, make } from "../../dom.js";
import { writeAddress } from "../address.js";
import { makeSelect } from "../forms.js";
import { CORRECT, NOT_COUNTED, UNCLEAR, UNJUDGED, VERDICT_NAMES, WRONG } from "../labels.js";
import { link, linkClass, linkImage, linkLabels, linkSet } from "../links.js";
import { countColumn, makeTable, shareColumn } from "../table.js";
import { makeShare, writeCount } from "../words.js";

const KINDS = { multilabel: "verdicts on several classes of an image", real: "one list of right classes per image" };

/**
 * @param {import("../study.js").Study} study
 * @param {import("../address.js").Place} place
 */
export async function showLabels(study, place) {
  const [name] = place.parts;
  const all = study.index.labels.map((one, number) => ({ ...one, number }));
  if (!name) return { title: "Label sets", nodes: [makeVersions("Label sets", all)] };
  const mine = all.filter((one) => one.name === name).sort((a, b) => b.version - a.version);
  const version = mine.find((one) => one.version === Number(place.asked.version)) ?? mine[0];
  if (!version) throw new Error(`There is no label set ${name} here.`);
  const others = all.filter((one) => one !== version);
  const before = others.find((one) => `${one.name}@${one.version}` === place.asked.against) ?? others.find((one) => one.name === name && one.version === version.parent);
  const words = `${KINDS[version.kind] ?? version.kind}; a class that it does not list is ${version.unlisted === "wrong" ? "not in the image" : "unjudged"}. Added ${version.at}${version.campaign ? `, from the campaign ${version.campaign}` : ""}.`;
  const nodes = [make("p", {}, `${count(version.n_verdicts, "verdict", "verdicts")} on ${count(version.n_images, "image", "images")}: ${words}`), makeVersions("Versions", mine)];
  nodes.push(make("h2", {}, "What it says of dataset labels"), await makeSummary(study, version));
  if (others.length) nodes.push(make("h2", {}, "Differences"), make("div", { className: "row fields" }, makeChoice(version, before, others)), ...(before ? await makeDiff(study, before, version) : []));
  return { title: `${version.name}@${version.version}`, nodes };
}

function makeVersions(caption, rows) {
  return makeTable({
    name: caption, caption, rows, empty: "There is no label set yet.",
    columns: [
      { title: "Version", value: (row) => `${row.name}@${row.version}`, show: linkLabels },
      countColumn("Images", (row) => row.n_images),
      countColumn("Verdicts", (row) => row.n_verdicts),
      countColumn("Problematic", (row) => row.n_problematic),
      { title: "Added", value: (row) => row.at },
    ],
  });
}

async function makeSummary(study, version) {
  const rows = await Promise.all(study.sets.filter((set) => set.facts.labels.includes(version.number)).map(async (set) => {
    const [images, labels] = await Promise.all([set.loadImages(), set.loadLabels(version.number)]);
    const counts = [0, 0, 0, 0, 0];
    images.labels.forEach((label, row) => {
      counts[labels.judge(row, label)] += 1;
    });
    return { set, counts, n: images.n - counts[NOT_COUNTED] };
  }));
  const column = (title, code) => shareColumn(title, (row) => makeShare(row.counts[code], row.n));
  return makeTable({
    name: "dataset labels", caption: "Dataset labels by verdict, on images that are not problematic", rows, empty: "It covers no image of the sets that are shown.",
    columns: [
      { title: "Set", value: ({ set }) => set.name, show: ({ set }) => linkSet(set) },
      countColumn("Images", (row) => row.n), column("Correct", CORRECT), column("Unclear", UNCLEAR), column("Wrong", WRONG), column("Unjudged", UNJUDGED),
      { title: "Wrong ones", value: () => "", csv: [], show: ({ set }) => link(writeAddress("browse", [set.name], { labels: `${version.name}@${version.version}`, verdict: WRONG }), "see them") },
    ],
  });
}

function makeChoice(version, before, others) {
  const choices = others.map((one) => ({ value: `${one.name}@${one.version}`, words: `${one.name}@${one.version}` }));
  const chosen = before ? `${before.name}@${before.version}` : "";
  return makeSelect("Compared with", [...(before ? [] : [{ value: "", words: "choose" }]), ...choices], chosen, (against) => {
    location.hash = writeAddress("labels", [version.name], { version: version.version, against });
  });
}

/** Every verdict that differs on images that both cover, and how many images only one covers. */
async function makeDiff(study, before, after) {
  const nodes = [];
  for (const set of study.sets) {
    if (![before, after].every((one) => set.facts.labels.includes(one.number))) continue;
    const [images, old, now] = await Promise.all([set.loadImages(), set.loadLabels(before.number), set.loadLabels(after.number)]);
    const { rows, nBoth, nOnlyOld, nOnlyNew, nProblematic } = findChanges(images.n, old, now);
    nodes.push(make("p", {}, `On ${writeCount(nBoth)} images of ${set.name} that both cover, ${count(rows.length, "verdict differs", "verdicts differ")}; ${writeCount(nOnlyOld)} images are only in ${old.name}, ${writeCount(nOnlyNew)} only in ${now.name}; ${count(nProblematic, "image", "images")} changed between problematic and not.`));
    nodes.push(makeTable({
      name: `from ${old.name} to ${now.name} on ${set.name}`, caption: `From ${old.name} to ${now.name}`, rows, empty: "No verdict differs.",
      columns: [
        { title: "Image", value: ({ row }) => images.ids[row], show: ({ row }) => linkImage(set, images.ids[row]) },
        { title: "Class", value: (one) => study.nameClass(one.index), show: (one) => linkClass(study, one.index) },
        { title: "Dataset label", value: (one) => (images.labels[one.row] === one.index ? "yes" : "") },
        { title: "Before", value: (one) => one.before },
        { title: "After", value: (one) => one.after },
      ],
    }));
  }
  return nodes.length ? nodes : [make("p", { className: "empty" }, "They cover no image both.")];
}

/**
 * @param {number} n
 * @param {import("../labels.js").Labels} old
 * @param {import("../labels.js").Labels} now
 */
export function findChanges(n, old, now) {
  const rows = [];
  const counts = { nBoth: 0, nOnlyOld: 0, nOnlyNew: 0, nProblematic: 0 };
  const name = (verdict) => (verdict === undefined ? "unlisted" : VERDICT_NAMES[verdict]);
  for (let row = 0; row < n; row += 1) {
    const [was, is] = [old.isKnown[row], now.isKnown[row]];
    counts.nOnlyOld += Number(was && !is);
    counts.nOnlyNew += Number(is && !was);
    if (!was || !is) continue;
    counts.nBoth += 1;
    counts.nProblematic += Number(old.isProblematic[row] !== now.isProblematic[row]);
    const [first, second] = [old, now].map((one) => new Map(one.list(row).map(({ index, verdict }) => [index, verdict])));
    for (const index of new Set([...first.keys(), ...second.keys()])) {
      if (first.get(index) !== second.get(index)) rows.push({ row, index, before: name(first.get(index)), after: name(second.get(index)) });
    }
  }
  return { rows, ...counts };
}
