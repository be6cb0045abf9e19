"""What the soak demands can fail: a vote that is lost, changed or of nobody is found."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scripts.soak_annotators import Annotator, BrokenPromiseError, Sent, make_answer
from scripts.soak_checks import SoakReport, check
from scripts.soak_study import CAMPAIGNS, make_circumstances, make_study
from sqlalchemy import delete, select, update
from tests.workflows.campaign_studies import answer

from regauge.records.campaigns.campaign import NewAnswer
from regauge.records.studies import LabelSetEntry
from regauge.storage.database.schema import responses
from regauge.workflows.annotation.choosing import take_tasks
from regauge.workflows.annotation.showing import view_task
from regauge.workflows.annotation.tasks import consent
from regauge.workflows.campaigns.campaign import get_campaign
from regauge.workflows.labels.campaign_labels import build_labels
from regauge.workflows.people.invitations import Invitation
from regauge.workflows.studies.study import Study, open_study
from scripts import soak_checks

N_PEOPLE, N_TASKS = 3, 4


@pytest.fixture
def worked(tmp_path: Path) -> tuple[Path, list[Annotator]]:
    """A study in which three people answered some tasks of every campaign and changed one answer each; with their notebooks."""
    numbers, invited = make_study(tmp_path, 1, database="", n_annotators=N_PEOPLE)
    chance = random.Random(0)  # noqa: S311 - answers, not secrets
    study = open_study(tmp_path / "study", around=make_circumstances(tmp_path / "offset"))
    people = [_work(study, one, numbers=numbers, chance=chance) for one in invited]
    study.close()
    return tmp_path, people


def _work(study: Study, who: Invitation, *, numbers: tuple[int, ...], chance: random.Random) -> Annotator:
    own = Annotator(who.annotator.name, who.token, 0, numbers, chance)
    for number in numbers:
        with study.begin() as begun:
            consent(begun, number, annotator_id=who.annotator.id, version=1)
            campaign = get_campaign(begun, number)
            taken = take_tasks(begun, number, annotator_id=who.annotator.id, n=N_TASKS)
            views = [(one.id, view_task(begun, one, campaign)) for one in taken]
        shown = {own_id: {"kind": str(campaign.kind), "images": [""] * 16, "view": view} for own_id, view in views}
        for place, (assignment_id, task) in enumerate(shown.items()):
            for revision in range(2 if place == 0 else 1):
                made = Sent(f"{number}-{who.annotator.id}-{place}-{revision}", assignment_id, {}, 1.0, revision)
                made.answer.update(make_answer(task, chance))
                answer(study, NewAnswer(made.client_id, assignment_id, who.annotator.id, made.answer, 1.0, revision))
                own.sent[made.client_id] = made
                own.promised.add(made.client_id)
    return own


def run_check(worked: tuple[Path, list[Annotator]], spoil: Callable[[Study], object] = lambda _: None) -> SoakReport:
    """What the checks say once the study was spoilt."""
    folder, people = worked
    study = open_study(folder / "study", around=make_circumstances(folder / "offset"))
    with study.begin() as begun:
        spoil(begun)
    study.close()
    return check(folder, people, n_kills=0, counts=Counter())


def test_votes_that_are_all_there_make_the_verdicts_of_the_notebooks(worked: tuple[Path, list[Annotator]]) -> None:
    report = run_check(worked)
    assert report.n_answers == N_PEOPLE * len(CAMPAIGNS) * (N_TASKS + 1)
    assert report.n_revisions == N_PEOPLE * len(CAMPAIGNS)
    assert all(own.total() > N_TASKS for own in report.verdicts.values())
    assert "0 surplus" in report.describe()


@pytest.mark.parametrize("revision", [0, 1])
def test_an_answer_that_is_lost_is_missed(worked: tuple[Path, list[Annotator]], revision: int) -> None:
    lost = f"{len(CAMPAIGNS)}-1-0-{revision}"
    with pytest.raises(BrokenPromiseError, match=f"There should be {lost}, which was acknowledged"):
        run_check(
            worked, lambda study: study.connection.execute(delete(responses).where(responses.c.client_id == lost))
        )


def test_a_vote_that_was_changed_is_found(worked: tuple[Path, list[Annotator]]) -> None:
    def change(study: Study) -> None:
        mine = responses.c.client_id == "2-1-1-0"
        stored = study.connection.scalars(select(responses.c.answer).where(mine)).one()
        key, word = next(iter(stored["verdicts"].items()))
        other = {**stored["verdicts"], key: "wrong" if word != "wrong" else "correct"}
        study.connection.execute(update(responses).where(mine).values(answer={**stored, "verdicts": other}))

    with pytest.raises(BrokenPromiseError, match="2-1-1-0 as it was sent"):
        run_check(worked, change)


def test_a_label_set_that_leaves_out_a_vote_is_found(
    worked: tuple[Path, list[Annotator]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All answers are there, but labels are made of fewer: the notebooks tell."""

    def build_fewer(study: Study, campaign: str, **more: Any) -> LabelSetEntry:
        return build_labels(study, campaign, **{**more, "settings": replace(more["settings"], min_votes=2)})

    monkeypatch.setattr(soak_checks, "build_labels", build_fewer)
    with pytest.raises(BrokenPromiseError, match="the votes of review-by-image that reviewers were told are saved"):
        run_check(worked)
