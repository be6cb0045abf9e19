"""A real evaluation and a real training are known for what they are: as what they show images, and what they hide from whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.kinds.label.label_study import Examined, serve_examined
from tests.server.served_study import Visitor
from tests.waits import wait_for
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.campaigns.visibility import CARDS
from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry, CampaignPlan, CampaignTexts, Kind
from regauge.records.campaigns.evaluations import PARTICIPANTS_OF, REQUESTS
from regauge.records.exposure.exposures import ExposureRole, NewExposure
from regauge.storage.campaigns.campaign import load_campaign_images, set_settings
from regauge.storage.exposure.exposures import list_exposures
from regauge.storage.exposure.people import list_declared, list_names_of, list_same_people
from regauge.storage.predictions import list_predictions
from regauge.storage.testsets.test_set import get_test_set
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.demo.campaigns import ClassifyQuestions, create_classify
from regauge.workflows.exposure.effects import EffectOrder, measure_exposure_effect
from regauge.workflows.exposure.recording import learn_exposures, record_exposures
from regauge.workflows.exposure.washouts import tell_exposure
from regauge.workflows.people.erasure import erase_annotator
from regauge.workflows.people.invitations import Invitation

__all__ = ["database", "postgres", "postgres_database", "tested"]


@pytest.fixture
def tested(tmp_path: Path, database: str) -> Iterator[Examined]:
    with serve_examined(tmp_path, database=database) as made:
        yield made


def count_roles(tested: Examined) -> Counter[tuple[int, ExposureRole, int]]:
    with tested.study.read() as reading:
        return Counter((one.annotator_id, one.role, one.campaign_id) for one in list_exposures(reading))


def list_card(visitor: Visitor, campaign: CampaignEntry, index: int) -> list[str]:
    card = visitor.get(f"/api/classes/{index}/card?campaign={campaign.id}").json()
    return [*card["tested"], *card["references"]]


def test_whoever_is_tested_is_shown_images_as_a_labeler_and_whoever_is_trained_as_a_trainee(tested: Examined) -> None:
    exam = tested.test()
    tested.run("campaign", "create", "label", "train", "--mode", "training", "--from", "refs", "--seed", "2")
    tested.run("campaign", "open", "train")
    training, (one, other, _) = tested.get("train"), tested.people
    for who, campaign in ((one, exam), (other, training)):
        visitor = tested.begin(who, campaign)
        (task,) = visitor.take(campaign, 1)
        assert visitor.get(task["images"][0]).status_code == 200
    wait_for(lambda: len(count_roles(tested)) == 2)
    tested.answer_all(one, exam, n=3)
    tested.answer_all(other, training, n=2)
    with tested.study.begin() as begun:
        learn_exposures(begun)
    assert count_roles(tested) == {
        (one.annotator.id, ExposureRole.LABELER, exam.id): 3,
        (other.annotator.id, ExposureRole.TRAINEE, training.id): 2,
    }


def test_images_of_an_evaluation_are_on_no_card_that_its_labelers_see_in_another_campaign(tested: Examined) -> None:
    one, other, _ = tested.people
    exam = tested.test("test", "--panel", one.annotator.name)
    with tested.study.read() as reading:
        original = get_test_set(reading, "original")
        rows = {one.row for one in load_campaign_images(reading, exam.id) if one.test_set_id == original.id}
    free = next(row for row in range(16) if row not in rows)
    with tested.study.begin() as begun:
        plan = CampaignPlan("labels", Kind("classify"), 2, 600, CampaignTexts("Look.", "Agree?"))
        made = create_classify(begun, plan, ClassifyQuestions({f"o{free}": [free % 4, 7]}, "original", 0))
        set_settings(begun, made, {**made.plan.settings, CARDS: {"tested": "original"}})
        labels = open_campaign(begun, "labels")
    labeler, stranger = tested.begin(one, labels), tested.begin(other, labels)
    shown = {who: [len(list_card(who, labels, index)) for index in range(4)] for who in (labeler, stranger)}
    assert len(rows) == 4
    assert [all_of - own for all_of, own in zip(shown[stranger], shown[labeler], strict=True)] == [1, 1, 1, 1]
    tested.run("campaign", "close", "test")
    assert [len(list_card(labeler, labels, index)) for index in range(4)] == shown[stranger]


def test_whoever_has_seen_images_is_told_of_before_an_evaluation_and_its_washout_keeps_them_back(
    tested: Examined,
) -> None:
    one, other, _ = tested.people
    tested.answer_all(one, tested.test("first"), n=5)
    second = tested.test("second", "--washout", "180d")
    with tested.study.begin() as begun:
        told = tell_exposure(begun, second.id)
    assert told[0].startswith(f"{one.annotator.name} has seen 5 of the 8 images of second, ")
    assert told[0].endswith(", as labeler.")
    assert len(tested.answer_all(one, second)) == 3
    assert len(tested.answer_all(other, second)) == 8


def test_before_an_evaluation_that_is_new_to_all_it_is_said_that_it_is(tested: Examined) -> None:
    with tested.study.begin() as begun:
        assert tell_exposure(begun, tested.test().id) == (
            "No image of test was seen before by the 3 people who may take part.",
        )


def meet(tested: Examined, who: Invitation, campaign: CampaignEntry, *, test_set: str) -> int:
    """Somebody is sent the images of a campaign that are of a set, in no campaign; returns how many those are."""
    with tested.study.begin() as begun:
        number, now = get_test_set(begun, test_set).id, begun.around.now(after=-timedelta(days=1))
        rows = [one.row for one in load_campaign_images(begun, campaign.id) if one.test_set_id == number]
        met = [NewExposure(who.annotator.id, number, row, ExposureRole.ANNOTATOR, 0, now) for row in rows]
        record_exposures(begun, met)
    return len(rows)


def find_effect(tested: Examined) -> dict[str, tuple[int, int]]:
    """Per participant how many images they answered, and how many of these they had seen."""
    with tested.study.read() as reading:
        effect = measure_exposure_effect(reading, EffectOrder("original", labels="dataset"))
    assert not [note for note in effect.notes if "no annotator of the study" in note]
    return {one.labeler: (one.n_images, one.n_exposed) for one in effect.labelers}


def test_what_people_were_shown_counts_for_the_participants_that_are_made_of_them(tested: Examined) -> None:
    one, other, _ = tested.people
    exam = tested.test()
    assert meet(tested, one, exam, test_set="original") == 4
    for who in (one, other):
        tested.answer_all(who, exam)
    tested.run("campaign", "predictions", "test", "--name", f"{one.annotator.name}=Human A")
    assert find_effect(tested) == {"Human A": (4, 4), f"person-{other.annotator.id}": (4, 0)}


def test_a_comparison_of_people_says_who_had_seen_what_before(
    tested: Examined, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other, _ = tested.people
    exam = tested.test()
    meet(tested, one, exam, test_set="original")
    for who in (one, other):
        tested.answer_all(who, exam)
    tested.run("campaign", "predictions", "test", "--name", f"{one.annotator.name}=Human A")
    path = tested.folder / "others.csv"
    path.write_text("image_id,class\n" + "".join(f"o{row},1\n" for row in range(16)))
    tested.run("predictions", "add", f"Old={path}", "--test-set", "original", "--kind", "person")
    capsys.readouterr()
    tested.run("humans", "original", "--n-draws", "20", "--n-bootstrap", "100")
    said = " ".join(capsys.readouterr().err.split())
    assert "Human A had already seen 4 of the 4 images of original that they answered, as annotator;" in said
    assert (
        f"No image of original that they answered was shown before by this study to: person-{other.annotator.id}."
        in said
    )
    assert "Nobody knows which images of original were shown before to: Old." in said


def test_a_participant_that_was_somebody_elses_by_mistake_is_theirs_no_more(tested: Examined) -> None:
    one, other, _ = tested.people
    exam = tested.test()
    meet(tested, one, exam, test_set="original")
    for who in (one, other):
        tested.answer_all(who, exam)
    for who in (one, other):
        tested.run("campaign", "predictions", "test", "--name", f"{who.annotator.name}=Human A", "--replace")
    settings = tested.get("test").plan.settings
    assert "Human A" not in settings[PARTICIPANTS_OF][str(one.annotator.id)]
    assert find_effect(tested) == {f"person-{one.annotator.id}": (4, 4), "Human A": (4, 0)} | {
        f"person-{other.annotator.id}": (4, 0)
    }


def test_a_participant_keeps_the_name_that_was_given_once(tested: Examined) -> None:
    one = tested.people[0]
    exam = tested.test()
    tested.answer_all(one, exam, n=3)
    tested.run("campaign", "predictions", "test", "--name", f"{one.annotator.name}=Human A")
    tested.answer_all(one, exam)
    tested.run("campaign", "predictions", "test", "--replace")
    with tested.study.read() as reading:
        assert {entry.participant for entry in list_predictions(reading)} == {"Human A"}


def test_an_alias_is_one_wherever_it_was_said(tested: Examined) -> None:
    one, other, third = (who.annotator.name for who in tested.people)
    exam = tested.test()
    tested.answer_all(tested.people[0], exam, n=3)
    tested.answer_all(tested.people[1], exam)
    tested.answer_all(tested.people[2], exam, n=1)
    tested.run("exposure", "alias", one, other)
    tested.run("campaign", "predictions", "test", "--alias", f"{third}={one}", "--name", f"{other}=Human A")
    assert set(find_effect(tested)) == {"Human A"}
    with tested.study.read() as reading:
        assert list_names_of(reading, tested.people[2].annotator.id) == tuple(who.annotator.id for who in tested.people)


def test_a_participant_is_not_called_as_an_annotator_is(tested: Examined) -> None:
    name = tested.people[0].annotator.name
    tested.answer_all(tested.people[0], tested.test(), n=1)
    with pytest.raises(InputError, match="give a name that does not tell who it is"):
        tested.run("campaign", "predictions", "test", "--name", f"{name}={name}")


def test_erasing_somebody_with_their_answers_leaves_nothing_that_was_said_of_their_participants(
    tested: Examined,
) -> None:
    one = tested.people[0]
    tested.answer_all(one, tested.test())
    tested.run("campaign", "predictions", "test", "--name", f"{one.annotator.name}=Human A")
    said = ("--set", "new", "--since", "2026-01-01", "--why", "wrote the paper")
    tested.run("exposure", "declare", "Human A", *said)
    with tested.study.begin() as begun:
        erase_annotator(begun, one.annotator.id, reason="asked", with_answers=True)
    with tested.study.read() as reading:
        assert (list_same_people(reading), list_declared(reading)) == ((), ())


def test_what_an_erased_trainee_asked_for_and_what_was_made_of_them_stands_in_no_settings(tested: Examined) -> None:
    one, other, _ = tested.people
    tested.run("campaign", "create", "label", "train", "--mode", "training", "--from", "refs", "--seed", "2")
    tested.run("campaign", "open", "train")
    for who in (one, other):
        visitor = tested.begin(who, tested.get("train"))
        assert visitor.post(f"/api/campaigns/{tested.get('train').id}/requests", {"names": ["cat"]}).status_code == 200
        tested.answer_all(who, tested.get("train"), n=2)
    tested.run("campaign", "predictions", "train")
    with tested.study.begin() as begun:
        erase_annotator(begun, one.annotator.id, reason="asked", with_answers=True)
    left, settings = str(other.annotator.id), tested.get("train").plan.settings
    assert settings[REQUESTS] == {left: ["cat"]}
    assert settings[PARTICIPANTS_OF] == {left: [f"person-{left}"]}


def test_whoever_erases_somebody_is_told_which_participants_are_gone(
    tested: Examined, capsys: pytest.CaptureFixture[str]
) -> None:
    one = tested.people[0]
    tested.answer_all(one, tested.test(), n=2)
    tested.run("campaign", "predictions", "test")
    report = tested.study.paths.reports / "old" / "report.html"
    report.parent.mkdir(parents=True)
    report.write_text(f"<td>person-{one.annotator.id}</td>")
    tested.run("annotators", "erase", one.annotator.name, "--answers", "--yes", "--reason", "asked")
    said = capsys.readouterr().err
    assert "Made before and not changed: reports/old/report.html." in said
    assert f"Participants made of their answers are gone too: person-{one.annotator.id}." in said


def test_before_anybody_is_there_nobody_is_told_of(tmp_path: Path) -> None:
    with serve_examined(tmp_path, n_people=0) as made:
        campaign = made.test()
        with made.study.begin() as begun:
            assert tell_exposure(begun, campaign.id) == ()
