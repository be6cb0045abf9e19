"""CLASSIFY answers in tests, from lists; and the same aggregation once more in plain Python, as an oracle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, product

import numpy as np
from hypothesis import strategies as st

from regauge.arrays import NO_CLASS
from regauge.records.responses.answers import ClassifyResponses

Answer = tuple[str, str, Sequence[int], int]
"""Image, annotator, selected labels, main label."""


def make_responses(answers: Sequence[Answer], *, seconds: Sequence[float] | None = None) -> ClassifyResponses:
    images = list(dict.fromkeys(image for image, *_ in answers))
    annotators = list(dict.fromkeys(annotator for _, annotator, *_ in answers))
    return ClassifyResponses(
        image_ids=np.array(images, np.str_),
        annotator_ids=np.array(annotators, np.str_),
        response_images=np.array([images.index(image) for image, *_ in answers], np.int32),
        response_annotators=np.array([annotators.index(annotator) for _, annotator, *_ in answers], np.int32),
        starts=np.cumsum([0, *(len(selected) for *_, selected, _ in answers)]),
        selected=np.array([label for *_, selected, _ in answers for label in selected], np.int32),
        main=np.array([main for *_, main in answers], np.int32),
        seconds=None if seconds is None else np.array(seconds),
    )


def one_image(*lists: Sequence[int], mains: Sequence[int] | None = None) -> ClassifyResponses:
    """Answers of different annotators to one image; the main label is the first selected by default."""
    named = mains or [labels[0] if labels else NO_CLASS for labels in lists]
    return make_responses([("i", f"a{n}", labels, named[n]) for n, labels in enumerate(lists)])


@st.composite
def answer_lists(draw: st.DrawFn, max_classes: int = 6) -> list[Answer]:
    """Up to four images with up to nine sound answers each, in mixed order."""
    n_images = draw(st.integers(1, 4))
    answers: list[Answer] = []
    for image in range(n_images):
        for annotator in range(draw(st.integers(1, 9))):
            labels = draw(st.lists(st.integers(0, max_classes - 1), min_size=1, max_size=4, unique=True))
            answers.append((f"image-{image}", f"annotator-{annotator}", labels, draw(st.sampled_from(labels))))
    return list(draw(st.permutations(answers)))


def weigh(lists: Sequence[Sequence[int]], group_of: Mapping[int, int]) -> int:
    """How many pairs that one annotator selected lie in different groups."""
    pairs = (pair for labels in lists if len(labels) > 1 for pair in combinations(labels, 2))
    return sum(group_of[a] != group_of[b] for a, b in pairs)


def find_best_cuts(lists: Sequence[Sequence[int]], n_groups: int) -> tuple[int, set[frozenset[frozenset[int]]]]:
    """The weight of the heaviest cut, and every partition that has it, from all assignments of labels to groups."""
    vertices = sorted({label for labels in lists if len(labels) > 1 for label in labels})
    best = -1
    found: set[frozenset[frozenset[int]]] = set()
    for code in product(range(n_groups), repeat=len(vertices)):
        if len(set(code)) < n_groups:
            continue
        group_of = dict(zip(vertices, code, strict=True))
        weight = weigh(lists, group_of)
        if weight > best:
            best, found = weight, set()
        if weight == best:
            groups = [frozenset(v for v in vertices if group_of[v] == group) for group in range(n_groups)]
            found.add(frozenset(groups))
    return best, found


def first_most_common(values: Sequence[int]) -> int:
    """Counter keeps the order of first occurrence among equal counts."""
    return Counter(values).most_common(1)[0][0]
