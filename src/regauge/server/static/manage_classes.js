/** The manager's page of classes: the finder, the tree and the card, which follow each other. The address names the class. */

import { byId } from "./dom.js";
import { attempt } from "./manage_common.js";
import { ClassAlbum } from "./parts/class_album.js";
import { ClassFinder, loadClassIndex } from "./parts/class_finder.js";
import { ClassTree, loadPictures } from "./parts/class_tree.js";
import { request } from "./requests.js";

const { cards } = byId("classes").dataset;
const album = new ClassAlbum(byId("card"), {
  onOpen: (place) => {
    go(place);
    // The button that was pressed goes with the card that it was on.
    byId("card").focus({ preventScroll: true });
  },
});
let turn = 0;

/** Name a class in the address; that shows it, and the way back leads to the one before. */
function go(place) {
  const wanted = `#${place}`;
  if (location.hash === wanted) attempt(() => show(place));
  else location.hash = wanted;
}

async function show(place) {
  turn += 1;
  const mine = turn;
  const card = await request("GET", `/api/classes/${place}/card?${cards}`);
  // Whoever was quicker than the server sees what they chose last.
  if (mine !== turn) return;
  album.show(card);
  byId("card").scrollIntoView({ block: "nearest" });
}

attempt(async () => {
  const index = await loadClassIndex();
  const findPicture = await loadPictures(index, cards);
  const tree = new ClassTree(byId("tree"), { index, onChoose: go, findPicture });
  const finder = new ClassFinder(byId("finder"), { index, onChoose: go });
  const follow = () => {
    const place = /^#\d{1,6}$/.test(location.hash) ? Number(location.hash.slice(1)) : -1;
    if (place < 0 || place >= index.nClasses) return;
    tree.show(place);
    attempt(() => show(place));
  };
  window.addEventListener("hashchange", follow);
  follow();
  if (!location.hash) finder.focus();
});
