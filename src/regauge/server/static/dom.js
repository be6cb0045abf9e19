/** Small words for the page: find, make, show and hide elements. */

/** The element of that id. */
export const byId = (id) => document.getElementById(id);

/** A new element with properties and children; a property that starts with `data-` or `aria-` is an attribute. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (/^(data|aria)-/.test(name)) element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children);
  return element;
}

/** Show or hide an element. */
export function setShown(element, isShown) {
  element.hidden = !isShown;
}

/** Whether a key was meant for a field or a dialog rather than for the page. */
export function isElsewhere(event) {
  return event.defaultPrevented || event.altKey || event.target.closest("dialog[open], textarea, input[type=number]") !== null;
}

/** "1 task" or "2 tasks". */
export const count = (n, one, many) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
