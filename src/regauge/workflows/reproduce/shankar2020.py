"""Shankar, Roelofs, Mania, Fang, Recht, Schmidt (2020), Evaluating Machine Accuracy on ImageNet."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from regauge.errors import MissingDataError
from regauge.formats.releases.folders import DataFolders
from regauge.formats.releases.human_accuracy import VALIDATION_PREFIX, HumanAccuracy
from regauge.formats.releases.loading import ANNOTATED, TOP_IMAGES, load_human_labels, load_images
from regauge.formats.releases.published import MATCHED_FREQUENCY, THRESHOLD, VALIDATION
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.reproductions import Basis, ReproducedFigure, Reproduction
from regauge.taxonomy.groups import find_groups
from regauge.workflows.reproduce.checks import Figures, count_fitting
from regauge.workflows.reproduce.shankar2020_tables import TABLE_1, check_tables
from regauge.workflows.reproduce.sides import Sides

TITLE = "Shankar et al. 2020, Evaluating Machine Accuracy on ImageNet"
FIGURES = Figures("shankar2020")

SAMPLE_SIZES = range(900, 1_001)
NEW_SETS = (MATCHED_FREQUENCY, THRESHOLD, TOP_IMAGES)
REVISED = "from version 3 of the labels, which was corrected after the paper"

ANNOTATED_IMAGES = [("§2: annotated validation images", "20,000")]
UNIONS = [("§2: images of the three ImageNetV2 sets", "20,683"), ("§3.2: annotated images in all", "40,683")]
PREDICTIONS = [("§3.2: distinct predictions on all annotated images", "182,597")]
LABELS = [
    ("§3.2: validation images with more than one correct label", "18.2%"),
    ("§3.2: correct labels of these, on average", "2.3"),
]
MEDIANS = [
    ("§3.2: median of multi-label minus top-1 accuracy, in points", "8.9"),
    ("§3.2: median of multi-label minus top-5 accuracy, in points", "-7.4"),
]


def reproduce(data: DataFolders) -> Reproduction:
    """Every figure of the paper that the folders allow."""
    sides = Sides(data)
    figures = FIGURES.gather(
        (partial(_check_annotated, data), ANNOTATED_IMAGES),
        (partial(_check_unions, data), UNIONS),
        (partial(_check_predictions, sides), PREDICTIONS),
        (partial(_check_labels, data), LABELS),
        (partial(_check_medians, sides), MEDIANS),
        (_check_groups, ()),
        (_check_intervals, ()),
        (partial(check_tables, FIGURES), ()),
        (_list_absent, ()),
    )
    return Reproduction("shankar2020", TITLE, figures, (*sides.notes, *_describe_labels(data)))


def _check_annotated(data: DataFolders) -> Iterator[ReproducedFigure]:
    n = len(np.unique(load_images(data, ANNOTATED).image_ids))
    figure, published = ANNOTATED_IMAGES[0]
    yield FIGURES.equal(figure, published=published, recomputed=f"{n:,}", basis=Basis.ROWS)


def _check_unions(data: DataFolders) -> Iterator[ReproducedFigure]:
    """Images of the three new sets, each counted once, and with the annotated validation images."""
    found: set[str] = set()
    for name in NEW_SETS:
        found.update(load_images(data, name).image_ids.tolist())
    everything = found | set(load_images(data, ANNOTATED).image_ids.tolist())
    for (figure, published), images in zip(UNIONS, (found, everything), strict=True):
        yield FIGURES.equal(
            figure, published=published, recomputed=f"{len(images):,}", note="the union of the sets' images"
        )


def _check_predictions(sides: Sides) -> Iterator[ReproducedFigure]:
    """Distinct (image, first answer) of the models of Recht et al. (2019)."""
    pairs: set[tuple[str, int]] = set()
    models: set[str] = set()
    for name in (*NEW_SETS, ANNOTATED):
        released = sides.load(name)
        models.update(released.models)
        ids = released.test_set.image_ids.tolist()
        for answers in released.answers[:, :, 0]:
            pairs.update(zip(ids, answers.tolist(), strict=True))
    figure, published = PREDICTIONS[0]
    yield FIGURES.differs(
        figure,
        published=published,
        recomputed=f"{len(pairs):,}",
        note=f"of the {len(models)} models of Recht et al. (2019) that are there; the paper has 72",
    )


def _check_labels(data: DataFolders) -> Iterator[ReproducedFigure]:
    found = load_human_labels(data)
    n_correct = np.array([len(found.verdicts[image]["correct"]) for image in _find_validation(found)])
    if not n_correct.size:
        raise MissingDataError("verdicts on validation images")
    several = n_correct[n_correct > 1]
    note = f"{REVISED}; {len(several):,} of {len(n_correct):,} images"
    mean = f"{several.mean():.1f}" if len(several) else "none"
    for (figure, published), recomputed in zip(LABELS, (f"{100 * (n_correct > 1).mean():.1f}%", mean), strict=True):
        yield FIGURES.untried(figure, published=published, recomputed=recomputed, note=note)


def _find_validation(found: HumanAccuracy) -> list[str]:
    """The annotated validation images that are not problematic."""
    problematic = set(found.problematic)
    return [image for image in found.verdicts if image.startswith(VALIDATION_PREFIX) and image not in problematic]


def _check_medians(sides: Sides) -> Iterator[ReproducedFigure]:
    found = load_human_labels(sides.data)
    released = sides.load(VALIDATION)
    row_of = {image: row for row, image in enumerate(released.test_set.image_ids.tolist())}
    images = [image for image in _find_validation(found) if image in row_of]
    if not images:
        raise MissingDataError("verdicts on images of the validation set")
    rows = [row_of[image] for image in images]
    answers, labels = released.answers[:, rows], released.test_set.labels[rows]
    correct = np.zeros((len(images), 1_000), np.bool_)
    for place, image in enumerate(images):
        correct[place, found.verdicts[image]["correct"]] = True
    multi = correct[np.arange(len(images)), answers[:, :, 0]].mean(axis=1)
    hits = answers == labels[:, np.newaxis]
    for (figure, published), other in zip(MEDIANS, (hits[:, :, 0], hits.any(axis=2)), strict=True):
        median = 100 * float(np.median(multi - other.mean(axis=1)))
        yield FIGURES.untried(
            figure,
            published=published,
            recomputed=f"{median:.1f}",
            note=f"{REVISED}; {len(released.models)} models of Recht et al. (2019) on {len(images):,} images, where the paper "
            "has 72 models",
        )


def _check_groups() -> Iterator[ReproducedFigure]:
    taxonomy = load_taxonomy("imagenet-1k")
    sizes = {
        name: len(members)
        for grouping in ("object-organism", "dogs")
        for name, members in find_groups(taxonomy, grouping).items()
    }
    for name, published in (
        ("objects", 590),
        ("organisms", 410),
        ("dogs", 118),
        ("other animals", 292),
        ("without dogs", 882),
    ):
        yield FIGURES.equal(
            f"§5: classes, {name}", published=str(published), recomputed=str(sizes[name]), note="derived from WordNet"
        )


def _check_intervals() -> Iterator[ReproducedFigure]:
    sets = [[row[place] for row in TABLE_1.values()] for place in (0, 1)]
    n_fit, n = max((count_fitting(sets[0], n), n) for n in SAMPLE_SIZES)
    yield FIGURES.differs(
        "Table 1, ImageNet: rows whose interval is Clopper–Pearson for one n",
        published="8 of 8",
        recomputed=f"{n_fit} of 8",
        note=f"n is not printed; {n} fits best",
        basis=Basis.ARITHMETIC,
    )
    n_fit, n = max((count_fitting(sets[1], n), n) for n in SAMPLE_SIZES)
    yield FIGURES.differs(
        "Table 1, ImageNetV2: rows whose interval is Clopper–Pearson for one n",
        published="8 of 8",
        recomputed=f"{n_fit} of 8",
        note="the printed intervals are not centred on the printed accuracies: two different n were used",
        basis=Basis.ARITHMETIC,
    )
    yield FIGURES.differs(
        "§4.3: images with labels unchanged + added + modified",
        published="2,000",
        recomputed=f"{1_320 + 531 + 239:,}",
        note="the last two kinds overlap",
        basis=Basis.ARITHMETIC,
    )


def _list_absent() -> Iterator[ReproducedFigure]:
    unread = "none of the files that are read holds what the five people answered"
    yield FIGURES.absent("Tables 1 and 2: accuracies of the five people", "", note=unread)


def _describe_labels(data: DataFolders) -> tuple[str, ...]:
    try:
        return load_human_labels(data).notes
    except MissingDataError:
        return ()
