"""Scores beside labels: the highest of the participants, all of a task or none, and nothing of them unless it is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.kinds.review.reviewed_study import N_IMAGES, ask, told
from tests.kinds.review.test_cards import FILLED_IN, database, enter
from tests.server.manager_forms import fill_in
from tests.verify.verify_study import Told

from regauge.campaigns.sources import AnswerScores
from regauge.fields import FieldError
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.storage.campaigns.payloads import load_work
from regauge.workflows.predictions import PredictionSource, add_predictions

__all__ = ["database", "told"]

SCORED = ("--participant", "one", "--participant", "two", "--show-score")


def add_scored(told: Told, folder: Path, *, lowest: int = 0, factor: float = 1.0) -> None:
    """Two models whose first answer is the label, or horse for the second image; the second model is surer than the first."""
    for name, first in (("one", 0.5), ("two", 0.75)):
        lines = ["image_id,rank,class,score"]
        for number in range(lowest, N_IMAGES):
            answers = [7, number % 4] if number == 1 else [number % 4, 9]
            lines += [f"i{number},{rank},{one},{first * factor / rank}" for rank, one in enumerate(answers, 1)]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with told.study.begin() as begun:
        files = [folder / "one.csv", folder / "two.csv"]
        add_predictions(begun, PredictionSource(files), allow_missing=lowest > 0)


def list_tasks(told: Told, campaign: CampaignEntry) -> list[dict[str, Any]]:
    with told.study.read() as reading:
        return [dict(task) for task in load_work(reading, campaign).values()]


def test_the_highest_score_is_found_and_none_where_nobody_answers() -> None:
    first = (np.array([[1, 2], [3, 4]]), np.array([[0.6, 0.2], [0.5, 0.1]], np.float32))
    second = (np.array([[2], [3]]), np.array([[0.9], [0.4]], np.float32))
    scores = AnswerScores((first[0], second[0]), (first[1], second[1]))
    found = scores.find_highest(np.array([0, 0, 1, 1, 1]), np.array([1, 2, 3, 4, 5]))
    assert found.tolist()[:4] == pytest.approx([0.6, 0.9, 0.5, 0.1])
    assert np.isnan(found[4])


@pytest.mark.parametrize("words", [(), ("--by", "class-pair")])
def test_labels_are_shown_with_the_highest_score_of_the_chosen_participants(
    told: Told, tmp_path: Path, words: tuple[str, ...]
) -> None:
    add_scored(told, tmp_path)
    ask(told, *SCORED, *words)
    visitor, campaign = enter(told), told.get("experts")
    scores = []
    for task in visitor.take(campaign, 5):
        scores += [one["score"] for one in task["view"]["items"]]
    assert scores
    assert set(scores) <= {0.75, 0.375}
    assert campaign.plan.settings["n_scored"] == campaign.n_tasks
    two = [one["scores"] for one in list_tasks(told, campaign) if one["classes"] == [1, 7]]
    assert two == ([] if words else [{"1": 0.375, "7": 0.75}])


def test_no_byte_tells_a_score_unless_it_is_asked_for(told: Told, tmp_path: Path) -> None:
    add_scored(told, tmp_path)
    ask(told, *SCORED[:-1])
    visitor, campaign = enter(told), told.get("experts")
    replies = [visitor.post(f"/api/campaigns/{campaign.id}/tasks", {"n": 5})]
    replies += [visitor.get(f"/campaigns/{campaign.id}"), visitor.get(f"/api/classes/1/card?campaign={campaign.id}")]
    for reply in replies:
        assert reply.status_code == 200
        assert not [word for word in ("0.75", "0.375", '"score') if word in reply.text]
    assert not [task for task in list_tasks(told, campaign) if "scores" in task]


def test_a_task_shows_all_scores_or_none_and_as_many_others_show_none(told: Told, tmp_path: Path) -> None:
    """The models have answered all but the first six images, of whose dataset labels five are asked about."""
    add_scored(told, tmp_path, lowest=6)
    ask(told, *SCORED)
    tasks = list_tasks(told, told.get("experts"))
    scored = [task for task in tasks if "scores" in task]
    assert len(tasks) == N_IMAGES - 1
    assert len(scored) == N_IMAGES - 1 - 2 * 5
    assert all(set(task["scores"]) == {str(one) for one in task["classes"]} for task in scored)


def test_where_most_labels_have_no_score_it_is_refused(told: Told, tmp_path: Path) -> None:
    add_scored(told, tmp_path, lowest=14)
    with pytest.raises(FieldError, match="Of 23 tasks 13 have a label that no participant answers"):
        ask(told, *SCORED)


def test_answers_without_scores_and_scores_that_are_no_shares_are_refused(told: Told, tmp_path: Path) -> None:
    with pytest.raises(FieldError, match=r"answers of good have no scores, .* people .*`participants=…`"):
        ask(told, "--show-score")
    reply = fill_in(told.enter(told.manager), {**FILLED_IN, "show_score": "on"})
    assert reply.status_code == 422
    assert "good have no scores" in reply.json()["fields"]["show_score"]
    add_scored(told, tmp_path, factor=10.0)
    with pytest.raises(FieldError, match=r"scores of one are not shares between 0 and 1, but run from 2.5 to 5"):
        ask(told, *SCORED)


def test_complete_labelling_shows_no_scores(told: Told) -> None:
    with pytest.raises(FieldError, match="asks about no participant's answers"):
        ask(told, "--mode", "complete", "--show-score")
