/** One image: the picture or why there is none, every label with votes, objects, verdicts by version, and what everybody answered. */

import { count, make } from "../../dom.js";
import { writeAddress } from "../address.js";
import { explainPictures, makePicture } from "../gallery.js";
import { VERDICT_NAMES } from "../labels.js";
import { link, linkClass, linkImage, linkLabels, linkName, linkParticipant, linkSet } from "../links.js";
import { makeTable, shareColumn } from "../table.js";
import { MISSING, makeShare, writeCount, writeShare } from "../words.js";

/**
 * @param {import("../study.js").Study} study
 * @param {import("../address.js").Place} place
 */
export async function showImage(study, { parts }) {
  const set = study.findSet(parts[0]);
  const images = await set?.loadImages();
  const row = images ? images.findRow(parts[1] ?? "") : -1;
  if (!set || !images || row < 0) throw new Error(`There is no image ${parts[1] ?? ""} in ${parts[0]}.`);
  const [find, answers] = await Promise.all([set.loadPictures(), set.loadAnswers([row])]);
  const picture = make("div", { className: "image-large" }, makePicture(find(row), images.ids[row]));
  const label = images.labels[row];
  /** @type {[string, Node | string][]} */
  const facts = [
    ["Test set", linkSet(set)],
    ["Dataset label", linkClass(study, label)],
    ["Right", set.participants.length && label >= 0 ? `${images.nRight[row]} of ${count(images.nAnswered[row], "participant", "participants")}` : "–"],
    ...listPoolFacts(set, images, row),
    ["Place", `${writeCount(row + 1)} of ${writeCount(images.n)}`],
  ];
  /** @type {Node[]} */
  const nodes = [make("div", { className: "image-top" }, make("div", {}, picture, make("p", { className: "quiet" }, explainPictures(study))), makeFacts(facts))];
  nodes.push(makeSteps(set, images, row), make("h2", {}, "Labels"), ...(await makeLabels(set, row, label)));
  nodes.push(make("h2", {}, "Answers"), makeAnswers(set, answers.get(row), label));
  nodes.push(...(await listCodes(set, row)));
  return { title: images.ids[row], nodes };
}

/** @param {[string, Node | string][]} facts */
export function makeFacts(facts) {
  return make("dl", { className: "facts" }, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

/** @returns {[string, Node | string][]} */
function listPoolFacts(set, { pool, drawn, ids }, row) {
  if (drawn) return [["Drawn", `${drawn.shown[row] ? `its class was selected by ${writeShare(makeShare(drawn.selected[row], drawn.shown[row]), true)}` : "nobody was asked"}${drawn.isUpward[row] ? ", in place of one of a lower bin" : ""}${drawn.isCarried[row] ? ", carried over" : ""}`]];
  if (!pool) return [];
  /** @type {[string, Node | string][]} */
  const facts = [["Candidate", pool.rule.get(row) ? `left out by ${pool.rule.get(row)}: ${pool.reason.get(row)}` : "can be taken"]];
  const same = pool.sameAs.get(row);
  if (same) facts.push(["The same as", ids.includes(same) ? linkImage(set, same) : same]);
  if (pool.keyword.get(row)) facts.push(["Keyword", pool.keyword.get(row)]);
  return facts;
}

/** The images before and after it, of its class. */
function makeSteps(set, images, row) {
  const place = images.places[row];
  const isBeside = (at) => at >= 0 && at < images.n && images.labels[images.order[at]] === images.labels[row];
  const to = (at, words) => (!isBeside(at) ? make("span", { className: "quiet" }, words) : link(writeAddress("image", [set.name, images.ids[images.order[at]]]), words));
  return make("nav", { className: "row", "aria-label": "Images beside this one" }, to(place - 1, "← Previous of its class"), to(place + 1, "Next of its class →"));
}

async function makeLabels(set, row, label) {
  const nodes = [];
  const [latest, others] = [set.latestLabels, set.labelSets];
  for (const version of latest) {
    const [labels, frequencies, objects, evidence] = await Promise.all([
      set.loadLabels(version.number), set.loadFrequencies(version.number), set.loadObjects(version.number), set.loadEvidence(version.number),
    ]);
    const isAsked = frequencies?.list(row).length;
    if (!labels.isKnown[row] && !isAsked) continue;
    nodes.push(make("h3", {}, linkLabels(version)));
    if (labels.isProblematic[row]) nodes.push(make("p", { className: "problem" }, "This image is problematic and left out."));
    nodes.push(makeLabelTable(set, { row, label, labels, frequencies, evidence }), ...tellObjects(set.study, objects, labels, row));
    const history = await listVersions(set, others.filter((one) => one.name === version.name), row);
    if (history) nodes.push(history);
  }
  return nodes.length ? nodes : [make("p", { className: "empty" }, "No label set covers this image.")];
}

/** What became of the verdicts from one version to the next; null where there is one version, or where nothing changed. */
async function listVersions(set, versions, row) {
  const steps = await Promise.all([...versions].reverse().map(async (version) => {
    const [labels, evidence] = await Promise.all([set.loadLabels(version.number), set.loadEvidence(version.number)]);
    return { version, labels, evidence, verdicts: new Map(labels.list(row).map(({ index, verdict }) => [index, verdict])) };
  }));
  const rows = steps.flatMap((step, i) => {
    const before = steps[i - 1];
    if (!before || !step.labels.isKnown[row]) return [];
    const classes = [...new Set([...before.verdicts.keys(), ...step.verdicts.keys()])].filter((index) => before.verdicts.get(index) !== step.verdicts.get(index));
    return classes.map((index) => ({ ...step, index, was: before.verdicts.get(index), is: step.verdicts.get(index) }));
  });
  if (versions.length < 2) return null;
  const name = `${versions[0].name}`;
  return makeTable({
    name: `history ${name}`, caption: `What changed in ${versions.length} versions of ${name}`, rows, empty: `In ${versions.length} versions of ${name} nothing changed on this image.`,
    columns: [
      { title: "Version", value: (one) => one.version.version, show: (one) => linkLabels(one.version) },
      { title: "Added", value: (one) => one.version.at },
      { title: "Class", value: (one) => set.study.nameClass(one.index), show: (one) => linkClass(set.study, one.index) },
      { title: "Before", value: (one) => (one.was === undefined ? "unlisted" : VERDICT_NAMES[one.was]) },
      { title: "After", value: (one) => (one.is === undefined ? "unlisted" : VERDICT_NAMES[one.is]) },
      { title: "Rests on", value: (one) => one.evidence?.tell(row, one.index) || MISSING },
    ],
  });
}

function makeLabelTable(set, { row, label, labels, frequencies, evidence }) {
  const verdicts = new Map(labels.list(row).map(({ index, verdict }) => [index, verdict]));
  const counts = new Map((frequencies?.list(row) ?? []).map((one) => [one.index, one]));
  const rows = [...new Set([...verdicts.keys(), ...counts.keys()])].map((index) => ({ index, verdict: verdicts.get(index), counts: counts.get(index) }));
  /** @type {import("../table.js").Column[]} */
  const columns = [
    { title: "Class", value: (one) => set.study.nameClass(one.index), show: (one) => linkClass(set.study, one.index) },
    { title: "Verdict", value: (one) => (one.verdict === undefined ? MISSING : VERDICT_NAMES[one.verdict]) },
    { title: "Dataset label", value: (one) => (one.index === label ? "yes" : "") },
  ];
  if (frequencies) columns.push(shareColumn("Selected", (one) => makeShare(one.counts?.selected ?? 0, one.counts?.shown ?? 0), true));
  if (evidence && rows.some((one) => evidence.tell(row, one.index))) columns.push({ title: "Rests on", value: (one) => evidence.tell(row, one.index) || MISSING });
  return makeTable({ name: `labels ${labels.name}`, caption: "Classes", columns, rows, empty: "No class of this image was judged." });
}

function tellObjects(study, objects, labels, row) {
  const found = objects?.list(row) ?? [];
  const main = labels.main && labels.main[row] >= 0 ? [make("p", {}, "Main object: ", linkClass(study, labels.main[row]))] : [];
  if (!found.length) return main;
  const items = found.map(({ name, classes }) => {
    const others = classes.filter((one) => one !== name).flatMap((one) => [", ", linkClass(study, one)]);
    return make("li", {}, linkClass(study, name), ...(others.length ? [" (also ", ...others.slice(1), ")"] : []));
  });
  return [...main, make("p", {}, `${count(found.length, "object", "objects")}:`), make("ul", {}, ...items)];
}

/** All answers, by the class that was answered, the most frequent first. */
function makeAnswers(set, firsts, label) {
  if (!firsts) return make("p", { className: "empty" }, "Nobody has predictions on this set.");
  /** @type {Map<number, { name: string }[]>} */
  const byClass = new Map();
  firsts.forEach((index, place) => byClass.set(index, [...(byClass.get(index) ?? []), set.participants[place]]));
  const rows = [...byClass].map(([index, who]) => ({ index, who })).sort((a, b) => b.who.length - a.who.length || a.index - b.index);
  const columns = [
    { title: "Answer", value: (row) => set.study.nameClass(row.index), show: (row) => (row.index < 0 ? "no answer" : linkClass(set.study, row.index)) },
    { title: "Dataset label", value: (row) => (row.index === label && label >= 0 ? "yes" : "") },
    { title: "Participants", isNumber: true, value: (row) => row.who.length },
    { title: "Who", value: (row) => row.who.map((one) => one.name).join(" "), show: (row) => showWho(row.who) },
  ];
  return makeTable({ name: "answers", caption: "What everybody answered", columns, rows });
}

function showWho(who) {
  const links = who.flatMap((one, i) => [i ? ", " : "", linkParticipant(one)]);
  if (who.length <= 8) return make("span", {}, ...links);
  return make("details", {}, make("summary", {}, count(who.length, "participant", "participants")), ...links);
}

/** What coders said of mistakes on this image. */
async function listCodes(set, row) {
  const codings = await Promise.all(set.facts.codings.map((number) => set.loadCoding(number)));
  const rows = codings.map((one) => ({ one, found: one.find(row) })).filter(({ found }) => found);
  if (!rows.length) return [];
  const columns = [
    { title: "Participant", value: ({ one }) => one.facts.participant, show: ({ one }) => linkName(set.study, one.facts.participant) },
    { title: "Answer", value: ({ found }) => set.study.nameClass(found.prediction), show: ({ found }) => linkClass(set.study, found.prediction) },
    { title: "Category", value: ({ found }) => found.category },
    { title: "Severity", value: ({ found }) => found.severity },
  ];
  return [make("h2", {}, "Coded mistakes"), makeTable({ name: "coded mistakes", caption: "Coded mistakes on this image", columns, rows })];
}
