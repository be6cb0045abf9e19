"""The compiled loops of confusion matrices: counting cells, halves of annotators, and correlations of redrawn matrices.

There is no fastmath, and every sum is made by one thread: the bits do not depend on how many there are.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regauge.arrays import BoolArray, CountArray, FloatArray, IntArray

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
_UNIT = 1.0 / 9007199254740992.0


@njit(cache=True, nogil=True)
def count_cells(order: CountArray, starts: CountArray, answers: IntArray, cells: IntArray) -> int:
    """Fill label, answer and count [3, images] of every cell that holds an image; how many there are.

    Images come sorted by label, so that the counts of one row of the matrix are all that the cache has to hold.
    """
    n_classes = starts.size - 1
    counts = np.zeros(n_classes, np.int32)
    touched = np.empty(n_classes, np.int32)
    n = 0
    for label in range(n_classes):
        n_touched = 0
        for place in range(starts[label], starts[label + 1]):
            answer = answers[order[place]]
            if answer < 0:
                continue
            if counts[answer] == 0:
                # They are few: put where they belong at once.
                at = n_touched
                while at > 0 and touched[at - 1] > answer:
                    touched[at] = touched[at - 1]
                    at -= 1
                touched[at] = answer
                n_touched += 1
            counts[answer] += 1
        for at in range(n_touched):
            answer = touched[at]
            cells[0, n] = label
            cells[1, n] = answer
            cells[2, n] = counts[answer]
            counts[answer] = 0
            n += 1
    return n


@njit(cache=True, nogil=True)
def add_groups(cells: IntArray, starts: CountArray, columns: CountArray, is_in: BoolArray, matrix: CountArray) -> None:
    """Add the cells over classes [3, cells] to the matrix over groups.

    Args:
        cells: label, answer and count of each.
        starts: where the columns of each class start.
        columns: class after class.
        is_in: [classes, columns].
        matrix: [rows, columns], added to. A column beyond the rows has no row.
    """
    for cell in range(cells.shape[1]):
        label, answer, count = cells[0, cell], cells[1, cell], cells[2, cell]
        for place in range(starts[label], starts[label + 1]):
            row = columns[place]
            if row >= matrix.shape[0]:
                continue
            if is_in[answer, row]:
                matrix[row, row] += count
                continue
            for other in range(starts[answer], starts[answer + 1]):
                matrix[row, columns[other]] += count


@njit(cache=True, nogil=True)
def _sample(state: np.uint64) -> tuple[np.uint64, float]:
    """The next state of splitmix64 and a number from 0 to below 1."""
    state += _GOLDEN
    bits = (state ^ (state >> np.uint64(30))) * _FIRST_FACTOR
    bits = (bits ^ (bits >> np.uint64(27))) * _SECOND_FACTOR
    bits ^= bits >> np.uint64(31)
    return state, (bits >> np.uint64(11)) * _UNIT


@njit(cache=True, nogil=True)
def split_mains(
    starts: CountArray, entries: CountArray, seeds: NDArray[np.uint64], weights: NDArray[np.float32]
) -> None:
    """Fill the main label by each of two random halves of the annotators of every image.

    With an odd number of them chance says which half is the larger. The most frequent answer counts, of several the one that
    was seen first. An image with fewer than two answers has no halves.

    Args:
        starts: where the answers on each image start.
        entries: per answer in the order in which they came, the place of its (image, class).
        seeds: one for each draw.
        weights: [2, draws, entries], zeros; 1 where the half's main label is.
    """
    counts = np.zeros((2, weights.shape[2]), np.int32)
    for draw in range(seeds.size):
        state = seeds[draw]
        for image in range(starts.size - 1):
            start, end = starts[image], starts[image + 1]
            n = end - start
            if n < 2:
                continue
            state, chance = _sample(state)
            n_first = (n + 1) // 2 if chance < 0.5 else n // 2
            sides = np.empty(n, np.int64)
            for at in range(n):
                state, chance = _sample(state)
                side = 0 if chance * (n - at) < n_first else 1
                n_first -= 1 - side
                sides[at] = side
                counts[side, entries[start + at]] += 1
            for side in range(2):
                best, most = np.int64(-1), 0
                for at in range(n):
                    entry = entries[start + at]
                    if sides[at] == side and counts[side, entry] > most:
                        best, most = entry, counts[side, entry]
                weights[side, draw, best] = 1.0
            for at in range(n):
                counts[sides[at], entries[start + at]] = 0


@njit(cache=True, nogil=True)
def split_counts(
    starts: CountArray, counts: CountArray, seeds: NDArray[np.uint64], weights: NDArray[np.float32]
) -> None:
    """Fill what each of two random halves of the annotators selects most often, those that share it with equal parts.

    Args:
        starts: where the pairs of each image start.
        counts: [2, pairs], how many selected a pair and how many saw it; each pair has annotators of its own.
        seeds: one for each draw.
        weights: [2, draws, pairs], zeros; filled. Where a half selects nothing they stay 0.
    """
    shares = np.empty((2, counts.shape[1]))
    for draw in range(seeds.size):
        state = seeds[draw]
        for image in range(starts.size - 1):
            best = np.zeros(2)
            n_best = np.zeros(2)
            for pair in range(starts[image], starts[image + 1]):
                left, n = counts[0, pair], counts[1, pair]
                state, chance = _sample(state)
                n_first = (n + 1) // 2 if chance < 0.5 else n // 2
                n_yes = 0
                for at in range(n_first):
                    state, chance = _sample(state)
                    if chance * (n - at) < left - n_yes:
                        n_yes += 1
                for side in range(2):
                    yes = n_yes if side == 0 else left - n_yes
                    size = n_first if side == 0 else n - n_first
                    share = yes / size if size > 0 else 0.0
                    shares[side, pair] = share
                    if share > best[side]:
                        best[side], n_best[side] = share, 1.0
                    elif share == best[side]:
                        n_best[side] += 1.0
            for side in range(2):
                if best[side] > 0:
                    for pair in range(starts[image], starts[image + 1]):
                        if shares[side, pair] == best[side]:
                            weights[side, draw, pair] = 1.0 / n_best[side]


@njit(cache=True, nogil=True)
def add_cells(
    drawn: NDArray[np.uint8],
    weights: NDArray[np.float32],
    entries: CountArray,
    rows: CountArray,
    cells: CountArray,
    sums: FloatArray,
) -> None:
    """Fill the sums of w·a and of (w·a)² over the pairs of each cell, for every draw of images.

    Args:
        drawn: [draws, images], w: how often an image was drawn.
        weights: [draws or 1, entries], a: the part of the image that an entry has.
        entries: per pair, its entry.
        rows: per pair, its image.
        cells: per pair, its cell.
        sums: [2, draws, cells], zeros; filled.
    """
    for draw in range(drawn.shape[0]):
        own = draw if weights.shape[0] > 1 else 0
        for pair in range(entries.size):
            part = drawn[draw, rows[pair]] * np.float64(weights[own, entries[pair]])
            sums[0, draw, cells[pair]] += part
            sums[1, draw, cells[pair]] += part * part


@njit(cache=True, nogil=True)
def add_rows(
    drawn: NDArray[np.uint8], is_given: BoolArray, images: CountArray, rows: CountArray, sums: FloatArray
) -> None:
    """Fill the sums of w and of w² over the images of each row of the matrix, for every draw of images.

    Args:
        drawn: [draws, images], w: how often an image was drawn.
        is_given: [draws or 1, images], whether the image counts.
        images: per pair of an image and a row, the image.
        rows: per pair, the row.
        sums: [2, draws, rows], zeros; filled.
    """
    for draw in range(drawn.shape[0]):
        own = draw if is_given.shape[0] > 1 else 0
        for pair in range(images.size):
            if is_given[own, images[pair]]:
                n = np.float64(drawn[draw, images[pair]])
                sums[0, draw, rows[pair]] += n
                sums[1, draw, rows[pair]] += n * n


@njit(cache=True, nogil=True)
def add_row_sums(cells: FloatArray, sizes: FloatArray, cell_rows: CountArray, sums: FloatArray) -> None:
    """Fill the sums of rates, of their squares, and of their noise over the cells of each row.

    The noise of a square is what it holds beyond the product of two different images, which estimates it without bias.

    Args:
        cells: [2, draws, cells], from `add_cells`.
        sizes: [2, draws, rows], from `add_rows`.
        cell_rows: per cell, its row.
        sums: [3, draws, rows], zeros; filled. Rows without two different images stay 0.
    """
    for draw in range(cells.shape[1]):
        for cell in range(cell_rows.size):
            row = cell_rows[cell]
            n = sizes[0, draw, row]
            pairs = n * n - sizes[1, draw, row]
            if pairs > 0:
                total = cells[0, draw, cell]
                rate = total / n
                sums[0, draw, row] += rate
                sums[1, draw, row] += rate * rate
                sums[2, draw, row] += rate * rate - (total * total - cells[1, draw, cell]) / pairs


@njit(cache=True, nogil=True)
def _divide(covariance: float, first: float, second: float) -> float:
    return covariance / np.sqrt(first * second) if first > 0 and second > 0 else np.nan


@njit(cache=True, nogil=True)
def correlate(
    drawn: NDArray[np.uint8],
    sizes: FloatArray,
    starts: CountArray,
    pairs: tuple[CountArray, FloatArray, FloatArray],
    cells: tuple[CountArray, CountArray],
    reference: tuple[FloatArray, FloatArray, FloatArray],
    n_beside: int,
    found: FloatArray,
) -> None:
    """Fill the correlation of rates beside the diagonal with those of a reference, for every draw of images.

    Rows without two different images on both sides do not count. The correlation without noise holds for a reference that has all
    images of whoever is correlated; half of the annotators may have fewer, as they may have selected nothing.

    Args:
        drawn: [draws, images], how often an image was drawn.
        sizes: [2, draws, rows], from `add_rows`.
        starts: where the pairs of each cell start.
        pairs: per pair its image, its part of the image, and the reference's part of the image in the same cell.
        cells: per cell its row, and the place of the same cell in the reference; −1 where the reference has none.
        reference: its cells [2, draws, cells], the sizes of its rows [2, draws, rows], and sums over these [3, draws, rows].
        n_beside: cells beside the diagonal in a row.
        found: [2, draws], filled: the correlation, and that without the noise of images.
    """
    images, parts, others = pairs
    cell_rows, places = cells
    values, other_sizes, row_sums = reference
    is_used = np.empty(sizes.shape[2], np.bool_)
    for draw in range(drawn.shape[0]):
        n_rows = 0
        y = yy = y_noise = x = xx = x_noise = xy = xy_noise = 0.0
        for row in range(sizes.shape[2]):
            n, m = sizes[0, draw, row], other_sizes[0, draw, row]
            is_used[row] = n * n > sizes[1, draw, row] and m * m > other_sizes[1, draw, row]
            if is_used[row]:
                n_rows += 1
                y += row_sums[0, draw, row]
                yy += row_sums[1, draw, row]
                y_noise += row_sums[2, draw, row]
        for cell in range(cell_rows.size):
            row = cell_rows[cell]
            if not is_used[row]:
                continue
            total = squares = both = 0.0
            for pair in range(starts[cell], starts[cell + 1]):
                w = np.float64(drawn[draw, images[pair]])
                part = w * parts[pair]
                total += part
                squares += part * part
                both += part * w * others[pair]
            n = sizes[0, draw, row]
            rate = total / n
            x += rate
            xx += rate * rate
            x_noise += rate * rate - (total * total - squares) / (n * n - sizes[1, draw, row])
            if places[cell] >= 0:
                m = other_sizes[0, draw, row]
                value = values[0, draw, places[cell]]
                product = rate * value / m
                xy += product
                # The images are among the reference's: as many pairs of one image with itself are left out.
                n_pairs = n * m - sizes[1, draw, row]
                xy_noise += product - (total * value - both) / n_pairs if n_pairs > 0 else np.nan
        size = n_rows * n_beside
        if size < 2:
            found[0, draw] = found[1, draw] = np.nan
            continue
        covariance = xy / size - x / size * (y / size)
        x_variance = xx / size - (x / size) ** 2
        y_variance = yy / size - (y / size) ** 2
        found[0, draw] = _divide(covariance, x_variance, y_variance)
        # Noise is in the mean square, and hardly in the square of the mean.
        part = 1 / size - 1 / size**2
        found[1, draw] = _divide(covariance - part * xy_noise, x_variance - part * x_noise, y_variance - part * y_noise)


@njit(cache=True, nogil=True)
def correlate_halves(
    cells: FloatArray, others: FloatArray, sizes: FloatArray, cell_rows: CountArray, shape: tuple[int, FloatArray]
) -> None:
    """Fill the correlation of the rates of two halves of the annotators, for every draw of images.

    Args:
        cells: [2, draws, cells] of the first half.
        others: [2, draws, cells] of the second half.
        sizes: [4, draws, rows], the sizes of the rows of the first half and then of the second.
        cell_rows: per cell, its row.
        shape: cells beside the diagonal in a row; and [draws], filled.
    """
    n_beside, found = shape
    for draw in range(found.size):
        n_rows = 0
        for row in range(sizes.shape[2]):
            n, m = sizes[0, draw, row], sizes[2, draw, row]
            n_rows += n * n > sizes[1, draw, row] and m * m > sizes[3, draw, row]
        x = y = xx = yy = xy = 0.0
        for cell in range(cell_rows.size):
            row = cell_rows[cell]
            n, m = sizes[0, draw, row], sizes[2, draw, row]
            if n * n > sizes[1, draw, row] and m * m > sizes[3, draw, row]:
                a, b = cells[0, draw, cell] / n, others[0, draw, cell] / m
                x += a
                y += b
                xx += a * a
                yy += b * b
                xy += a * b
        size = n_rows * n_beside
        if size < 2:
            found[draw] = np.nan
            continue
        found[draw] = _divide(
            xy / size - x / size * (y / size), xx / size - (x / size) ** 2, yy / size - (y / size) ** 2
        )
