/** A version of a label set on the images of a set: verdicts, objects, and how often classes were selected. */

import { findStarts, unpack, unpackWords } from "./unpack.js";

export const WRONG = 0;
export const UNCLEAR = 1;
export const CORRECT = 2;
export const UNJUDGED = 3;
export const NOT_COUNTED = 4;
/** What a verdict on an answer is called; an answer that is unclear is disputed. */
export const VERDICT_NAMES = ["wrong", "unclear", "correct", "unjudged", "not counted"];

export class Labels {
  /**
   * @param {any} payload
   * @param {any} facts
   */
  constructor(payload, facts) {
    this.facts = facts;
    this.name = `${facts.name}@${facts.version}`;
    this.isKnown = unpack(payload.known);
    this.isProblematic = unpack(payload.problematic);
    this.starts = findStarts(unpack(payload.n));
    this.classes = unpack(payload.classes);
    this.verdicts = unpack(payload.verdicts);
    this.main = payload.main ? unpack(payload.main) : null;
    this.nObjects = payload.n_objects ? unpack(payload.n_objects) : null;
  }

  /** What the label set says of a class on an image: a verdict, unjudged, or not counted where it leaves the image out. */
  judge(row, index) {
    if (!this.isKnown[row] || this.isProblematic[row] || index < 0) return NOT_COUNTED;
    const [start, end] = [this.starts[row], this.starts[row + 1]];
    if (start === end && this.facts.kind === "real") return NOT_COUNTED;
    for (let i = start; i < end; i += 1) if (this.classes[i] === index) return this.verdicts[i];
    return this.facts.unlisted === "wrong" ? WRONG : UNJUDGED;
  }

  /** The classes of an image with their verdicts, correct ones first. */
  list(row) {
    const found = [];
    for (let i = this.starts[row]; i < this.starts[row + 1]; i += 1) found.push({ index: this.classes[i], verdict: this.verdicts[i] });
    return found.sort((a, b) => b.verdict - a.verdict || a.index - b.index);
  }
}

/** How often classes were selected for images. */
export class Frequencies {
  /** @param {any} payload */
  constructor(payload) {
    this.starts = findStarts(unpack(payload.n));
    this.classes = unpack(payload.classes);
    this.shown = unpack(payload.shown);
    this.selected = unpack(payload.selected);
  }

  /** How many saw a class on an image, and how many of them selected it; null where nobody was asked. */
  find(row, index) {
    for (let i = this.starts[row]; i < this.starts[row + 1]; i += 1) {
      if (this.classes[i] === index && this.shown[i]) return { shown: this.shown[i], selected: this.selected[i] };
    }
    return null;
  }

  /** The classes that were asked about on an image, the most selected first. */
  list(row) {
    const found = [];
    for (let i = this.starts[row]; i < this.starts[row + 1]; i += 1) {
      found.push({ index: this.classes[i], shown: this.shown[i], selected: this.selected[i] });
    }
    return found.sort((a, b) => b.selected / (b.shown || 1) - a.selected / (a.shown || 1) || a.index - b.index);
  }
}

/** The objects of images: for each its labels, and the one that it is called by. */
export class Objects {
  /** @param {any} payload */
  constructor(payload) {
    this.starts = findStarts(unpack(payload.n));
    this.labelStarts = findStarts(unpack(payload.n_labels));
    this.classes = unpack(payload.classes);
    this.names = unpack(payload.names);
  }

  /** @returns {{ name: number, classes: number[] }[]} */
  list(row) {
    const found = [];
    for (let i = this.starts[row]; i < this.starts[row + 1]; i += 1) {
      found.push({ name: this.names[i], classes: [...this.classes.slice(this.labelStarts[i], this.labelStarts[i + 1])] });
    }
    return found;
  }
}

/** What verdicts rest on: how many people voted how, and why. */
export class Evidence {
  /** @param {any} payload */
  constructor(payload) {
    this.rows = unpack(payload.rows);
    this.classes = unpack(payload.classes);
    this.rule = unpackWords(payload.rule);
    this.reason = unpackWords(payload.reason);
    this.votes = ["wrong", "unclear", "correct"].map((name) => unpack(payload[name]));
    this.isDerived = unpack(payload.derived);
    this.isExpert = unpack(payload.expert);
  }

  /** What is known of the verdict on a class of an image, in a few words; empty where nothing is. */
  tell(row, index) {
    for (let i = 0; i < this.rows.length; i += 1) {
      if (this.rows[i] === row && this.classes[i] === index) return this.#write(i);
    }
    return "";
  }

  #write(i) {
    const votes = [2, 1, 0].filter((one) => this.votes[one][i]).map((one) => `${this.votes[one][i]} ${VERDICT_NAMES[one]}`);
    const origin = (this.isDerived[i] && "follows from a relation between classes") || (this.isExpert[i] && "an expert's verdict");
    return [votes.length ? `votes: ${votes.join(", ")}` : "", origin || "", this.reason.get(i)].filter(Boolean).join("; ");
  }
}

/** Coded mistakes of one participant. */
export class Coding {
  /**
   * @param {any} payload
   * @param {any} facts
   */
  constructor(payload, facts) {
    this.facts = facts;
    this.rows = unpack(payload.rows);
    this.predictions = unpack(payload.predictions);
    this.categories = unpack(payload.categories);
    this.severities = unpack(payload.severities);
    this.categoryNames = payload.category_names;
    this.overturned = { rows: unpack(payload.overturned_rows), predictions: unpack(payload.overturned_predictions), reasons: unpackWords(payload.overturned_reasons) };
    /** @type {Map<number, number>} */
    this.placeOf = new Map([...this.rows].map((row, place) => [row, place]));
  }

  /** The category and severity of the mistake on an image, or null. */
  find(row) {
    const place = this.placeOf.get(row);
    if (place === undefined) return null;
    return { category: this.categoryNames[this.categories[place]], severity: SEVERITIES[this.severities[place]], prediction: this.predictions[place] };
  }
}

export const SEVERITIES = ["major", "minor", "borderline"];
