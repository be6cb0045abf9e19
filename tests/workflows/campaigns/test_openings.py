"""Opening a campaign decodes what it will show: what fails is refused or left out; later it is noted with who says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workflows.answer_rows import load_tasks
from tests.workflows.campaign_studies import (
    LEASE,
    SHAPE,
    add_classify,
    add_contains,
    add_people,
    answer,
    make_answer,
    make_pictured,
    take,
)

from regauge.errors import InputError
from regauge.kinds.registry import KINDS
from regauge.records.campaigns.campaign import CampaignPlan, CampaignState, CampaignTexts, Kind, NewAnswer
from regauge.storage.campaigns.campaign import get_campaign, load_campaign_images
from regauge.storage.campaigns.image_failures import note_failures
from regauge.workflows.campaigns.image_failures import describe_failures
from regauge.workflows.campaigns.openings import UNCHECKED, check_images, close_campaign, open_campaign
from regauge.workflows.demo.campaigns import ContainsQuestions, create_contains
from regauge.workflows.studies.study import Study


@pytest.fixture
def study(tmp_path: Path, database: str) -> Iterator[Study]:
    """A study of small pictures."""
    with make_pictured(tmp_path, database=database) as made:
        yield made


def spoil(tmp_path: Path, name: str, content: bytes | None = None) -> None:
    """Cut a picture in half, or put something else in its place."""
    path = tmp_path / "pictures" / name
    path.write_bytes(path.read_bytes()[:150] if content is None else content)


def open_now(study: Study, name: str = "grids", **how: bool) -> None:
    with study.begin() as begun:
        open_campaign(begun, name, **how)  # type: ignore[arg-type]


def list_shown(study: Study, name: str) -> set[str]:
    """The ids of the images in the tasks of a campaign."""
    with study.read() as reading:
        campaign = get_campaign(reading, name)
        album = load_campaign_images(reading, campaign.id)
        tasks = load_tasks(reading, campaign).values()
    return {f"i{album[number].row}" for task in tasks for number in KINDS[campaign.kind].task.list_images(task)}


def test_a_campaign_that_cannot_show_an_image_is_not_opened(study, tmp_path):
    add_contains(study, is_open=False)
    spoil(tmp_path, "i3.png")
    spoil(tmp_path, "i5.png", b"Dear reader, this is not a picture.")
    (tmp_path / "pictures" / "i7.png").unlink()
    with pytest.raises(InputError, match=r"3 of 24 images of pictures cannot be shown: .*i3 .*i5 .*i7 ") as caught:
        open_now(study)
    assert "`leaves_out=True`" in str(caught.value)
    with study.read() as reading:
        assert get_campaign(reading, "grids").state is CampaignState.DRAFT


def test_when_told_to_it_leaves_out_what_cannot_be_shown(study, tmp_path):
    add_contains(study, is_open=False)
    spoil(tmp_path, "i3.png")
    assert "i3" in list_shown(study, "grids")
    open_now(study, leaves_out=True)
    assert list_shown(study, "grids") == {f"i{number}" for number in range(24)} - {"i3"}
    with study.read() as reading:
        assert not check_images(reading, "grids").numbers


def test_a_classify_task_whose_image_fails_is_given_to_nobody(study, tmp_path):
    campaign = add_classify(study)
    with study.begin() as begun:
        close_campaign(begun, "labels")
    spoil(tmp_path, "i3.png")
    with pytest.raises(InputError, match="1 of 5 images of pictures cannot be shown: i3"):
        open_now(study, "labels")
    open_now(study, "labels", leaves_out=True)
    with study.read() as reading:
        assert get_campaign(reading, "labels").n_tasks == 4
    (who,) = add_people(study, campaign, 1)
    assert len(take(study, campaign, who, n=5)) == 4


def test_tasks_that_somebody_has_stay_as_they_are(study, tmp_path):
    campaign = add_contains(study)
    (who,) = add_people(study, campaign, 1)
    given = take(study, campaign, who, n=5)
    answer(study, make_answer(given[0]))
    with study.begin() as begun:
        close_campaign(begun, "grids")
    for number in range(12):
        spoil(tmp_path, f"i{number}.png")
    open_now(study, leaves_out=True)
    with study.read() as reading:
        tasks = load_tasks(reading, campaign)
    assert all(tasks[one.task_id] == one.payload for one in given)


def test_nothing_is_opened_that_has_nothing_to_show(study, tmp_path):
    add_contains(study, is_open=False)
    for number in range(24):
        spoil(tmp_path, f"i{number}.png")
    with pytest.raises(InputError, match="None of the tasks of campaign grids can be shown"):
        open_now(study, leaves_out=True)


def test_a_folder_that_is_not_there_is_one_sentence_that_names_it(study, tmp_path):
    campaign = add_contains(study, is_open=False)
    (tmp_path / "pictures").rename(tmp_path / "unmounted")
    with pytest.raises(InputError, match="None of the 24 images of pictures is there below") as caught:
        open_now(study)
    assert str(tmp_path / "pictures") in str(caught.value)
    assert "i3" not in str(caught.value)
    (tmp_path / "pictures").mkdir()
    with study.begin() as begun:
        found = describe_failures(begun, campaign)
    (sentence,) = found.sentences
    assert str(tmp_path / "pictures") in sentence
    (tmp_path / "pictures").rmdir()
    (tmp_path / "unmounted").rename(tmp_path / "pictures")
    open_now(study)
    with study.read() as reading:
        assert not describe_failures(reading, campaign).sentences


def test_the_check_can_be_skipped_stopped_and_gone_on_with(study, tmp_path):
    add_contains(study, is_open=False)
    spoil(tmp_path, "i3.png")
    with study.read() as reading:
        assert check_images(reading, "grids", is_over=lambda: True).n_left in {0, 24}
        again = check_images(reading, "grids")
    assert (again.n_left, again.n_images, len(again.numbers)) == (0, 24, 1)
    with study.begin() as begun:
        assert open_campaign(begun, "grids", checked=UNCHECKED).state is CampaignState.OPEN


def test_an_image_that_is_mended_is_looked_at_again(study, tmp_path):
    add_contains(study, is_open=False)
    whole = (tmp_path / "pictures" / "i3.png").read_bytes()
    spoil(tmp_path, "i3.png")
    with pytest.raises(InputError, match="cannot be shown"):
        open_now(study)
    spoil(tmp_path, "i3.png", whole)
    open_now(study)


def test_a_quiz_that_lacks_questions_is_not_opened(study, tmp_path):
    from regauge.records.campaigns.terms import Quiz, Terms

    with study.begin() as begun:
        texts = CampaignTexts("Look.", "Agree?", training="Like this.")
        terms = Terms(quiz=Quiz(n_questions=4))
        plan = CampaignPlan("grids", Kind("contains"), 2, LEASE, texts, terms=terms)
        pairs = [(f"i{number}", number % 4) for number in range(12)]
        create_contains(begun, plan, ContainsQuestions(pairs=pairs, shape=SHAPE, seed=0))
    for number in range(12, 24):
        spoil(tmp_path, f"i{number}.png")
    with pytest.raises(InputError, match="The quiz of campaign grids asks 4 questions, and only"):
        open_now(study, leaves_out=True)


def test_who_was_not_shown_what_is_noted_with_the_answer(study):
    campaign = add_contains(study)
    people = add_people(study, campaign, 2)
    for who in people:
        (one,) = take(study, campaign, who)
        reply = {"mask": "0", "not_shown": "1"}
        sent = NewAnswer(f"client-{one.id}", one.id, who.annotator.id, reply, 5.0, 0)
        answer(study, sent)
        answer(study, sent)
    with study.begin() as begun:
        note_failures(begun, campaign.id, {one.payload["cells"][1][0]: "it is cut."}, annotator_id=who.annotator.id)
        found = describe_failures(begun, campaign)
    by_reason = {one.reason: one for one in found.images}
    assert by_reason["it is cut."].annotators == (people[1].annotator.name,)
    assert sum(one.n_times for one in found.images if not one.reason) == 2
    assert any("1 image of campaign grids could not be shown" in sentence for sentence in found.sentences)
    assert any("did not come; the server knows no reason" in sentence for sentence in found.sentences)


def test_an_erasure_with_answers_takes_what_somebody_reported_along(study):
    from regauge.storage.people.erasure import delete_answers

    campaign = add_contains(study)
    (who,) = add_people(study, campaign, 1)
    (one,) = take(study, campaign, who)
    answer(study, NewAnswer("client-00000001", one.id, who.annotator.id, {"not_shown": True}, 5.0, 0))
    with study.begin() as begun:
        assert len(describe_failures(begun, campaign).images) == 8
        delete_answers(begun, who.annotator)
        assert not describe_failures(begun, campaign).images


def test_what_is_said_of_controls_is_counted_anew_after_images_were_left_out(study, tmp_path):
    add_contains(study, is_open=False)
    with study.read() as reading:
        before = get_campaign(reading, "grids").plan.settings
    for number in range(0, 24, 3):
        spoil(tmp_path, f"i{number}.png")
    open_now(study, leaves_out=True)
    with study.read() as reading:
        campaign = get_campaign(reading, "grids")
        cells = [cell for task in load_tasks(reading, campaign).values() for cell in task["cells"]]
    times = Counter(image for image, _ in cells)
    controls = [image for image, control in cells if control]
    n_again = sum(times[image] > 1 for image in controls)
    settings = campaign.plan.settings
    assert (settings["n_control_cells"], settings["n_controls_again"]) == (len(controls), n_again)
    assert settings["n_control_cells"] < before["n_control_cells"]
