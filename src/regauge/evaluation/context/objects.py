"""How many objects images have, and what that does to accuracy (Tsipras et al. 2020, §4.1 and appendix C.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import regauge.frames as pl
from regauge.arrays import NO_CLASS, CountArray, divide
from regauge.columns import ColumnTypes
from regauge.evaluation.context.basis.tables import (
    list_estimate,
    make_frame,
    put_limits,
    stack_frames,
)
from regauge.evaluation.context.contract import (
    Analysis,
    ContextFindings,
    ContextMaterial,
    ContextNeed,
    ContextTable,
)
from regauge.evaluation.context.several.answers import (
    ANY_OBJECT,
    TOP1,
    TOP5,
    ObjectAnswers,
    compare_with_chance,
    line_up_answers,
    weigh_corrections,
)
from regauge.evaluation.context.several.images import ObjectImages, find_object_images
from regauge.evaluation.context.several.sentences import OTHER_MAIN, SEVERAL, answer_objects, note_objects
from regauge.evaluation.lookups import NO_PAIR, find_target_rows
from regauge.records.evaluation.context.report import ContextSettings
from regauge.records.labels.objects import NO_OBJECT
from regauge.stats.few_values import resample_means
from regauge.stats.intervals import Limits, clopper_pearson
from regauge.stats.resampling import percentile_limits
from regauge.stats.weighted_shares import weigh_difference, weigh_shares

ALL, ONE, MORE = "all", "one", "several"
N_BINS = 10

_NUMBERS = ContextTable(
    "Objects per image, and how sure people are of the number",
    ColumnTypes(
        {
            "n_objects": "Int64",
            "n_images": "Int64",
            "n": "Int64",
            **list_estimate("share"),
            "n_or_more": "Int64",
            **list_estimate("or_more"),
            "n_judged": "Int64",
            **list_estimate("confidence"),
        }
    ),
    ("15a", "16"),
)
_BINS = ContextTable(
    "Confidence by number of objects",
    ColumnTypes(
        {
            "n_objects": "Int64",
            "above": "Float64",
            "up_to": "Float64",
            "n_images": "Int64",
            "n": "Int64",
            **list_estimate("share"),
        }
    ),
    ("16",),
)
_SHARES = ContextTable(
    "Images with several objects",
    ColumnTypes({"what": "String", "n_images": "Int64", "n": "Int64", **list_estimate("share")}),
)
_ACCURACIES = ContextTable(
    "Accuracy on images with one object and with several",
    ColumnTypes(
        {
            "participant": "String",
            "metric": "String",
            **list_estimate("drop"),
            "one_n": "Int64",
            **list_estimate("one"),
            "several_n": "Int64",
            **list_estimate("several"),
            "all_n": "Int64",
            **list_estimate("all"),
            "overall_n": "Int64",
            **list_estimate("overall"),
        }
    ),
    ("3", "4", "21"),
    points=("drop",),
)
_CHANCE = ContextTable(
    "Top-1 on images with several objects, against naming one of them at random",
    ColumnTypes(
        {
            "participant": "String",
            "subset": "String",
            "n": "Int64",
            **list_estimate("top1"),
            **list_estimate("chance"),
            **list_estimate("difference"),
            "verdict": "String",
            **list_estimate("overall"),
        }
    ),
    ("5",),
    points=("difference",),
)
_CORRECTIONS = ContextTable(
    "Top-5 corrections in which first answer and dataset label are two objects of the image",
    ColumnTypes(
        {
            "participant": "String",
            "n_images": "Int64",
            "n": "Int64",
            **list_estimate("share"),
            **list_estimate("overall"),
        }
    ),
    ("21",),
)
_TABLES = {
    "numbers": _NUMBERS,
    "accuracies": _ACCURACIES,
    "chance": _CHANCE,
    "corrections": _CORRECTIONS,
    "shares": _SHARES,
    "confidence_bins": _BINS,
}


def analyse(material: ContextMaterial, settings: ContextSettings) -> ContextFindings:
    """Objects per image, and accuracy on one and on several."""
    images = find_object_images(material)
    answers = line_up_answers(material, images)
    steps: dict[str, Callable[[], pl.DataFrame]] = {
        "numbers": lambda: _count_numbers(material, images, settings),
        "accuracies": lambda: _measure(material, answers, settings),
        "chance": lambda: _compare(material, answers, settings),
        "corrections": lambda: _correct(material, answers, settings),
        "shares": lambda: _share(images, settings),
        "confidence_bins": lambda: _bin(material, settings),
    }
    tables = {name: make() for name, make in steps.items()}
    return ContextFindings(
        tables, tuple(answer_objects(material, settings, tables=tables)), tuple(note_objects(material, images))
    )


def _count_numbers(material: ContextMaterial, images: ObjectImages, settings: ContextSettings) -> pl.DataFrame:
    numbers = np.arange(1, int(images.n_objects.max(initial=1)) + 1)
    every = np.ones(len(images), np.bool_)
    exact = images.n_objects == numbers[:, np.newaxis]
    more = images.n_objects >= numbers[:, np.newaxis]
    shares, or_more = (images.weigh(one, every, level=settings.level) for one in (exact, more))
    confidence = _average_confidence(material, numbers, settings)
    return make_frame(
        _NUMBERS,
        {
            "n_objects": numbers,
            "n_images": exact.sum(axis=1),
            "n": np.full(len(numbers), len(images)),
            **put_limits("share", shares.value, limits=Limits(shares.low, shares.high)),
            "n_or_more": more.sum(axis=1),
            **put_limits("or_more", or_more.value, limits=Limits(or_more.low, or_more.high)),
            **confidence,
        },
    )


def _find_confidences(material: ContextMaterial) -> tuple[CountArray, CountArray, CountArray]:
    """Of the images with accepted answers: number of objects, annotators who gave it, and annotators who were shown it."""
    labels = material.classify
    if labels is None:
        return (np.zeros(0, np.int64),) * 3
    known = (labels.n_accepted > 0) & (find_target_rows(material.target, labels.objects.image_ids) != NO_PAIR)
    return labels.objects.n_objects[known], labels.n_agreeing[known], labels.n_shown[known]


def _average_confidence(material: ContextMaterial, numbers: CountArray, settings: ContextSettings) -> dict[str, Any]:
    n_objects, k, n = _find_confidences(material)
    values, place = np.unique(divide(k, n), return_inverse=True)
    counts = np.zeros((len(numbers), len(values)), np.int64)
    np.add.at(counts, (n_objects - 1, place.ravel()), 1)
    rng = np.random.default_rng(settings.seed)
    drawn = resample_means(counts, values, rng=rng, n_resamples=settings.n_bootstrap)
    total = counts.sum(axis=1)
    limits = percentile_limits(drawn, level=settings.level)
    return {"n_judged": total, **put_limits("confidence", divide(counts @ values, total), limits=limits)}


def _bin(material: ContextMaterial, settings: ContextSettings) -> pl.DataFrame:
    """Bins of a tenth, each with its upper end, in whole numbers."""
    n_objects, k, n = _find_confidences(material)
    if not len(n):
        return make_frame(_BINS)
    numbers = np.unique(n_objects)
    counts = np.zeros((len(numbers), N_BINS), np.int64)
    np.add.at(counts, (np.searchsorted(numbers, n_objects), np.maximum(N_BINS * k - 1, 0) // n), 1)
    total = np.broadcast_to(counts.sum(axis=1, keepdims=True), counts.shape)
    limits = clopper_pearson(counts, total, level=settings.level)
    ends = np.arange(N_BINS + 1) / N_BINS
    return make_frame(
        _BINS,
        {
            "n_objects": np.repeat(numbers, N_BINS),
            "above": np.tile(ends[:-1], len(numbers)),
            "up_to": np.tile(ends[1:], len(numbers)),
            "n_images": counts.ravel(),
            "n": total.ravel(),
            **put_limits(
                "share", divide(counts, total).ravel(), limits=Limits(limits.low.ravel(), limits.high.ravel())
            ),
        },
    )


def _share(images: ObjectImages, settings: ContextSettings) -> pl.DataFrame:
    """What images with several objects are like; an image without a dataset object counts as one that does not differ."""
    several = images.has_several
    known = several & (images.main_objects != NO_OBJECT) & (images.labels != NO_CLASS)
    rows = {
        SEVERAL: (several, np.ones(len(images), np.bool_)),
        OTHER_MAIN: (images.has_other_main, known),
        "no object holds the dataset label": (
            images.dataset_objects == NO_OBJECT,
            several & (images.labels != NO_CLASS),
        ),
    }
    found = [images.weigh(has, among, level=settings.level) for has, among in rows.values()]
    return make_frame(
        _SHARES,
        {
            "what": list(rows),
            "n_images": [int((has & among).sum()) for has, among in rows.values()],
            "n": [int(among.sum()) for _, among in rows.values()],
            "share": [float(one.value) for one in found],
            "share_low": [float(one.low) for one in found],
            "share_high": [float(one.high) for one in found],
        },
    )


def _measure_overall(material: ContextMaterial, settings: ContextSettings) -> dict[str, Any]:
    """Top-1 on all images of the truth."""
    firsts = np.zeros((0, 0), np.int32) if material.firsts is None else material.firsts
    n = ((firsts != NO_CLASS) & (material.labels != NO_CLASS)).sum(axis=1) if len(firsts) else np.zeros(0, np.int64)
    limits = clopper_pearson(material.n_right, n, level=settings.level)
    return {"overall_n": n, **put_limits("overall", divide(material.n_right, n), limits=limits)}


def _measure(material: ContextMaterial, answers: ObjectAnswers, settings: ContextSettings) -> pl.DataFrame:
    """Every metric on all images with known objects, on those with one, and on those with several."""
    if not material.participants:
        return make_frame(_ACCURACIES)
    overall = _measure_overall(material, settings)
    return stack_frames(
        _ACCURACIES,
        (_measure_metric(material, answers, metric, overall, settings.level) for metric in _list_metrics(answers)),
    )


def _list_metrics(answers: ObjectAnswers) -> Iterator[str]:
    yield TOP1
    if answers.in_five is not None:
        yield TOP5
    yield ANY_OBJECT


def _measure_metric(
    material: ContextMaterial, answers: ObjectAnswers, metric: str, overall: dict[str, Any], level: float
) -> pl.DataFrame:
    images = answers.images
    every = np.ones(len(images), np.bool_)
    several = images.has_several
    counts = {name: answers.count(metric, among) for name, among in ((ALL, every), (ONE, ~several), (MORE, several))}
    columns: dict[str, Any] = {
        "participant": material.participants,
        "metric": [metric] * len(answers.firsts),
        **overall,
    }
    for name, (k, n) in counts.items():
        found = weigh_shares(k, n, weights=images.weights, level=level)
        columns |= {
            f"{name}_n": n.sum(axis=-1),
            **put_limits(name, found.value, limits=Limits(found.low, found.high)),
        }
    drop = weigh_difference(counts[ONE], counts[MORE], weights=images.weights, level=level)
    return make_frame(_ACCURACIES, columns | put_limits("drop", drop.value, limits=Limits(drop.low, drop.high)))


def _compare(material: ContextMaterial, answers: ObjectAnswers, settings: ContextSettings) -> pl.DataFrame:
    """Top-1 against chance on images with several objects, and on those whose main object is not the dataset label's."""
    if not material.participants:
        return make_frame(_CHANCE)
    images = answers.images
    overall = _measure_overall(material, settings)
    overall.pop("overall_n")
    frames = []
    for subset, among in ((SEVERAL, images.has_several), (OTHER_MAIN, images.has_other_main)):
        found = compare_with_chance(answers, among, settings=settings)
        columns = {
            "participant": material.participants,
            **overall,
            "subset": [subset] * len(found.n),
            "n": found.n,
            **put_limits("top1", found.top1, limits=found.top1_limits),
            **put_limits("chance", found.chance, limits=found.chance_limits),
            **put_limits("difference", found.top1 - found.chance, limits=found.difference_limits),
            "verdict": found.verdicts,
        }
        frames.append(make_frame(_CHANCE, columns))
    return stack_frames(_CHANCE, frames)


def _correct(material: ContextMaterial, answers: ObjectAnswers, settings: ContextSettings) -> pl.DataFrame:
    if not material.participants or answers.in_five is None:
        return make_frame(_CORRECTIONS)
    k, n, found = weigh_corrections(answers, level=settings.level)
    overall = _measure_overall(material, settings)
    columns = {
        "participant": material.participants,
        **{name: overall[name] for name in list_estimate("overall")},
        "n_images": k,
        "n": n,
        **put_limits("share", found.value, limits=Limits(found.low, found.high)),
    }
    return make_frame(_CORRECTIONS, columns)


OBJECTS = Analysis(
    name="objects",
    title="Objects per image",
    help="Count the objects of images, and measure accuracy on one object, on several, and against chance.",
    needs=(ContextNeed.DATASET_LABELS, ContextNeed.OBJECTS),
    tables=_TABLES,
    analyse=analyse,
)
