/** LABEL: one image; find its class by name or in the tree, and hand it in. */

import { Reference } from "./class_reference.js";
import { work } from "./desk.js";
import { byId, setShown } from "./dom.js";
import { makeClassCard } from "./parts/class_card.js";
import { ClassFinder, loadClassIndex } from "./parts/class_finder.js";
import { ClassTree, loadPictures } from "./parts/class_tree.js";
import { ImageViewer } from "./parts/image_viewer.js";
import { Requests, Told } from "./lessons.js";
import { showPicture, wasShown } from "./pictures.js";

/** Nobody is reminded of what they answered before. */
const NO_RECENT = /** @type {any} */ ({ list: () => [], note: () => {} });

/** The image and the class that is named for it. */
class Labelling {
  #desk;
  #campaign = Number(byId("desk").dataset.campaign);
  /** @type {HTMLImageElement | null} */
  #picture = null;
  /** Whether something was told, and the next key goes on. */
  #isLearning = false;
  /** Whether it is being fetched. */
  #isTelling = false;
  /** Whether the image was shown when an earlier answer was given. */
  #isKnown = false;
  #named = -1;
  /** @type {import("./parts/class_search.js").ClassIndex | null} */
  #index = null;
  /** @type {ClassFinder | null} */
  #finder = null;
  /** @type {ClassTree | null} */
  #tree = null;
  #viewer = new ImageViewer({ report: () => this.#report(), closed: () => this.#finder?.focus() });
  #reference = new Reference(this.#campaign);
  #told = new Told(this.#campaign);
  /** @type {Requests | null} */
  #requests = null;
  /** @type {any} */
  #task = null;

  constructor(desk) {
    this.#desk = desk;
    byId("enlarge").addEventListener("click", () => this.#enlarge());
    byId("report").addEventListener("click", () => desk.submit({ not_shown: true }));
    byId("look").addEventListener("click", () => this.#look());
    byId("browse").addEventListener("click", () => this.#browse());
    byId("card-dialog").addEventListener("close", () => this.#finder?.focus());
    // In the field letters are typed; these keys mean something there all the same.
    byId("label").addEventListener("keydown", (event) => this.#press(event));
    this.#bindKeys();
    this.#load();
  }

  /** Whether a task is on the screen. */
  get isShown() {
    return !byId("label").hidden;
  }

  /** Whether answers stay as they are: whoever is trained is told what is right. */
  get isFinal() {
    return this.#task?.view.is_lesson === true;
  }

  /** Show a task, with the class that was named before. */
  show(task, answer) {
    const [picture] = task.pictures;
    this.#task = task;
    this.#told.clear();
    this.#ask(true);
    if (this.isFinal && document.body.dataset.role === "annotator") this.#requests ??= new Requests(this.#campaign);
    this.#picture = picture;
    this.#isKnown = Boolean(answer);
    showPicture(picture, { isStill: () => picture === this.#picture, isKnown: this.#isKnown });
    byId("problem").textContent = "";
    this.#finder?.clear();
    this.#closeTree();
    this.#name(answer?.class ?? -1);
    setShown(byId("label"), true);
    window.scrollTo(0, 0);
    this.#finder?.focus();
  }

  /** Show no task. */
  clear() {
    setShown(byId("label"), false);
    byId("enlarge").replaceChildren();
    this.#told.clear();
    this.#picture = null;
    this.#task = null;
    this.#name(-1);
  }

  /** The field and what goes with it; away while something is told. */
  #ask(isAsked) {
    for (const id of ["finder", "chosen", "hint", "tools"]) setShown(byId(id), isAsked && (id !== "chosen" || this.#named >= 0));
    if (this.isFinal) byId("submit-text").textContent = isAsked ? "Submit" : "Next";
  }

  /** What is right is told once the server has the answer. */
  async #learn(task) {
    this.#isTelling = true;
    this.#desk.submit({ class: this.#named }, { stays: true });
    this.#ask(false);
    byId("problem").textContent = "";
    try {
      await this.#desk.whenSaved(task.id);
      if (task === this.#task) await this.#told.show(task.id);
    } catch (error) {
      byId("problem").textContent = error instanceof Error ? error.message : "What is right cannot be told now.";
    }
    this.#isTelling = false;
    this.#isLearning = true;
    byId("submit").focus({ preventScroll: true });
  }

  /** Hand the class in, or say what is missing. */
  hand() {
    if (this.#isTelling) return;
    if (this.#isLearning) {
      this.#isLearning = false;
      this.#desk.goOn();
      return;
    }
    const problem = this.#findProblem();
    byId("problem").textContent = problem;
    if (problem) this.#finder?.focus();
    else if (this.#requests && this.#task) this.#learn(this.#task);
    else this.#desk.submit({ class: this.#named });
  }

  #findProblem() {
    if (!this.#picture || (!wasShown(this.#picture) && !this.#isKnown)) return "The image has not loaded yet. Wait for it, or report that it does not load.";
    return this.#named < 0 ? "Name a class first: type a part of its name and press Enter." : "";
  }

  async #load() {
    try {
      const index = await loadClassIndex();
      this.#index = index;
      this.#finder = new ClassFinder(byId("finder"), { index, label: "Class", recent: NO_RECENT, onChoose: (place) => this.#choose(place) });
      this.#name(this.#named);
      if (this.isShown && !document.querySelector("dialog[open]")) this.#finder.focus();
    } catch {
      byId("problem").textContent = "The classes could not be loaded. Reload the page.";
    }
  }

  #choose(place) {
    this.#name(place);
    byId("problem").textContent = "";
    this.#closeTree();
    this.#finder?.focus();
    this.#desk.keep({ class: place });
  }

  /** @param {number} place of the class; -1 for none. */
  #name(place) {
    this.#named = place;
    const data = this.#index?.data;
    setShown(byId("chosen"), place >= 0 && Boolean(data));
    byId("look").disabled = place < 0;
    if (place < 0 || !data) return;
    const [name, ...synonyms] = data.names[place];
    byId("chosen-card").replaceChildren(makeClassCard({ name, synonyms, gloss: data.glosses[place] }, { level: 2 }));
  }

  #press(event) {
    if (event.defaultPrevented || event.altKey || event.isComposing) return;
    const isInField = event.target instanceof HTMLInputElement && byId("finder").contains(event.target);
    if (event.key === "Enter" && isInField && !event.repeat) this.#desk.hand();
    else if (event.key === "Escape" && isInField) this.#leaveField(event.target);
    else if (event.key === "F2") this.#look();
    else if (event.key === "F4") this.#browse();
    else return;
    event.preventDefault();
  }

  /** Out of the field single keys are keys again; whoever changes an answer leaves it as it was. */
  #leaveField(field) {
    if (byId("keep").hidden) field.blur();
    else byId("keep").click();
  }

  /** The card of the class that is marked in the list, or else of the one that was chosen. */
  #look() {
    const marked = this.#finder?.marked ?? -1;
    const place = marked >= 0 ? marked : this.#named;
    if (place >= 0) this.#reference.open(place);
  }

  async #browse() {
    const room = byId("tree");
    if (!room.hidden) {
      this.#closeTree();
      this.#finder?.focus();
      return;
    }
    if (!this.#index) return;
    if (!this.#tree) {
      const findPicture = await loadPictures(this.#index, `campaign=${this.#campaign}`).catch(() => () => "");
      this.#tree ??= new ClassTree(room, { index: this.#index, onChoose: (place) => this.#choose(place), findPicture });
    }
    this.#tree.show(this.#named);
    setShown(room, true);
    byId("browse").setAttribute("aria-expanded", "true");
    /** @type {HTMLElement | null} */ (room.querySelector(".tree-node"))?.focus();
  }

  #closeTree() {
    setShown(byId("tree"), false);
    byId("browse").setAttribute("aria-expanded", "false");
  }

  #report() {
    this.#viewer.close();
    this.#desk.report();
  }

  #enlarge() {
    if (this.#picture) this.#viewer.show(this.#picture);
  }

  #bindKeys() {
    const when = () => this.isShown;
    this.#desk.keymap.add(
      // The field and the list do it.
      { keys: [], shown: ["a … z"], words: "find a class by its name", run: () => {} },
      { keys: [], shown: ["↓", "↑"], words: "move in the list", run: () => {} },
      { keys: [], shown: ["→"], words: "classes beside the one that is marked", run: () => {} },
      { keys: ["Enter"], words: "take the class that is marked; then submit", isOnce: true, run: () => this.#desk.hand(), when },
      { keys: [], shown: ["F2"], words: "the card of the class, with reference images and the guide", run: () => {} },
      { keys: [], shown: ["F4"], words: "walk through the tree of classes", run: () => {} },
      { keys: ["/"], words: "back to the field", run: () => this.#finder?.focus(), when },
      { keys: ["z"], words: "enlarge the image", run: () => this.#enlarge(), when },
    );
  }
}

work({ makeView: (desk) => new Labelling(desk), isTest: true });
