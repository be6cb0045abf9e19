"""What `soak_server.py` demands at the end: what people were promised is there, once and whole, and makes the labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.soak_annotators import Annotator, BrokenPromiseError, Sent
from scripts.soak_study import CAMPAIGNS, QUOTA, REVIEWS, make_circumstances
from sqlalchemy import func, select

from regauge.records.campaigns.campaign import ResponseStatus
from regauge.records.labels.review_votes import ReviewSettings
from regauge.records.labels.verdicts import Verdict
from regauge.storage.campaigns.campaign import measure_progress
from regauge.storage.campaigns.ledgers import load_image_ids
from regauge.storage.database.schema import annotators, assignments, responses, tasks
from regauge.storage.labels.evidence import find_evidence
from regauge.storage.labels.label_set import load_label_set
from regauge.workflows.campaigns.responses import load_answers
from regauge.workflows.labels.campaign_labels import build_labels
from regauge.workflows.studies.study import Study, open_study

Pair = tuple[str, int]
"""An image and a class."""


@dataclass(frozen=True, slots=True)
class SoakReport:
    """What happened, in numbers.

    Attributes:
        n_kills: how often the server was killed.
        n_answers: answers that people were told are saved.
        n_counted: answers to tasks that still had room, revisions among them.
        n_surplus: answers that came when a task had enough.
        n_revisions: answers that changed an earlier one.
        verdicts: of each review, how many verdicts of each kind its label set has.
        counts: what else happened.
    """

    n_kills: int
    n_answers: int
    n_counted: int
    n_surplus: int
    n_revisions: int
    verdicts: dict[str, Counter[str]]
    counts: Counter[str]

    def describe(self) -> str:
        """The numbers in words."""
        happened = ", ".join(f"{n:,} {what}" for what, n in sorted(self.counts.items()))
        n_verdicts = sum(own.total() for own in self.verdicts.values())
        return (
            f"Killed {self.n_kills} times. All of {self.n_answers:,} acknowledged answers are there once and whole "
            f"({self.n_counted:,} counted, {self.n_surplus:,} surplus, {self.n_revisions:,} revisions). All of {n_verdicts:,} "
            f"verdicts of {len(self.verdicts)} reviews rest on the votes that reviewers were told are saved. It had: {happened}."
        )


def check(folder: Path, people: Sequence[Annotator], *, n_kills: int, counts: Counter[str]) -> SoakReport:
    """Compare what people were promised with what is there.

    Raises:
        BrokenPromiseError: something was lost, doubled or spoilt.
    """
    sent = {client_id: (one.name, answer) for one in people for client_id, answer in one.sent.items()}
    promised = {client_id for one in people for client_id in one.promised}
    study = open_study(folder / "study", around=make_circumstances(folder / "offset"))
    with study.read() as begun:
        if begun.engine.dialect.name == "sqlite":
            _demand(begun.connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok", "a sound database")
            _demand(not begun.connection.exec_driver_sql("PRAGMA foreign_key_check").all(), "no dangling rows")
        stored = _check_answers(begun, sent, promised)
        _check_quotas(begun)
        last = _find_last_revisions(begun, people)
        _check_last_revisions(begun, last)
    with study.begin() as begun:
        verdicts = {name: _check_verdicts(begun, name, last) for name in REVIEWS}
    study.close()
    return SoakReport(
        n_kills=n_kills,
        n_answers=len(promised),
        n_counted=sum(status == ResponseStatus.COUNTED for status in stored.values()),
        n_surplus=sum(status == ResponseStatus.SURPLUS for status in stored.values()),
        n_revisions=sum(answer.revision > 0 for _, answer in sent.values()),
        verdicts=verdicts,
        counts=counts,
    )


def _check_answers(study: Study, sent: dict[str, tuple[str, Sent]], promised: set[str]) -> dict[str, str]:
    """Every row is an answer that was sent, whole; every answer that was acknowledged is a row."""
    query = select(
        responses.c.client_id,
        annotators.c.name,
        responses.c.assignment_id,
        responses.c.answer,
        responses.c.claimed_seconds,
        responses.c.revision,
        responses.c.status,
    ).join(annotators, annotators.c.id == responses.c.annotator_id)
    rows = study.connection.execute(query).all()
    for client_id, name, assignment_id, answer, seconds, revision, _status in rows:
        said = {what: value for what, value in answer.items() if what != "version"}
        made = Sent(client_id, assignment_id, said, seconds, revision)
        _demand(sent.get(client_id) == (name, made), f"{client_id} as it was sent, not {made}")
    stored = {row.client_id: row.status for row in rows}
    _demand(len(stored) == len(rows), "every answer once")
    for client_id in promised:
        _demand(client_id in stored, f"{client_id}, which was acknowledged")
    return stored


def _check_quotas(study: Study) -> None:
    """No task counts more people than it needs; nobody has one twice; revisions have the status of what they revise."""
    n_people = func.count(responses.c.annotator_id.distinct())
    counted = responses.c.status == ResponseStatus.COUNTED.value
    most = study.connection.execute(
        select(responses.c.task_id, n_people).where(counted).group_by(responses.c.task_id)
    ).all()
    _demand(all(n <= QUOTA for _, n in most), f"at most {QUOTA} counted answers per task")
    pairs = (assignments.c.task_id, assignments.c.annotator_id)
    twice = select(*pairs).group_by(*pairs).having(func.count() > 1)
    _demand(not study.connection.execute(twice).all(), "nobody with a task twice")
    mixed = (
        select(responses.c.assignment_id)
        .group_by(responses.c.assignment_id)
        .having(func.count(responses.c.status.distinct()) > 1)
    )
    _demand(not study.connection.execute(mixed).all(), "one status per assignment")
    n_counted = sum(measure_progress(study, load_answers(study, name).campaign).n_counted for name in CAMPAIGNS)
    _demand(n_counted == sum(n for _, n in most), "progress that counts what is there")


def _find_last_revisions(study: Study, people: Sequence[Annotator]) -> dict[tuple[str, int], Sent]:
    """By person and task, the last answer that was made."""
    rows = study.connection.execute(select(assignments.c.id, assignments.c.task_id)).all()
    task_of = {assignment_id: task_id for assignment_id, task_id in rows}  # noqa: C416 - rows are not pairs to mypy
    last: dict[tuple[str, int], Sent] = {}
    for one in people:
        for answer in one.sent.values():
            key = (one.name, task_of[answer.assignment_id])
            last[key] = max(answer, last.get(key, answer), key=lambda found: found.revision)
    return last


def _check_last_revisions(study: Study, last: dict[tuple[str, int], Sent]) -> None:
    """Of each assignment, the answer that holds is the last revision that was made."""
    left = dict(last)
    client_of = {row.id: row.client_id for row in study.connection.execute(select(responses))}
    for campaign in CAMPAIGNS:
        held = load_answers(study, campaign, with_surplus=True).held
        who, what = held.annotators[held.columns.annotators], held.tasks.ids[held.columns.tasks]
        for name, task_id, number in zip(who.tolist(), what.tolist(), held.columns.ids.tolist(), strict=True):
            made = left.pop((name, task_id))
            _demand(client_of[number] == made.client_id, f"revision {made.revision} of {made.assignment_id} to hold")
    _demand(not left, "an answer for every assignment that was answered")


def _check_verdicts(study: Study, campaign: str, last: dict[tuple[str, int], Sent]) -> Counter[str]:
    """The labels of a review, made and stored, are those of the reviewers' notebooks; how many there are of each verdict."""
    votes = _list_votes(study, campaign, last)
    rule = ReviewSettings(keep_wrong_labels=True, screening=False)
    entry = build_labels(study, campaign, name=campaign, settings=rule)
    evidence = find_evidence(study, entry).by_pair
    found = {pair: {vote.who: vote.verdict.name.lower() for vote in one.votes} for pair, one in evidence.items()}
    _demand(found == votes, f"the votes of {campaign} that reviewers were told are saved")
    labels = load_label_set(study, entry)
    told = Counter(_decide(list(own.values())) for own in votes.values())
    pairs = zip(labels.image_ids[labels.rows].tolist(), labels.classes.tolist(), strict=True)
    made = {pair: Verdict(verdict).name.lower() for pair, verdict in zip(pairs, labels.verdicts, strict=True)}
    _demand(Counter(made.values()) == told, f"as many verdicts of {campaign} as the notebooks give: {told}")
    _demand(all(made[pair] == _decide(list(own.values())) for pair, own in votes.items()), "the verdict of the most")
    return told


def _list_votes(study: Study, campaign: str, last: dict[tuple[str, int], Sent]) -> dict[Pair, dict[str, str]]:
    """By image and class, who said what, from the notebooks; the server alone knows which answers count."""
    entry = load_answers(study, campaign).campaign
    image_ids = load_image_ids(study, entry)
    query = select(tasks.c.id, tasks.c.payload).where(tasks.c.campaign_id == entry.id)
    payloads = {task_id: payload for task_id, payload in study.connection.execute(query)}  # noqa: C416 - rows are not pairs to mypy
    is_counted = responses.c.status == ResponseStatus.COUNTED.value
    counted = set(study.connection.scalars(select(responses.c.assignment_id).where(is_counted)))
    votes: dict[Pair, dict[str, str]] = {}
    for (name, task_id), made in last.items():
        if task_id in payloads and made.assignment_id in counted:
            for number, index, word in _read(payloads[task_id], made):
                votes.setdefault((str(image_ids[number]), index), {})[name] = word
    return votes


def _read(task: dict[str, Any], made: Sent) -> Iterator[tuple[int, int, str]]:
    """The images, classes and verdicts of an answer; a class that was named besides was found correct."""
    for key, word in made.answer["verdicts"].items():
        is_grid = "grid" in task
        yield (task["images"][int(key)], task["classes"][0], word) if is_grid else (task["images"][0], int(key), word)
    for index in made.answer.get("more", ()):
        yield task["images"][0], index, "correct"


def _decide(words: list[str]) -> str:
    """What the most say; unclear where two share the first place."""
    first, *others = Counter(words).most_common()
    return "unclear" if others and others[0][1] == first[1] else first[0]


def _demand(is_so: bool, what: str) -> None:  # noqa: FBT001 - what is demanded
    if not is_so:
        raise BrokenPromiseError(f"There should be {what}.")
