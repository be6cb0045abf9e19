"""Campaigns from what somebody filled in: where questions come from, and which field a refusal is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from tests.workflows.answer_rows import load_tasks
from tests.workflows.campaign_studies import SHAPE, add_contains, add_people, answer, make_answer, make_pictured, take

from regauge.campaigns.fields import QuestionSource
from regauge.fields import FieldError
from regauge.records.campaigns.campaign import Kind
from regauge.records.campaigns.terms import Quiz, Terms
from regauge.records.predictions import Predictions
from regauge.workflows.campaigns.requests import CampaignRequest, make_campaign
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import Study

REQUEST = CampaignRequest(Kind("contains"), "asked", "pictures", 3, settings=asdict(SHAPE), seed=0)
CLASSIFY = CampaignRequest(Kind("classify"), "asked", "pictures", 3, source=QuestionSource.PREDICTIONS, top=2, seed=0)


@pytest.fixture
def pictured(tmp_path: Path) -> Iterator[Study]:
    with make_pictured(tmp_path) as study:
        yield study


def predict(study: Study) -> None:
    """Somebody answers every image of 24 with the classes 7 and 9."""
    ids = np.array([f"i{number}" for number in range(24)], np.str_)
    classes = np.tile(np.array([7, 9], np.int32), (24, 1))
    with study.begin() as begun:
        add_predictions(begun, PredictionSource([Predictions("model", ids, classes)]), test_set="pictures")


def list_candidates(study: Study, request: CampaignRequest) -> list[list[int]]:
    with study.begin() as begun:
        return [task["candidates"] for task in load_tasks(begun, make_campaign(begun, request)).values()]


def find_refusal(study: Study, request: CampaignRequest) -> tuple[str, str]:
    with pytest.raises(FieldError) as caught, study.begin() as begun:
        make_campaign(begun, request)
    return caught.value.field_name, str(caught.value)


def test_every_image_is_asked_about_with_its_dataset_label(pictured: Study) -> None:
    with pictured.begin() as begun:
        made = make_campaign(begun, REQUEST)
    assert (made.n_tasks, made.plan.settings["n_pairs"], made.plan.settings["source"]) == (8, 24, "labels")


def test_models_add_what_they_answer(pictured: Study) -> None:
    predict(pictured)
    with pictured.begin() as begun:
        made = make_campaign(
            begun,
            replace(REQUEST, source=QuestionSource.PREDICTIONS, top=1, settings=asdict(replace(SHAPE, n_positive=0))),
        )
    # 24 labels, and class 7 of every image.
    assert made.plan.settings["n_pairs"] == 48
    assert all(
        len(one) == 3 and one[1:] == [7, 9] for one in list_candidates(pictured, replace(CLASSIFY, name="labels"))
    )


def test_without_predictions_nothing_comes_from_them(pictured: Study) -> None:
    assert find_refusal(pictured, CLASSIFY)[0] == "source"


def work_on(study: Study, mask: str, *, n_people: int = 8) -> None:
    """People who all select the same cells of every grid."""
    grids = add_contains(study, quota=n_people)
    for person in add_people(study, grids, n_people):
        while taken := take(study, grids, person, n=5):
            answer(study, *(make_answer(task, mask) for task in taken))


def test_a_campaign_leaves_candidates_for_the_images_that_need_a_second_look(pictured: Study) -> None:
    work_on(pictured, "ff")
    request = replace(CLASSIFY, source=QuestionSource.CAMPAIGN, source_campaign="grids")
    # Everything was selected. Images that were also shown for another class, as controls, have two labels that are alike.
    unsure = list_candidates(pictured, request)
    everything = list_candidates(pictured, replace(request, name="all", is_follow_up=False))
    assert len(everything) == 24
    assert sorted(unsure) == sorted(one for one in everything if len(one) > 1)
    assert 0 < len(unsure) < 24


def test_a_campaign_that_leaves_no_doubt_leaves_no_candidates(pictured: Study) -> None:
    work_on(pictured, "0")
    request = replace(CLASSIFY, source=QuestionSource.CAMPAIGN, source_campaign="grids")
    assert find_refusal(pictured, request)[0] == "source"


def test_a_table_must_be_one(pictured: Study) -> None:
    request = replace(REQUEST, source=QuestionSource.FILE)
    assert find_refusal(pictured, request) == ("source", "Choose a CSV file with the columns image_id and class.")
    field, words = find_refusal(pictured, replace(request, content=b"image_id,class\ni0,unicorn\n"))
    assert (field, words.startswith("Line 2: ")) == ("source", True)


def test_classes_of_a_quiz_are_known_by_name(pictured: Study) -> None:
    # Two images are asked about; the quiz is about others.
    asked = replace(REQUEST, source=QuestionSource.FILE, content=b"image_id,class\ni0,0\ni1,1\n")
    request = replace(asked, terms=Terms(quiz=Quiz(1, 0.5, 1)), quiz_classes=("airplane", "1"))
    with pictured.begin() as begun:
        quiz = make_campaign(begun, request).plan.terms.quiz
    assert quiz is not None
    assert quiz.classes == (0, 1)
    assert find_refusal(pictured, replace(request, name="other", quiz_classes=("unicorn",)))[0] == "quiz_classes"
