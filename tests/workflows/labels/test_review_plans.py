"""Reviews that are planned and followed in a study, on both databases."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.workflows.labels.review_studies import IDS, fill_study, follow, make_plan, review_images

from regauge.errors import FormatError, InputError
from regauge.formats.labels.review_plans import load_review_plan
from regauge.records.evaluation.sampled_reviews import SettledBy
from regauge.workflows.labels.review_plans import (
    ReviewRequest,
    follow_study_review,
    plan_study_review,
    save_review_plan,
)
from regauge.workflows.studies.study import Study


def test_a_plan_is_kept_in_a_file_and_followed_version_by_version(study: Study, tmp_path: Path) -> None:
    fill_study(study)
    review_images(study, IDS[:10])
    with study.read() as begun:
        made = plan_study_review(begun, ReviewRequest(("strong", "weak"), "R"))
    plan = made.planned.plan
    assert (plan.labels, plan.participants, plan.test_set) == ("R@1", ("strong", "weak"), "t")
    save_review_plan(made.planned, tmp_path / "plan.json")
    kept = load_review_plan(tmp_path / "plan.json")
    for column in ("image_ids", "n_items", "weights", "answers", "outcomes", "chances", "known"):
        assert getattr(kept.plan, column).tolist() == getattr(plan, column).tolist(), column
    assert (kept.plan.terms, kept.plan.predictor) == (plan.terms, plan.predictor)
    assert kept.expected[0].value == made.planned.expected[0].value
    order = plan.image_ids.tolist()
    review_images(study, [*IDS[:10], *order])
    with study.read() as begun:
        found = follow_study_review(begun, tmp_path / "plan.json")
        before = follow_study_review(begun, tmp_path / "plan.json", labels="R@1")
    assert (found.progress.standings[0].ahead, found.progress.standings[0].by) == ("strong", SettledBy.SAMPLE)
    assert found.n_more == (0,)
    assert (before.progress.n_reviewed, before.progress.standings[0].sign) == (0, None)
    with pytest.raises(InputError, match=r"plan\.json exists"):
        save_review_plan(made.planned, tmp_path / "plan.json")


def test_a_review_takes_about_what_was_forecast_where_the_predictor_is_near(tmp_path: Path) -> None:
    found = follow(tmp_path, range(60))
    (standing,), (expected,) = found.progress.standings, found.planned.expected
    assert standing.sign == 1
    assert standing.n_items <= expected.high


def test_dataset_labels_can_be_trusted(study: Study) -> None:
    fill_study(study)
    with study.read() as begun:
        judged = plan_study_review(begun, ReviewRequest(("strong", "weak")))
        trusted = plan_study_review(begun, ReviewRequest(("strong", "weak"), trust_dataset_labels=True))
    assert trusted.forecast.n_items < judged.forecast.n_items
    assert trusted.planned.plan.trust_dataset_labels


def test_everybody_is_compared_by_default(study: Study) -> None:
    fill_study(study)
    with study.read() as begun:
        made = plan_study_review(begun, ReviewRequest())
        assert len(made.planned.plan.pairs) == 3
        with pytest.raises(InputError, match="No participant on t matches 'nobody'"):
            plan_study_review(begun, ReviewRequest(("nobody",)))
        with pytest.raises(InputError, match="no label set 'L'"):
            plan_study_review(begun, ReviewRequest(labels="L"))


def test_a_plan_without_a_label_set_is_followed_by_the_one_that_is_named(study: Study, tmp_path: Path) -> None:
    fill_study(study)
    path = tmp_path / "plan.json"
    with study.read() as begun:
        made = plan_study_review(begun, ReviewRequest(("strong", "weak")))
        save_review_plan(made.planned, path)
        # Nobody has judged anything yet.
        assert follow_study_review(begun, path).progress.n_reviewed == 0
    review_images(study, made.planned.plan.image_ids.tolist())
    with study.read() as begun:
        with pytest.raises(InputError, match=r"plan\.json was made without a label set.*`labels=…`: there is 'R'\."):
            follow_study_review(begun, path)
        found = follow_study_review(begun, path, labels="R")
    assert found.progress.standings[0].ahead == "strong"


def test_a_plan_by_a_label_set_without_version_is_followed_by_its_latest(study: Study, tmp_path: Path) -> None:
    fill_study(study)
    path = tmp_path / "plan.json"
    with study.read() as begun:
        made = plan_study_review(begun, ReviewRequest(("strong", "weak"))).planned
    save_review_plan(replace(made, plan=replace(made.plan, labels="R")), path)
    review_images(study, made.plan.image_ids.tolist())
    with study.read() as begun:
        assert follow_study_review(begun, path).progress.n_reviewed == len(made.plan)


def test_images_that_the_plan_does_not_have_cannot_be_left_out(study: Study, tmp_path: Path) -> None:
    fill_study(study)
    path = tmp_path / "plan.json"
    with study.read() as begun:
        planned = plan_study_review(begun, ReviewRequest(("strong", "weak"))).planned
        save_review_plan(planned, path)
        first = str(planned.plan.image_ids[0])
        assert follow_study_review(begun, path, without=[first, first]).progress.n_worst == 1
        with pytest.raises(InputError, match=r"^1 image is not in the plan, so `without=…` says nothing of it: 'x'\.$"):
            follow_study_review(begun, path, without=[first, "x"])
        with pytest.raises(InputError, match=r"^5 images are not in the plan, .*: 'v', 'w', 'x' and 2 more\.$"):
            follow_study_review(begun, path, without=list("zyxwv"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "other"}, "this is not a plan of a review"),
        ({"version": 2}, "this plan is of version 2, and version 1 is read"),
        ({"weights": [0.0]}, "this plan of a review is damaged"),
        ({"participants": ["strong"]}, "this plan of a review is damaged"),
        ({"terms": {"metric": "top1"}}, "this plan of a review is damaged"),
        ({"forecast": []}, "this plan of a review is damaged"),
    ],
)
def test_other_files_are_refused(change, said, tmp_path: Path) -> None:
    save_review_plan(make_plan(tmp_path).planned, tmp_path / "plan.json")
    content = json.loads((tmp_path / "plan.json").read_text())
    (tmp_path / "plan.json").write_text(json.dumps({**content, **change}))
    with pytest.raises(FormatError, match=said):
        load_review_plan(tmp_path / "plan.json")
