"""People in the demo: they are trained on what nobody is tested with, and two of five know half of the test."""

from __future__ import annotations

from collections import Counter

from tests.storage.small_studies import make_circumstances

from regauge.records.studies import Selection
from regauge.storage.campaigns.campaign import get_campaign, load_campaign_images
from regauge.workflows.annotation.training.trainees import list_uncovered, measure_learning
from regauge.workflows.demo.flow import Demo
from regauge.workflows.demo.people import TESTED, TRAINING
from regauge.workflows.evaluation.humans import study_humans
from regauge.workflows.exposure.effects import EffectOrder, measure_exposure_effect
from regauge.workflows.studies.study import open_study


def test_people_are_trained_and_two_of_them_had_seen_half_of_what_they_are_tested_with(demo: Demo) -> None:
    study = open_study(demo.study, around=make_circumstances())
    try:
        with study.read() as begun:
            tested, trained = (
                set(load_campaign_images(begun, get_campaign(begun, name).id)) for name in (TESTED, TRAINING)
            )
            effects = [measure_exposure_effect(begun, EffectOrder(name)) for name in ("original", "new")]
            curves = measure_learning(begun, TRAINING, groups={"all": range(len(begun.taxonomy))}, block=1_000)
            uncovered = list_uncovered(begun, TRAINING)
    finally:
        study.close()
    assert trained
    assert not tested & trained
    assert len({one.annotator for one in curves}) == 5
    assert len(uncovered) > 20
    for effect in effects:
        exposed = [one for one in effect.labelers if one.is_exposed]
        assert (len(effect.labelers), len(exposed)) == (5, 2)
        # Every other image of the test, whichever set it is of.
        assert all(0.2 < one.n_exposed / one.n_images < 0.8 for one in exposed)
        assert all(one.roles == ("annotator",) for one in exposed)


def test_the_report_and_the_command_say_who_had_seen_what(demo: Demo) -> None:
    page = demo.report.page.read_text(encoding="utf-8")
    assert "2 of 5 people had been shown images of original before" in page
    assert sum("of the images seen half a year before" in line for line in demo.people.lines) == 4
    # The limits of a person's accuracy hold the true one, but for as many as chance allows.
    assert demo.people.n_covered >= 8


def test_people_have_both_times_of_every_answer_and_images_are_fast_by_the_median(demo: Demo) -> None:
    study = open_study(demo.study, around=make_circumstances())
    try:
        with study.read() as begun:
            found = study_humans(begun, Selection("original"), Selection("new"), n_bootstrap=100, n_draws=20)
    finally:
        study.close()
    seconds = found.get_table("seconds").filter(n_participants=1)
    assert sorted(Counter(seconds["clock"].to_list()).values()) == [5, 5]
    assert not seconds["n_unknown"].sum()
    assert (found.get_table("fast_images")["n_fast"] > 0).all()
    assert "fast images by others" in found.get_table("accuracies")["subset"].to_list()
