"""How `regauge labels diff` shows what changed, and what that does to scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from regauge.cli.printing.tables import IN_JSON, FittedTable, Holds
from regauge.estimates import MISSING, Estimate, count_things, format_estimate, format_points, to_fields
from regauge.records.evaluation.details import ScoreChange
from regauge.records.labels.diffs import LabelChange, LabelDiff
from regauge.records.labels.evidence import NO_EVIDENCE, VerdictEvidence

CHANGE_FIELDS = ("image_id", "class_index", "before", "after")
EVIDENCE_FIELDS = (
    *("votes", "rule", "reason", "note", "relation", "claim", "guide", "expert", "sampled"),
    *("first_votes", "arguments"),
)


def describe_changes(diff: LabelDiff) -> list[dict[str, Any]]:
    """Every change as a row, with what the later verdict rests on; a row has the same fields whatever is known."""
    return [_describe_change(one) | _describe_evidence(one.evidence) for one in diff.changes]


def list_change_columns() -> list[str]:
    """The fields of a change, in output order."""
    return [*CHANGE_FIELDS, *EVIDENCE_FIELDS]


def find_hidden(diff: LabelDiff) -> tuple[str, ...]:
    """The fields that a table for people leaves out: what verdicts rest on, where nothing is known of any."""
    has_evidence = any(one.evidence != NO_EVIDENCE for one in diff.changes)
    return () if has_evidence else EVIDENCE_FIELDS


def _describe_change(change: LabelChange) -> dict[str, Any]:
    return {name: getattr(change, name) for name in CHANGE_FIELDS}


def _describe_evidence(evidence: VerdictEvidence) -> dict[str, Any]:
    votes, first = (
        "; ".join(f"{vote.who}: {vote.verdict.name.lower()}" for vote in cast)
        for cast in (evidence.votes, evidence.first_votes)
    )
    arguments = "; ".join(f"{who}: {words}" for who, words in evidence.arguments)
    known = {name: getattr(evidence, name) for name in ("rule", "reason", "note", "relation", "claim")}
    signs = {"guide": evidence.guide or None, "expert": evidence.is_expert, "sampled": evidence.is_sampled}
    found = {"votes": votes, **known, **signs, "first_votes": first, "arguments": arguments}
    return {name: found[name] for name in EVIDENCE_FIELDS}


def describe_unlisted(diff: LabelDiff) -> list[str]:
    """What became of the classes that no list has, where the two versions mean something else by that; a sentence or none."""
    if diff.unlisted_before == diff.unlisted_after:
        return []
    was, now = f"{diff.unlisted_before} in {diff.before}", f"{diff.unlisted_after} in {diff.after}"
    return [
        f"A class that an image does not list is {was} and {now}; that is not among the changes, and scores count it."
    ]


def describe_diff(diff: LabelDiff) -> str:
    """How much changed, in a sentence or two."""
    found = (
        f"{diff.before} → {diff.after}: {count_things(len(diff.changes), 'verdict')} changed, "
        f"{count_things(len(diff.added), 'image')} added, {len(diff.removed):,} removed; "
        f"{len(diff.now_problematic):,} became problematic, {len(diff.no_longer_problematic):,} no longer are."
    )
    n_both = len(set(diff.added_labels) & set(diff.modified_labels))
    lists = (diff.unchanged_labels, diff.added_labels, diff.modified_labels)
    unchanged, added, modified = (f"{len(one):,}" for one in lists)
    overlap = f", both on {n_both:,}" if n_both else ""
    n = len({image_id for one in lists for image_id in one})
    happened = f"{unchanged} kept their labels, {added} had labels added and {modified} modified{overlap}"
    return f"{found} Images that count in both: {n:,}, of which {happened}."


def list_score_columns() -> list[str]:
    """The fields of a participant's score before and after, in output order."""
    nothing: Estimate[float | None] = Estimate(None, None, None)
    return list(describe_score_change(ScoreChange("", "", nothing, nothing, None, 1, 1)))


def describe_score_change(change: ScoreChange) -> dict[str, Any]:
    """One participant's score before and after, as programs read it."""
    return {
        "participant": change.participant,
        "metric": change.metric,
        **{f"{name}_{field}": value for name in ("before", "after") for field, value in _list_fields(change, name)},
        **to_fields(change.change, "change"),
        "n_both": None if change.change is None else change.change.n,
        "rank_before": change.rank_before,
        "rank_after": change.rank_after,
    }


def _list_fields(change: ScoreChange, name: str) -> list[tuple[str, float | None]]:
    estimate = getattr(change, name)
    return [(field, getattr(estimate, field)) for field in ("n", "value", "low", "high")]


def make_score_table(changes: Sequence[ScoreChange], *, before: str, after: str) -> FittedTable:
    """Scores by both versions, the change on the images that both count, and the ranks."""
    table = FittedTable(whole=IN_JSON)
    table.add_column("participant", Holds.NAMES, rank=0, label="participant")
    table.add_column("metric", Holds.NAMES, rank=0, label="metric")
    table.add_column(before, Holds.NUMBERS, rank=2, label=before)
    table.add_column(after, Holds.NUMBERS, rank=1, label=after)
    table.add_column("change", Holds.NUMBERS, rank=0, label="change")
    table.add_column("n", Holds.NUMBERS, rank=3, label="n")
    table.add_column("rank", Holds.NUMBERS, rank=1, label="rank")
    for one in changes:
        n = MISSING if one.change is None else f"{one.change.n:,}"
        rank = f"{one.rank_before} → {one.rank_after}" if one.rank_before != one.rank_after else f"{one.rank_after}"
        scores = (format_estimate(one.before), format_estimate(one.after), format_points(one.change, sign=True))
        table.add_row(one.participant, one.metric, *scores, n, rank)
    return table
