/** The page with all images of a set: filters with counts beside them, and the images that are left. */

import { count, make } from "../../dom.js";
import { writeAddress } from "../address.js";
import {
  NO_FREQUENCY, OBJECT_NAMES, RIGHT_NAMES, SORTS, UNSPLIT, VERDICTS_SHOWN, WHO_NAMES, chooseLabels, findSortColumn, loadColumns, makeFilters, readRange,
} from "../browse_filters.js";
import { makeSaver } from "../downloads.js";
import { filterImages, sortRows } from "../filters.js";
import { makeChecks, makeRange, makeSelect, makeText } from "../forms.js";
import { N_ON_PAGE, explainPictures, makeGallery } from "../gallery.js";
import { writeCount, writeCsv } from "../words.js";

/** @type {boolean | null} */
let isOpen = null;

/**
 * @param {import("../study.js").Study} study
 * @param {import("../address.js").Place} place
 */
export async function showBrowse(study, { parts, asked }) {
  const set = study.findSet(parts[0]);
  if (!set) throw new Error(`There is no test set ${parts[0]} here.`);
  const columns = await loadColumns(set, asked);
  const filters = makeFilters(study, columns, asked);
  const { rows, counts } = filterImages(set.n, filters);
  const column = findSortColumn(columns, asked.sort);
  const sorted = column ? sortRows(rows, column, !asked.up) : rows;
  const view = { study, set, asked, columns, counts, rows: sorted, change: makeChange(set, asked) };
  return { title: `Images of ${set.name}`, nodes: [make("div", { className: "browse" }, makeForm(view), await makeResult(view))] };
}

/** What goes to the same page with something else in its address; from the first images on, unless the page was turned. */
function makeChange(set, asked) {
  return (changes, name = set.name) => {
    location.hash = writeAddress("browse", [name], { ...asked, page: "", ...changes });
  };
}

function makeForm(view) {
  const { study, set, asked, columns, counts, change } = view;
  const fields = [
    makeSelect("Images of", study.sets.map((one) => ({ value: one.name, words: `${one.name} (${writeCount(one.n)})` })), set.name, (name) => change({ labels: "", who: "", is: "", slice: "", rule: "" }, name)),
    makeText("Image id has", asked.text ?? "", (text) => change({ text })),
    ...makeClassFields(view),
    ...makeLabelFields(view),
  ];
  if (columns.frequencies) {
    const known = counts.frequency.slice(0, NO_FREQUENCY);
    const nZero = known[0];
    fields.push(makeRange("Selected by annotators", readRange(asked), ([from, to]) => change({ from: from || "", to: to === 100 ? "" : to })));
    fields.push(make("p", { className: "quiet" }, `${count(known.reduce((a, b) => a + b, 0), "image", "images")} with a known frequency, ${writeCount(nZero)} selected by nobody.`));
  }
  fields.push(...makeAnswerFields(view), ...makePoolFields(view));
  const clear = make("a", { href: writeAddress("browse", [set.name]), className: "button" }, "Clear all filters");
  const form = make("form", { className: "filters", "aria-label": "Filters" }, ...fields, clear);
  form.addEventListener("submit", (event) => event.preventDefault());
  return makeBox(form);
}

/** The filters, folded on a phone until somebody opens them; they stay as they were when something is chosen. */
function makeBox(form) {
  isOpen ??= matchMedia("(min-width: 800px)").matches;
  const box = make("details", { className: "filter-box", open: isOpen }, make("summary", {}, "Filters"));
  if (isOpen) box.append(form);
  box.addEventListener("toggle", () => {
    isOpen = box.open;
    if (isOpen) box.append(form);
    else form.remove();
  });
  return box;
}

function makeClassFields({ study, asked, counts, change }) {
  const groups = study.groupings.flatMap(({ name, groups: all }) => all.map((one) => {
    const n = one.members.reduce((sum, index) => sum + counts.class[index + 1], 0);
    return { value: `${name}/${one.name}`, words: `${name}: ${one.name} (${writeCount(n)})` };
  }));
  const fields = [];
  if (asked.class) {
    const index = study.findClass(asked.class);
    const drop = make("button", { type: "button" }, `Class: ${study.nameClass(index)} (${writeCount(counts.class[index + 1] ?? 0)}) ✕`);
    drop.setAttribute("aria-label", `Any class in place of ${study.nameClass(index)}`);
    drop.addEventListener("click", () => change({ class: "" }));
    fields.push(make("div", { className: "field" }, drop));
  }
  if (groups.length) fields.push(makeSelect("Group of classes", [{ value: "", words: "any" }, ...groups], asked.group ?? "", (group) => change({ group, class: "" })));
  return fields;
}

function makeLabelFields({ set, asked, columns, counts, change }) {
  const fields = [];
  if (set.labelSets.length) {
    const versions = set.labelSets.map((one) => ({ value: `${one.name}@${one.version}`, words: `${one.name}@${one.version}` }));
    const chosen = chooseLabels(set, asked);
    fields.push(makeSelect("Judged by", versions, `${chosen.name}@${chosen.version}`, (labels) => change({ labels })));
  }
  const pick = (name) => (values) => change({ [name]: values.join(",") });
  const list = (name) => (asked[name] ? asked[name].split(",") : []);
  if (columns.verdicts) {
    const choices = VERDICTS_SHOWN.map(({ code, name }) => ({ value: String(code), words: name, n: counts.verdict[code] }));
    fields.push(makeChecks("The dataset label is", choices, list("verdict"), pick("verdict")));
  }
  if (counts.mislabeled) {
    const choices = [{ value: "1", words: "dataset label wrong, or selected by nobody", n: counts.mislabeled[1] }];
    fields.push(makeChecks("Mislabeled", choices, list("mislabeled"), pick("mislabeled")));
  }
  if (columns.objects) {
    const choices = OBJECT_NAMES.map((words, code) => ({ value: String(code), words, n: counts.objects[code] }));
    fields.push(makeChecks("Objects", choices, list("objects"), pick("objects")));
  }
  return fields;
}

function makeAnswerFields({ study, set, asked, columns, counts, change }) {
  if (!set.participants.length) return [];
  const list = (name) => (asked[name] ? asked[name].split(",") : []);
  const right = RIGHT_NAMES.map((words, code) => ({ value: String(code), words, n: counts.right[code] })).slice(set.facts.n_labelled ? 0 : 3);
  const people = set.participants.map((one) => ({ value: one.name, words: one.name }));
  const fields = [
    makeChecks("Participants who are right", right, list("right"), (values) => change({ right: values.join(",") })),
    makeSelect("One participant", [{ value: "", words: "anybody" }, ...people], asked.who ?? "", (who) => change({ who, is: "" })),
  ];
  if (columns.who && study.findParticipant(asked.who)) {
    const choices = WHO_NAMES.map((words, code) => ({ value: String(code), words, n: counts.who[code] }));
    fields.push(makeChecks(`${asked.who} is`, choices, list("is"), (values) => change({ is: values.join(",") })));
  }
  return fields;
}

function makePoolFields({ set, asked, columns, counts, change }) {
  const fields = [];
  const { slices } = set.facts;
  if (slices.length) {
    const choices = slices.map((one) => ({ value: one.name, words: one.name }));
    fields.push(makeSelect("Slice", [{ value: "", words: "all images" }, ...choices], asked.slice ?? "", (slice) => change({ slice })));
  }
  if (columns.split) {
    const choices = columns.split.words.map((words, code) => ({ value: words || UNSPLIT, words: words || "nobody was asked", n: counts.split[code] }));
    fields.push(makeChecks("Part of the split after CONTAINS", choices, asked.split ? asked.split.split(",") : [], (values) => change({ split: values.join(",") })));
  }
  const rules = columns.images.pool?.rule.words;
  if (rules) {
    const choices = rules.map((words, code) => ({ value: String(code), words: words ? `left out: ${words}` : "can be taken", n: counts.rule[code] }));
    fields.push(makeChecks("Candidates", choices, asked.rule ? asked.rule.split(",") : [], (values) => change({ rule: values.join(",") })));
  }
  return fields;
}

async function makeResult(view) {
  const { set, asked, columns, rows, change } = view;
  const nPages = Math.max(1, Math.ceil(rows.length / N_ON_PAGE));
  const page = Math.max(1, Math.min(nPages, Number(asked.page) || 1));
  const sorts = Object.entries(SORTS).filter(([name]) => name === "row" || findSortColumn(columns, name)).map(([value, words]) => ({ value, words }));
  const sort = makeSelect("Sorted by", sorts, asked.sort ?? "row", (value) => change({ sort: value === "row" ? "" : value }));
  const turn = make("a", { href: writeAddress("browse", [set.name], { ...asked, up: asked.up ? "" : "1" }), className: "button" }, asked.up ? "Lowest first" : "Highest first");
  turn.hidden = !asked.sort;
  const saver = makeSaver("CSV", `images of ${set.name}.csv`, "text/csv", () => writeRows(view));
  const told = make("p", { className: "lead", role: "status" }, `${count(rows.length, "image", "images")} of ${writeCount(set.n)}`);
  const shown = [...rows.slice((page - 1) * N_ON_PAGE, page * N_ON_PAGE)].map((row) => ({ row, lines: [tell(view, row)] }));
  const pictures = rows.length ? await makeGallery(set, shown) : make("p", { className: "empty" }, "No image passes all filters. Clear one of them to see more.");
  const bar = make("div", { className: "row result-bar" }, told, sort, turn, saver);
  return make("section", { className: "result", "aria-label": "Images" }, bar, make("p", { className: "quiet" }, `${explainPictures(set.study)}${await countMissing(set)}`), pictures, makePages(set, asked, page, nPages));
}

/** How many images of a set have no picture, where some have one. */
async function countMissing(set) {
  if (set.study.index.pictures.mode === "none") return "";
  const find = await set.loadPictures();
  let n = 0;
  for (let row = 0; row < set.n; row += 1) n += Number(!find(row));
  return n ? ` ${count(n, "image has", "images have")} none.` : "";
}

/** What is told below an image: how many are right, and how often people selected its label. */
function tell({ set, columns }, row) {
  const { images, counts } = columns;
  const words = [];
  if (images.pool) words.push(images.pool.rule.get(row) ? `left out: ${images.pool.reason.get(row) || images.pool.rule.get(row)}` : "can be taken");
  if (set.participants.length && images.labels[row] >= 0) words.push(`${images.nRight[row]} of ${images.nAnswered[row]} right`);
  const found = images.findCounts(counts, row);
  if (found) words.push(`selected by ${found.selected} of ${found.shown}`);
  return words.join(" · ");
}

function makePages(set, asked, page, nPages) {
  const to = (number, words) => (number < 1 || number > nPages ? make("span", { className: "quiet" }, words) : make("a", { className: "button", href: writeAddress("browse", [set.name], { ...asked, page: number === 1 ? "" : number }) }, words));
  const nav = make("nav", { className: "row pages", "aria-label": "Pages of images" }, to(page - 1, "Previous"), make("span", {}, `Page ${writeCount(page)} of ${writeCount(nPages)}`), to(page + 1, "Next"));
  nav.hidden = nPages === 1;
  return nav;
}

function writeRows({ study, rows, columns }) {
  const { images, verdicts, objects, frequencies } = columns;
  const names = ["image_id", "class_id", "class", "n_right", "n_answered", "verdict", "n_objects", "selected_percent"];
  const lines = [...rows].map((row) => {
    const index = images.labels[row];
    const frequency = frequencies && frequencies[row] !== NO_FREQUENCY ? frequencies[row] : null;
    const verdict = verdicts && VERDICTS_SHOWN.find((one) => one.code === verdicts[row])?.name;
    return [images.ids[row], index < 0 ? "" : study.getId(index), index < 0 ? "" : study.nameClass(index), images.nRight[row], images.nAnswered[row], verdict, objects?.[row] || null, frequency];
  });
  return writeCsv(names, lines);
}
