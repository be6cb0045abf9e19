"""A campaign on a pool asks about the candidates that can still be taken, by command and by form alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from tests.workflows.answer_rows import load_tasks
from tests.workflows.pool_studies import Pooled, make_pooled

from regauge.campaigns.fields import QuestionSource
from regauge.campaigns.sources import Album
from regauge.errors import InputError
from regauge.kinds.contains.making import find_controls
from regauge.records.campaigns.campaign import CampaignEntry, CampaignPlan, Kind
from regauge.records.predictions import Predictions
from regauge.records.responses.answers import GridShape
from regauge.records.testsets.pool import Exclusion, ExclusionRule
from regauge.storage.campaigns.campaign import load_campaign_images
from regauge.storage.testsets.pool import get_pools, insert_exclusions
from regauge.storage.testsets.test_set import load_test_set
from regauge.workflows.campaigns.campaign import LEFT_OUT
from regauge.workflows.campaigns.image_sets import open_images
from regauge.workflows.campaigns.requests import CampaignRequest, make_campaign
from regauge.workflows.demo.campaigns import ContainsQuestions, create_contains
from regauge.workflows.pools.filters import RestoreRequest, restore_images
from regauge.workflows.predictions import PredictionSource, add_predictions

SHAPE = GridShape(4, n_positive=0, n_negative=0)
PLAN = CampaignPlan("grids", Kind("contains"), 3)
EXCLUDED = {"c0-00", "c3-37"}


@pytest.fixture
def pooled(tmp_path: Path) -> Iterator[Pooled]:
    """A pool of 76 candidates with files, of which a rule each excludes two."""
    with make_pooled(tmp_path, with_files=True) as made:
        made.exclude("c0-00", ExclusionRule.NEAR_DUPLICATE, "a copy")
        made.exclude("c3-37", ExclusionRule.WINDOW, "too late")
        yield made


def ask(pooled: Pooled, questions: ContainsQuestions) -> CampaignEntry:
    with pooled.study.begin() as begun:
        return create_contains(begun, PLAN, questions)


def list_shown(pooled: Pooled, campaign: CampaignEntry) -> set[str]:
    """The ids of the images that tasks of the campaign show."""
    with pooled.study.read() as reading:
        ids = load_test_set(reading, get_pools(reading)[0]).image_ids
        images = load_campaign_images(reading, campaign.id)
        tasks = load_tasks(reading, campaign).values()
    numbers = {cell[0] for task in tasks for cell in task.get("cells", ())} | {
        task["image"] for task in tasks if "image" in task
    }
    return {str(ids[images[number].row]) for number in numbers}


def test_excluded_candidates_are_left_out_and_counted(pooled: Pooled) -> None:
    made = ask(pooled, ContainsQuestions("batch", shape=SHAPE, seed=0))
    assert (made.plan.settings["n_pairs"], made.plan.settings[LEFT_OUT]) == (74, 2)
    shown = list_shown(pooled, made)
    assert (len(shown), shown & EXCLUDED) == (74, set())


def test_pairs_are_asked_about_as_they_are_given(pooled: Pooled) -> None:
    made = ask(pooled, ContainsQuestions("batch", pairs=[("c0-00", 0), ("c0-01", 0)], shape=SHAPE, seed=0))
    assert LEFT_OUT not in made.plan.settings
    assert list_shown(pooled, made) == {"c0-00", "c0-01"}


def test_candidates_are_no_controls_unless_they_are_named(pooled: Pooled) -> None:
    questions = ContainsQuestions("batch", shape=GridShape(4, n_positive=1, n_negative=0), seed=0)
    with pytest.raises(InputError, match=r"candidates of batch show is not known yet.*with `controls=…`"):
        ask(pooled, questions)


def test_an_excluded_candidate_is_no_control(pooled: Pooled) -> None:
    with pooled.study.read() as reading:
        known = open_images(reading, "batch")
        controls = find_controls(known, np.array([0, 3]), album=Album(), taxonomy=reading.taxonomy)
    assert [len(rows) for rows in controls.positive.values()] == [37, 37]


def test_a_candidate_that_came_back_joins_no_campaign_that_is_stored(pooled: Pooled) -> None:
    """A later round draws controls anew; the images of the campaign are those that it was made with."""
    questions = ContainsQuestions("batch", controls="batch", shape=GridShape(4, n_positive=1, n_negative=0), seed=0)
    made = ask(pooled, questions)
    with pooled.study.begin() as begun:
        restore_images(begun, RestoreRequest(("c0-00",), reason="it is not a copy"))
        known = {image: number for number, image in enumerate(load_campaign_images(begun, made.id))}
        album = Album(dict(known), is_closed=True)
        opened = open_images(begun, "batch")
        controls = find_controls(opened, np.array([0]), album=album, taxonomy=begun.taxonomy)
    assert (len(controls.positive[0]), album.numbers) == (37, known)


def test_a_pool_of_which_all_is_excluded_cannot_be_asked_about(pooled: Pooled) -> None:
    with pooled.study.begin() as begun:
        entry = get_pools(begun)[0]
        ids = load_test_set(begun, entry).image_ids.tolist()
        insert_exclusions(
            begun, entry, [Exclusion(one, ExclusionRule.LIST, is_excluded=True, reason="no") for one in ids]
        )
    with pytest.raises(InputError, match="All images of batch that have a file are excluded; see why with: regauge"):
        ask(pooled, ContainsQuestions("batch", shape=SHAPE, seed=0))


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        (Kind("contains"), QuestionSource.LABELS),
        (Kind("contains"), QuestionSource.PREDICTIONS),
        (Kind("classify"), QuestionSource.PREDICTIONS),
    ],
)
def test_the_form_leaves_out_the_same(pooled: Pooled, kind: Kind, source: QuestionSource) -> None:
    with pooled.study.begin() as begun:
        ids = load_test_set(begun, get_pools(begun)[0]).image_ids
        answers = Predictions("model", ids, np.full((len(ids), 1), 5, np.int32))
        add_predictions(begun, PredictionSource([answers]), test_set="batch")
        made = make_campaign(
            begun, CampaignRequest(kind, "asked", "batch", 3, source=source, top=1, settings=asdict(SHAPE), seed=0)
        )
    assert made.plan.settings[LEFT_OUT] == 2
    assert not list_shown(pooled, made) & EXCLUDED
