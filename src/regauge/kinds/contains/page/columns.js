/** How many columns a grid has: images as large as they can be while the grid scrolls little. */

export const GAP = 8;
export const MOST = 12;
const PHONE = 560;
const COMFORTABLE = 180;
const SMALLEST = 120;
const LITTLE = 1.6;

/**
 * The number of columns for n square images in a room of so many pixels.
 *
 * If all images fit at a comfortable size, they are shown without scrolling; else the grid may be a little higher than the room; else
 * images are small. Phones get two or three columns.
 */
export function chooseColumns(n, width, height) {
  if (width < PHONE) return n <= 4 ? 2 : 3;
  const choices = Array.from({ length: Math.min(n, MOST) }, (_, place) => place + 1).map((columns) => {
    const side = (width - (columns - 1) * GAP) / columns;
    return { columns, side, height: Math.ceil(n / columns) * (side + GAP) };
  });
  const fitting = choices.find((one) => one.height <= height && one.side >= COMFORTABLE);
  const nearly = choices.find((one) => one.height <= LITTLE * height && one.side >= SMALLEST);
  const small = choices.findLast((one) => one.side >= SMALLEST) ?? choices[0];
  return (fitting ?? nearly ?? small).columns;
}
