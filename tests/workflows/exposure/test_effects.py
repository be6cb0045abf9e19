"""What exposure changes, from the answers of people in a study and from what they were shown before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.workflows.campaign_studies import N_CLASSES, N_IMAGES, add_classify, add_people, get_clock, make_pictured

from regauge.errors import InputError
from regauge.records.exposure.effects import ExposureEffect, ExposureSplit
from regauge.records.exposure.exposures import ExposureRole, NewExposure
from regauge.records.predictions import ParticipantKind
from regauge.records.studies import ParticipantEntry
from regauge.storage.participants import save_participant
from regauge.workflows.exposure.effects import EffectOrder, measure_exposure_effect
from regauge.workflows.exposure.recording import record_exposures
from regauge.workflows.exposure.saying import declare_exposure, declare_same
from regauge.workflows.people.invitations import Invitation
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import Study

DAY = 86_400


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        yield study


def add_answers(study: Study, name: str, *, wrong: Sequence[int] = (), is_person: bool = True) -> None:
    """Somebody's answers to all pictures, of which some are wrong."""
    file = study.paths.folder.parent / f"{name}.csv"
    labels = [(number % N_CLASSES + (number in wrong)) % 10 for number in range(N_IMAGES)]
    file.write_text("image_id,class\n" + "".join(f"i{number},{label}\n" for number, label in enumerate(labels)))
    with study.begin() as begun:
        add_predictions(begun, PredictionSource(file))
        if is_person:
            save_participant(begun, ParticipantEntry(name, ParticipantKind.PERSON))


def send(study: Study, who: Invitation, *rows: int, role: ExposureRole = ExposureRole.CARD, campaign: int = 0) -> None:
    with study.begin() as begun:
        at = begun.around.now()
        record_exposures(begun, [NewExposure(who.annotator.id, 1, row, role, campaign, at) for row in rows])


def measure(study: Study, **order: Any) -> ExposureEffect:
    with study.read() as reading:
        return measure_exposure_effect(reading, EffectOrder(**order))


def test_labelers_are_set_apart_by_what_they_saw_before_their_answers_were_added(pictured):
    one, other = add_people(pictured, None, 2)
    send(pictured, one, 0, 1, 2, 3)
    get_clock(pictured).jump(DAY)
    add_answers(pictured, one.annotator.name, wrong=[4, 5])
    add_answers(pictured, other.annotator.name, wrong=[0, 1, 2])
    add_answers(pictured, "net", wrong=range(24), is_person=False)
    get_clock(pictured).jump(DAY)
    # Too late to matter.
    send(pictured, other, *range(24))
    found = measure(pictured)
    assert [(who.labeler, who.n_exposed) for who in found.labelers] == [
        (one.annotator.name, 4),
        (other.annotator.name, 0),
    ]
    shares = {
        (score.split, score.labeler, score.is_exposed): (score.accuracy.k, score.accuracy.n) for score in found.scores
    }
    assert shares[ExposureSplit.LABELERS, "", True] == (22, 24)
    assert shares[ExposureSplit.LABELERS, "", False] == (21, 24)
    assert shares[ExposureSplit.IMAGES, "", True] == (4, 4)
    assert shares[ExposureSplit.IMAGES, "", False] == (18 + 21, 44)
    assert shares[ExposureSplit.WITHIN, one.annotator.name, False] == (18, 20)
    assert found.metric == "top1"


def test_what_their_evaluation_showed_them_is_no_exposure(pictured):
    labels = add_classify(pictured)
    (one,) = add_people(pictured, labels, 1)
    send(pictured, one, 7, role=ExposureRole.REVIEWER, campaign=99)
    get_clock(pictured).jump(DAY)
    send(pictured, one, *range(24), role=ExposureRole.LABELER, campaign=labels.id)
    get_clock(pictured).jump(DAY)
    # Cards that were looked at during the evaluation come after its beginning.
    send(pictured, one, 9)
    add_answers(pictured, one.annotator.name)
    (who,) = measure(pictured).labelers
    assert (who.n_exposed, who.roles) == (1, ("reviewer",))
    (who,) = measure(pictured, campaign="labels").labelers
    assert who.n_exposed == 1


def test_a_participant_is_the_annotator_that_they_are_said_to_be(pictured):
    (one,) = add_people(pictured, None, 1)
    send(pictured, one, 0, 1)
    get_clock(pictured).jump(DAY)
    add_answers(pictured, "Human A")
    before = measure(pictured)
    assert before.labelers[0].n_exposed == 0
    assert "Human A" in " ".join(before.notes)
    with pictured.begin() as begun:
        declare_same(begun, one.annotator.name, other="Human A")
    after = measure(pictured)
    assert after.labelers[0].n_exposed == 2
    assert after.labelers[0].person == "Human A"


def test_what_is_declared_counts_and_is_printed(pictured):
    add_answers(pictured, "Human A")
    with pictured.begin() as begun:
        declare_exposure(begun, "Human A", days=("2020-01-01", None), why="is an author of the set")
    found = measure(pictured)
    assert found.labelers[0].n_exposed == N_IMAGES
    assert "Human A knows images from outside the study: is an author of the set" in found.notes


def test_nobody_who_is_a_person_is_refused_with_what_to_do(pictured):
    add_answers(pictured, "net", is_person=False)
    with pytest.raises(InputError, match="is a person"):
        measure(pictured)
    assert [who.labeler for who in measure(pictured, participants=("n*",)).labelers] == ["net"]


@pytest.mark.same_sql
@pytest.mark.parametrize(
    ("order", "problem"),
    [
        ({"metric": "multilabel_strict"}, "do not allow multilabel_strict; they allow: top1"),
        ({"campaign": "none"}, "none"),
        ({"labels": "none"}, "none"),
        ({"participants": ("x*",)}, "matches 'x\\*'"),
        ({"test_set": "elsewhere"}, "elsewhere"),
    ],
)
def test_what_is_not_there_is_refused(pictured, order, problem):
    add_answers(pictured, "Human A")
    with pytest.raises(InputError, match=problem):
        measure(pictured, **order)
