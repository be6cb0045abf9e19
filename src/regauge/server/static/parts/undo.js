/** What was done last can be taken back, one step after the other. */
export class Undo {
  /** @type {{ about: unknown, takeBack: () => unknown }[]} */
  #steps = [];
  #isUndoing = false;

  /**
   * Remember how to take back what was just done; what is done while something is taken back is not a step of its own.
   *
   * @param {unknown} about what it was done to.
   * @param {() => unknown} takeBack
   */
  note(about, takeBack) {
    if (!this.#isUndoing) this.#steps.push({ about, takeBack });
  }

  /** Take the last step back; false where there is none. */
  undo() {
    const last = this.#steps.pop();
    if (!last) return false;
    this.#isUndoing = true;
    try {
      last.takeBack();
    } finally {
      this.#isUndoing = false;
    }
    return true;
  }

  /**
   * The last steps have undone each other.
   *
   * @param {number} n
   */
  forgetLast(n) {
    this.#steps.splice(-n);
  }

  /**
   * What was done to something was taken back by other means.
   *
   * @param {unknown} about
   */
  forgetAbout(about) {
    this.#steps = this.#steps.filter((step) => step.about !== about);
  }

  /** Begin anew. */
  clear() {
    this.#steps = [];
  }
}
