"""Several label sets as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.errors import InputError
from regauge.records.labels.label_set import LabelKind, LabelSet, Unlisted
from regauge.records.labels.verdicts import Verdict


class MergeRule(StrEnum):
    """What holds where two label sets judge one class of one image."""

    LATER = "later"
    """The label set that is named later: a review goes over what it looked at again."""
    UNCLEAR = "unclear"
    """Their verdict where it is the same; otherwise the class is unclear."""


def merge_labels(label_sets: Sequence[LabelSet], *, name: str, rule: MergeRule = MergeRule.LATER) -> LabelSet:
    """All images and verdicts of the label sets, in the order in which they first occur.

    An image is problematic when the last label set that knows it says so; its main label is the last that is known. A class
    that none of them lists is unjudged, unless all take what they do not list for wrong.

    Args:
        label_sets: at least two of one kind.
        name: what to call the result.
        rule: what holds where they judge the same class of an image.

    Raises:
        InputError: there are fewer than two, or they are of different kinds.
    """
    if len(label_sets) < 2:
        raise InputError(f"To merge label sets takes at least two, not {len(label_sets)}.")
    if len({one.kind for one in label_sets}) > 1:
        raise InputError("Label sets of different kinds cannot be merged: " + _describe_kinds(label_sets))
    verdicts: dict[str, dict[int, Verdict]] = {}
    problematic: dict[str, bool] = {}
    main: dict[str, int] = {}
    for label_set in label_sets:
        _add(label_set, verdicts, rule)
        known = label_set.image_ids.tolist()
        problematic |= dict(zip(known, label_set.is_problematic.tolist(), strict=True))
        pairs = zip(known, label_set.main_labels.tolist(), strict=True)
        main |= {one: label for one, label in pairs if label != NO_CLASS or one not in main}
    lists = {
        verdict: [[index for index, one in judged.items() if one is verdict] for judged in verdicts.values()]
        for verdict in Verdict
    }
    are_complete = all(one.unlisted is Unlisted.WRONG for one in label_sets)
    merged = LabelSet.from_lists(
        name,
        list(verdicts),
        correct=lists[Verdict.CORRECT],
        unclear=lists[Verdict.UNCLEAR],
        wrong=lists[Verdict.WRONG],
        is_problematic=[problematic[one] for one in verdicts],
        main_labels=[main[one] for one in verdicts],
        kind=label_sets[0].kind,
        unlisted=Unlisted.WRONG if are_complete else Unlisted.UNJUDGED,
    )
    # Main labels that are known of follow-up images alone stay so where no other label set has any.
    with_main = [one.is_follow_up_only for one in label_sets if one.has_main_labels]
    return replace(merged, is_follow_up_only=bool(with_main) and all(with_main))


def put_above(base: LabelSet | None, verdicts: Mapping[tuple[str, int], Verdict], *, name: str) -> LabelSet:
    """A label set with some verdicts above its own, by image id and class; images that were problematic stay so.

    Args:
        base: the label set; None for the verdicts alone.
        verdicts: what holds, whatever the label set says.
        name: what to call the result.
    """
    if not verdicts and base is not None:
        return replace(base, name=name)
    images = list(dict.fromkeys(image_id for image_id, _ in verdicts))
    lists: dict[Verdict, dict[str, list[int]]] = {verdict: {one: [] for one in images} for verdict in Verdict}
    for (image_id, index), verdict in verdicts.items():
        lists[verdict][image_id].append(index)
    new = LabelSet.from_lists(
        name,
        images,
        correct=list(lists[Verdict.CORRECT].values()),
        unclear=list(lists[Verdict.UNCLEAR].values()),
        wrong=list(lists[Verdict.WRONG].values()),
        kind=LabelKind.MULTILABEL if base is None else base.kind,
        unlisted=None if base is None else base.unlisted,
    )
    if base is None:
        return new
    joined = merge_labels([base, new], name=name)
    was = np.isin(joined.image_ids, base.image_ids[base.is_problematic])
    return replace(joined, is_problematic=joined.is_problematic | was)


def _add(label_set: LabelSet, verdicts: dict[str, dict[int, Verdict]], rule: MergeRule) -> None:
    ids = label_set.image_ids.tolist()
    for image_id in ids:
        verdicts.setdefault(image_id, {})
    judged = zip(label_set.rows.tolist(), label_set.classes.tolist(), label_set.verdicts.tolist(), strict=True)
    for row, index, code in judged:
        mine, verdict = verdicts[ids[row]], Verdict(code)
        is_disputed = rule is MergeRule.UNCLEAR and mine.get(index, verdict) is not verdict
        mine[index] = Verdict.UNCLEAR if is_disputed else verdict


def _describe_kinds(label_sets: Sequence[LabelSet]) -> str:
    return ", ".join(f"{one.name} is {one.kind}" for one in label_sets) + "."


def lay_over(base: LabelSet, new: LabelSet) -> LabelSet:
    """The verdicts of before with new ones above them; an image that was problematic stays so."""
    joined = merge_labels([base, new], name=new.name)
    was = np.isin(joined.image_ids, base.image_ids[base.is_problematic])
    return replace(joined, is_problematic=joined.is_problematic | was)
