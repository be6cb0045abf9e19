/** All classes, a group of classes, and what is taken for what: blocks of groups that open, and ranked pairs below. */

import { count, make } from "../../dom.js";
import { writeAddress } from "../address.js";
import { makeSelect } from "../forms.js";
import { chooseSet, countPairs, loadMistakes } from "../judged.js";
import { link, linkClass, linkPair, linkParticipant } from "../links.js";
import { countColumn, makeTable, shareColumn } from "../table.js";
import { makeSetTabs } from "../tabs.js";
import { makeShare, writeCount } from "../words.js";

/** The best participant on a set by top-1, or the one of a name. */
async function chooseParticipant(study, set, name) {
  const { list } = await study.loadScores();
  const named = name ? set.participants.find((one) => one.name === name) : undefined;
  const best = list.filter((one) => one.set === set.key && one.metric === "top1").sort((a, b) => b.value - a.value)[0];
  return named ?? set.participants.find((one) => one.name === best?.participant) ?? set.participants[0];
}

function makeWho(set, who, place, others = []) {
  const people = [...others, ...set.participants.map((one) => ({ value: one.name, words: one.name }))];
  return makeSelect("Participant", people, who?.name ?? "", (name) => {
    location.hash = writeAddress(place.page, place.parts, { ...place.asked, who: name });
  });
}

/**
 * @param {import("../study.js").Study} study
 * @param {import("../address.js").Place} place
 */
export async function showClasses(study, place) {
  const set = chooseSet(study, place.asked.set);
  const [images, counts, who] = await Promise.all([set.loadImages(), set.loadClassCounts(), chooseParticipant(study, set, place.asked.who)]);
  const at = who ? set.participants.indexOf(who) : -1;
  const rows = Array.from({ length: study.nClasses }, (_, index) => ({ index, n: images.classStarts[index + 1] - images.classStarts[index], ...(at < 0 ? {} : { share: shareOf(counts.find(at, index)) }) }));
  /** @type {import("../table.js").Column[]} */
  const columns = [
    { title: "Class", value: (row) => study.nameClass(row.index), show: (row) => linkClass(study, row.index) },
    { title: "Id", value: (row) => study.getId(row.index) },
    countColumn("Images", (row) => row.n),
  ];
  if (at >= 0) columns.push(shareColumn(`Accuracy of ${who.name}`, (row) => row.share));
  const groups = study.groupings.map(({ name, groups: all }) => make("p", {}, `${name}: `, ...all.flatMap((one, i) => [i ? ", " : "", link(writeAddress("group", [name, one.name]), one.name)])));
  const choice = at < 0 ? [] : [makeWho(set, who, place)];
  return { title: "Classes", nodes: [...groups, makeSetTabs(study.sets, set, place), ...choice, makeTable({ name: "classes", caption: `Classes on ${set.name}`, columns, rows })] };
}

const shareOf = ({ k, n }) => makeShare(k, n);

/**
 * @param {import("../study.js").Study} study
 * @param {import("../address.js").Place} place
 */
export async function showGroup(study, place) {
  const [grouping, name] = place.parts;
  const group = study.groupings.find((one) => one.name === grouping)?.groups.find((one) => one.name === name);
  if (!group) throw new Error(`There is no group ${name} here.`);
  const set = chooseSet(study, place.asked.set);
  const [images, counts] = await Promise.all([set.loadImages(), set.loadClassCounts()]);
  const members = [...group.members];
  const n = members.reduce((sum, index) => sum + images.classStarts[index + 1] - images.classStarts[index], 0);
  const nodes = [
    make("p", { className: "lead" }, `${count(members.length, "class", "classes")} of the grouping ${grouping}.`), makeSetTabs(study.sets, set, place),
    make("p", {}, `${count(n, "image", "images")} of ${set.name}. `, link(writeAddress("browse", [set.name], { group: `${grouping}/${name}` }), "See them"), " · ",
      link(writeAddress("confusions", [set.name], { grouping, row: name, column: name }), "Confusions within the group")),
  ];
  if (counts) nodes.push(makeAccuracy(set, counts, members, name));
  nodes.push(make("h2", {}, "Classes"), make("ul", { className: "names" }, ...members.map((index) => make("li", {}, linkClass(study, index)))));
  return { title: name, nodes };
}

function makeAccuracy(set, counts, members, name) {
  const rows = set.participants.map((who, at) => {
    const found = members.map((index) => counts.find(at, index));
    return { who, share: makeShare(found.reduce((sum, one) => sum + one.k, 0), found.reduce((sum, one) => sum + one.n, 0)) };
  }).sort((a, b) => (b.share.value ?? 0) - (a.share.value ?? 0));
  return makeTable({
    name: `accuracy on ${name}`, caption: `Accuracy on ${name} of ${set.name}`, rows,
    columns: [
      { title: "Participant", value: (row) => row.who.name, show: (row) => linkParticipant(row.who) },
      shareColumn("Accuracy", (row) => row.share),
      countColumn("Images", (row) => row.share.n),
    ],
  });
}

/**
 * @param {import("../study.js").Study} study
 * @param {import("../address.js").Place} place
 */
export async function showConfusions(study, place) {
  const set = chooseSet(study, place.parts[0]);
  if (!set.participants.length) throw new Error(`Nobody has predictions on ${set.name}.`);
  const who = set.participants.find((one) => one.name === place.asked.who);
  const pairs = countPairs(who ? await listOwn(set, who) : await listAll(set));
  const here = { page: "confusions", parts: [set.name], asked: place.asked };
  const grouping = study.groupings.find((one) => one.name === place.asked.grouping) ?? study.groupings[0];
  const nodes = [
    makeSetLinks(study, set, place), make("div", { className: "row fields" }, makeWho(set, who, here, [{ value: "", words: "everybody together" }]), ...makeGroupingChoice(study, grouping, here)),
    make("p", {}, `${writeCount(pairs.reduce((sum, one) => sum + one.n, 0))} of ${writeCount(await countAnswers(set, who))} first answers of ${who ? who.name : count(set.participants.length, "participant", "participants")} differ from the dataset label.`),
  ];
  if (grouping) nodes.push(make("h2", {}, `By ${grouping.name}`), makeBlocks(grouping, pairs, here));
  const inside = grouping ? pairs.filter((one) => isInside(grouping, one, place.asked)) : pairs;
  const title = place.asked.row ? `${place.asked.row} taken for ${place.asked.column}` : "Classes taken for each other";
  nodes.push(make("h2", {}, title), makePairTable(study, set, inside, title));
  return { title: `Confusions on ${set.name}`, nodes };
}

function makeSetLinks(study, set, { asked }) {
  const links = study.testSets.filter((one) => one.participants.length).map((one) => {
    const tab = make("a", { className: "button", href: writeAddress("confusions", [one.name], asked) }, one.name);
    if (one === set) tab.setAttribute("aria-current", "true");
    return tab;
  });
  return make("nav", { className: "row tabs", "aria-label": "Test set" }, ...links);
}

function makeGroupingChoice(study, grouping, here) {
  if (study.groupings.length < 2) return [];
  return [makeSelect("Groups", study.groupings.map(({ name }) => ({ value: name, words: name })), grouping.name, (name) => {
    location.hash = writeAddress("confusions", here.parts, { ...here.asked, grouping: name, row: "", column: "" });
  })];
}

/** One participant's mistakes: label, answer, once. */
async function listOwn(set, who) {
  const { images, firsts, rows } = await loadMistakes(set, who.number);
  return rows.map((row) => /** @type {[number, number, number]} */ ([images.labels[row], firsts[row], 1]));
}

/** Everybody's mistakes: label, answer, and how many gave it, image by image. */
async function listAll(set) {
  const images = await set.loadImages();
  /** @type {[number, number, number][]} */
  const found = [];
  for (let index = 0; index < set.study.nClasses; index += 1) {
    for (const { row, by } of await set.loadWrong(index)) found.push([images.labels[row], index, by]);
  }
  return found;
}

/** First answers on images with a dataset label. */
async function countAnswers(set, who) {
  const images = await set.loadImages();
  const firsts = who && (await set.loadFirsts(who.number));
  return images.labels.reduce((sum, label, row) => sum + (label < 0 ? 0 : firsts ? Number(firsts[row] >= 0) : images.nAnswered[row]), 0);
}

/** Which groups a class is in, by the class; in none it is in the last. */
function findGroupsOf(grouping, index) {
  return grouping.groups.flatMap((one, i) => (one.members.includes(index) ? [i] : []));
}

function isInside(grouping, { label, answer }, { row = "", column = "" }) {
  const has = (name, index) => !name || (grouping.groups.find((one) => one.name === name)?.members.includes(index) ?? false);
  return has(row, label) && has(column, answer);
}

/** A table of groups by groups; every cell opens the pairs behind it. */
function makeBlocks(grouping, pairs, here) {
  const names = grouping.groups.map((one) => one.name);
  const counts = names.map(() => names.map(() => 0));
  /** @type {Map<number, number[]>} */
  const groupsOf = new Map();
  const find = (index) => {
    if (!groupsOf.has(index)) groupsOf.set(index, findGroupsOf(grouping, index));
    return groupsOf.get(index) ?? [];
  };
  for (const { label, answer, n } of pairs) for (const i of find(label)) for (const j of find(answer)) counts[i][j] += n;
  const cell = (i, j) => {
    if (!counts[i][j]) return make("td", { className: "quiet" }, "0");
    return make("td", {}, link(writeAddress("confusions", here.parts, { ...here.asked, grouping: grouping.name, row: names[i], column: names[j] }), writeCount(counts[i][j])));
  };
  const head = make("tr", {}, make("th", { scope: "col" }, "taken for →"), ...names.map((name) => make("th", { scope: "col" }, name)));
  const body = names.map((name, i) => make("tr", {}, make("th", { scope: "row" }, name), ...names.map((_, j) => cell(i, j))));
  const table = make("table", { className: "cells" }, make("caption", { className: "hidden" }, "Answers by the group of the dataset label and that of the answer"), make("thead", {}, head), make("tbody", {}, ...body));
  return make("div", { className: "table-scroll", tabIndex: 0, role: "region", "aria-label": "Confusions between groups" }, table);
}

function makePairTable(study, set, rows, title) {
  return makeTable({
    name: title, caption: title, rows, empty: "No answer is like this.",
    columns: [
      { title: "Classes", value: (row) => `${study.nameClass(row.label)} → ${study.nameClass(row.answer)}`, show: (row) => linkPair(study, row.label, row.answer, { set: set.name }) },
      countColumn("Answers", (row) => row.n),
      countColumn("Images", (row) => row.nImages),
    ],
  });
}
