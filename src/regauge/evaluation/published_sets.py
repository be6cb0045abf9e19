"""Which set of a table of published accuracies somebody's test set is, and the models on it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from regauge.errors import InputError
from regauge.evaluation.count_sides import choose_set
from regauge.records.evaluation.accuracies import AccuracyTable, SetAccuracies

RELEASED_NAMES = {
    "imagenetvalidationoriginal": "val",
    "imagenetv2b33": "matched-frequency",
    "imagenetv2matchedfrequency": "matched-frequency",
    "imagenetv2a44": "threshold-0.7",
    "imagenetv2threshold07": "threshold-0.7",
}
"""What the files of ImageNetV2 are called, without punctuation, and what Recht et al. call these sets."""


def choose_published(
    table: AccuracyTable, name: str, *, asked: str | None, sizes: Mapping[str, int], keyword: str = "original_set"
) -> SetAccuracies:
    """The published models on the set that stands for somebody's test set, under the metrics that both have.

    Args:
        table: the accuracies.
        name: what the user's test set is called.
        asked: which set of the table it is; None takes the one that is called the same, or else the only one with as many images.
        sizes: how many images the user's test set has, by metric.
        keyword: by what of `Beside` the set is asked for, for the error message.

    Raises:
        InputError: it is not clear which set is meant, there is none of the metrics, or the numbers of images differ.
    """
    found = choose_set(table, asked or _find_set(table, name, sizes, keyword), sizes=sizes)
    counts = {metric: rows for metric, rows in found.counts.items() if metric in sizes}
    if not counts:
        raise InputError(
            f"On {found.name} {table.name} has {', '.join(found.counts) or 'no metric of all its models'}, and nothing under "
            f"{' or '.join(sizes)}."
        )
    for metric, rows in counts.items():
        if int(rows[0, 1]) != sizes[metric]:
            raise InputError(
                f"{found.name} of {table.name} has {int(rows[0, 1]):,} images under {metric}, and {name} has {sizes[metric]:,}: "
                "these are different test sets, and counts on them cannot be compared."
            )
    return replace(found, counts=counts)


def leave_out(table: AccuracyTable, globs: Sequence[str]) -> AccuracyTable:
    """The table without the models that match a glob; a glob that matches nothing is refused."""
    models = table.frame["model"].to_list()
    for glob in globs:
        if not any(fnmatchcase(model, glob) for model in models):
            raise InputError(f"No model of {table.name} matches {glob!r}, so none is left out.")
    kept = [not any(fnmatchcase(model, glob) for glob in globs) for model in models]
    if not any(kept):
        raise InputError(f"No model of {table.name} is left: all match {', '.join(globs)}.")
    return replace(table, frame=table.frame.filter(kept))


def keep_common(found: Sequence[SetAccuracies]) -> tuple[list[SetAccuracies], list[str]]:
    """The models that both sets have, in one order, and a sentence where others are left out."""
    first, second = (set(one.models) for one in found)
    both = [name for name in found[0].models if name in second]
    if not both:
        raise InputError(f"No published model is on both {found[0].name} and {found[1].name}.")
    n_left = len(first ^ second)
    models = "1 published model is" if n_left == 1 else f"{n_left:,} published models are"
    notes = [f"{models} on one of {found[0].name} and {found[1].name} only, and left out."] if n_left else []
    return [_keep(one, both) for one in found], notes


def find_one_n(sizes: Sequence[int]) -> int:
    """How many images all of somebody's models were counted on; different numbers are refused."""
    if len(set(sizes)) > 1:
        raise InputError(
            f"Models were counted on {min(sizes):,} to {max(sizes):,} images; published models can stand beside them only where "
            "all were counted on the same images."
        )
    return sizes[0]


def _keep(found: SetAccuracies, names: Sequence[str]) -> SetAccuracies:
    places = [found.models.index(name) for name in names]
    return replace(found, models=tuple(names), counts={metric: rows[places] for metric, rows in found.counts.items()})


def _find_set(table: AccuracyTable, name: str, sizes: Mapping[str, int], keyword: str) -> str:
    called = _simplify(name)
    alike = [one for one in table.sets if _simplify(one) in {called, _simplify(RELEASED_NAMES.get(called, called))}]
    fitting = [one for one in table.sets if _fits(table, one, sizes)]
    if len(alike) == 1:
        return alike[0]
    if len(fitting) == 1:
        return fitting[0]
    images = ", ".join(f"{n:,}" for n in dict.fromkeys(sizes.values()))
    found = f"{', '.join(fitting)} have" if fitting else "none has"
    raise InputError(
        f"It is not clear which set of {table.name} {name} is: none has its name, and {found} as many images ({images}). "
        f"Say which by `Beside({keyword}=…)`: {', '.join(table.sets)}."
    )


def _fits(table: AccuracyTable, name: str, sizes: Mapping[str, int]) -> bool:
    """Whether the table tells n under one of the metrics at least, and nowhere another one."""
    told = {metric: n for metric in sizes if (n := table.find_n(name, metric)) is not None}
    return bool(told) and all(n == sizes[metric] for metric, n in told.items())


def _simplify(name: str) -> str:
    return re.sub(r"[\W_]", "", name.lower())
