"""Somebody taken out of a study: their name, their link, what they answered, and the bytes of all that."""

from __future__ import annotations

import re
import shlex
import sqlite3
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from typing import Any, NamedTuple

from sqlalchemy import RowMapping, Select, Table, delete, func, insert, select, text, update

from regauge.errors import StorageError
from regauge.records.campaigns.campaign import AnnotatorEntry, CampaignEntry
from regauge.records.campaigns.image_reports import TAKEN_OUT
from regauge.storage.campaigns.assignments import end_leases
from regauge.storage.campaigns.campaign import is_work, list_campaigns, set_settings
from regauge.storage.campaigns.comments import delete_comments
from regauge.storage.campaigns.decisions import recount
from regauge.storage.database.engine import BUSY_SECONDS, READS_ONLY, explain_failures
from regauge.storage.database.schema import (
    annotators,
    assignments,
    attempts,
    class_relations,
    class_reviews,
    coded_mistakes,
    decisions,
    declared_exposures,
    discussion_entries,
    ended_sessions,
    erasure_requests,
    events,
    evidence_pictures,
    expertises,
    exposures,
    free_times,
    guide_cases,
    guide_versions,
    image_failures,
    image_reports,
    label_sets,
    mistake_codings,
    participants,
    predictions,
    responses,
    review_comments,
    same_people,
    slices,
    studies,
    tasks,
    verdict_evidence,
)
from regauge.storage.locks import share_lock
from regauge.storage.people.annotators import ENTRY_COLUMNS, list_annotators, make_entry, retire_name
from regauge.storage.slices.slices import void_slices
from regauge.storage.study import Study

PREFIX = "erased-"
_TEXTS: Mapping[Table, tuple[str, ...]] = {
    events: ("who", "parameters"),
    decisions: ("who", "reason"),
    label_sets: ("provenance",),
    class_reviews: ("who",),
    class_relations: ("who", "reason"),
    guide_versions: ("who", "reason", "text"),
    guide_cases: ("who", "note"),
    mistake_codings: ("who", "provenance"),
    slices: ("who", "rule", "inputs", "provenance"),
    review_comments: ("text",),
    declared_exposures: ("who", "why"),
    discussion_entries: ("who", "reason"),
    same_people: ("who", "why"),
}
"""Where names are written besides the table of annotators."""
_REFERENCES = frozenset(
    (
        *("batch", "campaign", "controls", "hits", "kind", "labels", "merged", "method"),
        *("name", "plan", "role", "rule", "rules", "superseded", "test_set", "verdicts", "derived_from", "relations"),
    )
)
"""Fields of these that name things, not people: a campaign that is called as somebody was keeps its name."""
_NAMED = (
    "annotators",
    "campaigns",
    "events",
    "decisions",
    "label_sets",
    "visits",
    "class_reviews",
    "class_relations",
    "erasure_requests",
    "expertises",
    "image_reports",
    "review_comments",
    "guide_versions",
    "guide_cases",
    "mistake_codings",
    "coded_mistakes",
    "slices",
    "verdict_evidence",
    "declared_exposures",
    "same_people",
    "discussion_entries",
    "evidence_pictures",
)
"""Tables that PostgreSQL writes anew after an erasure; they are small."""
_CHECKPOINT_SECONDS = 10


class ErasureRequest(NamedTuple):
    """That somebody asked to be erased, whether with their answers, and when they said so."""

    annotator_id: int
    with_answers: bool
    at: str


def store_request(study: Study, annotator: AnnotatorEntry, *, with_answers: bool) -> bool:
    """Keep what somebody asks for until it is carried out, the last word of each; returns whether it is anything new."""
    known = find_request(study, annotator.id)
    if known is not None and known.with_answers is with_answers:
        return False
    mine = erasure_requests.c.annotator_id == annotator.id
    study.connection.execute(delete(erasure_requests).where(mine))
    row = ErasureRequest(annotator.id, with_answers, study.around.now())
    study.connection.execute(insert(erasure_requests), row._asdict())
    return True


def find_request(study: Study, annotator_id: int) -> ErasureRequest | None:
    """What somebody asked for, or None."""
    mine = erasure_requests.c.annotator_id == annotator_id
    row = study.connection.execute(select(erasure_requests).where(mine)).one_or_none()
    return None if row is None else ErasureRequest(*row)


def list_requests(study: Study) -> tuple[tuple[AnnotatorEntry, ErasureRequest], ...]:
    """Who asked for what, whoever waits longest first."""
    query: Select[Any] = (
        select(*ENTRY_COLUMNS, erasure_requests.c.with_answers, erasure_requests.c.at)
        .join(annotators, annotators.c.id == erasure_requests.c.annotator_id)
        .order_by(erasure_requests.c.at, annotators.c.id)
    )
    rows = study.connection.execute(query)
    return tuple((make_entry(row), ErasureRequest(row.id, row.with_answers, row.at)) for row in rows)


def rename_erased(study: Study, annotator: AnnotatorEntry) -> str:
    """Give somebody a name that says nothing, take away their link, and end their sessions; returns the name."""
    if study.engine.dialect.name == "sqlite":
        study.connection.execute(text("PRAGMA secure_delete = ON"))
    new = _find_free_name(study)
    now = study.around.now()
    values = {
        "name": new,
        "token_sha256": None,
        "sessions_from": now,
        "erased_at": now,
        "erased_name_mac": retire_name(study, annotator.name),
    }
    study.connection.execute(update(annotators).where(annotators.c.id == annotator.id).values(values))
    end_leases(study, annotator.id)
    for table in (erasure_requests, ended_sessions, expertises, exposures, declared_exposures, same_people):
        study.connection.execute(delete(table).where(table.c.annotator_id == annotator.id))
    study.note_access_end()
    return new


def replace_name(study: Study, old: str, new: str) -> None:
    """Write another name wherever events, decisions, label sets, reviews, the guide, threads and reports mention somebody.

    Names inside sentences are replaced too.

    What is exactly the name of somebody else, who may be Ann where this one was ann, stays.
    """
    renew = make_replacer(old, new)
    others = {entry.name for entry in list_annotators(study)}

    def replace(content: str) -> str:
        return content if content in others else renew(content)

    for table, names in _TEXTS.items():
        columns = [table.c[name] for name in names]
        for row in study.connection.execute(select(table.c.id, *columns)).mappings().all():
            changed = _find_changes(row, names, replace)
            if changed:
                study.connection.execute(update(table).where(table.c.id == row["id"]).values(changed))
    _replace_in_reports(study, replace)
    _replace_in_evidence(study, replace)
    _replace_in_codings(study, replace)


def _replace_in_evidence(study: Study, replace: Callable[[str], str]) -> None:
    """Write another name where the verdicts of label sets say who gave them; what they said stays."""
    keys = (verdict_evidence.c.label_set_id, verdict_evidence.c.place)
    for *key, stored in study.connection.execute(select(*keys, verdict_evidence.c.evidence)).all():
        votes = {
            name: [
                [replace(who), *(map(replace, rest) if name == "arguments" else rest)] for who, *rest in stored[name]
            ]
            for name in ("votes", "first_votes", "arguments")
            if stored.get(name)
        }
        words = {name: replace(stored[name]) for name in ("note", "claim") if name in stored}
        renewed = {**stored, **words, **votes}
        if renewed != stored:
            mine = (column == value for column, value in zip(keys, key, strict=True))
            study.connection.execute(update(verdict_evidence).where(*mine).values(evidence=renewed))


def _replace_in_codings(study: Study, replace: Callable[[str], str]) -> None:
    """Write another name in what coders added to mistakes."""
    keys = (coded_mistakes.c.coding_id, coded_mistakes.c.place)
    words = (coded_mistakes.c.reason, coded_mistakes.c.note)
    for *key, reason, note in study.connection.execute(select(*keys, *words)).all():
        renewed = {"reason": replace(reason), "note": replace(note)}
        if renewed != {"reason": reason, "note": note}:
            mine = (column == value for column, value in zip(keys, key, strict=True))
            study.connection.execute(update(coded_mistakes).where(*mine).values(renewed))


def _replace_in_reports(study: Study, replace: Callable[[str], str]) -> None:
    """Write another name where people say what is wrong with images, or why one was taken out; what they say stays."""
    keys = (image_reports.c.campaign_id, image_reports.c.number, image_reports.c.annotator_id)
    for *key, words in study.connection.execute(select(*keys, image_reports.c.words)).all():
        if replace(words) != words:
            mine = (column == value for column, value in zip(keys, key, strict=True))
            study.connection.execute(update(image_reports).where(*mine).values(words=replace(words)))
    for campaign in list_campaigns(study):
        taken = campaign.plan.settings.get(TAKEN_OUT, {})
        renewed = {number: replace(reason) for number, reason in taken.items()}
        if renewed != taken:
            set_settings(study, campaign, {**campaign.plan.settings, TAKEN_OUT: renewed})


def make_replacer(old: str, new: str) -> Callable[[str], str]:
    """What puts one name in the place of another in a text, but not inside longer names.

    >>> make_replacer("ann", "erased-0001")("Ann and ann-marie, and 'ann'")
    "erased-0001 and ann-marie, and 'erased-0001'"
    """
    # Command lines have a name with blanks or quotes in the way of the shell.
    quoted = "|".join(re.escape(one) for one in dict.fromkeys((shlex.quote(old), old)))
    pattern = re.compile(rf"(?<![\w-])(?:{quoted})(?![\w-])", re.IGNORECASE)
    return lambda content: pattern.sub(lambda _: new, content)


def count_answers(study: Study, annotator: AnnotatorEntry) -> dict[int, int]:
    """Per campaign, how many tasks somebody has answered; none is listed with 0."""
    query = (
        select(tasks.c.campaign_id, func.count(responses.c.task_id.distinct()))
        .select_from(assignments)
        .join(
            responses,
            (responses.c.task_id == assignments.c.task_id) & (responses.c.annotator_id == assignments.c.annotator_id),
        )
        .join(tasks, tasks.c.id == assignments.c.task_id)
        .where(assignments.c.annotator_id == annotator.id)
        .group_by(tasks.c.campaign_id)
    )
    return {row[0]: row[1] for row in study.connection.execute(query)}


def delete_answers(study: Study, annotator: AnnotatorEntry) -> int:
    """Delete what somebody answered and wrote in threads, and when they were given what; tasks are counted anew.

    Returns:
        How many tasks they had answered.
    """
    counts = count_answers(study, annotator)
    given = {
        campaign.id: _list_tasks(study, campaign, annotator)
        for campaign in list_campaigns(study)
        if campaign.id in counts
    }
    mine = select(assignments.c.task_id).where(assignments.c.annotator_id == annotator.id)
    of_mine = responses.c.task_id.in_(mine) & (responses.c.annotator_id == annotator.id)
    study.connection.execute(delete(responses).where(of_mine))
    # SQLite may give the numbers of these answers to others, from which exposure would not be learned: all are looked at again.
    study.connection.execute(update(studies).where(studies.c.exposed_until > 0).values(exposed_until=0))
    # What was given stays, without its time. To delete it, a database would look through all answers for each row.
    given_to = update(assignments).where(assignments.c.annotator_id == annotator.id)
    study.connection.execute(given_to.values(leased_at=study.around.now(), expires_at=study.around.now()))
    for table in (attempts, evidence_pictures, free_times, image_failures, image_reports):
        study.connection.execute(delete(table).where(table.c.annotator_id == annotator.id))
    delete_comments(study, annotator.id)
    own_entries = update(discussion_entries).where(discussion_entries.c.annotator_id == annotator.id)
    study.connection.execute(own_entries.values(reason=""))
    for campaign in list_campaigns(study):
        if campaign.id in given:
            recount(study, campaign, given[campaign.id])
    return sum(counts.values())


def delete_participants(study: Study, names: Collection[str]) -> None:
    """Delete what participants answered, on all test sets, and what is said of them and of their mistakes.

    Arrays go when the study is next opened. Slices that were chosen with any of this are void from then on.
    """
    void_slices(study, names)
    mine = select(mistake_codings.c.id).where(mistake_codings.c.participant.in_(sorted(names)))
    study.connection.execute(delete(coded_mistakes).where(coded_mistakes.c.coding_id.in_(mine)))
    columns = [table.c.participant for table in (predictions, declared_exposures, same_people, mistake_codings)]
    for column in (*columns, participants.c.name):
        study.connection.execute(delete(column.table).where(column.in_(sorted(names))))


def scrub(study: Study) -> bool:
    """Write the database anew, so that what was deleted is gone from its files, too; others may go on meanwhile, or wait.

    Of PostgreSQL only the tables with names are written anew, and its own log keeps what was for as long as it is set up to.

    Returns:
        Whether all of it is gone; not so when somebody reads so long that SQLite's log cannot be emptied.

    Raises:
        StorageError: the database cannot be written anew; what was deleted stays deleted.
    """
    with share_lock(study.paths.folder):
        return _scrub_sqlite(study) if study.engine.dialect.name == "sqlite" else _scrub_postgres(study)


def _scrub_sqlite(study: Study) -> bool:
    """By the driver itself: VACUUM is not part of a transaction, and the engine would begin one."""
    try:
        with closing(sqlite3.connect(study.paths.database, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
            connection.execute("VACUUM")
            return _empty_log(connection)
    except sqlite3.Error as error:
        raise StorageError(
            f"What was erased may still be in the file {study.paths.database}, which could not be written again: {error}."
        ) from error


def _empty_log(connection: sqlite3.Connection) -> bool:
    end = time.monotonic() + _CHECKPOINT_SECONDS
    while True:
        is_busy = bool(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])
        if not is_busy or time.monotonic() > end:
            return not is_busy
        time.sleep(0.05)


def _scrub_postgres(study: Study) -> bool:
    options: dict[str, Any] = {READS_ONLY: True, "isolation_level": "AUTOCOMMIT"}
    with explain_failures(study.database), study.engine.connect().execution_options(**options) as connection:
        connection.exec_driver_sql(f"VACUUM FULL {', '.join(_NAMED)}")
        connection.exec_driver_sql("VACUUM responses, assignments, attempts, exposures")
    return True


def _find_free_name(study: Study) -> str:
    taken = {entry.name for entry in list_annotators(study)}
    return next(name for name in (f"{PREFIX}{number:04d}" for number in range(1, len(taken) + 2)) if name not in taken)


def _find_changes(row: RowMapping, names: tuple[str, ...], replace: Callable[[str], str]) -> dict[str, Any]:
    found = {name: replace_within(row[name], replace) for name in names}
    return {name: value for name, value in found.items() if value != row[name]}


def replace_within(value: Any, replace: Callable[[str], str]) -> Any:  # noqa: ANN401 - whatever JSON has
    """The same with another text for each; what refers to things, not people, stays."""
    if isinstance(value, str):
        return replace(value)
    if isinstance(value, list):
        return [replace_within(one, replace) for one in value]
    if isinstance(value, dict):
        return {key: one if key in _REFERENCES else replace_within(one, replace) for key, one in value.items()}
    return value


def _list_tasks(study: Study, campaign: CampaignEntry, annotator: AnnotatorEntry) -> list[int]:
    query = (
        select(tasks.c.id)
        .join(assignments, assignments.c.task_id == tasks.c.id)
        .where(tasks.c.campaign_id == campaign.id, is_work(), assignments.c.annotator_id == annotator.id)
    )
    return list(study.connection.scalars(query))
