"""The demo looks at mistakes: a panel talks, coders code, and the major ones make a slice."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.storage.small_studies import make_circumstances

from regauge.campaigns.discussions.words import ARGUMENT, EVIDENCE
from regauge.records.campaigns.discussions import DiscussionStanding
from regauge.records.predictions import ParticipantChoice, ParticipantKind
from regauge.storage.study import Study
from regauge.workflows.demo.coding import CODING
from regauge.workflows.demo.flow import Demo
from regauge.workflows.demo.looking import LOOKING
from regauge.workflows.demo.panel import AGREES, FOLLOWS, PANEL, PANELLED
from regauge.workflows.demo.slices import SLICE
from regauge.workflows.discussions.standing import get_discussion, load_standing
from regauge.workflows.labels.campaign_labels import list_campaign_labels
from regauge.workflows.mistakes.codings import list_codings, show_coding
from regauge.workflows.slices.reading import open_slice
from regauge.workflows.slices.scoring import SliceSelection, score_study_slice
from regauge.workflows.studies.study import open_study


@pytest.fixture(scope="module")
def reading(demo: Demo) -> Iterator[Study]:
    study = open_study(demo.study, around=make_circumstances())
    try:
        with study.read() as begun:
            yield begun
    finally:
        study.close()


@pytest.fixture(scope="module")
def standing(reading: Study) -> DiscussionStanding:
    return load_standing(reading, get_discussion(reading, PANEL))


def test_five_panelists_vote_alone_talk_and_lock(standing: DiscussionStanding) -> None:
    assert (len(standing.panel), len(standing.chairs)) == (5, 1)
    assert standing.items
    assert standing.closed is not None
    assert all(one.is_locked and not one.missing for one in standing.items)


def test_who_changes_a_vote_has_read_evidence_or_could_hardly_tell(standing: DiscussionStanding) -> None:
    changed = [(one, stance) for one in standing.items for stance in one.stances if stance.has_changed]
    assert changed
    for item, stance in changed:
        (said,) = (one for one in stance.said if one.is_change)
        seen = [one for one in item.stances if one.answer is not None and one.answer.get(EVIDENCE)]
        assert said.argument == (FOLLOWS if seen else AGREES)
        for one in seen:
            assert one.answer is not None
            assert dict(stance.final).items() >= dict(one.answer["verdicts"]).items()


def test_whoever_has_evidence_argues_with_it(standing: DiscussionStanding) -> None:
    firsts = [one.first_answer for item in standing.items for one in item.stances if one.first_answer is not None]
    evidence = [one for one in firsts if one.get(EVIDENCE)]
    assert 0 < len(evidence) < len(firsts) / 2
    assert all(one.get(ARGUMENT) for one in evidence)


def test_discussion_changes_outcomes_and_brings_them_nearer_to_the_truth(demo: Demo) -> None:
    effects = demo.panel.effects
    assert effects is not None
    assert effects.changed.k > 0
    before, after = demo.panel.n_true
    assert before < after <= effects.n_decided
    first, second = demo.panel.lines
    assert f"{effects.n_decided:,} novel mistakes of " in first
    assert f"(n = {effects.n_decided:,})" in second


def test_panel_and_coders_each_make_a_version_of_the_labels(reading: Study) -> None:
    versions = [list_campaign_labels(reading, one)[0].full_name for one in (PANEL, CODING)]
    assert versions == [f"{PANELLED}@2", f"{PANELLED}@3"]


def test_coders_look_at_what_a_model_still_gets_wrong(demo: Demo, reading: Study) -> None:
    (line,) = demo.coding.lines
    entry, *_ = list_codings(reading)
    coding = show_coding(reading, entry.name).coding
    assert (entry.source, coding.labels) == (f"campaign {CODING}", f"{PANELLED}@2")
    assert f"{entry.n_coded:,} coded, {entry.n_major:,} of them major; {entry.n_overturned:,} overturned" in line
    assert [one["aspect"] for one in coding.provenance["agreement"]] == ["overturning", "category", "severity"]


def test_the_slice_is_scored_and_those_who_chose_it_are_marked(demo: Demo, reading: Study) -> None:
    made, told = demo.major.lines
    shown = open_slice(reading, SLICE)
    assert f"{shown.entry.n_images:,} images on which at least 2 of " in made
    assert shown.chosen.is_complete
    assert shown.chosen.inputs.complete_by == (LOOKING,)
    assert ["labelled completely, with" in made, "not labelled" in made] == [True, False]
    choice = ParticipantChoice(kind=ParticipantKind.MODEL)
    scores = score_study_slice(reading, SLICE, SliceSelection(labels=PANELLED, chosen=choice)).scores
    assert told.count("not comparable") == sum(not one.is_comparable for one in scores) == 3
    (best, *_) = (one for one in scores if one.is_comparable)
    assert f"{best.participant} {best.correct.k:,} of {best.correct.n:,} correct" in told
