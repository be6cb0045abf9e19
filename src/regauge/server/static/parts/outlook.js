/** What is before somebody who works: how many tasks, how long they take, and what they pay. */

const SHORT = 45;

/**
 * @typedef {object} Outlook
 * @property {number} left tasks.
 * @property {number | null} seconds that a task takes; null where that is not known.
 * @property {number | null} perTask what one pays; null where nothing is paid here.
 * @property {string} currency
 */

/**
 * All of it in a few words; empty where nothing is left, or nothing is known but how many there are.
 *
 * @param {Outlook} outlook
 */
export function tellOutlook({ left, seconds, perTask, currency }) {
  const ahead = [];
  if (left && seconds) ahead.push(`about ${tellTime(left * seconds)}`);
  if (left && perTask) ahead.push(tellPay(left * perTask, currency));
  return ahead.length ? `${left.toLocaleString("en")} left: ${ahead.join(", ")}` : "";
}

/** A time as one would say it, as the server says it. */
export function tellTime(seconds) {
  if (seconds < SHORT) return `${Math.max(10, 10 * Math.round(seconds / 10))} seconds`;
  const minutes = Math.max(1, Math.round(seconds / 60));
  const rounded = minutes >= 20 ? 5 * Math.round(seconds / 300) : minutes;
  if (rounded < 60) return rounded === 1 ? "1 minute" : `${rounded} minutes`;
  const hours = Math.round(seconds / 1800) / 2;
  return hours === 1 ? "1 hour" : `${hours.toLocaleString("en")} hours`;
}

/** An amount with cents; where that would cut something off, with as many digits as it has. */
function tellPay(amount, currency) {
  const cents = amount.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const isWhole = Math.abs(Number(cents.replaceAll(",", "")) - amount) < 1e-9;
  return `${isWhole ? cents : amount.toLocaleString("en", { maximumSignificantDigits: 4 })} ${currency}`;
}
