"""A small study whose participants differ, and reviewers who know the truth."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
from tests.storage.small_studies import make_study

from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.predictions import Predictions
from regauge.workflows.labels.audits import ReportedAudit, draw_study_audit, report_study_audit
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.labels.review_plans import (
    FollowedReview,
    MadeReviewPlan,
    ReviewRequest,
    follow_study_review,
    plan_study_review,
    save_review_plan,
)
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import add_test_set

N = 200
IDS = [f"i{one:03d}" for one in range(N)]
LABELS = np.random.default_rng(1).integers(0, 4, N)
RATES = {"strong": 0.95, "weak": 0.55, "twin": 0.94}


def fill_study(study: Study) -> None:
    """200 images and three participants, of which two are close."""
    rng = np.random.default_rng(2)
    path = study.paths.folder.parent / "t.csv"
    path.write_text("image_id,label\n" + "".join(f"{one},{label}\n" for one, label in zip(IDS, LABELS, strict=True)))
    with study.begin() as begun:
        add_test_set(begun, path)
        for name, rate in RATES.items():
            answers = np.where(rng.random(N) < rate, LABELS, rng.integers(4, 8, N))
            add_predictions(begun, PredictionSource([Predictions(name, IDS, answers)]))


def review_images(study: Study, ids: Sequence[str], *, problematic: Collection[str] = ()) -> None:
    """A new version of the label set R: on these images the dataset label is correct, and whatever else is answered wrong."""
    correct = [[int(LABELS[IDS.index(one)])] for one in ids]
    wrong = [[other for other in range(8) if other != one] for (one,) in correct]
    flags = [one in problematic for one in ids]
    labels = LabelSet.from_lists("R", list(ids), correct=correct, wrong=wrong, is_problematic=flags)
    with study.begin() as begun:
        add_labels(begun, Truth(label_sets=(labels,)), name="R")


def make_plan(folder: Path, participants: Sequence[str] = ("strong", "weak"), *, n_done: int = 0) -> MadeReviewPlan:
    """What is planned in a new study in which so many images of the beginning are reviewed already."""
    with make_study(folder) as study:
        fill_study(study)
        if n_done:
            review_images(study, IDS[:n_done])
        with study.read() as begun:
            return plan_study_review(begun, ReviewRequest(participants, "R" if n_done else None))


def follow(
    folder: Path,
    places: Sequence[int],
    *,
    without: Sequence[int] = (),
    participants: Sequence[str] = ("strong", "weak"),
) -> FollowedReview:
    """How far a review of the images at these places of the order has come."""
    with make_study(folder) as study:
        fill_study(study)
        with study.read() as begun:
            made = plan_study_review(begun, ReviewRequest(participants))
        ids = made.planned.plan.image_ids.tolist()
        save_review_plan(made.planned, folder / "plan.json")
        chosen = [ids[place] for place in places]
        if chosen:
            review_images(study, chosen)
        with study.read() as begun:
            hidden = [ids[place] for place in without]
            return follow_study_review(begun, folder / "plan.json", labels="R" if chosen else None, without=hidden)


def judge_audit(study: Study, ids: Sequence[str], *, n_wrong: int = 0, n_problematic: int = 0) -> None:
    """The label set A: verdicts on the dataset labels of some images, of which the first are wrong and the last problematic."""
    labels = [int(LABELS[IDS.index(one)]) for one in ids]
    judged = LabelSet.from_lists(
        "A",
        list(ids),
        correct=[[one] if place >= n_wrong else [] for place, one in enumerate(labels)],
        wrong=[[one] if place < n_wrong else [] for place, one in enumerate(labels)],
        is_problematic=[place >= len(ids) - n_problematic for place in range(len(ids))],
    )
    with study.begin() as begun:
        add_labels(begun, Truth(label_sets=(judged,)), name="A")


def report_on(folder: Path, n_judged: int, *, n_audited: int = 40) -> ReportedAudit:
    """What an audit says of which so many images are judged."""
    with make_study(folder) as study:
        fill_study(study)
        with study.read() as begun:
            sample = draw_study_audit(begun, ReviewRequest(), path=folder / "audit.json", n=n_audited)
        judge_audit(study, sample.image_ids[:n_judged].tolist() or IDS[-1:], n_wrong=1)
        with study.read() as begun:
            return report_study_audit(begun, folder / "audit.json", labels="A")
