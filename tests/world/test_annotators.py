"""Simulated annotators answer like people: experts best, spammers at random, and borderline pictures split them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from regauge.arrays import NO_CLASS, BoolArray, CountArray
from regauge.errors import InputError
from regauge.records.labels.verdicts import Verdict
from regauge.world.annotators import (
    CROWD,
    Annotator,
    Profile,
    answer_classify,
    answer_contains,
    answer_label,
    expect_selection,
    hire,
)
from regauge.world.collections import World
from regauge.world.objects import CLASS_IDS

N_CLASSES = len(CLASS_IDS)


@pytest.fixture(scope="module")
def questions(world):
    """Every (picture, class) pair of the original set."""
    n = len(world.original)
    return np.repeat(np.arange(n), N_CLASSES), np.tile(np.arange(N_CLASSES), n)


@pytest.fixture(scope="module")
def offered(world):
    """The six best classes of every picture, in class order."""
    return np.sort(np.argsort(-world.original.degrees, axis=1, kind="stable")[:, :6], axis=1).astype(np.int32)


def make_people(profile: Profile, n: int = 6) -> list[Annotator]:
    return [Annotator(f"{profile}-{number}", profile, 1_000 + number) for number in range(n)]


def measure_controls(profile: Profile, world: World, questions: tuple[CountArray, CountArray]) -> float:
    """Mean of the shares of clear positives selected and of clear negatives left, over six people."""
    rows, classes = questions
    degrees = world.original.degrees[rows, classes]
    shares = []
    for person in make_people(profile):
        selected = answer_contains(person, world.original, rows=rows, classes=classes).selected
        shares.append((selected[degrees > 0.85].mean() + (~selected[degrees < 0.02]).mean()) / 2)
    return float(np.mean(shares))


def test_experts_beat_careful_people_who_beat_hurried_ones_who_beat_spammers(world, questions):
    order = [Profile.EXPERT, Profile.CAREFUL, Profile.HURRIED, Profile.SPAMMER]
    accuracies = [measure_controls(profile, world, questions) for profile in order]
    assert accuracies == sorted(accuracies, reverse=True)
    assert accuracies[0] > 0.98
    assert accuracies[1] > accuracies[2] + 0.03
    assert 0.45 < accuracies[3] < 0.60


def test_selection_frequencies_of_a_crowd_are_high_middling_and_low_where_they_should_be(world, questions):
    rows, classes = questions
    crowd = hire(40, rng=np.random.default_rng(8))
    selected = [answer_contains(person, world.original, rows=rows, classes=classes).selected for person in crowd]
    frequency, degrees = np.mean(selected, axis=0), world.original.degrees[rows, classes]
    assert 0.86 < frequency[degrees > 0.85].mean() < 0.97
    assert 0.3 < frequency[(degrees > 0.42) & (degrees < 0.58)].mean() < 0.7
    assert 0.01 < frequency[degrees < 0.02].mean() < 0.05
    label_frequency = frequency.reshape(-1, N_CLASSES)[np.arange(len(world.original)), world.original.labels]
    histogram = np.histogram(label_frequency, bins=5, range=(0, 1))[0] / len(label_frequency)
    assert (histogram > 0.005).all(), "every bin of Recht et al. holds some pictures"
    assert histogram[-1] > 0.5


def test_the_same_person_gives_the_same_answer_in_whatever_order_the_questions_come(world, questions):
    rows, classes = (column[:500] for column in questions)
    person = Annotator("a", Profile.HURRIED, 3)
    forward = answer_contains(person, world.original, rows=rows, classes=classes)
    backward = answer_contains(person, world.original, rows=rows[::-1], classes=classes[::-1])
    assert np.array_equal(forward.selected, backward.selected[::-1])
    assert np.array_equal(forward.seconds, backward.seconds[::-1])


def test_an_answer_depends_on_the_picture_and_not_on_the_company_it_keeps(world, questions):
    rows, classes = (column[:300] for column in questions)
    longer = np.append(world.original.image_ids[:-1], "an-id-that-is-much-longer-than-all-the-others")
    person = Annotator("a", Profile.HURRIED, 3)
    here = answer_contains(person, world.original, rows=rows, classes=classes)
    there = answer_contains(person, replace(world.original, image_ids=longer), rows=rows, classes=classes)
    assert np.array_equal(here.selected, there.selected)


def test_two_people_differ(world, questions):
    rows, classes = questions
    first, second = (
        answer_contains(person, world.original, rows=rows, classes=classes)
        for person in make_people(Profile.CAREFUL, n=2)
    )
    assert 0 < (first.selected != second.selected).mean() < 0.1
    assert not np.array_equal(first.seconds, second.seconds)


def test_hurried_people_are_quick_and_close_calls_take_longer(world, questions):
    rows, classes = questions
    degrees = world.original.degrees[rows, classes]
    seconds = {
        profile: answer_contains(Annotator("a", profile, 1), world.original, rows=rows, classes=classes).seconds
        for profile in (Profile.CAREFUL, Profile.HURRIED)
    }
    assert (seconds[Profile.HURRIED] > 0).all()
    assert np.median(seconds[Profile.CAREFUL]) > 2 * np.median(seconds[Profile.HURRIED])
    close = (degrees > 0.4) & (degrees < 0.55)
    assert np.median(seconds[Profile.CAREFUL][close]) > 1.5 * np.median(seconds[Profile.CAREFUL][degrees < 0.05])


def test_an_expert_names_the_main_object_and_every_object_there_is(world, offered):
    expert = Annotator("a", Profile.EXPERT, 4)
    rows = np.arange(len(world.original))
    answers = answer_classify(expert, world.original, rows=rows, candidates=offered)
    verdicts = np.take_along_axis(world.original.verdicts, offered.astype(np.int64), axis=1)
    assert answers.selected[verdicts == Verdict.WRONG].mean() < 0.02
    n_things = np.array([len(scene.things) for scene in world.original.scenes])
    single = (n_things == 1) & ((verdicts == Verdict.CORRECT).sum(axis=1) == 1)
    assert (answers.main[single] == world.original.main_labels[single]).mean() > 0.95
    two = (n_things == 2) & ((verdicts == Verdict.CORRECT).sum(axis=1) == 2)
    assert answers.selected[two].sum(axis=1).mean() > 1.7


def test_profiles_are_ordered_by_how_well_they_name_the_main_object(world, offered):
    rows = np.arange(len(world.original))
    shares = [
        np.mean(
            [
                (
                    answer_classify(p, world.original, rows=rows, candidates=offered).main == world.original.main_labels
                ).mean()
                for p in make_people(profile, n=4)
            ]
        )
        for profile in (Profile.EXPERT, Profile.CAREFUL, Profile.HURRIED, Profile.SPAMMER)
    ]
    assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize("profile", list(Profile))
def test_the_main_label_is_among_the_selected_and_the_selected_among_the_offered(world, offered, profile):
    candidates = offered.copy()
    candidates[::3, 4:] = NO_CLASS
    rows = np.arange(len(world.original))
    answers = answer_classify(Annotator("a", profile, 9), world.original, rows=rows, candidates=candidates)
    assert not answers.selected[candidates == NO_CLASS].any()
    some = answers.selected.any(axis=1)
    assert (answers.main[~some] == NO_CLASS).all()
    assert ((candidates == answers.main[:, np.newaxis]) & answers.selected)[some].any(axis=1).all()
    assert (answers.seconds > 0).all()


def test_crowds_have_the_shares_they_were_hired_with():
    crowd = hire(4_000, rng=np.random.default_rng(2))
    for profile, share in CROWD.items():
        found = sum(person.profile is profile for person in crowd) / len(crowd)
        assert found == pytest.approx(share, abs=0.03)
    assert len({person.annotator_id for person in crowd}) == len({person.seed for person in crowd}) == 4_000


def test_questions_and_candidates_of_another_length_are_refused(world):
    person = Annotator("a", Profile.CAREFUL, 1)
    with pytest.raises(InputError, match="a row and a class"):
        answer_contains(person, world.original, rows=np.arange(3), classes=np.arange(2))
    with pytest.raises(InputError, match="one row of candidates each"):
        answer_classify(person, world.original, rows=np.arange(3), candidates=np.zeros((2, 4), np.int32))


def test_a_large_crowd_selects_as_often_as_expected(world: World) -> None:
    rows = np.repeat(np.arange(20), 4)
    classes = np.tile(np.arange(4), 20)
    people = hire(3_000, rng=np.random.default_rng(5))
    found = np.mean(
        [answer_contains(one, world.original, rows=rows, classes=classes).selected for one in people], axis=0
    )
    expected = expect_selection(world.original, rows=rows, classes=classes)
    # 3,000 answers: standard deviation below 0.01.
    assert np.abs(found - expected).max() < 0.045
    assert np.abs(found - expected).mean() < 0.01


def name_all(person: Annotator, world: World, known: BoolArray | None = None) -> tuple[float, float]:
    """The share of pictures of the original set that somebody names as in truth, and their median seconds."""
    rows = np.arange(len(world.original))
    classes, seconds = answer_label(person, world.original, rows=rows, known=known)
    assert ((classes >= 0) & (classes < N_CLASSES)).all()
    return float((classes == world.original.main_labels).mean()), float(np.median(seconds))


def test_labelers_are_as_good_as_their_profile_and_answer_every_picture(world):
    order = [Profile.EXPERT, Profile.CAREFUL, Profile.HURRIED]
    accuracies = [np.mean([name_all(person, world)[0] for person in make_people(profile, 3)]) for profile in order]
    assert accuracies == sorted(accuracies, reverse=True)
    assert accuracies[0] > 0.85
    assert accuracies[2] > 0.3


def test_whoever_has_seen_a_picture_names_it_better_and_faster(world):
    (person,) = make_people(Profile.HURRIED, 1)
    fresh, slow = name_all(person, world)
    seen, quick = name_all(person, world, np.ones(len(world.original), np.bool_))
    # Half of what was missed is remembered.
    assert seen == pytest.approx(fresh + (1 - fresh) / 2, abs=0.05)
    assert quick < slow


def test_a_picture_has_the_same_name_whatever_else_is_asked(world):
    (person,) = make_people(Profile.CAREFUL, 1)
    every, _ = answer_label(person, world.original, rows=np.arange(len(world.original)))
    few, _ = answer_label(person, world.original, rows=np.array([5, 2]))
    assert few.tolist() == every[[5, 2]].tolist()
