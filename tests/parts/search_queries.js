/** Reads finder data and queries as JSON from standard input, and writes the first ten of each, for a test in Python to compare. */

import { text } from "node:stream/consumers";

import { ClassIndex } from "../../src/regauge/server/static/parts/class_search.js";

const { data, queries } = JSON.parse(await text(process.stdin));
const index = new ClassIndex(data);
const start = process.cpuUsage();
const found = queries.map((query) => index.search(query));
const { user, system } = process.cpuUsage(start);
const told = found.map((matches) => matches.map((one) => [one.index, one.score, index.explain(one)]));
console.log(JSON.stringify({ told, milliseconds: (user + system) / 1000 / queries.length }));
