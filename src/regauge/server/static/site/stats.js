/**
 * Limits of shares that readers put together by filters, and the test for two participants, as `regauge.stats.intervals` and
 * `regauge.stats.paired` compute them; a test compares the numbers.
 */

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];
const [TINY, EXACT, MAX_STEPS] = [1e-300, 1e-15, 500];
const TAIL = 0.025;

/** The logarithm of the gamma function, by Lanczos. */
function logGamma(x) {
  const z = x - 1;
  let sum = LANCZOS[0];
  for (let i = 1; i < LANCZOS.length; i += 1) sum += LANCZOS[i] / (z + i);
  const t = z + LANCZOS.length - 1.5;
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(sum);
}

/** The continued fraction of the incomplete beta function, by Lentz. */
function continueFraction(x, a, b) {
  let c = 1;
  let d = 1 / avoidZero(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m <= MAX_STEPS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / avoidZero(1 + even * d);
    c = avoidZero(1 + even / c);
    value *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / avoidZero(1 + odd * d);
    c = avoidZero(1 + odd / c);
    value *= d * c;
    if (Math.abs(d * c - 1) < EXACT) break;
  }
  return value;
}

const avoidZero = (x) => (Math.abs(x) < TINY ? TINY : x);

/** The regularised incomplete beta function. */
export function incompleteBeta(x, a, b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2) ? (front * continueFraction(x, a, b)) / a : 1 - (front * continueFraction(1 - x, b, a)) / b;
}

function invertBeta(tail, a, b) {
  let [low, high] = [0, 1];
  for (let i = 0; i < 60 && high - low > 1e-14; i += 1) {
    const middle = (low + high) / 2;
    if (incompleteBeta(middle, a, b) < tail) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** @type {Map<string, [number, number]>} */
const solved = new Map();

/**
 * Clopper and Pearson's 95% limits of a share; none where nothing was counted.
 *
 * @param {number} k
 * @param {number} n
 * @returns {[number, number] | null}
 */
export function findLimits(k, n) {
  if (!n) return null;
  const key = `${k}/${n}`;
  let found = solved.get(key);
  if (!found) {
    found = [k ? invertBeta(TAIL, k, n - k + 1) : 0, k < n ? 1 - invertBeta(TAIL, n - k, k + 1) : 1];
    solved.set(key, found);
  }
  return found;
}

/**
 * The exact two-sided p-value of McNemar's test, from the images that only one of two participants gets right.
 *
 * @param {number} nOnlyFirst
 * @param {number} nOnlySecond
 */
export function testPair(nOnlyFirst, nOnlySecond) {
  const [fewer, more] = [Math.min(nOnlyFirst, nOnlySecond), Math.max(nOnlyFirst, nOnlySecond)];
  return more === 0 ? 1 : Math.min(1, 2 * incompleteBeta(0.5, more, fewer + 1));
}
