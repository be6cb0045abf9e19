"""The compiled loop that unites the answers of participants, image by image."""

from __future__ import annotations

import numpy as np
from numba import njit

from regauge.arrays import CountArray, IntArray


@njit(cache=True, nogil=True)
def merge_answers(
    starts: CountArray, classes: IntArray, counts: CountArray, answers: IntArray, n_classes: int
) -> tuple[CountArray, IntArray, CountArray]:
    """The labels so far united with those of a block of participants.

    Args:
        starts: where the labels of each image start [n + 1].
        classes: the labels so far, image after image.
        counts: how many participants have each.
        answers: [participants, n, k], below 0 where there is no answer; a class that a participant repeats counts once.
        n_classes: class indices are smaller.

    Returns:
        The same three columns with the block; labels of an image in ascending order.
    """
    n_participants, n_images, k = answers.shape
    met_in = np.full(n_classes, -1, np.int64)
    n_met = np.zeros(n_classes, np.int64)
    given_by = np.full(n_classes, -1, np.int64)
    # Room for what can be new; it is cut to size at the end. A block is small, so this is no more than its own size.
    room = len(classes) + min(answers.size, n_images * n_classes)
    new_starts = np.zeros(n_images + 1, np.int64)
    new_classes = np.empty(room, np.int32)
    new_counts = np.empty(room, np.int64)
    n_found = 0
    for image in range(n_images):
        first = n_found
        for place in range(starts[image], starts[image + 1]):
            label = classes[place]
            met_in[label] = image
            n_met[label] = counts[place]
            given_by[label] = -1
            new_classes[n_found] = label
            n_found += 1
        for participant in range(n_participants):
            for rank in range(k):
                label = answers[participant, image, rank]
                if label < 0:
                    continue
                if met_in[label] != image:
                    met_in[label] = image
                    n_met[label] = 0
                    given_by[label] = -1
                    # Sorted in where it belongs: labels of one image are few.
                    at = n_found
                    while at > first and new_classes[at - 1] > label:
                        new_classes[at] = new_classes[at - 1]
                        at -= 1
                    new_classes[at] = label
                    n_found += 1
                n_met[label] += given_by[label] != participant
                given_by[label] = participant
        for place in range(first, n_found):
            new_counts[place] = n_met[new_classes[place]]
        new_starts[image + 1] = n_found
    return new_starts, new_classes[:n_found].copy(), new_counts[:n_found].copy()
