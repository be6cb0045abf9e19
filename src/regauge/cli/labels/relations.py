"""`regauge relations`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from regauge.cli.printing.output import format_option, print_notes, print_records, print_sentences
from regauge.cli.studies.study import describe_labels, open_for_reading, open_for_writing, print_entries, study_option
from regauge.estimates import Share, format_estimate
from regauge.records.labels.relations import ProposalSettings, RelationEntry
from regauge.records.taxonomy import RelationKind, RelationStatus, Taxonomy
from regauge.workflows.labels.relations import (
    apply_relations,
    decide_relation,
    derive_study_labels,
    list_relations,
    make_relation,
    propose_study_relations,
)

COLUMNS = (
    *("kind", "first", "second", "first_id", "second_id", "status"),
    *("n", "n_correct", "value", "low", "high", "n_back", "n_correct_back"),
    *("reason", "source", "who", "at", "examples", "exceptions"),
)
_USUAL = ProposalSettings()

_labels_option = click.option("--labels", required=True, metavar="NAME[@VERSION]", help="The label set to look at.")


@click.group("relations")
def command() -> None:
    """Say which classes are the same, subsets or parts of others, and derive verdicts from it.

    Relations are proposed from data, accepted or rejected by a person with a reason, and then applied to label sets.
    """


@command.command()
@click.option(
    "--labels",
    multiple=True,
    metavar="NAME[@VERSION]",
    help="Look at the verdicts of this label set. Repeatable; by default the latest version of each.",
)
@click.option(
    "--min-share",
    type=float,
    default=_USUAL.min_share,
    show_default=True,
    help="Propose a relation if the second class is correct in at least this share of the images with the first.",
)
@click.option(
    "--min-images",
    type=int,
    default=_USUAL.min_images,
    show_default=True,
    help="Propose a relation only if there are at least this many such images.",
)
@study_option
@format_option
def propose(
    labels: tuple[str, ...], min_share: float, min_images: int, folder: Path | None, output_format: str
) -> None:
    """Propose relations: from repeated verdicts, from the taxonomy, and from publications."""
    with open_for_writing(folder) as study:
        settings = ProposalSettings(min_share, min_images)
        proposed = propose_study_relations(study, labels, settings=settings)
        taxonomy = study.taxonomy
    if proposed.entries or output_format != "table":
        _print_relations(proposed.entries, output_format, taxonomy=taxonomy)
    else:
        print_sentences("There is nothing new to propose.")
    print_notes(proposed.notes)


@command.command("list")
@click.option(
    "--status", type=click.Choice([one.value for one in RelationStatus]), help="Only relations with this status."
)
@study_option
@format_option
def list_(status: str | None, folder: Path | None, output_format: str) -> None:
    """List all relations with their latest decision."""
    with open_for_reading(folder) as study:
        entries = [entry for entry in list_relations(study) if status in {None, entry.relation.status.value}]
        taxonomy = study.taxonomy
    if status is not None and not entries and output_format == "table":
        print_sentences(f"No relation is {status}.")
        return
    _print_relations(entries, output_format, taxonomy=taxonomy)


def _make_decision(status: RelationStatus, name: str, about: str) -> click.Command:
    """The command that decides on a relation."""

    @click.command(name, help=about)
    @click.argument("kind", type=click.Choice([kind.value for kind in RelationKind]))
    @click.argument("first", metavar="FIRST")
    @click.argument("second", metavar="SECOND")
    @click.option("--reason", required=True, metavar="TEXT", help="Why; it is kept with the decision.")
    @study_option
    @format_option
    def decide(kind: str, first: str, second: str, reason: str, folder: Path | None, output_format: str) -> None:
        with open_for_writing(folder) as study:
            relation = make_relation(study, RelationKind(kind), first=first, second=second)
            decided = decide_relation(study, relation, status=status, reason=reason)
            taxonomy = study.taxonomy
        _print_relations([decided.entry], output_format, taxonomy=taxonomy)
        print_notes(decided.notes)

    return decide


command.add_command(
    _make_decision(
        RelationStatus.ACCEPTED,
        "accept",
        "Accept that FIRST is the same as, a subset of or a part of SECOND; classes by index, id or name.",
    )
)
command.add_command(
    _make_decision(
        RelationStatus.REJECTED, "reject", "Reject a relation; it is then neither applied nor proposed again."
    )
)


@command.command()
@_labels_option
@study_option
@format_option
def contradictions(labels: str, folder: Path | None, output_format: str) -> None:
    """List people's verdicts that are lower than accepted relations imply; nothing is stored."""
    with open_for_reading(folder) as study:
        derived = derive_study_labels(study, labels)
    rows = [
        {
            "image_id": one.image_id,
            "class": one.class_index,
            "verdict": one.verdict.name.lower(),
            "implied": one.implied.name.lower(),
            "relation": one.relation,
        }
        for one in derived.contradictions
    ]
    if not rows and output_format == "table":
        print_sentences("No verdict contradicts an accepted relation.")
    elif output_format == "table":
        print_entries(rows, output_format, name="contradictions")
    else:
        names = ("image_id", "class", "verdict", "implied", "relation")
        print_records(rows, output_format, name="contradictions", columns=names)


@command.command()
@_labels_option
@click.option("--name", help="What to call the result; by default it is a new version of the label set.")
@study_option
@format_option
def apply(labels: str, name: str | None, folder: Path | None, output_format: str) -> None:
    """Store a new version of a label set with the verdicts that follow from accepted relations."""
    with open_for_writing(folder) as study:
        applied = apply_relations(study, labels, name=name)
    counts = {"n_derived": len(applied.derived.evidence), "n_contradictions": len(applied.derived.contradictions)}
    print_entries([{**describe_labels(applied.entry), **counts}], output_format, name="label_sets")
    print_notes(applied.notes)


def _print_relations(entries: Iterable[RelationEntry], output_format: str, *, taxonomy: Taxonomy) -> None:
    listed = list(entries)
    if output_format != "table":
        print_records([_describe(one, taxonomy) for one in listed], output_format, name="relations", columns=COLUMNS)
        return
    print_entries([_show(one, taxonomy) for one in listed], output_format, name="relations")


def _show(entry: RelationEntry, taxonomy: Taxonomy) -> dict[str, Any]:
    """The columns of a table: the relation in words, what was decided, and the share of images that agree, each way."""
    one, support = entry.relation, entry.support
    forward, backward = (None, None) if support is None else (support.forward, support.backward)
    return {
        "relation": one.tell(lambda index: f"{index} {taxonomy.classes[index].name}"),
        "status": one.status.value,
        "share": None if forward is None else format_estimate(forward),
        "n": None if forward is None else forward.n,
        "back": None if backward is None else format_estimate(backward),
        "n_back": None if backward is None else backward.n,
        "reason": one.reason,
        "source": one.source,
        "who": one.who,
        "decided_at": None if one.status is RelationStatus.PROPOSED else one.at,
    }


def _describe(entry: RelationEntry, taxonomy: Taxonomy) -> dict[str, Any]:
    """All that is known, for programs; also a file of relations, which `score --relations` reads."""
    one, support = entry.relation, entry.support
    ends = {"first": one.first, "second": one.second}
    ids = {f"{side}_id": taxonomy.classes[index].id for side, index in ends.items()}
    forward, backward = (None, None) if support is None else (support.forward, support.backward)
    images = ((), ()) if support is None else (support.examples, support.exceptions)
    row = {
        "kind": one.kind.value,
        **ends,
        **ids,
        "status": one.status.value,
        **_count("n", forward),
        "value": None if forward is None else forward.value,
        "low": None if forward is None else forward.low,
        "high": None if forward is None else forward.high,
        **_count("n", backward, "_back"),
        **{name: getattr(one, name) for name in ("reason", "source", "who", "at")},
        "examples": list(images[0]),
        "exceptions": list(images[1]),
    }
    return {name: row[name] for name in COLUMNS}


def _count(name: str, share: Share[float | None] | None, suffix: str = "") -> dict[str, int | None]:
    k, n = (None, None) if share is None else (share.k, share.n)
    return {f"{name}{suffix}": n, f"n_correct{suffix}": k}
