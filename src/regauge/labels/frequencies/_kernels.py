"""The compiled loops of selection frequencies: numbers for pairs, repeats of one annotator, counts, and votes.

No loop runs over single votes but that over repeats, which looks only at pairs that several grids show.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regauge.arrays import CountArray, IntArray
from regauge.records.responses.answers import MaskArray
from regauge.responses._kernels import count_bits, mark_cells

_ONE = np.uint64(1)
_NONE = np.uint64(0)
_HALF = np.uint64(32)
_LOWER = np.uint64(0xFFFFFFFF)
_LOWEST = np.uint64(255)
_N_BYTES = 8
_MAX_BYTE = 255
_MAX_INSERTED = 32


@njit(cache=True, nogil=True)
def sort_cells(
    starts: CountArray, classes: IntArray, cell_images: IntArray, n_images: int
) -> tuple[MaskArray, IntArray, int]:
    """The cells of all grids by image, class and place.

    Returns:
        Per slot the class (upper half) and the cell (lower half); where the slots of each image end; how many pairs there are.
    """
    n_grids, n_cells = starts.size - 1, cell_images.size
    ends = np.zeros(n_images + 1, np.int32)
    for cell in range(n_cells):
        ends[np.uint32(cell_images[cell]) + 1] += 1
    for image in range(n_images):
        ends[image + 1] += ends[image]
    slots = np.empty(n_cells, np.uint64)
    for grid in range(n_grids):
        asked = np.uint64(classes[grid]) << _HALF
        for cell in range(np.uint64(starts[grid]), np.uint64(starts[grid + 1])):
            place = np.uint32(cell_images[cell])
            slots[np.uint32(ends[place])] = asked | cell
            ends[place] += 1
    # Filling the slots has moved the starts of images to their ends.
    n_pairs = 0
    begin = 0
    for image in range(n_images):
        end = int(ends[image])
        if end - begin > 1:
            _sort_slots(slots, begin, end)
        n_pairs += end - begin
        for slot in range(begin + 1, end):
            if slots[slot] >> _HALF == slots[slot - 1] >> _HALF:
                n_pairs -= 1
        begin = end
    return slots, ends, n_pairs


@njit(cache=True, nogil=True)
def _sort_slots(slots: MaskArray, begin: int, end: int) -> None:
    """Sort the slots of an image: most have a few, some controls thousands."""
    if end - begin > _MAX_INSERTED:
        slots[begin:end].sort()
        return
    for slot in range(begin + 1, end):
        one = slots[slot]
        place = slot
        while place > begin and slots[place - 1] > one:
            slots[place] = slots[place - 1]
            place -= 1
        slots[place] = one


@njit(cache=True, nogil=True)
def number_shared_pairs(
    slots: MaskArray, ends: IntArray, starts: CountArray, n_images: int
) -> tuple[MaskArray, IntArray, int]:
    """The pairs that several cells have.

    Returns:
        Per grid the mask of cells with such a pair; per cell the number of its pair, undefined where no other has it; how many
        such pairs there are.
    """
    is_shared = np.zeros(slots.size, np.uint8)
    cell_pairs = np.empty(slots.size, np.int32)
    n_shared = 0
    begin = 0
    for image in range(n_images):
        end = ends[image]
        for slot in range(begin + 1, end):
            if slots[slot] >> _HALF == slots[slot - 1] >> _HALF:
                cell, before = slots[slot] & _LOWER, slots[slot - 1] & _LOWER
                if is_shared[before] == 0:
                    is_shared[before] = 1
                    cell_pairs[before] = n_shared
                    n_shared += 1
                is_shared[cell] = 1
                cell_pairs[cell] = cell_pairs[before]
        begin = end
    return mark_cells(starts, is_shared, 1), cell_pairs, n_shared


@njit(cache=True, nogil=True)
def has_class_twice(
    response_grids: IntArray, response_annotators: IntArray, order: CountArray, classes: IntArray, n_classes: int
) -> bool:
    """Whether an annotator answered two grids of one class; `order` has the responses by annotator."""
    seen_by = np.full(n_classes, -1, np.int32)
    for position in range(order.size):
        response = order[position]
        asked = classes[response_grids[response]]
        if seen_by[asked] == response_annotators[response]:
            return True
        seen_by[asked] = response_annotators[response]
    return False


@njit(cache=True, nogil=True)
def drop_repeats(
    shown: MaskArray,
    masks: MaskArray,
    response_grids: IntArray,
    response_annotators: IntArray,
    order: CountArray,
    starts: CountArray,
    classes: IntArray,
    cell_pairs: IntArray,
    shared: MaskArray,
    n_pairs: int,
    n_classes: int,
    n_annotators: int,
) -> tuple[CountArray, CountArray]:
    """Take from `shown` the cells whose pair the same annotator was shown before, so that an annotator counts once per pair.

    Args:
        shown: per response the mask of the cells whose votes count; changed in place.
        masks: per response its answer.
        response_grids: per response its grid.
        response_annotators: per response its annotator.
        order: the responses by annotator, those of one in the order in which they came.
        starts: where the cells of grids start.
        classes: per grid its class.
        cell_pairs: per shared cell the number of its pair.
        shared: per grid the mask of cells whose pair occurs elsewhere too.
        n_pairs: how many shared pairs there are.
        n_classes: larger than every class.
        n_annotators: how many annotators there are.

    Returns:
        Per annotator the votes on a pair that they had voted on before, and those of them that are like the first.
    """
    n_repeated = np.zeros(n_annotators, np.int64)
    n_alike = np.zeros(n_annotators, np.int64)
    seen_by = np.full(n_classes, -1, np.int32)
    seen_twice_by = np.full(n_classes, -1, np.int32)
    first_votes = np.full(n_pairs, -2, np.int64)
    begin = 0
    while begin < order.size:
        annotator = response_annotators[order[begin]]
        end = begin
        is_needed = False
        while end < order.size and response_annotators[order[end]] == annotator:
            asked = classes[response_grids[order[end]]]
            if seen_by[asked] == annotator:
                seen_twice_by[asked] = annotator
                is_needed = True
            seen_by[asked] = annotator
            end += 1
        if is_needed:
            for position in range(begin, end):
                response = order[position]
                grid = response_grids[response]
                if seen_twice_by[classes[grid]] != annotator:
                    continue
                left = shown[response] & shared[grid]
                while left != _NONE:
                    bit = left & (~left + _ONE)
                    left ^= bit
                    pair = cell_pairs[starts[grid] + _find_place(bit)]
                    vote = np.int64((masks[response] & bit) != _NONE)
                    if first_votes[pair] >> 1 == annotator:
                        shown[response] ^= bit
                        n_repeated[annotator] += 1
                        n_alike[annotator] += np.int64((first_votes[pair] & 1) == vote)
                    else:
                        first_votes[pair] = 2 * np.int64(annotator) + vote
        begin = end
    return n_repeated, n_alike


@njit(cache=True, nogil=True)
def _find_place(bit: np.uint64) -> np.int64:
    """The place of the only bit that is set."""
    return count_bits(bit - _ONE)


@njit(cache=True, nogil=True)
def count_cells(
    shown: MaskArray,
    masks: MaskArray,
    response_grids: IntArray,
    order: CountArray,
    starts: CountArray,
    counts: NDArray[np.unsignedinteger],
) -> None:
    """Write per cell how often it was shown and how often selected to `counts` [cells, 2], from responses ordered by grid.

    A number holds the counters of eight cells, one byte each. Eight bits of an answer are spread over the bytes by a table and
    added at once; before a byte could overflow, the counters are emptied into `counts`.
    """
    spread = np.zeros(256, np.uint64)
    for byte in range(256):
        for bit in range(8):
            spread[byte] |= np.uint64((byte >> bit) & 1) << np.uint64(8 * bit)
    shown_bytes = np.zeros(_N_BYTES, np.uint64)
    selected_bytes = np.zeros(_N_BYTES, np.uint64)
    begin = 0
    while begin < order.size:
        grid = response_grids[order[begin]]
        base, size = starts[grid], starts[grid + 1] - starts[grid]
        n_bytes = (size + 7) // 8
        end = begin
        while end < order.size and response_grids[order[end]] == grid and end - begin < _MAX_BYTE:
            is_shown = shown[order[end]]
            is_selected = is_shown & masks[order[end]]
            for byte in range(n_bytes):
                shown_bytes[byte] += spread[is_shown & _LOWEST]
                selected_bytes[byte] += spread[is_selected & _LOWEST]
                is_shown >>= np.uint64(8)
                is_selected >>= np.uint64(8)
            end += 1
        for byte in range(n_bytes):
            n_shown, n_selected = shown_bytes[byte], selected_bytes[byte]
            for cell in range(base + 8 * byte, base + min(8 * byte + 8, size)):
                counts[cell, 0] += n_shown & _LOWEST
                counts[cell, 1] += n_selected & _LOWEST
                n_shown >>= np.uint64(8)
                n_selected >>= np.uint64(8)
            shown_bytes[byte] = _NONE
            selected_bytes[byte] = _NONE
        begin = end


@njit(cache=True, nogil=True)
def sum_pairs(
    slots: MaskArray, ends: IntArray, counts: NDArray[np.unsignedinteger], n_images: int, n_pairs: int
) -> tuple[IntArray, IntArray, CountArray, CountArray]:
    """Per pair its image, its class, how often it was shown and how often selected."""
    images = np.empty(n_pairs, np.int32)
    classes = np.empty(n_pairs, np.int32)
    n_shown = np.empty(n_pairs, np.int64)
    n_selected = np.empty(n_pairs, np.int64)
    pair = np.uint64(0)
    begin = np.uint64(0)
    for image in range(n_images):
        end = np.uint64(ends[image])
        slot = begin
        while slot < end:
            one_class = slots[slot] >> _HALF
            cell = slots[slot] & _LOWER
            shown, selected = np.int64(counts[cell, 0]), np.int64(counts[cell, 1])
            slot += _ONE
            while slot < end and slots[slot] >> _HALF == one_class:
                cell = slots[slot] & _LOWER
                shown += np.int64(counts[cell, 0])
                selected += np.int64(counts[cell, 1])
                slot += _ONE
            images[pair] = image
            classes[pair] = one_class
            n_shown[pair] = shown
            n_selected[pair] = selected
            pair += _ONE
        begin = end
    return images, classes, n_shown, n_selected


@njit(cache=True, nogil=True)
def list_cell_votes(
    shown: NDArray[np.uint64],
    masks: NDArray[np.uint64],
    response_grids: IntArray,
    response_annotators: IntArray,
    starts: CountArray,
    cell_pairs: IntArray,
    votes: IntArray,
) -> None:
    """Fill [3, votes] with pair, annotator and answer of every cell that was shown, response after response."""
    n = 0
    for response in range(shown.size):
        first = starts[response_grids[response]]
        bits = shown[response]
        cell = first
        while bits != np.uint64(0):
            if bits & np.uint64(1):
                votes[0, n] = cell_pairs[cell]
                votes[1, n] = response_annotators[response]
                votes[2, n] = np.int32((masks[response] >> np.uint64(cell - first)) & np.uint64(1))
                n += 1
            bits >>= np.uint64(1)
            cell += 1


@njit(cache=True, nogil=True)
def keep_first_votes(starts: CountArray, annotators: IntArray, n_annotators: int, is_kept: NDArray[np.bool_]) -> None:
    """Mark the first vote of every annotator on each task; the votes lie task after task."""
    last_task = np.full(n_annotators, -1, np.int32)
    for task in range(starts.size - 1):
        for vote in range(starts[task], starts[task + 1]):
            is_kept[vote] = last_task[annotators[vote]] != task
            last_task[annotators[vote]] = task
