"""Five simulated people are trained, and tested as models are on images of two sets; what they score stands beside their skill.

Two of them had seen half of the images half a year before, as three of five had in Shankar et al. (2020).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np

from regauge.estimates import Share, format_estimate
from regauge.records.campaigns.campaign import N_ANNOTATORS, CampaignImage, CampaignPlan, Kind
from regauge.records.evaluation.humans.report import STRICT, HumanReport, HumanSettings
from regauge.records.evaluation.humans.tables import ACCURACIES
from regauge.records.evaluation.scores import WHOLE
from regauge.records.exposure.effects import ExposureEffect, ExposureSplit
from regauge.records.labels.verdicts import Verdict
from regauge.records.studies import Selection
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.annotation.renditions import list_campaign_images
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.campaigns.openings import close_campaign, open_campaign
from regauge.workflows.campaigns.participants import Naming, add_people
from regauge.workflows.demo.campaigns import ClassifyQuestions, create_classify
from regauge.workflows.demo.crowd import CrowdSize, DemoCollections, hire_people, let_work, set_clock
from regauge.workflows.evaluation.humans import study_humans
from regauge.workflows.exposure.effects import EffectOrder, measure_exposure_effect
from regauge.workflows.exposure.recording import learn_exposures
from regauge.world.annotators import Annotator, Profile, answer_label
from regauge.world.collections import Collection
from regauge.world.scenes import judge

TESTED, TRAINING, LOOK = "simulated-test", "simulated-training", "simulated-look"
"""The campaigns; every page of a task shows the name."""
LOOKED, TRAINED = timedelta(days=183), timedelta(days=30)
"""How long before the test two of them saw some of the images, and all were trained."""
EXPOSED = (0, 2)
"""Who of the five these two are."""
N_TRAINED = 3
"""Classes that they are trained on."""
HIRED = CrowdSize(
    quota=int(N_ANNOTATORS.high), n_hired=5, shares={Profile.EXPERT: 0.2, Profile.CAREFUL: 0.5, Profile.HURRIED: 0.3}
)


@dataclass(frozen=True, slots=True)
class PeopleQuestions:
    """What simulated people are tested on.

    Attributes:
        original: the original test set.
        new: the new one.
        n_per_class: how many images of each class of each set.
    """

    original: str
    new: str
    n_per_class: int


@dataclass(frozen=True, slots=True)
class PeopleFindings:
    """What the test of simulated people says, beside how good they really are.

    Attributes:
        lines: of each person and set, a line.
        n_covered: of how many of them the limits hold the true accuracy.
    """

    lines: tuple[str, ...]
    n_covered: int


def ask_people(study: Study, scene: DemoCollections, *, asking: PeopleQuestions) -> PeopleFindings:
    """Train people and test them on images of both sets, make participants of them, and put them beside the models.

    Two of them had judged half of these images with their labels half a year before, and remember some of it.

    Args:
        study: the study, inside a transaction.
        scene: what they see.
        asking: which images.
    """
    sets = (asking.original, asking.new)
    plan = CampaignPlan(TESTED, Kind("label"), int(N_ANNOTATORS.high), settings={"simulated": True})
    asked = {"n_per_class": asking.n_per_class, "take_fewer": True}
    test = create_campaign(study, plan, Questions(asking.original, also=[asking.new], settings=asked, seed=0))
    people = hire_people(_go_back(study, LOOKED), TESTED, HIRED)
    tested = list_campaign_images(study, test.id)
    half = tested[::2]
    exposed = {number: one for place, (number, one) in enumerate(people.items()) if place in EXPOSED}
    for name in sets:
        _let_look(_go_back(study, LOOKED), scene, exposed, name=name, images=half)
    _train(_go_back(study, TRAINED), scene, people, original=asking.original, tested=tested)
    remembering = replace(scene, known={one.seed: frozenset(half) for one in exposed.values()})
    let_work(study, open_campaign(study, TESTED), remembering, hiring=people)
    called = {number: f"simulated-{one.profile}-{place}" for place, (number, one) in enumerate(people.items(), start=1)}
    names = {f"{TESTED}-{one.annotator_id}": called[number] for number, one in people.items()}
    add_people(study, TESTED, Naming(names=names, family="simulated people"))
    sides = [Selection(name, labels=[f"simulated-{name}"]) for name in sets]
    found = study_humans(study, *sides, settings=HumanSettings(metric=(STRICT,), n_bootstrap=500, n_draws=200))
    collections = {name: scene.collections[get_test_set(study, name).id] for name in sets}
    skills = {
        (number, name): _find_skill(one, shown, is_exposed=number in exposed)
        for number, one in people.items()
        for name, shown in collections.items()
    }
    standings = [
        _Standing(called[number], name, _measure(found, called[number], name), true)
        for (number, name), true in skills.items()
    ]
    learn_exposures(study)
    lines = [*map(str, standings), *(one for name in sets for one in tell_exposed(_measure_exposure(study, name)))]
    return PeopleFindings(tuple(lines), sum(one.is_covered for one in standings))


def _go_back(study: Study, before: timedelta) -> Study:
    """The study as it was some time before."""
    return set_clock(study, study.around.clock() - before)


def _let_look(
    study: Study,
    scene: DemoCollections,
    people: Mapping[int, Annotator],
    *,
    name: str,
    images: Sequence[CampaignImage],
) -> None:
    """Some people judge images of a set, each with its label beside another one."""
    entry = get_test_set(study, name)
    test_set, n_classes = load_test_set(study, entry), len(study.taxonomy)
    rows = [one.row for one in images if one.test_set_id == entry.id]
    candidates = {
        str(test_set.image_ids[row]): [int(test_set.labels[row]), (int(test_set.labels[row]) + 1) % n_classes]
        for row in rows
    }
    plan = CampaignPlan(f"{LOOK}-{name}", Kind("classify"), len(people), settings={"simulated": True})
    create_classify(study, plan, ClassifyQuestions(candidates, name, seed=0))
    let_work(study, open_campaign(study, plan.name), scene, hiring=people)
    close_campaign(study, plan.name)


def _train(
    study: Study,
    scene: DemoCollections,
    people: Mapping[int, Annotator],
    *,
    original: str,
    tested: Sequence[CampaignImage],
) -> None:
    """Everybody is trained on a few classes, with images of the original set that nobody is tested with.

    Nobody is trained where the test takes all images of the set.
    """
    entry, n_classes = get_test_set(study, original), len(study.taxonomy)
    in_test = [one.row for one in tested if one.test_set_id == entry.id]
    free = np.bincount(np.delete(load_test_set(study, entry).labels, in_test), minlength=n_classes)
    largest = [index for index in np.argsort(-free, kind="stable")[:N_TRAINED].tolist() if free[index]]
    if not largest:
        return
    plan = CampaignPlan(TRAINING, Kind("label"), int(N_ANNOTATORS.high), settings={"simulated": True})
    names = [study.taxonomy.classes[index].id for index in largest]
    asked = {"label_mode": "training", "leave_out_shared": True, "only_classes": names}
    create_campaign(study, plan, Questions(original, settings=asked, seed=0))
    let_work(study, open_campaign(study, TRAINING), scene, hiring=people)
    close_campaign(study, TRAINING)


def _measure_exposure(study: Study, name: str) -> ExposureEffect:
    """What those who had seen images of a set did on these, and on the others."""
    return measure_exposure_effect(study, EffectOrder(name, metric=STRICT, labels=f"simulated-{name}"))


def tell_exposed(found: ExposureEffect) -> list[str]:
    """Of each person who had seen some images, how right their answers were to these and to the others."""
    lines = []
    for one in found.labelers:
        scores = [
            score for score in found.scores if (score.split, score.labeler) == (ExposureSplit.WITHIN, one.labeler)
        ]
        parts = {score.is_exposed: score.accuracy for score in scores}
        if one.is_exposed and len(parts) == len((True, False)):
            lines.append(
                f"{one.labeler} on {found.test_set}: {format_estimate(parts[True])} of the images seen half a year before "
                f"(n = {parts[True].n:,}), {format_estimate(parts[False])} of the others (n = {parts[False].n:,})"
            )
    return lines


@dataclass(frozen=True, slots=True)
class _Standing:
    """A person on a test set: the measured accuracy, and the true one."""

    person: str
    test_set: str
    accuracy: Share[float]
    true: float

    @property
    def is_covered(self) -> bool:
        """Whether the limits hold the true accuracy."""
        return self.accuracy.low <= self.true <= self.accuracy.high

    def __str__(self) -> str:
        return (
            f"{self.person} on {self.test_set}: {self.accuracy} (n = {self.accuracy.n}); truly {100 * self.true:.1f}%"
        )


def _measure(found: HumanReport, person: str, test_set: str) -> Share[float]:
    """What the tables say of a person on a set."""
    rows = found.get_table(ACCURACIES).filter(participant=person, test_set=test_set, subset=WHOLE)
    (row,) = rows.iter_rows(named=True)
    return Share(row["value"], row["low"], row["high"], n=row["n"], k=row["n_correct"], method=row["interval"])


def _find_skill(person: Annotator, collection: Collection, *, is_exposed: bool) -> float:
    """The share of all images of a collection that somebody would name rightly: what the test of a few of them estimates.

    Whoever is exposed has seen half of them.
    """
    rows = np.arange(len(collection))
    known = [np.zeros(len(rows), np.bool_), np.full(len(rows), is_exposed)]
    answers = [answer_label(person, collection, rows=rows, known=one)[0] for one in known]
    return float(np.mean([judge(collection.degrees[rows, one]) == Verdict.CORRECT for one in answers]))
