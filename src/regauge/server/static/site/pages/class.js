/** A class: what it is, how well everybody does on it, what it is taken for and what is taken for it, and its images. */

import { count, make } from "../../dom.js";
import { writeAddress } from "../address.js";
import { drawDots } from "../figures.js";
import { makeLongGallery } from "../gallery.js";
import { chooseSet, findVersion } from "../judged.js";
import { isPerson, link, linkOut, linkPair, linkParticipant } from "../links.js";
import { countColumn, makeTable, shareColumn } from "../table.js";
import { makeSetTabs } from "../tabs.js";
import { makeShare, writeEstimate } from "../words.js";
import { makeBins, makePartners } from "./class_labels.js";
import { makeTogether } from "./class_together.js";
import { makeFacts } from "./image.js";

const N_DRAWN = 40;

/**
 * @param {import("../study.js").Study} study
 * @param {import("../address.js").Place} place
 */
export async function showClass(study, place) {
  const index = study.findClass(place.parts[0] ?? "");
  if (index < 0) throw new Error(`There is no class ${place.parts[0]} here.`);
  const set = chooseSet(study, place.asked.set);
  const [finder, images, address] = await Promise.all([study.loadFinder(), set.loadImages(), study.findLink(index)]);
  const rows = images.listClass(index);
  const nodes = [makeClassFacts(study, finder, index, address), makeSetTabs(study.sets, set, place), make("p", {}, `${count(rows.length, "image", "images")} of ${set.name} with this dataset label.`)];
  if (set.participants.length && rows.length) nodes.push(...(await makeAccuracy(set, index)), ...(await makeConfusions(set, index, rows)));
  const version = findVersion(set, place.asked.labels);
  if (version && rows.length) nodes.push(...(await makePartners(set, version, index, rows)));
  nodes.push(...(await makeTogether(set, index)), ...(await makeBins(study, index)), ...(await makeImages(set, version, index, rows)));
  return { title: study.nameClass(index), nodes };
}

function makeClassFacts(study, finder, index, address) {
  const [, ...others] = finder.data.names[index];
  const groups = study.listGroups(index).flatMap(([grouping, one], i) => [i ? ", " : "", link(writeAddress("group", [grouping, one.name]), `${grouping}: ${one.name}`)]);
  /** @type {[string, Node | string][]} */
  const facts = [["Meaning", finder.data.glosses[index] || "–"]];
  if (others.length) facts.push(["Also called", others.join(", ")]);
  facts.push(["Id", `${study.getId(index)} (index ${index})`], ["Read more", linkOut(address, "reference page")]);
  if (groups.length) facts.push(["Groups", make("span", {}, ...groups)]);
  const beside = finder.findSiblings(index).slice(0, 8).flatMap((one, i) => [i ? ", " : "", link(writeAddress("class", [study.getId(one)]), study.nameClass(one))]);
  if (beside.length) facts.push(["Beside it", make("span", {}, ...beside)]);
  return makeFacts(facts);
}

/** Everybody's accuracy on the class beside that on all images. */
async function makeAccuracy(set, index) {
  const [counts, { list }] = await Promise.all([set.loadClassCounts(), set.study.loadScores()]);
  const top = new Map(list.filter((one) => one.set === set.key && one.metric === "top1").map((one) => [one.participant, one]));
  const rows = set.participants.map((who, place) => {
    const { k, n } = counts.find(place, index);
    return { who, share: makeShare(k, n), whole: top.get(who.name) };
  }).sort((a, b) => (b.whole?.value ?? 0) - (a.whole?.value ?? 0));
  const drawn = rows.slice(0, N_DRAWN).map(({ who, share, whole }) => ({ name: who.name, href: writeAddress("participant", [who.name]), isPerson: isPerson(who), points: whole ? [share, whole] : [share] }));
  const title = `Accuracy on this class of ${set.name}`;
  const drawnTitle = rows.length > N_DRAWN ? `${title}, the best ${N_DRAWN} overall` : title;
  const table = makeTable({
    name: title, caption: title, rows,
    columns: [
      { title: "Participant", value: (row) => row.who.name, show: (row) => linkParticipant(row.who) },
      shareColumn("Here", (row) => row.share),
      countColumn("Images", (row) => row.share.n),
      { title: "On all images", isNumber: true, value: (row) => row.whole?.value, show: (row) => writeEstimate(row.whole?.value ?? null, row.whole?.low, row.whole?.high, row.whole?.n), csv: [["all", (row) => row.whole?.value], ["all_low", (row) => row.whole?.low], ["all_high", (row) => row.whole?.high], ["all_n", (row) => row.whole?.n]] },
    ],
  });
  return [make("h2", {}, "Accuracy"), make("details", {}, make("summary", {}, "Figure"), drawDots({ title: drawnTitle, name: title, rows: drawn, series: ["this class", "all images"] })), table];
}

/** What images of the class are taken for, and images of which classes are taken for it. */
async function makeConfusions(set, index, rows) {
  const [images, answers, wrong] = await Promise.all([set.loadImages(), set.loadAnswers(rows), set.loadWrong(index)]);
  /** @type {Map<number, { index: number, n: number, images: Set<number>, who: Set<number> }>} */
  const out = new Map();
  for (const row of rows) {
    answers.get(row)?.forEach((given, place) => {
      if (given === index || given < 0) return;
      const held = out.get(given) ?? { index: given, n: 0, images: new Set(), who: new Set() };
      held.n += 1;
      held.images.add(row);
      held.who.add(place);
      out.set(given, held);
    });
  }
  /** @type {Map<number, { index: number, n: number, nImages: number }>} */
  const into = new Map();
  for (const { row, by } of wrong) {
    const held = into.get(images.labels[row]) ?? { index: images.labels[row], n: 0, nImages: 0 };
    held.n += by;
    held.nImages += 1;
    into.set(held.index, held);
  }
  return [make("h2", {}, "Confusions"), make("div", { className: "columns" }, makeOut(set, index, [...out.values()]), makeInto(set, index, [...into.values()]))];
}

function makeOut(set, index, rows) {
  return makeTable({
    name: `taken for from ${set.study.getId(index)}`, caption: "What its images are taken for", empty: "Nobody answers anything else.",
    rows: rows.sort((a, b) => b.n - a.n || a.index - b.index),
    columns: [
      { title: "Answer", value: (row) => set.study.nameClass(row.index), show: (row) => linkPair(set.study, index, row.index, { set: set.name }) },
      countColumn("Answers", (row) => row.n),
      countColumn("Images", (row) => row.images.size),
      countColumn("Participants", (row) => row.who.size),
    ],
  });
}

function makeInto(set, index, rows) {
  return makeTable({
    name: `taken for ${set.study.getId(index)}`, caption: "Images of which classes are taken for it", empty: "No other image is taken for it.",
    rows: rows.sort((a, b) => b.n - a.n || a.index - b.index),
    columns: [
      { title: "Dataset label", value: (row) => set.study.nameClass(row.index), show: (row) => linkPair(set.study, row.index, index, { set: set.name }) },
      countColumn("Answers", (row) => row.n),
      countColumn("Images", (row) => row.nImages),
    ],
  });
}

function loadCounts(set, version) {
  const number = set.chooseCounts(version);
  return number === undefined ? null : set.loadFrequencies(number);
}

/** The images of the class, those that people selected most often first. */
async function makeImages(set, version, index, rows) {
  const [images, frequencies] = await Promise.all([set.loadImages(), loadCounts(set, version)]);
  const shown = rows.map((row) => {
    const found = images.findCounts(frequencies, row);
    const lines = found ? [`selected by ${found.selected} of ${found.shown}`] : [];
    if (images.drawn?.isUpward[row]) lines.push("in place of one of a lower bin");
    if (set.participants.length) lines.push(`${images.nRight[row]} of ${images.nAnswered[row]} right`);
    return { row, lines, frequency: found ? found.selected / found.shown : -1 };
  }).sort((a, b) => b.frequency - a.frequency || a.row - b.row);
  const more = link(writeAddress("browse", [set.name], { class: set.study.getId(index) }), "Filter these images");
  return [make("h2", {}, "Images"), make("p", {}, more), await makeLongGallery(set, shown, "No image has this dataset label.")];
}
