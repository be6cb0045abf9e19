/** A participant: scores, mistakes as pictures, the hardest classes, and what is taken for what. */

import { count, make } from "../../dom.js";
import { writeAddress } from "../address.js";
import { makeSelect } from "../forms.js";
import { explainPictures, makeLongGallery } from "../gallery.js";
import { Distances, MISTAKE_GROUPS, chooseSet, countPairs, findVersion, loadMistakes } from "../judged.js";
import { NOT_COUNTED, SEVERITIES } from "../labels.js";
import { link, linkClass, linkPair, linkParticipant, linkSet } from "../links.js";
import { countColumn, makeTable, shareColumn } from "../table.js";
import { makeSetTabs } from "../tabs.js";
import { makeShare, writeCount, writeEstimate } from "../words.js";
import { makeFacts } from "./image.js";
import { nameMeasure } from "./overview.js";

/**
 * @param {import("../study.js").Study} study
 * @param {import("../address.js").Place} place
 */
export async function showParticipant(study, place) {
  const who = study.findParticipant(place.parts[0] ?? "");
  if (!who) throw new Error(`There is no participant ${place.parts[0]} here.`);
  const set = chooseSet(study, place.asked.set, who.number);
  const mine = study.sets.filter((one) => one.facts.participants.includes(who.number));
  const others = study.participants.filter((one) => one !== who);
  const compare = makeSelect("Compare with", [{ value: "", words: "choose" }, ...others.map((one) => ({ value: one.name, words: one.name }))], "", (name) => {
    if (name) location.hash = writeAddress("compare", [who.name, name], { set: set.name });
  });
  const facts = makeFacts([["Kind", who.kind ?? "model"], ["Family", who.family ?? "–"], ...(await listTop(study, who))]);
  /** @type {Node[]} */
  const nodes = [facts, ...(others.length ? [make("div", { className: "row" }, compare)] : [])];
  if (set.facts.participants.includes(who.number)) nodes.push(make("h2", {}, "Mistakes"), makeSetTabs(mine, set, place), ...(await makeMistakes(study, who, set, place)));
  nodes.push(make("h2", {}, "Scores"), await makeScores(study, who));
  return { title: who.name, nodes };
}

/** The participant's top-1 accuracy on every set. */
async function listTop(study, who) {
  const { list } = await study.loadScores();
  const mine = list.filter((one) => one.participant === who.name && one.metric === "top1");
  return mine.map((one) => [`Top-1 on ${study.sets[one.set].name}`, `${writeEstimate(one.value, one.low, one.high)}, n = ${writeCount(one.n)}`]);
}

async function makeScores(study, who) {
  const { list, metrics } = await study.loadScores();
  return makeTable({
    name: `scores of ${who.name}`, caption: "Scores with 95% intervals", rows: list.filter((one) => one.participant === who.name),
    columns: [
      { title: "Measure", value: (row) => nameMeasure(row, metrics) },
      { title: "Test set", value: (row) => study.sets[row.set].name, show: (row) => linkSet(study.sets[row.set]) },
      {
        title: "Value", isNumber: true, value: (row) => row.value, show: (row) => writeEstimate(row.value, row.low, row.high),
        csv: [["value", (row) => row.value], ["low", (row) => row.low], ["high", (row) => row.high]],
      },
      countColumn("Images", (row) => row.n),
      countColumn("Unjudged", (row) => row.nUnjudged),
    ],
  });
}

async function makeMistakes(study, who, set, place) {
  const { asked } = place;
  const version = findVersion(set, asked.labels);
  const coding = set.facts.codings.find((number) => study.index.codings[number].participant === who.name);
  const [{ images, firsts, rows }, labels, coded, finder] = await Promise.all([
    loadMistakes(set, who.number), version ? set.loadLabels(version.number) : null, coding === undefined ? null : set.loadCoding(coding), study.loadFinder(),
  ]);
  const distances = new Distances(finder.data);
  const all = rows.map((row) => ({
    row, label: images.labels[row], answer: firsts[row], verdict: labels ? labels.judge(row, firsts[row]) : NOT_COUNTED,
    distance: distances.isKnown ? distances.count(images.labels[row], firsts[row]) : null, code: coded?.find(row) ?? null,
  }));
  const shown = all.filter((one) => passes(study, one, asked));
  const nAnswered = firsts.reduce((sum, first, row) => sum + Number(first >= 0 && images.labels[row] >= 0), 0);
  const told = make("p", { role: "status" }, `${count(all.length, "answer", "answers")} of ${writeCount(nAnswered)} differ from the dataset label; ${count(shown.length, "is", "are")} shown.`);
  const gallery = await makeLongGallery(set, shown.map((one) => ({ row: one.row, lines: tell(study, one, labels) })), "No mistake is like this.");
  return [
    makeForm({ study, set, place, version, coded, all }), told, make("p", { className: "quiet" }, explainPictures(study)), gallery,
    make("div", { className: "columns" }, makePairs(who, set, all, asked), makeHardest(who, set, images, firsts)),
  ];
}

const DISTANCES = ["", "1", "2", "3", "4"];

function passes(study, one, { verdict = "", from = "", to = "", distance = "", category = "", severity = "" }) {
  return (!verdict || one.verdict === Number(verdict)) && (!from || one.label === study.findClass(from)) && (!to || one.answer === study.findClass(to))
    && (!distance || (distance === "4" ? one.distance >= 4 : one.distance === Number(distance)))
    && (!category || one.code?.category === category) && (!severity || one.code?.severity === severity);
}

/** The filters of mistakes, each with how many mistakes it would leave by itself. */
function makeForm({ study, set, place, version, coded, all }) {
  const { asked, parts } = place;
  const change = (changes) => {
    location.hash = writeAddress("participant", parts, { ...asked, set: set.name, ...changes });
  };
  const choose = (value, words, test) => ({ value, words: `${words} (${writeCount(all.filter(test).length)})` });
  const any = { value: "", words: `all (${writeCount(all.length)})` };
  const fields = [];
  if (version) {
    const versions = set.labelSets.map((one) => ({ value: `${one.name}@${one.version}`, words: `${one.name}@${one.version}` }));
    fields.push(makeSelect("Judged by", versions, `${version.name}@${version.version}`, (labels) => change({ labels })));
    const groups = MISTAKE_GROUPS.map(({ code, name }) => choose(String(code), name, (one) => one.verdict === code));
    fields.push(makeSelect("Verdict", [any, ...groups], asked.verdict ?? "", (verdict) => change({ verdict })));
  }
  if (all.some((one) => one.distance !== null)) {
    const levels = DISTANCES.slice(1).map((one) => choose(one, one === "4" ? "4 levels or more apart" : `common node ${count(Number(one), "level", "levels")} up`, ({ distance }) => (one === "4" ? distance >= 4 : distance === Number(one))));
    fields.push(makeSelect("Distance", [any, ...levels], asked.distance ?? "", (distance) => change({ distance })));
  }
  if (coded) {
    const names = coded.categoryNames.map((name) => choose(name, name, ({ code }) => code?.category === name));
    fields.push(makeSelect("Category", [any, ...names], asked.category ?? "", (category) => change({ category })));
    const severities = SEVERITIES.map((name) => choose(name, name, ({ code }) => code?.severity === name));
    fields.push(makeSelect("Severity", [any, ...severities], asked.severity ?? "", (severity) => change({ severity })));
  }
  if (asked.from || asked.to) {
    const words = `${asked.from ? study.nameClass(study.findClass(asked.from)) : "any"} → ${asked.to ? study.nameClass(study.findClass(asked.to)) : "any"}`;
    const drop = make("button", { type: "button" }, `Only ${words} ✕`);
    drop.addEventListener("click", () => change({ from: "", to: "" }));
    fields.push(drop);
  }
  return make("div", { className: "row fields", role: "group", "aria-label": "Filters of mistakes" }, ...fields);
}

function tell(study, one, labels) {
  const verdict = MISTAKE_GROUPS.find(({ code }) => code === one.verdict)?.name;
  const lines = [make("span", {}, "answered ", linkClass(study, one.answer))];
  if (labels) lines.push(make("span", { className: "quiet" }, `${verdict}`));
  if (one.code) lines.push(make("span", { className: "quiet" }, `${one.code.category}, ${one.code.severity}`));
  return lines;
}

function makePairs(who, set, all, asked) {
  const { study } = set;
  const rows = countPairs(all.map((one) => [one.label, one.answer, 1]));
  return makeTable({
    name: `confusions of ${who.name}`, caption: "What is taken for what", rows, empty: "No mistakes.",
    columns: [
      { title: "Classes", value: (row) => `${study.nameClass(row.label)} → ${study.nameClass(row.answer)}`, show: (row) => linkPair(study, row.label, row.answer, { set: set.name }) },
      countColumn("Images", (row) => row.n),
      { title: "Pictures", value: () => "", show: (row) => link(writeAddress("participant", [who.name], { ...asked, set: set.name, from: study.getId(row.label), to: study.getId(row.answer) }), "show"), csv: [] },
    ],
  });
}

function makeHardest(who, set, images, firsts) {
  const { study } = set;
  const [right, answered] = [new Int32Array(study.nClasses), new Int32Array(study.nClasses)];
  for (let row = 0; row < images.n; row += 1) {
    const label = images.labels[row];
    if (label < 0 || firsts[row] < 0) continue;
    answered[label] += 1;
    right[label] += Number(firsts[row] === label);
  }
  const rows = [...answered.keys()].filter((index) => answered[index]).map((index) => ({ index, k: right[index], n: answered[index] })).sort((a, b) => a.k / a.n - b.k / b.n || a.index - b.index);
  return makeTable({
    name: `hardest classes of ${who.name}`, caption: "Hardest classes", rows,
    columns: [
      { title: "Class", value: (row) => study.nameClass(row.index), show: (row) => linkClass(study, row.index) },
      shareColumn("Accuracy", (row) => makeShare(row.k, row.n)),
      countColumn("Images", (row) => row.n),
    ],
  });
}

/**
 * All participants.
 *
 * @param {import("../study.js").Study} study
 */
export async function showParticipants(study) {
  const { list } = await study.loadScores();
  const find = (who, set) => list.find((one) => one.participant === who.name && one.set === set.key && one.metric === "top1");
  const sets = study.testSets.filter((set) => set.participants.length);
  const columns = sets.map((set) => ({
    title: `Top-1 on ${set.name}`, isNumber: true, value: (who) => find(who, set)?.value,
    show: (who) => writeEstimate(find(who, set)?.value ?? null, find(who, set)?.low, find(who, set)?.high, find(who, set)?.n),
    csv: ["value", "low", "high", "n"].map((name) => /** @type {[string, (row: any) => any]} */ ([`top1_${set.name}${name === "value" ? "" : `_${name}`}`, (who) => find(who, set)?.[name]])),
  }));
  const rows = [...study.participants].sort((a, b) => (sets.length ? (find(b, sets[0])?.value ?? 0) - (find(a, sets[0])?.value ?? 0) : 0));
  const table = makeTable({
    name: "participants", caption: "Participants", rows, empty: "Nobody has predictions yet.",
    columns: [
      { title: "Participant", value: (who) => who.name, show: linkParticipant },
      { title: "Kind", value: (who) => who.kind ?? "model" },
      { title: "Family", value: (who) => who.family },
      ...columns,
    ],
  });
  return { title: "Participants", nodes: [table] };
}
