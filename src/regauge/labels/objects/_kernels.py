"""The compiled loop over the images of a CLASSIFY study.

The labels to be divided are vertices 0 … m − 1 with m ≤ 8, a set of them is a bit mask. A partition is written as the group
of every vertex, groups numbered in the order in which they first occur, so that every partition is met once. Depth first, the
vertices are put into groups one after the other; what a vertex adds to the weight inside a group is one look into a table of
sums over all sets of earlier vertices, at most 255 entries. The cut is heaviest where the weight inside is least.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from regauge.arrays import BoolArray, CountArray, IntArray

MAX_VERTICES = 8
"""Eight labels have 4,140 partitions, twelve more than four million."""

_NEVER = 2**62


@njit(cache=True, nogil=True)
def group_rows(codes: IntArray, is_kept: BoolArray, n_groups: int) -> tuple[CountArray, CountArray]:
    """Where the rows of each group start, and the kept rows in group order, inside a group as they come."""
    starts = np.zeros(n_groups + 1, np.int64)
    for row in range(len(codes)):
        starts[codes[row] + 1] += is_kept[row]
    for group in range(n_groups):
        starts[group + 1] += starts[group]
    fill = starts[:-1].copy()
    rows = np.empty(starts[-1], np.int64)
    for row in range(len(codes)):
        if is_kept[row]:
            rows[fill[codes[row]]] = row
            fill[codes[row]] += 1
    return starts, rows


@njit(cache=True, nogil=True)
def make_scratch() -> tuple[CountArray, CountArray]:
    """Room for `search_partitions`: the table of sums, and the stack of its walk."""
    return np.zeros((MAX_VERTICES, 1 << (MAX_VERTICES - 1)), np.int64), np.zeros((5, MAX_VERTICES + 1), np.int64)


@njit(cache=True, nogil=True)
def search_partitions(
    weights: CountArray, n_vertices: int, n_groups: int, best_code: IntArray, added: CountArray, stack: CountArray
) -> tuple[int, int]:
    """The partition of the vertices into exactly n_groups groups with the least weight inside, by comparing all of them.

    A vertex is a label, a weight the number of annotators who selected both labels: they say that these are two objects, as one
    object gets one label. The heaviest cut contradicts the fewest such pairs; it is the division of Tsipras et al. (2020), §3.2.

    Among equal ones the last in the order of their codes wins: of two partitions the one that, at the first vertex they
    place differently, places it in the later group. So earlier vertices are kept apart where it costs nothing.

    Args:
        weights: [≥ n_vertices, ≥ n_vertices], from 0 up; only what lies below the diagonal is read.
        n_vertices: 1 to MAX_VERTICES.
        n_groups: 1 to n_vertices.
        best_code: filled with the group of every vertex.
        added: scratch, see `make_scratch`.
        stack: scratch.

    Returns:
        The weight inside the groups, and how many partitions have it.
    """
    masks, code, trial, n_open, inside = stack[0], stack[1], stack[2], stack[3], stack[4]
    for vertex in range(1, n_vertices):
        added[vertex, 0] = 0
        for earlier in range(vertex):
            bit = 1 << earlier
            for mask in range(bit):
                added[vertex, mask | bit] = added[vertex, mask] + weights[vertex, earlier]

    last = n_vertices - 1
    if last == 0:
        best_code[0] = 0
        return 0, 1
    best = _NEVER
    n_best = 0
    for group in range(1, n_groups):
        masks[group] = 0
    code[0] = 0
    masks[0] = 1
    n_open[0] = 1
    inside[0] = 0
    vertex = 1
    trial[1] = min(1, n_groups - 1)
    while vertex > 0:
        group = trial[vertex]
        if group < 0:
            vertex -= 1
            masks[code[vertex]] ^= 1 << vertex
            continue
        trial[vertex] = group - 1
        opened = n_open[vertex - 1] + (group == n_open[vertex - 1])
        if last - vertex < n_groups - opened:
            # The vertices that are left could not open all groups.
            continue
        weight = inside[vertex - 1] + added[vertex, masks[group]]
        if weight > best:
            continue
        code[vertex] = group
        if vertex == last:
            if weight < best:
                best = weight
                n_best = 1
                for place in range(n_vertices):
                    best_code[place] = code[place]
            else:
                n_best += 1
            continue
        masks[group] |= 1 << vertex
        n_open[vertex] = opened
        inside[vertex] = weight
        vertex += 1
        trial[vertex] = min(opened, n_groups - 1)
    return best, n_best


@njit(cache=True, nogil=True)
def _rank_labels(classes: IntArray, n_selected: CountArray, order: CountArray) -> None:
    """Fill the places of the labels, the most selected first, equal ones by index."""
    # Shell's method: for the usual handful of labels it is a plain insertion, and a thousand labels do no harm.
    n = len(classes)
    for place in range(n):
        order[place] = place
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for place in range(gap, n):
            moved = order[place]
            j = place
            while j >= gap:
                other = order[j - gap]
                if n_selected[other] > n_selected[moved]:
                    break
                if n_selected[other] == n_selected[moved] and classes[other] < classes[moved]:
                    break
                order[j] = other
                j -= gap
            order[j] = moved
        gap //= 3


@njit(cache=True, nogil=True)
def aggregate_images(
    image_starts: CountArray,
    rows: CountArray,
    starts: CountArray,
    selected: IntArray,
    main: IntArray,
    n_classes: int,
) -> tuple[
    IntArray,
    CountArray,
    CountArray,
    CountArray,
    IntArray,
    CountArray,
    CountArray,
    IntArray,
    CountArray,
    CountArray,
]:
    """Main label, number of objects, labels and partition of every image.

    Args:
        image_starts: where the accepted responses of each image start in `rows` [n + 1].
        rows: the accepted responses, image after image, in acceptance order.
        starts: where the selected labels of each response start.
        selected: class indices below n_classes, response after response, no class twice in one response.
        main: per response the main label, below 0 where none.
        n_classes: class indices are smaller.

    Returns:
        Per image: main label, number of objects, annotators who gave that number, where its labels start [n + 1]; per
        label: class, annotators who selected it, who named it main, its object (−1: none); per image: weight of the cut and
        number of cuts with that weight, or minus the number of vertices where those are more than MAX_VERTICES.
    """
    n_images = len(image_starts) - 1
    n_votes = 0
    n_largest = 0
    n_most_votes = 0
    for image in range(n_images):
        n_before = n_votes
        for at in range(image_starts[image], image_starts[image + 1]):
            size = starts[rows[at] + 1] - starts[rows[at]]
            n_votes += size
            n_largest = max(n_largest, size)
        n_most_votes = max(n_most_votes, n_votes - n_before)

    main_labels = np.full(n_images, -1, np.int32)
    n_objects = np.zeros(n_images, np.int64)
    n_agreeing = np.zeros(n_images, np.int64)
    label_starts = np.zeros(n_images + 1, np.int64)
    classes = np.empty(n_votes, np.int32)
    n_selected = np.zeros(n_votes, np.int64)
    n_main = np.zeros(n_votes, np.int64)
    objects = np.full(n_votes, -1, np.int32)
    cuts = np.zeros(n_images, np.int64)
    n_best = np.zeros(n_images, np.int64)

    # Per class, the image in which it was last met and its place there; nothing has to be cleared between images.
    met_in = np.full(n_classes, -1, np.int32)
    place_of = np.zeros(n_classes, np.int32)
    voted_in = np.full(n_classes, -1, np.int32)
    n_mains = np.zeros(n_classes, np.int32)
    n_sizes = np.zeros(n_largest + 1, np.int64)
    seen = np.empty(n_most_votes, np.int32)
    n_seen = np.zeros(n_most_votes, np.int64)
    is_vertex = np.zeros(n_most_votes, np.bool_)
    order = np.empty(n_most_votes, np.int64)
    weights = np.zeros((MAX_VERTICES, MAX_VERTICES), np.int64)
    code = np.zeros(MAX_VERTICES, np.int32)
    vertices = np.zeros(MAX_VERTICES, np.int64)
    added, stack = make_scratch()

    for image in range(n_images):
        first, last = image_starts[image], image_starts[image + 1]
        base = label_starts[image]
        n_labels = 0
        for at in range(first, last):
            row = rows[at]
            size = starts[row + 1] - starts[row]
            n_sizes[size] += 1
            if main[row] >= 0:
                if voted_in[main[row]] != image:
                    voted_in[main[row]] = image
                    n_mains[main[row]] = 0
                n_mains[main[row]] += 1
            for place in range(starts[row], starts[row + 1]):
                label = selected[place]
                if met_in[label] != image:
                    met_in[label] = image
                    place_of[label] = n_labels
                    seen[n_labels] = label
                    n_seen[n_labels] = 0
                    is_vertex[n_labels] = False
                    n_labels += 1
                n_seen[place_of[label]] += 1
                is_vertex[place_of[label]] |= size > 1

        # Of equal counts the first in acceptance order stays.
        most_mains = 0
        for at in range(first, last):
            row = rows[at]
            size = starts[row + 1] - starts[row]
            if n_sizes[size] > n_agreeing[image]:
                n_agreeing[image] = n_sizes[size]
                n_objects[image] = size
            if main[row] >= 0 and n_mains[main[row]] > most_mains:
                most_mains = n_mains[main[row]]
                main_labels[image] = main[row]
        for at in range(first, last):
            n_sizes[starts[rows[at] + 1] - starts[rows[at]]] = 0

        _rank_labels(seen[:n_labels], n_seen[:n_labels], order[:n_labels])
        n_vertices = 0
        for rank in range(n_labels):
            at = order[rank]
            label = seen[at]
            classes[base + rank] = label
            n_selected[base + rank] = n_seen[at]
            n_main[base + rank] = n_mains[label] if voted_in[label] == image else 0
            place_of[label] = -1
            if is_vertex[at]:
                if n_vertices < MAX_VERTICES:
                    vertices[n_vertices] = base + rank
                    place_of[label] = n_vertices
                n_vertices += 1
        label_starts[image + 1] = base + n_labels

        k = n_objects[image]
        if k == 1:
            for place in range(base, base + n_labels):
                objects[place] = 0
            n_best[image] = 1
        if k < 2:
            continue
        if n_vertices > MAX_VERTICES:
            n_best[image] = -n_vertices
            continue
        total = 0
        for one in range(n_vertices):
            for other in range(one):
                weights[one, other] = 0
        for at in range(first, last):
            row = rows[at]
            low, high = starts[row], starts[row + 1]
            for place in range(low + 1, high):
                one = place_of[selected[place]]
                for earlier in range(low, place):
                    other = place_of[selected[earlier]]
                    weights[max(one, other), min(one, other)] += 1
                    total += 1
        # Some annotator selected k labels, all of them vertices, so there are at least as many vertices as groups.
        inside, n_equal = search_partitions(weights, n_vertices, k, code, added, stack)
        cuts[image] = total - inside
        n_best[image] = n_equal
        for vertex in range(n_vertices):
            objects[vertices[vertex]] = code[vertex]

    n_found = label_starts[n_images]
    return (
        main_labels,
        n_objects,
        n_agreeing,
        label_starts,
        classes[:n_found],
        n_selected[:n_found],
        n_main[:n_found],
        objects[:n_found],
        cuts,
        n_best,
    )
