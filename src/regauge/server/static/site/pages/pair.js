/** Two classes: what they mean, the images of each that are taken for the other, and who does. */

import { count, make } from "../../dom.js";
import { writeAddress } from "../address.js";
import { makeLongGallery } from "../gallery.js";
import { chooseSet } from "../judged.js";
import { link, linkClass, linkParticipant } from "../links.js";
import { makeTable, shareColumn } from "../table.js";
import { makeSetTabs } from "../tabs.js";
import { makeShare } from "../words.js";

/**
 * @param {import("../study.js").Study} study
 * @param {import("../address.js").Place} place
 */
export async function showPair(study, place) {
  const [first, second] = [0, 1].map((i) => study.findClass(place.parts[i] ?? ""));
  if (first < 0 || second < 0 || first === second) throw new Error("A pair is of two classes, and at least one of these is not here.");
  const set = chooseSet(study, place.asked.set);
  const finder = await study.loadFinder();
  const meanings = [first, second].map((index) => make("p", {}, linkClass(study, index), `: ${finder.data.glosses[index] || "no definition"}`));
  const sides = await Promise.all([findSide(set, first, second), findSide(set, second, first)]);
  const nodes = [...meanings, makeSetTabs(study.testSets, set, place), makeWho(set, sides, place)];
  for (const side of sides) {
    const title = `${study.nameClass(side.label)} taken for ${study.nameClass(side.answer)}`;
    const shown = side.rows.sort((a, b) => b.who.length - a.who.length || a.row - b.row).filter(({ who }) => who.length).map(({ row, who }) => ({ row, lines: [`by ${count(who.length, "participant", "participants")}`] }));
    const all = link(writeAddress("browse", [set.name], { class: study.getId(side.label) }), `all images of ${study.nameClass(side.label)}`);
    nodes.push(make("h2", {}, title), make("p", {}, `${count(shown.length, "image", "images")} of ${side.rows.length}; see `, all, "."), await makeLongGallery(set, shown, "Nobody takes one for the other."));
  }
  return { title: `${study.nameClass(first)} and ${study.nameClass(second)}`, nodes };
}

/** Who answered one class for every image of the other. */
async function findSide(set, label, answer) {
  const images = await set.loadImages();
  const rows = images.listClass(label);
  const answers = await set.loadAnswers(rows);
  const found = rows.map((row) => {
    const firsts = answers.get(row) ?? [];
    return { row, who: [...firsts.keys()].filter((place) => firsts[place] === answer), nAnswered: [...firsts].filter((one) => one >= 0).length };
  });
  return { label, answer, rows: found, answers };
}

function makeWho(set, sides, place) {
  const rows = set.participants.map((who, at) => ({
    who,
    shares: sides.map(({ rows: all, answers }) => makeShare(
      all.filter((one) => one.who.includes(at)).length,
      all.filter((one) => (answers.get(one.row)?.[at] ?? -1) >= 0).length,
    )),
  })).sort((a, b) => b.shares[0].k + b.shares[1].k - a.shares[0].k - a.shares[1].k);
  const name = ({ label, answer }) => `${set.study.nameClass(label)} → ${set.study.nameClass(answer)}`;
  return makeTable({
    name: `pair ${place.parts.join(" ")}`, caption: `Who takes one for the other on ${set.name}`, rows, empty: "Nobody has predictions on this set.",
    columns: [
      { title: "Participant", value: (row) => row.who.name, show: (row) => linkParticipant(row.who) },
      shareColumn(name(sides[0]), (row) => row.shares[0], true),
      shareColumn(name(sides[1]), (row) => row.shares[1], true),
    ],
  });
}
