"""What the command line says comes next while people are asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.workflows.campaigning import add_contains, add_people, answer, make_answer, make_pictured, take
from tests.workflows.pooling import make_pooled

from regauge import Predictions
from regauge.records.contains import ContainsSettings
from regauge.records.sampling import SamplingPlan, Strategy
from regauge.storage.testsets import get_test_set, load_test_set
from regauge.workflows.campaign_labels import build_labels
from regauge.workflows.campaigns import open_campaign
from regauge.workflows.draws import draw_test_set
from regauge.workflows.next_steps import find_campaign_steps
from regauge.workflows.studies import Study, describe_status
from regauge.workflows.study_predictions import PredictionSource, add_predictions


@pytest.fixture
def pictured(tmp_path: Path) -> Iterator[Study]:
    with make_pictured(tmp_path) as study:
        yield study


def list_steps(study: Study) -> list[str]:
    with study.read() as reading:
        return list(find_campaign_steps(reading, describe_status(reading)))


def test_a_campaign_is_opened_then_answered_then_made_into_labels_then_done(pictured: Study) -> None:
    campaign = add_contains(pictured, "two words", quota=1, is_open=False)
    assert list_steps(pictured) == ["Open campaign two words: regauge campaign open 'two words'"]
    with pictured.begin() as begun:
        open_campaign(begun, campaign.plan.name)
    assert list_steps(pictured) == ["Let people answer two words, which needs 8 more answers: regauge serve"]
    (who,) = add_people(pictured, campaign, 1)
    while given := take(pictured, campaign, who, n=8):
        answer(pictured, *map(make_answer, given))
    step = "Make labels of the answers to two words: regauge campaign labels 'two words' --name LABELS"
    assert list_steps(pictured) == [step]
    with pictured.begin() as begun:
        build_labels(begun, campaign.plan.name, name="people", settings=ContainsSettings(rules=None))
    assert list_steps(pictured) == []


def test_drawn_sets_are_to_be_compared_with_the_original_and_not_with_each_other(tmp_path: Path) -> None:
    plan = SamplingPlan(Strategy.TOP_IMAGES, per_class=5)
    with make_pooled(tmp_path) as pooled, pooled.study.begin() as begun:
        for name in ("one", "two"):
            draw_test_set(begun, plan, name=name, sources=pooled.sources)
        for name in ("original", "one", "two"):
            test_set = load_test_set(begun, get_test_set(begun, name))
            answers = Predictions("model", test_set.image_ids, np.roll(test_set.labels, 1))
            add_predictions(begun, PredictionSource(answers), test_set=name)
        steps = describe_status(begun).next_steps
    assert [step for step in steps if step.startswith("Compare")] == [
        "Compare original and one: regauge compare original one",
        "Compare original and two: regauge compare original two",
    ]
