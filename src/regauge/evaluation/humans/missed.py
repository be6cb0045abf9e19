"""Difficult images: those that all people, all models or everybody misses, by group of classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, IntArray
from regauge.estimates import make_share
from regauge.evaluation.humans.accuracies import Row
from regauge.evaluation.humans.judged import AnsweredSet
from regauge.evaluation.outcomes import Outcome
from regauge.evaluation.scoring import CLOPPER_PEARSON
from regauge.records.evaluation.humans.report import HumanSettings
from regauge.records.evaluation.humans.tables import EVERYBODY, MODELS, PEOPLE
from regauge.records.evaluation.scores import WHOLE
from regauge.records.taxonomy import Taxonomy
from regauge.stats.intervals import clopper_pearson
from regauge.stats.joint_misses import expect_joint_misses


def list_groups(judged: AnsweredSet) -> dict[str, BoolArray]:
    """Whom to ask of: all people, all models, and everybody where there are both."""
    people = judged.is_person
    found = {PEOPLE: people, MODELS: ~people, EVERYBODY: np.ones(len(people), np.bool_)}
    if not people.any() or people.all():
        del found[EVERYBODY]
    return {name: members for name, members in found.items() if members.any()}


def count_missed(
    judged: AnsweredSet, classes: Mapping[str, IntArray], *, metric: str, settings: HumanSettings
) -> Iterator[Row]:
    """How many of the images that count for all of a group all of it misses, and how many it would if errors were independent.

    An image on which somebody's prediction is unjudged and all others are wrong is missed as scored; `n_open` counts those.
    """
    wrong, counted = _find_wrong(judged, metric), judged.is_counted(metric)
    unjudged = judged.outcomes[metric] == Outcome.UNJUDGED
    where = {"test_set": judged.name, "labels": judged.measures[metric], "metric": metric}
    missed = {who: _find_missed(judged, members, metric) for who, members in list_groups(judged).items()}
    for who, members in list_groups(judged).items():
        shared = counted[members].all(axis=0)
        for group, images in _list_images(judged, classes).items():
            chosen = shared & images
            is_missed = missed[who] & chosen
            row: Row = {**where, "who": who, "n_participants": int(members.sum()), "group": group}
            row |= {"n_open": int((is_missed & unjudged[members].any(axis=0)).sum())}
            row |= _describe(wrong[members][:, chosen], int(is_missed.sum()), settings)
            if who == EVERYBODY and chosen.any():
                # What both kinds would miss if the images that one misses had nothing to do with those that the other does.
                apart = [int((missed[one] & chosen).sum()) for one in (PEOPLE, MODELS)]
                row |= {"expected_apart": apart[0] * apart[1] / int(chosen.sum())}
            yield row


def list_missed(judged: AnsweredSet, *, metric: str, taxonomy: Taxonomy | None) -> Iterator[Row]:
    """The images that all people, all models or everybody misses."""
    where = {"test_set": judged.name, "labels": judged.measures[metric], "metric": metric}
    for who, members in list_groups(judged).items():
        for place in np.flatnonzero(_find_missed(judged, members, metric)):
            label = int(judged.labels[place])
            known = label != NO_CLASS
            yield {
                **where,
                "who": who,
                "image_id": str(judged.image_ids[place]),
                "class": label if known else None,
                "class_id": taxonomy.classes[label].id if known and taxonomy is not None else None,
            }


def _find_wrong(judged: AnsweredSet, metric: str) -> BoolArray:
    """[participants, images], counted and not right; an unjudged prediction is wrong as scored."""
    return judged.is_counted(metric) & ~judged.is_right(metric)


def _find_missed(judged: AnsweredSet, members: BoolArray, metric: str) -> BoolArray:
    return np.asarray(_find_wrong(judged, metric)[members].all(axis=0))


def _list_images(judged: AnsweredSet, classes: Mapping[str, IntArray]) -> dict[str, BoolArray]:
    whole = {WHOLE: np.ones(len(judged), np.bool_)}
    return whole | {name: np.isin(judged.labels, members) for name, members in classes.items()}


def _describe(wrong: BoolArray, n_missed: int, settings: HumanSettings) -> Row:
    n = wrong.shape[1]
    limits = clopper_pearson([n_missed], [n], level=settings.level)
    share = make_share(n_missed, n, limits=(limits.low[0], limits.high[0]), method=CLOPPER_PEARSON)
    expected = expect_joint_misses(wrong, level=settings.level)
    return {
        "n": n,
        "n_missed": n_missed,
        "share": share.value,
        "share_low": share.low,
        "share_high": share.high,
        "interval": CLOPPER_PEARSON if n else None,
        "expected": expected.value,
        "expected_low": expected.low,
        "expected_high": expected.high,
    }
