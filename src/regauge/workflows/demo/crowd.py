"""Simulated annotators in the demo: they work on two campaigns as people would, and what they find is put beside the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.special import binom

from regauge.arrays import NO_CLASS, CountArray, FloatArray
from regauge.candidates.split import split_images
from regauge.estimates import Estimate, format_limits, make_share
from regauge.labels.objects.easy import make_truth
from regauge.labels.selection import keep_images
from regauge.records.campaigns.campaign import CampaignEntry, CampaignImage, CampaignPlan, Kind, NewAnswer, Payload
from regauge.records.campaigns.evaluations import OWN_ORDER
from regauge.records.campaigns.times import ShownTime
from regauge.records.labels.evidence import VerdictReason
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.labels.verdicts import Verdict
from regauge.records.responses.answers import GridShape
from regauge.stats.intervals import clopper_pearson
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.annotation.choosing import ChooserMemory, take_tasks
from regauge.workflows.annotation.renditions import list_campaign_images
from regauge.workflows.annotation.submissions import submit_answers
from regauge.workflows.annotation.tasks import consent, note_on_screen_since
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.campaigns.responses import export_answers, load_answers, to_contains_responses
from regauge.workflows.candidates import find_final
from regauge.workflows.demo.campaigns import (
    ClassifyQuestions,
    ContainsQuestions,
    create_classify,
    create_contains,
    to_classify_responses,
)
from regauge.workflows.labels.aggregate_classify import aggregate_classify
from regauge.workflows.labels.aggregate_contains import aggregate_contains, make_labels
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.people.invitations import invite
from regauge.workflows.study_candidates import find_potential_in_study
from regauge.world.annotators import (
    CROWD,
    Annotator,
    Profile,
    answer_classify,
    answer_contains,
    answer_label,
    answer_review,
    expect_selection,
    hire,
)
from regauge.world.collections import Collection

CONTAINS, CLASSIFY = "simulated-contains", "simulated-classify"
"""The campaigns; every page of a task shows the name."""
CONTAINS_FILE, CLASSIFY_FILE = "contains.csv", "classify.jsonl"
N_POTENTIAL = 2
"""Answers of each model that people are asked about."""
N_CELLS, N_POSITIVE, N_NEGATIVE = 32, 5, 3
AT_ONCE = 5
BETWEEN = timedelta(milliseconds=2 * AT_ONCE)
"""Between the moments at which two sets of tasks are given; the tasks of one are a millisecond apart."""


@dataclass(frozen=True, slots=True)
class CrowdQuestions:
    """What simulated annotators are asked about.

    Attributes:
        test_set: some of its images.
        controls: the test set whose images are hidden as controls.
        n_images: how many images.
    """

    test_set: str
    controls: str
    n_images: int


@dataclass(frozen=True, slots=True)
class CrowdAccuracy:
    """How often simulated annotators found what is true.

    Attributes:
        campaign: in which campaign.
        what: what was compared.
        n: in how many cases.
        n_right: in how many of them they did.
        n_answers: how many answers the campaign had.
    """

    campaign: str
    what: str
    n: int
    n_right: int
    n_answers: int

    def __str__(self) -> str:
        low, high = map(float, clopper_pearson(self.n_right, self.n))
        share = make_share(self.n_right, self.n, limits=(low, high), method="clopper-pearson")
        return f"{self.campaign}: {self.n_answers:,} answers; {self.what} as in truth {share} (n = {self.n:,})"


@dataclass(frozen=True, slots=True)
class FrequencyDistance:
    """How far selection frequencies lie from the true ones, on average.

    Attributes:
        campaign: in which campaign.
        mean: the mean distance over n pairs of image and class.
        by_chance: what it would be if the answers of so many people were independent draws from the true frequency.
    """

    campaign: str
    mean: Estimate[float]
    by_chance: float

    def __str__(self) -> str:
        limits = format_limits(self.mean, scale=100)
        return (
            f"{self.campaign}: selection frequencies {100 * self.mean.value:.1f} points {limits} from the true ones on average "
            f"(n = {self.mean.n:,}); by chance alone {100 * self.by_chance:.1f}"
        )


class CrowdSize(NamedTuple):
    """How many answers every task needs, how many people come to give them, and how these work."""

    quota: int
    n_hired: int
    shares: Mapping[Profile, float] = CROWD


HIRING = CrowdSize(quota=9, n_hired=15)


class CrowdFindings(NamedTuple):
    """What simulated annotators found, beside the truth."""

    contains: CrowdAccuracy
    frequencies: FrequencyDistance
    classify: CrowdAccuracy


@dataclass(frozen=True, slots=True, eq=False)
class DemoCollections:
    """The collections that the study's test sets were drawn from, by the number of the test set.

    Attributes:
        collections: these.
        known: images that some annotators have seen with their labels, by the seeds of these.
    """

    collections: Mapping[int, Collection]
    known: Mapping[int, frozenset[CampaignImage]] = field(default_factory=dict)

    def answer(self, annotator: Annotator, task: Payload, *, images: Sequence[CampaignImage]) -> tuple[Payload, float]:
        """What the annotator answers to a task of any kind, and how many seconds it takes."""
        if "n_classes" in task and "image" in task:
            return self._name_image(annotator, task, images)
        if "classes" in task:
            return self._see_labels(annotator, task, images)
        return self._see_grid(annotator, task, images) if "cells" in task else self._see_image(annotator, task, images)

    def _see_grid(self, annotator: Annotator, task: Payload, images: Sequence[CampaignImage]) -> tuple[Payload, float]:
        mask, seconds = 0, 0.0
        cells = [images[number] for number, _ in task["cells"]]
        for test_set_id, collection in self.collections.items():
            places = [place for place, cell in enumerate(cells) if cell.test_set_id == test_set_id]
            if not places:
                continue
            rows = np.array([cells[place].row for place in places], np.int64)
            classes = np.full(len(rows), task["class"], np.int64)
            found = answer_contains(annotator, collection, rows=rows, classes=classes)
            mask |= sum(1 << place for place, is_in in zip(places, found.selected.tolist(), strict=True) if is_in)
            seconds += float(found.seconds.sum())
        return {"mask": f"{mask:x}"}, seconds

    def _see_image(self, annotator: Annotator, task: Payload, images: Sequence[CampaignImage]) -> tuple[Payload, float]:
        image, offered = images[task["image"]], np.array([task["candidates"]], np.int32)
        collection = self.collections[image.test_set_id]
        found = answer_classify(annotator, collection, rows=np.array([image.row]), candidates=offered)
        selected, main = offered[0][found.selected[0]].tolist(), int(found.main[0])
        return {"selected": selected, "main": main if main in selected else None}, float(found.seconds[0])

    def _name_image(
        self, annotator: Annotator, task: Payload, images: Sequence[CampaignImage]
    ) -> tuple[Payload, float]:
        image = images[task["image"]]
        known = np.array([image in self.known.get(annotator.seed, ())])
        classes, seconds = answer_label(
            annotator, self.collections[image.test_set_id], rows=np.array([image.row]), known=known
        )
        return {"class": int(classes[0])}, float(seconds[0])

    def _see_labels(
        self, annotator: Annotator, task: Payload, images: Sequence[CampaignImage]
    ) -> tuple[Payload, float]:
        """Verdicts on the labels of one image; a correct label that is not the main one is there because of another object."""
        image, classes = images[task["images"][0]], np.array(task["classes"], np.int64)
        collection = self.collections[image.test_set_id]
        rows = np.full(len(classes), image.row, np.int64)
        found, seconds = answer_review(annotator, collection, rows=rows, classes=classes)
        said = {str(index): Verdict(one).name.lower() for index, one in zip(classes.tolist(), found, strict=True)}
        main = str(collection.main_labels[image.row])
        reasons = {key: _REASONS[word] for key, word in said.items() if word in _REASONS and key != main}
        return {"verdicts": said, "reasons": reasons}, float(seconds.sum())


_REASONS = {"correct": VerdictReason.SEVERAL_OBJECTS.value, "unclear": VerdictReason.UNCLEAR_IMAGE.value}


def ask_crowd(study: Study, scene: DemoCollections, *, asking: CrowdQuestions, folder: Path) -> CrowdFindings:
    """Run a CONTAINS and a CLASSIFY campaign with simulated annotators, and keep what they found as label sets.

    Args:
        study: the study, inside a transaction.
        scene: what the annotators see.
        asking: which images they are asked about.
        folder: where the answers are written, for `regauge aggregate` to be tried on.
    """
    test_set = asking.test_set
    collection = scene.collections[get_test_set(study, test_set).id]
    plan = CampaignPlan(CONTAINS, Kind("contains"), HIRING.quota, settings={"simulated": True})
    pairs = _choose_pairs(study, asking)
    create_contains(
        study, plan, ContainsQuestions(test_set, pairs, asking.controls, shape_grids(study, asking), seed=0)
    )
    let_work(study, open_campaign(study, CONTAINS), scene)
    counts, labels = _count(study, test_set, folder)
    candidates = _find_candidates(study, counts, test_set)
    plan = CampaignPlan(CLASSIFY, Kind("classify"), HIRING.quota, settings={"simulated": True})
    create_classify(study, plan, ClassifyQuestions(candidates, test_set, seed=0))
    let_work(study, open_campaign(study, CLASSIFY), scene)
    main = _find_objects(study, counts, test_set, folder=folder)
    return CrowdFindings(
        compare_verdicts(study, labels, collection),
        _compare_frequencies(counts, collection),
        _compare_main(study, main, collection),
    )


def shape_grids(study: Study, asking: CrowdQuestions) -> GridShape:
    """Grids with as many controls as the smallest class has images for."""
    labels = load_test_set(study, get_test_set(study, asking.controls)).labels
    smallest = int(np.bincount(labels, minlength=len(study.taxonomy)).min())
    return GridShape(N_CELLS, min(N_POSITIVE, smallest), min(N_NEGATIVE, smallest))


def _choose_pairs(study: Study, asking: CrowdQuestions) -> list[tuple[str, int]]:
    """The potential labels of some images: the dataset label, and what the models answer first."""
    found = find_potential_in_study(study, test_set=asking.test_set, top=N_POTENTIAL).to_frame()
    ids = found["image_id"].unique(maintain_order=True)
    chosen = study.around.rng.choice(len(ids), size=min(asking.n_images, len(ids)), replace=False)
    kept = found.filter(pl.col("image_id").is_in(ids.gather(chosen).to_list()))
    return list(kept.select("image_id", "class").iter_rows())


def hire_people(study: Study, campaign: str, hiring: CrowdSize) -> dict[int, Annotator]:
    """New people, called after a campaign, by the number under which the study knows them."""
    hired = hire(hiring.n_hired, rng=study.around.rng, shares=hiring.shares)
    names = [f"{campaign}-{annotator.annotator_id}" for annotator in hired]
    return dict(zip((one.annotator.id for one in invite(study, names)), hired, strict=True))


def let_work(
    study: Study,
    campaign: CampaignEntry,
    scene: DemoCollections,
    *,
    hiring: CrowdSize | Mapping[int, Annotator] = HIRING,
) -> dict[int, Annotator]:
    """People come one after the other, take some tasks at a time and answer them, until there is nothing left to do.

    Args:
        study: the study; they work a day before its clock.
        campaign: at what.
        scene: what they see.
        hiring: how many people come, or who.

    Returns:
        Who came, by the number under which the study knows them.
    """
    people = dict(hiring) if isinstance(hiring, Mapping) else hire_people(study, campaign.name, hiring)
    images = list_campaign_images(study, campaign.id)
    for annotator_id in people:
        consent(study, campaign.id, annotator_id=annotator_id, version=campaign.plan.texts.version)
    # Time is credited from the moment on at which a task was given. One set of tasks is given after the other, so that what
    # somebody was given before need not be looked through again.
    moment = study.around.clock() - timedelta(days=1)
    known, waiting = ChooserMemory(), list(people)
    while waiting:
        for annotator_id in list(waiting):
            moment += BETWEEN
            then = set_clock(study, moment)
            tasks = take_tasks(then, campaign.id, annotator_id=annotator_id, n=AT_ONCE, known=known)
            answers = []
            for task in tasks:
                answer, seconds = scene.answer(people[annotator_id], task.payload, images=images)
                shown = None
                if OWN_ORDER in campaign.plan.settings:
                    # Pages of tests say when an image was shown.
                    note_on_screen_since(then, task.id, annotator_id=annotator_id)
                    shown = ShownTime(seconds, seconds)
                answers.append(NewAnswer(f"simulated-{task.id}", task.id, annotator_id, answer, seconds, shown=shown))
            submit_answers(study, answers)
            if not tasks:
                waiting.remove(annotator_id)
    return people


def set_clock(study: Study, moment: datetime) -> Study:
    """The study at a moment at which its clock stands still."""
    return replace(study, around=replace(study.around, clock=lambda: moment))


def _count(study: Study, test_set: str, folder: Path) -> tuple[SelectionCounts, LabelSet]:
    """Selection counts of the images asked about and the verdicts they make; controls of the other set are left out."""
    export_answers(study, CONTAINS, folder / CONTAINS_FILE)
    found = aggregate_contains(to_contains_responses(load_answers(study, CONTAINS)), taxonomy=study.taxonomy)
    ids = load_test_set(study, get_test_set(study, test_set)).image_ids.tolist()
    counts = found.counts.keep_images(ids)
    labels = keep_images(make_labels(found, name="simulated-crowd"), ids)
    add_labels(study, Truth(label_sets=(labels,), frequencies=(counts,)))
    return counts, labels


def _find_candidates(study: Study, counts: SelectionCounts, test_set: str) -> dict[str, list[int]]:
    images = load_test_set(study, get_test_set(study, test_set))
    found = find_final(counts, images, taxonomy=study.taxonomy).to_frame()
    ranked = found.filter(pl.col("rank").is_not_null()).sort("image_id", "rank")
    return dict(ranked.group_by("image_id", maintain_order=True).agg("class").iter_rows())


def _find_objects(study: Study, counts: SelectionCounts, test_set: str, *, folder: Path) -> dict[str, int]:
    """The main label of every image that people looked at."""
    export_answers(study, CLASSIFY, folder / CLASSIFY_FILE)
    images = load_test_set(study, get_test_set(study, test_set))
    parts = split_images(counts, images).to_parts()
    answers = to_classify_responses(load_answers(study, CLASSIFY))
    found = aggregate_classify(answers, images, taxonomy=study.taxonomy, parts=parts)
    labels = found.labels
    add_labels(study, make_truth(labels, found.easy), name="simulated-objects")
    named = zip(labels.objects.image_ids.tolist(), labels.main_labels.tolist(), strict=True)
    return {image_id: main for image_id, main in named if main != NO_CLASS}


def compare_verdicts(
    study: Study, labels: LabelSet, collection: Collection, *, campaign: str = CONTAINS
) -> CrowdAccuracy:
    """Whether a class is in the image: the crowd's word and the truth's; what either finds unclear is left out."""
    row_of = {image_id: row for row, image_id in enumerate(collection.image_ids.tolist())}
    known = np.array([row_of.get(one, -1) for one in labels.image_ids.tolist()])[labels.rows]
    truth = collection.verdicts[known, labels.classes]
    is_clear = (known >= 0) & (truth != Verdict.UNCLEAR) & (labels.verdicts != Verdict.UNCLEAR)
    n_right = int((truth[is_clear] == labels.verdicts[is_clear]).sum())
    return CrowdAccuracy(campaign, "verdicts", int(is_clear.sum()), n_right, len(load_answers(study, campaign)))


def _compare_frequencies(counts: SelectionCounts, collection: Collection) -> FrequencyDistance:
    """Selection frequencies beside what a crowd of such people without spammers, whom screening drops, would select."""
    row_of = {image_id: row for row, image_id in enumerate(collection.image_ids.tolist())}
    rows = np.array([row_of[one] for one in counts.image_ids.tolist()])[counts.images]
    seen = counts.n_shown > 0
    shares = {**CROWD, Profile.SPAMMER: 0.0}
    classes = counts.classes[seen].astype(np.int64)
    true = expect_selection(collection, rows=rows[seen], classes=classes, shares=shares)
    distance = np.abs(counts.frequencies[seen] - true)
    half = 1.96 * float(distance.std(ddof=1)) / np.sqrt(distance.size)
    middle = float(distance.mean())
    mean = Estimate(middle, middle - half, middle + half, n=distance.size, method="normal approximation")
    by_chance = float(_expect_distance(true, counts.n_shown[seen]).mean())
    return FrequencyDistance(CONTAINS, mean, by_chance)


def _expect_distance(true: FloatArray, n: CountArray) -> FloatArray:
    """The mean distance between a share of n draws and the probability that it estimates."""
    k = np.arange(int(n.max(initial=0)) + 1)
    weights = binom(n[:, None], k) * true[:, None] ** k * (1 - true[:, None]) ** np.maximum(n[:, None] - k, 0)
    distances = np.where(k <= n[:, None], np.abs(k / n[:, None] - true[:, None]), 0.0)
    return np.asarray((weights * distances).sum(axis=1), np.float64)


def _compare_main(study: Study, main: Mapping[str, int], collection: Collection) -> CrowdAccuracy:
    rows = [row for row, image_id in enumerate(collection.image_ids.tolist()) if image_id in main]
    n_right = sum(main[str(collection.image_ids[row])] == collection.main_labels[row] for row in rows)
    return CrowdAccuracy(CLASSIFY, "main objects", len(rows), int(n_right), len(load_answers(study, CLASSIFY)))
