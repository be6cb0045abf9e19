"""CLASSIFY answers of 10,000 images → objects: time against plain Python and NumPy; potential labels of 67 models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Role, Variant, Workload, compare
from regauge.arrays import CountArray, IntArray
from regauge.candidates.potential import find_potential_labels
from regauge.labels.objects.tallies import tally_responses
from regauge.records.predictions import Predictions
from regauge.records.responses.answers import ClassifyResponses
from regauge.records.testsets.test_set import TestSet

N_IMAGES = 10_000
N_ANNOTATORS = 9
N_CANDIDATES = 6
N_CLASSES = 1_000
SLOW_IMAGES = 100
SEED = 2020

N_MODELS = 67
N_MODEL_IMAGES = 50_000
TOP = 5
SLOW_MODEL_IMAGES = 1_000


def draw_responses() -> ClassifyResponses:
    """Nine annotators on images with two to four objects; each selects a label for most of them, now and then a confused one."""
    rng = np.random.default_rng(SEED)
    lists: list[list[int]] = []
    for _ in range(N_IMAGES):
        candidates = rng.choice(N_CLASSES, N_CANDIDATES, replace=False)
        n_objects = int(rng.integers(2, 5))
        object_of = np.concatenate([np.arange(n_objects), rng.integers(0, n_objects, N_CANDIDATES - n_objects)])
        for _ in range(N_ANNOTATORS):
            seen = np.flatnonzero(rng.random(n_objects) < 0.9)
            chosen = [int(rng.choice(candidates[object_of == one])) for one in seen]
            lists.append(chosen or [int(candidates[0])])
    n = len(lists)
    return ClassifyResponses(
        image_ids=np.array([f"{image:05d}" for image in range(N_IMAGES)]),
        annotator_ids=np.array([f"{annotator}" for annotator in range(N_ANNOTATORS)]),
        response_images=np.repeat(np.arange(N_IMAGES, dtype=np.int32), N_ANNOTATORS),
        response_annotators=np.tile(np.arange(N_ANNOTATORS, dtype=np.int32), N_IMAGES),
        starts=np.cumsum([0, *map(len, lists)]),
        selected=np.array([label for labels in lists for label in labels], np.int32),
        main=np.array([lists[row][0] for row in range(n)], np.int32),
    )


def list_answers(responses: ClassifyResponses) -> list[list[list[int]]]:
    """The selections as nested lists, as a notebook would hold them."""
    selected, starts = responses.selected.tolist(), responses.starts.tolist()
    lists = [selected[starts[row] : starts[row + 1]] for row in range(len(responses))]
    return [lists[image * N_ANNOTATORS : (image + 1) * N_ANNOTATORS] for image in range(N_IMAGES)]


def enumerate_codes(n_vertices: int, n_groups: int) -> Iterator[tuple[int, ...]]:
    """Every partition into exactly n_groups groups once, as the group of every vertex."""

    def extend(code: tuple[int, ...], n_open: int) -> Iterator[tuple[int, ...]]:
        if len(code) == n_vertices:
            if n_open == n_groups:
                yield code
            return
        for group in range(min(n_open + 1, n_groups)):
            yield from extend((*code, group), max(n_open, group + 1))

    return extend((), 0)


def assign_all(n_vertices: int, n_groups: int) -> Iterator[tuple[int, ...]]:
    """Every way to give each vertex one of the groups: partitions come once per naming of their groups."""
    return product(range(n_groups), repeat=n_vertices)


def weigh_in_python(answers: list[list[int]], list_codes: Callable[[int, int], Iterator[tuple[int, ...]]]) -> int:
    """The weight of the heaviest cut of one image, by looking at every code."""
    sizes = [len(labels) for labels in answers]
    n_objects = max(sizes, key=sizes.count)
    pairs: dict[tuple[int, int], int] = {}
    for labels in answers:
        for pair in combinations(sorted(labels), 2):
            pairs[pair] = pairs.get(pair, 0) + 1
    vertices = sorted({label for labels in answers if len(labels) > 1 for label in labels})
    place = {label: at for at, label in enumerate(vertices)}
    if n_objects < 2:
        return 0
    return max(
        sum(weight for (a, b), weight in pairs.items() if code[place[a]] != code[place[b]])
        for code in list_codes(len(vertices), n_objects)
    )


def weigh_all_in_python(
    answers: list[list[list[int]]], list_codes: Callable[[int, int], Iterator[tuple[int, ...]]]
) -> list[int]:
    return [weigh_in_python(image, list_codes) for image in answers]


def make_code_tables() -> dict[tuple[int, int], NDArray[np.int64]]:
    """For every number of vertices and groups, which pairs of vertices each partition cuts [partitions, pairs]."""
    tables = {}
    for n in range(2, N_CANDIDATES + 1):
        first, second = np.triu_indices(n, 1)
        for k in range(2, n + 1):
            codes = np.array(list(enumerate_codes(n, k)))
            tables[n, k] = (codes[:, first] != codes[:, second]).astype(np.int64)
    return tables


def weigh_with_tables(answers: list[list[list[int]]], tables: dict[tuple[int, int], NDArray[np.int64]]) -> list[int]:
    """One product with the table of all partitions per image."""
    weights = []
    for image in answers:
        sizes = [len(labels) for labels in image]
        n_objects = max(sizes, key=sizes.count)
        vertices = sorted({label for labels in image if len(labels) > 1 for label in labels})
        if n_objects < 2:
            weights.append(0)
            continue
        shown = np.zeros((len(image), len(vertices)), np.int64)
        place = {label: at for at, label in enumerate(vertices)}
        for row, labels in enumerate(image):
            if len(labels) > 1:
                shown[row, [place[label] for label in labels]] = 1
        together = (shown.T @ shown)[np.triu_indices(len(vertices), 1)]
        weights.append(int((tables[len(vertices), n_objects] @ together).max()))
    return weights


def draw_predictions() -> tuple[list[Predictions], TestSet]:
    """Models that answer right three times in four, and whose other answers are drawn near each other."""
    rng = np.random.default_rng(SEED)
    ids = np.array([f"{image:05d}" for image in range(N_MODEL_IMAGES)])
    labels = rng.integers(0, N_CLASSES, N_MODEL_IMAGES, dtype=np.int32)
    models = []
    for model in range(N_MODELS):
        steps = rng.integers(1, 12, (N_MODEL_IMAGES, TOP)).cumsum(axis=1)
        classes = (
            (labels[:, np.newaxis] + steps - (rng.random((N_MODEL_IMAGES, 1)) < 0.75) * steps[:, :1]) % N_CLASSES
        ).astype(np.int32)
        models.append(Predictions(f"model-{model:02d}", ids, classes))
    return models, TestSet("drawn", ids, labels)


def unite_with_sets(models: list[Predictions], labels: list[int], n_images: int) -> list[set[int]]:
    answers = [model.classes[:n_images].tolist() for model in models]
    return [{labels[image], *(label for model in answers for label in model[image])} for image in range(n_images)]


def unite_with_sort(models: list[Predictions], labels: IntArray) -> CountArray:
    """All pairs as numbers, sorted without repetition."""
    images = np.arange(len(labels), dtype=np.int64)[:, np.newaxis] * N_CLASSES
    pairs = [images + labels[:, np.newaxis], *(images + model.classes for model in models)]
    return np.unique(np.concatenate([part.ravel() for part in pairs]))


def compare_objects() -> str:
    responses = draw_responses()
    everybody = np.ones(len(responses), np.bool_)
    answers, tables = list_answers(responses), make_code_tables()
    ours = tally_responses(responses, everybody).cut_weights.tolist()
    np.testing.assert_array_equal(ours, weigh_with_tables(answers, tables))
    np.testing.assert_array_equal(
        ours[: 10 * SLOW_IMAGES], weigh_all_in_python(answers[: 10 * SLOW_IMAGES], enumerate_codes)
    )
    np.testing.assert_array_equal(ours[:SLOW_IMAGES], weigh_all_in_python(answers[:SLOW_IMAGES], assign_all))
    variants = [
        Variant(
            "tally_responses", partial(tally_responses, responses, everybody), Role.OURS, gives="all labels and counts"
        ),
        Variant(
            "plain Python, all assignments",
            partial(weigh_all_in_python, answers[:SLOW_IMAGES], assign_all),
            fraction=SLOW_IMAGES / N_IMAGES,
            gives="weights",
        ),
        Variant(
            "plain Python, every partition once",
            partial(weigh_all_in_python, answers[:SLOW_IMAGES], enumerate_codes),
            fraction=SLOW_IMAGES / N_IMAGES,
            gives="weights",
        ),
        Variant("NumPy, table of partitions", partial(weigh_with_tables, answers, tables), gives="weights"),
        Variant("sum of the labels", lambda: int(responses.selected.sum()), Role.FLOOR, gives="one number"),
    ]
    return compare(f"Objects of {N_IMAGES:,} images", variants)


def compare_potential() -> str:
    models, test_set = draw_predictions()
    found = find_potential_labels(models, test_set)
    sets = unite_with_sets(models, test_set.labels.tolist(), SLOW_MODEL_IMAGES)
    np.testing.assert_array_equal([len(one) for one in sets], np.diff(found.starts)[:SLOW_MODEL_IMAGES])
    images = np.repeat(np.arange(N_MODEL_IMAGES, dtype=np.int64), np.diff(found.starts))
    np.testing.assert_array_equal(images * N_CLASSES + found.classes, unite_with_sort(models, test_set.labels))
    variants = [
        Variant(
            "find_potential_labels", partial(find_potential_labels, models, test_set), Role.OURS, gives="labels, counts"
        ),
        Variant("NumPy unique", partial(unite_with_sort, models, test_set.labels), gives="labels"),
        Variant(
            "Python sets",
            partial(unite_with_sets, models, test_set.labels.tolist(), SLOW_MODEL_IMAGES),
            fraction=SLOW_MODEL_IMAGES / N_MODEL_IMAGES,
            gives="labels",
        ),
    ]
    return compare(f"Potential labels of {N_MODEL_IMAGES:,} images from {N_MODELS} models × {TOP}", variants)


def run() -> Workload:
    return Workload(
        "CLASSIFY answers → objects; predictions → potential labels",
        f"{N_ANNOTATORS} annotators per image, up to {N_CANDIDATES} labels each. The weights of the heaviest cuts were checked "
        "to be equal. All assignments is the search of the authors' release, which meets a partition into k objects k! times; "
        "every partition once is the leaner peer. Ours gives main label, objects, counts and ties too; the peers start from "
        "lists that are already grouped by image.",
        (compare_objects(), compare_potential()),
    )


if __name__ == "__main__":
    print(run().to_markdown())
