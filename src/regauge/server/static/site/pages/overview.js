/** The first page: what was measured by which labels, and what came out, with intervals. */

import { count, make } from "../../dom.js";
import { writeAddress } from "../address.js";
import { drawDots } from "../figures.js";
import { explainPictures } from "../gallery.js";
import { isPerson, link, linkLabels, linkParticipant, linkSet } from "../links.js";
import { countColumn, makeTable } from "../table.js";
import { writeEstimate } from "../words.js";

const N_DRAWN = 40;

/**
 * @param {import("../study.js").Study} study
 * @param {import("../address.js").Place} place
 */
export async function showOverview(study, { asked }) {
  const { list, metrics, findings } = await study.loadScores();
  const { about, name, taxonomy, at } = study.index.study;
  const facts = `${count(study.testSets.length, "test set", "test sets")}, ${count(study.participants.length, "participant", "participants")}, ${count(study.nClasses, "class", "classes")} (${taxonomy}). As of ${at.slice(0, 10)}.`;
  /** @type {Node[]} */
  const nodes = [make("p", { className: "lead" }, about || facts)];
  if (about) nodes.push(make("p", {}, facts));
  if (findings.length) nodes.push(make("h2", {}, "What was found"), ...makeFindings(study, findings));
  nodes.push(make("h2", {}, "Accuracy"));
  if (list.length) nodes.push(...makeScores(study, list, metrics, asked));
  else nodes.push(make("p", { className: "empty" }, "Nobody has predictions yet; add them with: regauge predictions add FILE…."));
  nodes.push(make("h2", {}, "Test sets and labels"), ...makeSets(study), make("p", { className: "quiet" }, explainPictures(study)));
  return { title: name, nodes };
}

/** Sentences, under the set that each is about. */
function makeFindings(study, findings) {
  return study.sets.flatMap((set) => {
    const mine = findings.filter((one) => one.set === set.key);
    if (!mine.length) return [];
    return [make("h3", {}, linkSet(set)), make("ul", {}, ...mine.map((one) => make("li", {}, one.text)))];
  });
}

function makeScores(study, list, metrics, asked) {
  const sets = [...new Set(list.map((one) => one.set))];
  const key = sets.includes(Number(asked.set ?? -1)) ? Number(asked.set) : sets[0];
  const mine = list.filter((one) => one.set === key);
  const measures = [...new Map(mine.map((one) => [`${one.metric} ${one.labels}`, one])).values()];
  const chosen = measures.find((one) => `${one.metric} ${one.labels}` === asked.by) ?? measures[0];
  const tabs = (all, label) => make("nav", { className: "row tabs", "aria-label": label }, ...all);
  const setTabs = sets.map((one) => makeTab(study.sets[one].name, { ...asked, set: one, by: "" }, one === key));
  const measureTabs = measures.map((one) => makeTab(nameMeasure(one, metrics), { ...asked, by: `${one.metric} ${one.labels}` }, one === chosen));
  const shown = mine.filter((one) => one.metric === chosen.metric && one.labels === chosen.labels).sort((a, b) => b.value - a.value);
  const top = new Map(mine.filter((one) => one.metric === "top1").map((one) => [one.participant, one]));
  const isTop = chosen.metric === "top1";
  const rows = shown.slice(0, N_DRAWN).map((one) => ({
    name: one.participant, href: writeAddress("participant", [one.participant]), isPerson: isPerson(study.findParticipant(one.participant)),
    points: [one, ...(isTop || !top.has(one.participant) ? [] : [top.get(one.participant)])],
  }));
  const words = nameMeasure(chosen, metrics);
  const title = `${words} on ${study.sets[key].name}${shown.length > N_DRAWN ? `, the best ${N_DRAWN}` : ""}`;
  return [
    tabs(setTabs, "Test set"), tabs(measureTabs, "Measure"),
    make("p", {}, `${words}: ${metrics[chosen.metric]?.meaning ?? ""}.${chosen.remark ? ` ${chosen.remark}.` : ""} With 95% intervals; where answers are unjudged, the interval also spans what they could turn out to be.`),
    drawDots({ title, name: title, rows, series: isTop ? [words] : [words, "Top-1"] }),
    makeScoreTable(study, shown, title),
  ];
}

function makeTab(words, asked, isCurrent) {
  const tab = make("a", { href: writeAddress("overview", [], asked), className: "button" }, words);
  if (isCurrent) tab.setAttribute("aria-current", "true");
  return tab;
}

/** What a metric under some labels is called. */
export function nameMeasure({ metric, labels }, metrics) {
  const title = metrics[metric]?.title ?? metric;
  return labels === "dataset" ? title : `${title} (${labels})`;
}

function makeScoreTable(study, shown, title) {
  return makeTable({
    name: title, caption: title, rows: shown,
    columns: [
      { title: "Participant", value: (row) => row.participant, show: (row) => linkParticipant(study.findParticipant(row.participant) ?? { name: row.participant }) },
      {
        title: "Value", isNumber: true, value: (row) => row.value, show: (row) => writeEstimate(row.value, row.low, row.high),
        csv: [["value", (row) => row.value], ["low", (row) => row.low], ["high", (row) => row.high], ["interval", (row) => row.interval]],
      },
      countColumn("Images", (row) => row.n),
      countColumn("Unjudged", (row) => row.nUnjudged),
    ],
  });
}

function makeSets(study) {
  const rows = study.sets.map((set) => ({ set, labels: set.labelSets }));
  const showLabels = ({ labels }) => make("span", {}, ...labels.flatMap((one, i) => [i ? ", " : "", linkLabels(one)]));
  const table = makeTable({
    name: "test sets", caption: "Test sets and pools", rows, empty: "There is no test set yet.",
    columns: [
      { title: "Set", value: ({ set }) => set.name, show: ({ set }) => linkSet(set) },
      { title: "Kind", value: ({ set }) => tellKind(set) },
      countColumn("Images", ({ set }) => set.n),
      countColumn("With dataset label", ({ set }) => set.facts.n_labelled),
      countColumn("Participants", ({ set }) => set.participants.length),
      { title: "Label sets", value: ({ labels }) => labels.map((one) => `${one.name}@${one.version}`).join(" "), show: showLabels },
    ],
  });
  const links = [link(writeAddress("browse"), "Browse all images"), link(writeAddress("classes"), "All classes"), link(writeAddress("participants"), "All participants")];
  return [table, make("p", {}, ...links.flatMap((one, i) => [i ? " · " : "", one]))];
}

function tellKind(set) {
  if (set.isPool) return "pool of candidates";
  return set.facts.drawn ? `drawn from ${set.facts.drawn.pools.join(", ") || "a pool"}` : "test set";
}

