"""The slice of a rule: images that meet all of its conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from regauge.arrays import BoolArray, CountArray, FloatArray, IdArray, IntArray
from regauge.errors import InputError
from regauge.records.labels.label_set import LabelKind, LabelSet
from regauge.records.labels.verdicts import Verdict
from regauge.records.mistakes.coded import SEVERITIES
from regauge.records.mistakes.coding import MistakeCoding
from regauge.records.slices.rules import CountRange, ImageRule, ProblematicImages
from regauge.records.testsets.test_set import TestSet


@dataclass(frozen=True, slots=True, eq=False)
class RuleMaterial:
    """What the conditions of a rule are about.

    Attributes:
        test_set: the images with their dataset labels.
        label_set: what people found.
        codings: coded mistakes.
        groups: per grouping and group that the rule names, its classes.
        seconds: per image, the median of people's seconds; not a number where nobody's are known.
        listed: the images of the list that the rule names.
    """

    test_set: TestSet
    label_set: LabelSet
    codings: Sequence[MistakeCoding] = ()
    groups: Mapping[tuple[str, str], IntArray] = field(default_factory=dict)
    seconds: FloatArray | None = None
    listed: frozenset[str] = frozenset()


def choose_by_rule(rule: ImageRule, material: RuleMaterial) -> IdArray:
    """The images that meet all conditions, in the order of the test set.

    Images that the label set does not know, and those without any reassessed label, are never chosen: nothing says which answers
    are right on them.

    Raises:
        InputError: no image does; the sentence says how many are left by each condition.
    """
    is_in: BoolArray = np.isin(material.test_set.image_ids, _list_labelled(material.label_set))
    told = [f"{int(is_in.sum()):,} images with labels"]
    for words, holds in _list_conditions(rule, material):
        is_in = is_in & holds
        told.append(f"{int(is_in.sum()):,} with {words}")
    if not is_in.any():
        raise InputError(f"No image of {material.test_set.name} meets the rule: {', '.join(told)}; loosen a condition.")
    chosen: IdArray = material.test_set.image_ids[is_in]
    return chosen


def _list_labelled(label_set: LabelSet) -> IdArray:
    """The images that the label set knows; reassessed labels leave out those of which they list none."""
    if label_set.kind is not LabelKind.REAL:
        return label_set.image_ids
    labelled: IdArray = label_set.image_ids[np.diff(label_set.starts) > 0]
    return labelled


def _list_conditions(rule: ImageRule, material: RuleMaterial) -> Iterator[tuple[str, BoolArray]]:
    """Every condition that the rule has, in words, and where it holds."""
    ids = material.test_set.image_ids
    if rule.problematic is not ProblematicImages.KEEP:
        bad = material.label_set.image_ids[material.label_set.is_problematic]
        is_bad = np.isin(ids, bad)
        is_only = rule.problematic is ProblematicImages.ONLY
        yield ("a problem", is_bad) if is_only else ("no problem", ~is_bad)
    counts = {"correct": rule.n_correct, "unclear": rule.n_unclear, "wrong": rule.n_wrong}
    for (name, allowed), verdict in zip(counts.items(), (Verdict.CORRECT, Verdict.UNCLEAR, Verdict.WRONG), strict=True):
        if allowed is not None:
            yield f"{allowed.words} {name}", _is_within(_count_verdicts(material, verdict), allowed)
    if rule.groups:
        members = np.concatenate([material.groups[one] for one in rule.groups])
        yield f"a label in {' or '.join(group for _, group in rule.groups)}", np.isin(material.test_set.labels, members)
    if rule.needs_codes:
        yield "a mistake so coded", np.isin(ids, _find_coded(rule, material.codings))
    if rule.max_seconds is not None and material.seconds is not None:
        yield f"{rule.max_seconds:g} seconds or less", np.asarray(material.seconds <= rule.max_seconds)
    if rule.images:
        yield f"a place in {rule.images}", np.isin(ids, list(material.listed))


def _count_verdicts(material: RuleMaterial, verdict: Verdict) -> CountArray:
    """How many classes of each image of the test set have this verdict."""
    labels = material.label_set
    counts = np.bincount(labels.rows[labels.verdicts == verdict], minlength=len(labels))
    by_id = dict(zip(labels.image_ids.tolist(), counts.tolist(), strict=True))
    return np.array([by_id.get(one, 0) for one in material.test_set.image_ids.tolist()], np.int64)


def _is_within(counts: CountArray, allowed: CountRange) -> BoolArray:
    return np.asarray((counts >= allowed.low) & (True if allowed.high is None else counts <= allowed.high))


def _find_coded(rule: ImageRule, codings: Sequence[MistakeCoding]) -> list[str]:
    """The images with a mistake of one of the categories and one of the severities, both of the same mistake."""
    if not codings:
        raise InputError("Categories and severities are those of coded mistakes; name the codings with `codings=…`.")
    known = dict.fromkeys(name for coding in codings for name in coding.coded.category_names)
    for name in rule.categories:
        if name not in known:
            raise InputError(f"No coding that is named has the category {name!r}; they have: {', '.join(known)}.")
    found: list[str] = []
    for coding in codings:
        names = np.array(coding.coded.category_names)[coding.coded.categories]
        severities = np.array(list(map(str, SEVERITIES)))[coding.coded.severities]
        is_meant = np.ones(len(coding.coded), np.bool_)
        if rule.categories:
            is_meant &= np.isin(names, rule.categories)
        if rule.severities:
            is_meant &= np.isin(severities, rule.severities)
        found += coding.coded.image_ids[is_meant].tolist()
    return found
