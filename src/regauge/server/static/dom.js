/** Small words for the page: find, make, show and hide elements. */

/**
 * The element of that id: of whatever kind the page's template makes it.
 *
 * @type {(id: string) => any}
 */
export const byId = (id) => document.getElementById(id);

/**
 * A new element with properties and children; `role` and what starts with `data-` or `aria-` are attributes.
 *
 * @template {string} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [properties]
 * @param {...(Node | string)} children
 * @returns {Tag extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Tag] : HTMLElement}
 */
export function make(tag, properties = {}, ...children) {
  /** @type {any} */
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (/^((data|aria)-|role$)/.test(name)) element.setAttribute(name, value);
    else if (name !== "id" || value) element[name] = value;
  }
  element.append(...children);
  return element;
}

/** Show or hide an element. */
export function setShown(element, isShown) {
  element.hidden = !isShown;
}

/** "1 task" or "2 tasks". */
export const count = (n, one, many) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
