/** A few classes with nodes above them, for the tests of parts that find classes. */

import { ClassIndex } from "../../src/regauge/server/static/parts/class_search.js";

/** tern and gull are seabirds, drake is a duck; all are birds. A couch is furniture. */
export const DATA = {
  version: 1,
  ids: ["c0", "c1", "c2", "c3", "n-bird", "n-duck", "n-furniture", "n-seabird", "n-thing"],
  names: [["tern", "sea swallow"], ["gull"], ["drake"], ["studio couch", "<b>day bed</b>"], ["bird"], ["duck"], ["furniture"], ["seabird"], ["thing"]],
  kinds: [[], ["kittiwake"], [], [], [], [], ["settee"], [], []],
  related: [[], [], [], [], [], [], [], ["boating"], []],
  parents: [[7], [7], [5], [6], [8], [4], [8], [4], []],
  glosses: ["a slender bird", "a white aquatic bird", "adult male", "a couch that is a bed"],
  forms: [["geese", "goose"]],
  fillers: ["a", "that", "is", "for"],
  describing: ["white"],
};

/** Their index. */
export const makeIndex = () => new ClassIndex(DATA);
