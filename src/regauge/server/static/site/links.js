/** Links between the pages of the website: every name of a class, participant, image, set or label set is one. */

import { make } from "../dom.js";
import { writeAddress } from "./address.js";

/**
 * @param {string} href
 * @param {...(Node | string)} children
 */
export const link = (href, ...children) => make("a", { href }, ...children);

/** A link out of the website, which tells nobody where it comes from. */
export const linkOut = (href, text) => make("a", { href, rel: "noopener noreferrer", target: "_blank" }, text);

/**
 * @param {import("./study.js").Study} study
 * @param {number} index
 */
export function linkClass(study, index) {
  if (index < 0) return make("span", { className: "quiet" }, "no label");
  return link(writeAddress("class", [study.getId(index)]), study.nameClass(index));
}

/**
 * Two classes that are taken for each other.
 *
 * @param {import("./study.js").Study} study
 * @param {number} first
 * @param {number} second
 * @param {Record<string, string>} [asked]
 */
export function linkPair(study, first, second, asked = {}) {
  const address = writeAddress("pair", [study.getId(first), study.getId(second)], asked);
  return link(address, `${study.nameClass(first)} → ${study.nameClass(second)}`);
}

/** Whether a participant is a person: these are orange diamonds everywhere, and models blue dots. */
export const isPerson = (participant) => participant?.kind === "person";

/** @param {{ name: string, kind?: string }} participant */
export function linkParticipant(participant) {
  const found = link(writeAddress("participant", [participant.name]), participant.name);
  found.className = isPerson(participant) ? "who person" : "who";
  return found;
}

/** A participant by name; text alone where there is no page of theirs, as of those whose predictions are not at hand. */
export function linkName(study, name) {
  const who = study.findParticipant(name);
  return who ? linkParticipant(who) : make("span", {}, name);
}

/**
 * @param {import("./site_set.js").SiteSet} set
 * @param {string} id
 */
export const linkImage = (set, id) => link(writeAddress("image", [set.name, id]), id);

/** @param {{ name: string }} set */
export const linkSet = (set) => link(writeAddress("browse", [set.name]), set.name);

/** @param {{ name: string, version: number }} labels */
export const linkLabels = (labels) => link(writeAddress("labels", [labels.name], { version: labels.version }), `${labels.name}@${labels.version}`);
