"""The compiled loops over answers to CONTAINS grids: rows into masks, and the agreement of annotators.

A mask holds the answer to a grid, bit c for cell c, so most loops run over responses and not over votes.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regauge.arrays import CountArray, IntArray
from regauge.records.responses.answers import ControlArray, MaskArray

_ONE = np.uint64(1)
_NONE = np.uint64(0)
_MAX_CELLS = 64

# What is wrong with rows that cannot be grouped.
FINE = 0
SAME_TWICE = 1
DIFFERENT_TWICE = 2
TOO_MANY_CELLS = 3
TWO_CLASSES = 4
TWO_CONTROLS = 5

N_STRATA = 5


@njit(cache=True, nogil=True)
def find_runs(tasks: IntArray, annotators: IntArray) -> CountArray:
    """Where runs of rows with one task and one annotator start, and the number of rows at the end."""
    n = tasks.size
    starts = np.empty(1024, np.int64)
    n_runs = 0
    # Indices without a sign need no look whether they count from the end, which lets the loops run in vectors.
    begin = np.uint64(0)
    while begin < n:
        if n_runs + 1 == starts.size:
            starts = _grow_counts(starts, n_runs)
        starts[n_runs] = begin
        n_runs += 1
        task, annotator = tasks[begin], annotators[begin]
        row = begin + _ONE
        # Blocks of eight rows are passed over at once while nothing changes.
        while row + np.uint64(8) <= n:
            changed = np.int32(0)
            for step in range(np.uint64(8)):
                changed |= (tasks[row + step] ^ task) | (annotators[row + step] ^ annotator)
            if changed != 0:
                break
            row += np.uint64(8)
        while row < n and tasks[row] == task and annotators[row] == annotator:
            row += _ONE
        begin = row
    starts[n_runs] = n
    return starts[: n_runs + 1].copy()


@njit(cache=True, nogil=True)
def has_repeats(tasks: IntArray, annotators: IntArray, order: CountArray, n_annotators: int) -> bool:
    """Whether two positions have the same task and annotator; `order` has the positions by task."""
    seen_in = np.full(n_annotators, -1, np.int32)
    for position in range(order.size):
        at = order[position]
        if seen_in[annotators[at]] == tasks[at]:
            return True
        seen_in[annotators[at]] = tasks[at]
    return False


@njit(cache=True, nogil=True)
def sort_rows(codes: IntArray, n_codes: int, order: CountArray) -> CountArray:
    """The rows of `order` sorted by code; rows with one code stay in their order."""
    places = np.zeros(n_codes + 1, np.int64)
    for position in range(order.size):
        places[codes[order[position]] + 1] += 1
    for code in range(n_codes):
        places[code + 1] += places[code]
    in_order = np.empty(order.size, np.int64)
    for position in range(order.size):
        row = order[position]
        in_order[places[codes[row]]] = row
        places[codes[row]] += 1
    return in_order


@njit(cache=True, nogil=True)
def group_rows(
    starts: CountArray,
    run_order: CountArray,
    tasks: IntArray,
    classes: IntArray,
    images: IntArray,
    controls: ControlArray,
    is_selected: NDArray[np.uint8],
    bits: MaskArray,
    n_tasks: int,
    n_images: int,
) -> tuple[tuple[int, int, int], IntArray, IntArray, CountArray, IntArray, ControlArray, IntArray, MaskArray]:
    """One grid per task and set of cells, and one mask per run of rows.

    Args:
        starts: where runs start.
        run_order: the order in which responses came.
        tasks: per row; the other columns likewise.
        classes: the class that was asked for.
        images: positions of images.
        controls: marks of controls.
        is_selected: 1 where the image was selected.
        bits: the same as bits, row r being bit r mod 64 of number r div 64; one number more than rows need.
        n_tasks: how many tasks there are.
        n_images: how many images there are.

    Returns:
        What is wrong and the two rows that show it; then per grid its task, class and start of cells, per cell its image and
        control, and per response its grid and mask.
    """
    n_runs = run_order.size
    first_grid = np.full(n_tasks, -1, np.int32)
    first_row = np.full(n_tasks, -1, np.int64)
    seen_in = np.full(n_images, -1, np.int64)
    place_of = np.zeros(n_images, np.int64)
    next_grid = np.empty(64, np.int32)
    grid_tasks = np.empty(64, np.int32)
    grid_classes = np.empty(64, np.int32)
    grid_rows = np.empty(64, np.int64)
    grid_starts = np.zeros(65, np.int64)
    cell_images = np.empty(4096, np.int32)
    cell_controls = np.empty(4096, np.uint8)
    run_grids = np.empty(n_runs, np.int32)
    masks = np.empty(n_runs, np.uint64)
    n_grids = 0
    n_cells = 0
    bad = (FINE, 0, 0)
    for response in range(n_runs):
        run = run_order[response]
        begin, end = starts[run], starts[run + 1]
        size = end - begin
        task = tasks[begin]
        if first_row[task] < 0:
            first_row[task] = begin
        one_class = classes[first_row[task]]
        first, n_rows = np.uint64(begin), np.uint64(size)
        differs = np.int32(0)
        for step in range(n_rows):
            differs |= classes[first + step] ^ one_class
        if differs != 0:
            for row in range(begin, end):
                if classes[row] != one_class:
                    bad = (TWO_CLASSES, first_row[task], row)
                    break
            break
        # Most annotators are shown the cells of a task in one order; then its grid is known, and free of repeats.
        found = -1
        grid = first_grid[task]
        while grid >= 0 and found < 0:
            base = np.uint64(grid_starts[grid])
            if grid_starts[grid + 1] - grid_starts[grid] == size:
                differs = np.int32(0)
                for step in range(n_rows):
                    differs |= cell_images[base + step] ^ images[first + step]
                marks = np.uint8(0)
                for step in range(n_rows):
                    marks |= cell_controls[base + step] ^ controls[first + step]
                if differs == 0 and marks == 0:
                    found = grid
            grid = next_grid[grid]
        if found >= 0:
            masks[response] = _read_bits(bits, first, n_rows)
            run_grids[response] = found
            continue
        for row in range(begin, end):
            image = images[row]
            if seen_in[image] == run:
                other = begin + place_of[image]
                kind = SAME_TWICE if is_selected[other] == is_selected[row] else DIFFERENT_TWICE
                bad = (kind, other, row)
                break
            seen_in[image] = run
            place_of[image] = row - begin
        if bad[0] != FINE:
            break
        if size > _MAX_CELLS:
            bad = (TOO_MANY_CELLS, begin, end - 1)
            break
        # The same cells in another order are the same grid.
        grid = first_grid[task]
        while grid >= 0 and found < 0:
            base = grid_starts[grid]
            if grid_starts[grid + 1] - base == size:
                is_same = True
                for cell in range(size):
                    is_same = is_same and seen_in[cell_images[base + cell]] == run
                if is_same:
                    found = grid
            grid = next_grid[grid]
        mask = _NONE
        if found >= 0:
            base = grid_starts[found]
            for cell in range(size):
                row = begin + place_of[cell_images[base + cell]]
                if cell_controls[base + cell] != controls[row]:
                    other = grid_rows[found] + cell
                    bad = (TWO_CONTROLS, other, row)
                    break
                mask |= np.uint64(is_selected[row]) << np.uint64(cell)
            if bad[0] != FINE:
                break
        else:
            if n_grids == next_grid.size:
                next_grid = _grow_ints(next_grid)
                grid_tasks = _grow_ints(grid_tasks)
                grid_classes = _grow_ints(grid_classes)
                grid_rows = _grow_counts(grid_rows, n_grids)
                grid_starts = _grow_counts(grid_starts, n_grids + 1)
            while n_cells + size > cell_images.size:
                cell_images = _grow_ints(cell_images)
                larger = np.empty(2 * cell_controls.size, np.uint8)
                larger[:n_cells] = cell_controls[:n_cells]
                cell_controls = larger
            found = n_grids
            for cell in range(size):
                cell_images[n_cells + cell] = images[begin + cell]
                cell_controls[n_cells + cell] = controls[begin + cell]
            mask = _read_bits(bits, first, n_rows)
            n_cells += size
            n_grids += 1
            grid_tasks[found] = task
            grid_classes[found] = one_class
            grid_rows[found] = begin
            grid_starts[n_grids] = n_cells
            next_grid[found] = first_grid[task]
            first_grid[task] = found
        masks[response] = mask
        run_grids[response] = found
    return (
        bad,
        grid_tasks[:n_grids].copy(),
        grid_classes[:n_grids].copy(),
        grid_starts[: n_grids + 1].copy(),
        cell_images[:n_cells].copy(),
        cell_controls[:n_cells].copy(),
        run_grids,
        masks,
    )


@njit(cache=True, nogil=True)
def _read_bits(bits: MaskArray, first: np.uint64, n: np.uint64) -> np.uint64:
    """The n bits from the first on, 1 to 64 of them."""
    number, offset = first >> np.uint64(6), first & np.uint64(63)
    mask = bits[number] >> offset
    if offset != _NONE:
        mask |= bits[number + _ONE] << (np.uint64(64) - offset)
    return np.uint64(mask & (np.uint64(0xFFFFFFFFFFFFFFFF) >> (np.uint64(64) - n)))


@njit(cache=True, nogil=True)
def _grow_ints(values: IntArray) -> IntArray:
    larger = np.empty(2 * values.size, np.int32)
    larger[: values.size] = values
    return larger


@njit(cache=True, nogil=True)
def _grow_counts(values: CountArray, n: int) -> CountArray:
    larger = np.zeros(2 * n + 2, np.int64)
    larger[:n] = values[:n]
    return larger


@njit(cache=True, nogil=True)
def mark_cells(starts: CountArray, cell_marks: ControlArray, mark: int) -> MaskArray:
    """Per grid, the mask of the cells that have the mark."""
    n_grids = starts.size - 1
    masks = np.empty(n_grids, np.uint64)
    for grid in range(n_grids):
        mask = _NONE
        base = np.uint64(starts[grid])
        for cell in range(np.uint64(starts[grid + 1]) - base):
            mask |= np.uint64(cell_marks[base + cell] == mark) << cell
        masks[grid] = mask
    return masks


@njit(cache=True, nogil=True)
def count_bits(mask: np.uint64) -> np.int64:
    """How many bits are set, counted in parallel; compilers know the pattern."""
    mask = mask - ((mask >> _ONE) & np.uint64(0x5555555555555555))
    mask = (mask & np.uint64(0x3333333333333333)) + ((mask >> np.uint64(2)) & np.uint64(0x3333333333333333))
    mask = (mask + (mask >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((mask * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True, nogil=True)
def count_partners(sizes: CountArray, max_partners: int) -> int:
    """How many pairs of answers to one grid are compared when each is compared with at most so many that follow it."""
    n = 0
    for size in sizes:
        for first in range(size):
            n += min(max_partners, size - 1 - first)
    return n


@njit(cache=True, nogil=True)
def compare_answers(
    masks: MaskArray,
    response_annotators: IntArray,
    order: CountArray,
    grid_ends: CountArray,
    grid_sizes: CountArray,
    n_annotators: int,
    max_partners: int,
    n_comparisons: int,
) -> tuple[CountArray, NDArray[np.uint8], NDArray[np.uint8], CountArray, CountArray]:
    """How often two annotators agree on a grid that both answered, cell by cell in strata of what the others answered.

    A cell is in stratum 0 where none of the others selected it, 4 where all did, and 1 to 3 where up to a third, up to two
    thirds or more did.

    Args:
        masks: per response its answer.
        response_annotators: per response its annotator.
        order: the responses by grid, only of grids with at least four.
        grid_ends: where the responses of each such grid end in `order`.
        grid_sizes: the cells of each such grid.
        n_annotators: how many annotators there are.
        max_partners: with how many of the answers after it an answer is compared at most.
        n_comparisons: what `count_partners` gives.

    Returns:
        Per comparison the pair of annotators (smaller · n_annotators + larger), cells [n, strata] and cells on which both
        agree [n]; per annotator and stratum the cells compared and those selected.
    """
    keys = np.empty(n_comparisons, np.int64)
    n_cells = np.zeros((n_comparisons, N_STRATA), np.uint8)
    n_agreed = np.zeros(n_comparisons, np.uint8)
    n_seen = np.zeros((n_annotators, N_STRATA), np.int64)
    n_taken = np.zeros((n_annotators, N_STRATA), np.int64)
    totals = np.empty(_MAX_CELLS, np.int64)
    strata = np.empty(5, np.uint64)
    at = 0
    begin = 0
    for grid in range(grid_ends.size):
        end = grid_ends[grid]
        size = grid_sizes[grid]
        n_others = end - begin - 2
        for cell in range(size):
            totals[cell] = 0
        for position in range(begin, end):
            for cell in range(size):
                totals[cell] += np.int64((masks[order[position]] >> np.uint64(cell)) & _ONE)
        for first in range(begin, end - 1):
            a, mask_a = response_annotators[order[first]], masks[order[first]]
            for second in range(first + 1, min(end, first + 1 + max_partners)):
                b, mask_b = response_annotators[order[second]], masks[order[second]]
                strata[:] = _NONE
                for cell in range(size):
                    place = np.uint64(cell)
                    others = totals[cell] - np.int64((mask_a >> place) & _ONE) - np.int64((mask_b >> place) & _ONE)
                    stratum = 0
                    if others == n_others:
                        stratum = 4
                    elif 3 * others > 2 * n_others:
                        stratum = 3
                    elif 3 * others > n_others:
                        stratum = 2
                    elif others > 0:
                        stratum = 1
                    strata[stratum] |= _ONE << place
                keys[at] = min(a, b) * np.int64(n_annotators) + max(a, b)
                n_agreed[at] = size - count_bits(mask_a ^ mask_b)
                for stratum in range(N_STRATA):
                    n = count_bits(strata[stratum])
                    n_cells[at, stratum] = n
                    n_seen[a, stratum] += n
                    n_seen[b, stratum] += n
                    n_taken[a, stratum] += count_bits(strata[stratum] & mask_a)
                    n_taken[b, stratum] += count_bits(strata[stratum] & mask_b)
                at += 1
        begin = end
    return keys, n_cells, n_agreed, n_seen, n_taken
