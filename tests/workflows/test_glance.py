"""What comes next, for whoever manages a study."""

from __future__ import annotations

from regauge.records.campaigns import CampaignEntry, CampaignPlan, CampaignProgress, CampaignState, Kind
from regauge.records.labels import LabelKind, Unlisted
from regauge.records.studies import LabelSetEntry, StudyStatus, TestSetEntry, TestSetKind
from regauge.workflows.glance import CampaignStanding, Place, find_steps

TEST_SET = TestSetEntry("new", TestSetKind.TABLE, "/", 10, "", "")


def make_status(*, labels: tuple[LabelSetEntry, ...] = (), steps: tuple[str, ...] = ()) -> StudyStatus:
    return StudyStatus("", "", "cifar-10", 10, (TEST_SET,), (), labels, (), (), steps)


def stand(state: CampaignState, n_done: int = 0, n_annotators: int = 0, **more: object) -> CampaignStanding:
    entry = CampaignEntry(7, CampaignPlan("grids", Kind("contains"), 3), state, 8, "")
    progress = CampaignProgress(8, n_done, 24, 3 * n_done, 0, 0, n_annotators)
    return CampaignStanding(entry, progress, **more)  # type: ignore[arg-type]


def list_words(status: StudyStatus, *standings: CampaignStanding) -> list[str]:
    return [step.words for step in find_steps(status, standings)]


def test_a_study_with_images_and_no_campaign_is_to_ask_people() -> None:
    (step,) = find_steps(make_status(), [])
    assert (step.place, step.action) == (Place.NEW, "New campaign")


def test_a_draft_is_to_be_tried_and_opened() -> None:
    (step,) = find_steps(make_status(), [stand(CampaignState.DRAFT)])
    assert (step.words, step.place, step.campaign_id) == (
        "grids is a draft: try its tasks, then open it.",
        Place.CAMPAIGN,
        7,
    )


def test_an_open_campaign_without_people_needs_links() -> None:
    assert list_words(make_status(), stand(CampaignState.OPEN)) == [
        "grids is open and nobody has answered: give out links."
    ]


def test_people_who_look_odd_and_low_pay_come_to_the_managers_eyes() -> None:
    standing = stand(CampaignState.OPEN, 2, 5, n_suggested=2, pay_warning="Pay is low.")
    assert list_words(make_status(), standing) == [
        "grids: Pay is low.",
        "2 annotators of grids should be looked at.",
    ]
    assert "1 annotator of" in list_words(make_status(), stand(CampaignState.OPEN, 2, 5, n_suggested=1))[0]


def test_a_campaign_with_all_answers_is_closed_and_becomes_labels() -> None:
    assert list_words(make_status(), stand(CampaignState.OPEN, 8, 5)) == [
        "grids has all its answers: close it.",
        "Make a label set of the answers to grids.",
    ]


def test_labels_that_were_made_are_not_asked_for_again() -> None:
    made = LabelSetEntry("crowd", 1, LabelKind.MULTILABEL, Unlisted.WRONG, 1, 1, 0, None, "", {"campaign": "grids"})
    steps = list_words(make_status(labels=(made,)), stand(CampaignState.CLOSED, 8, 5))
    assert steps == ["Nothing waits for you."]


def test_people_are_said_to_work_only_while_a_campaign_is_open() -> None:
    assert list_words(make_status(), stand(CampaignState.OPEN, 2, 5)) == [
        "Nothing waits for you. People can work, and their answers come in."
    ]


def test_a_closed_campaign_without_answers_asks_for_nothing() -> None:
    assert list_words(make_status(steps=("Wait.",)), stand(CampaignState.CLOSED)) == ["Wait."]


def test_what_the_command_line_would_say_comes_with_what_to_type() -> None:
    (step,) = find_steps(make_status(steps=("Write the report: regauge report",)), [stand(CampaignState.CLOSED)])
    assert (step.words, step.command, step.place) == ("Write the report.", "regauge report", Place.ELSEWHERE)
