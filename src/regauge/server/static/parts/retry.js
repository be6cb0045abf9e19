/** Trying again: sooner at first, then less and less often. */

const FIRST = 1_000;
const LONGEST = 15_000;

/** Pauses between tries in milliseconds: each about twice as long as the one before, up to a limit. */
export class Pauses {
  #first;
  #longest;
  #next;

  /**
   * @param {object} [options]
   * @param {number} [options.first]
   * @param {number} [options.longest]
   */
  constructor({ first = FIRST, longest = LONGEST } = {}) {
    this.#first = first;
    this.#longest = longest;
    this.#next = first;
  }

  /** The next pause. A little chance keeps many browsers from coming back at the same moment. */
  take() {
    const pause = this.#next * (0.75 + Math.random() / 2);
    this.#next = Math.min(2 * this.#next, this.#longest);
    return pause;
  }

  /** Something went well: begin with short pauses again. */
  reset() {
    this.#next = this.#first;
  }

  /** Resolves after the next pause. */
  wait() {
    return new Promise((resolve) => setTimeout(resolve, this.take()));
  }
}

/**
 * Ask until there is an answer, and give it.
 *
 * @template T
 * @param {() => Promise<T>} ask
 * @param {object} options
 * @param {(error: Error) => boolean} options.isFinal whether asking again would not help: then the error is raised.
 * @param {(error: Error) => void} [options.heldUp] called after each failure that is not final.
 * @param {Pauses} [options.pauses]
 * @returns {Promise<T>}
 */
export async function insist(ask, { isFinal, heldUp = () => {}, pauses = new Pauses() }) {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (isFinal(error)) throw error;
      heldUp(error);
      await pauses.wait();
    }
  }
}
