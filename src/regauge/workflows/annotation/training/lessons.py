"""What trainees answered, and what is right: shared by what they are told, by what managers see, and by group reviews."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.campaigns.evaluations import TRAINS
from regauge.records.labels.verdicts import Verdict
from regauge.records.responses.named import NamedClasses
from regauge.storage.campaigns.ledgers import find_images
from regauge.storage.labels.label_set import find_verdicts, get_label_set
from regauge.storage.study import Study
from regauge.workflows.campaigns.responses import load_answers, make_responses

LABELS = "labels"


@dataclass(frozen=True, slots=True)
class LessonConfusion:
    """A class that was named for images of another one, and how often."""

    accepted: int
    named: int
    n: int


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers to a training in the order in which they came, and per answer what is accepted of its image."""

    answers: NamedClasses
    accepted: tuple[tuple[int, ...], ...]

    @property
    def is_right(self) -> list[bool]:
        """Per answer, whether the class that was named is accepted."""
        return [named in own for named, own in zip(self.answers.classes.tolist(), self.accepted, strict=True)]


def find_own(found: Answered, annotator_id: int) -> list[int]:
    """The answers of somebody, by their rows."""
    places = np.flatnonzero(found.answers.annotator_ids == annotator_id)
    return [int(row) for row in np.flatnonzero(np.isin(found.answers.annotators, places))]


def find_uncovered(found: Answered, missing: Collection[int]) -> tuple[tuple[int, int], ...]:
    """Of some classes those that were confused, with how often, the most often first."""
    counts = Counter[int]()
    for pair in count_confusions(found, range(len(found.accepted))):
        counts.update({pair.accepted: pair.n, pair.named: pair.n})
    confused = [(one, n) for one, n in counts.items() if one in set(missing)]
    return tuple(sorted(confused, key=lambda one: (-one[1], one[0])))


def count_confusions(found: Answered, rows: Sequence[int]) -> tuple[LessonConfusion, ...]:
    """What was named for images of what else, over some answers, the most frequent first."""
    named = found.answers.classes.tolist()
    pairs = Counter((found.accepted[row][0], named[row]) for row in rows if named[row] not in found.accepted[row])
    return tuple(LessonConfusion(*pair, n) for pair, n in sorted(pairs.items(), key=lambda one: (-one[1], one[0])))


def load_answered(study: Study, campaign: CampaignEntry) -> Answered:
    """All answers to a training that count, each with what is right."""
    answers: NamedClasses = make_responses(load_answers(study, campaign.name))
    numbers = answers.images.tolist()
    accepted = find_accepted(study, campaign, sorted(set(numbers)))
    return Answered(answers, tuple(accepted[number] for number in numbers))


def find_accepted(study: Study, campaign: CampaignEntry, numbers: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """Per image the classes that are right: those that the label set of the campaign calls correct, else the dataset label."""
    images = find_images(study, campaign, numbers=numbers)
    name = campaign.plan.settings.get(LABELS)
    ids = [one.image_id for one in images.values()]
    verdicts = find_verdicts(study, get_label_set(study, name), image_ids=ids) if name else {}
    accepted = {}
    for number, one in images.items():
        judged = verdicts.get(one.image_id, {})
        correct = [index for index, verdict in judged.items() if verdict is Verdict.CORRECT]
        own = [] if judged.get(one.label) in {Verdict.WRONG, Verdict.UNCLEAR} and correct else [one.label]
        accepted[number] = tuple(dict.fromkeys((*own, *correct)))
    return accepted


def check_trains(campaign: CampaignEntry) -> None:
    """Make sure that somebody is trained in a campaign.

    Raises:
        InputError: nobody is.
    """
    if not campaign.plan.settings.get(TRAINS):
        raise InputError(f"Campaign {campaign.name} trains nobody, so nothing is told of its images.")
