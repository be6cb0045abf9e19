"""Found mistakes as tables, JSON, CSV and JSON Lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.text import Text

import regauge
from regauge.cli.printing.output import Part, print_json, print_notes, print_parts, print_records
from regauge.cli.printing.printable import make_printable
from regauge.cli.printing.tables import FittedTable, Holds, make_table, name_class
from regauge.estimates import MISSING, count_things, name_methods, to_fields
from regauge.records.mistakes.found import NO_LEVEL, FoundMistakes, MistakeCounts
from regauge.records.taxonomy import Taxonomy

COLUMNS = (
    "participant",
    "test_set",
    "labels",
    "image_id",
    "prediction",
    "score",
    "status",
    "accepted",
    "rejected",
    "dataset_label",
    "ancestor_level",
    "n_agree",
    "n_others",
    "agree",
)
"""The columns of CSV and JSON Lines; docs/formats.md explains them."""
COUNT_COLUMNS = (
    "participant",
    "test_set",
    "labels",
    "n",
    "n_mistakes",
    "share",
    "low",
    "high",
    "n_novel",
    "novel_share",
    "novel_low",
    "novel_high",
    "n_judged",
    "n_problematic",
    "n_unanswered",
    "n_unknown",
)
N_SHOWN = 20


def print_found(found: FoundMistakes, taxonomy: Taxonomy | None, *, output_format: str) -> None:
    """One participant's mistakes on standard output, notes on standard error."""
    if output_format == "table":
        print_parts(_make_parts(found, taxonomy))
    elif output_format == "json":
        print_json({**_describe(found), "mistakes": list(_make_rows(found))})
    else:
        print_records(_make_rows(found), output_format, name="mistakes", columns=COLUMNS)
    print_notes(found.notes)


def print_counts(counts: MistakeCounts, output_format: str) -> None:
    """Several participants' mistakes in numbers on standard output, notes on standard error."""
    rows = list(_make_count_rows(counts))
    if output_format == "table":
        print_parts(_make_count_parts(counts))
    elif output_format == "json":
        about = {"test_set": counts.test_set, "labels": counts.labels, "is_strict": counts.is_strict}
        whole = {"n_novel_pairs": counts.n_novel_pairs, "notes": list(counts.notes), "version": regauge.__version__}
        print_json({**about, "participants": rows, **whole})
    else:
        print_records(rows, output_format, name="participants", columns=COUNT_COLUMNS)
    print_notes(counts.notes)


def _describe(found: FoundMistakes) -> dict[str, Any]:
    novel = found.novel
    return {
        "participant": found.participant,
        "test_set": found.test_set,
        "labels": found.labels,
        "is_strict": found.is_strict,
        "n": found.n_images,
        "n_mistakes": found.n_mistakes,
        **to_fields(found.wrong, "share"),
        "n_sampled": len(found) if found.is_sample else None,
        "seed": found.seed if found.is_sample else None,
        "n_novel": found.n_novel,
        "n_judged": len(found) - found.n_novel,
        **to_fields(None if novel is None else novel.share, "novel_share"),
        "novel_interval": None if novel is None else novel.share.method,
        "n_novel_low": None if novel is None else novel.n_low,
        "n_novel_high": None if novel is None else novel.n_high,
        "n_problematic": found.n_problematic,
        "n_unanswered": found.n_unanswered,
        "n_unknown": found.n_unknown,
        "others": list(found.others),
        "notes": list(found.notes),
        "version": regauge.__version__,
    }


def _make_rows(found: FoundMistakes) -> Iterator[dict[str, Any]]:
    n_others = len(found.others)
    for row, image_id in enumerate(found.image_ids.tolist()):
        score, label, level = found.scores[row], int(found.dataset_labels[row]), int(found.levels[row])
        yield {
            "participant": found.participant,
            "test_set": found.test_set,
            "labels": found.labels,
            "image_id": image_id,
            "prediction": int(found.predictions[row]),
            "score": None if np.isnan(score) else float(score),
            "status": _name_status(found, row),
            "accepted": found.accepted.list_classes(row),
            "rejected": found.rejected.list_classes(row),
            "dataset_label": None if label < 0 else label,
            "ancestor_level": None if level == NO_LEVEL else level,
            "n_agree": int(found.agrees[row].sum()),
            "n_others": n_others,
            "agree": [found.others[place] for place in np.flatnonzero(found.agrees[row])],
        }


def _name_status(found: FoundMistakes, row: int) -> str:
    return "novel" if found.is_novel[row] else "judged"


def _make_parts(found: FoundMistakes, taxonomy: Taxonomy | None) -> Iterator[Part]:
    whose = make_printable(f"{found.participant} under {found.labels}")
    yield Text(f"Mistakes of {whose}", style="bold")
    yield Text(f"{found.n_mistakes:,} of {count_things(found.n_images, 'judged image')}: {found.wrong}.")
    if found.novel is not None:
        yield Text(f"Novel, judged by nobody: {found.n_novel:,} of {len(found):,}, {found.novel.share}.")
    methods = [found.wrong.method if found.wrong else None, found.novel.share.method if found.novel else None]
    yield Text(f"Intervals: {name_methods(methods)}.", style="dim")
    if len(found):
        yield Text()
        yield _make_table(found, taxonomy)
        if len(found) > N_SHOWN:
            which = f"The first {N_SHOWN}" if np.isnan(found.scores).any() else f"The {N_SHOWN} with the highest scores"
            yield Text(f"{which}; --format csv has all {len(found):,}.", style="dim")


def _make_table(found: FoundMistakes, taxonomy: Taxonomy | None) -> FittedTable:
    table = make_table("image")
    table.add_column("answer", Holds.NAMES, rank=0)
    table.add_column("accepted", Holds.LISTS, rank=1)
    table.add_column("score", rank=4)
    table.add_column("status", rank=2)
    table.add_column("level", rank=3)
    if found.others:
        table.add_column(f"others of {len(found.others):,}", rank=5)
    table.add_column("dataset label", Holds.NAMES, rank=6)
    order = np.argsort(np.where(np.isnan(found.scores), np.inf, -found.scores), kind="stable")
    for row in order[:N_SHOWN].tolist():
        score, level, label = found.scores[row], int(found.levels[row]), int(found.dataset_labels[row])
        others = [f"{int(found.agrees[row].sum()):,}"] if found.others else []
        table.add_row(
            str(found.image_ids[row]),
            name_class(int(found.predictions[row]), taxonomy),
            ", ".join(name_class(one, taxonomy) for one in found.accepted.list_classes(row)) or MISSING,
            MISSING if np.isnan(score) else f"{score:.3f}",
            _name_status(found, row),
            MISSING if level == NO_LEVEL else str(level),
            *others,
            name_class(None if label < 0 else label, taxonomy),
        )
    return table


def _make_count_rows(counts: MistakeCounts) -> Iterator[dict[str, Any]]:
    for one in counts.participants:
        yield {
            "participant": one.participant,
            "test_set": counts.test_set,
            "labels": counts.labels,
            "n": one.wrong.n,
            "n_mistakes": one.wrong.k,
            **to_fields(one.wrong, value="share"),
            "n_novel": 0 if one.novel is None else one.novel.k,
            **to_fields(one.novel, "novel", value="novel_share"),
            "n_judged": one.wrong.k - (0 if one.novel is None else one.novel.k),
            "n_problematic": one.n_problematic,
            "n_unanswered": one.n_unanswered,
            "n_unknown": one.n_unknown,
        }


def _make_count_parts(counts: MistakeCounts) -> Iterator[Part]:
    table = make_table("participant", title=f"Mistakes under {counts.labels}")
    table.add_column("mistakes", rank=0)
    table.add_column("share of judged images", rank=1)
    table.add_column("novel", rank=2)
    table.add_column("share of mistakes", rank=3)
    table.add_column("n", rank=4)
    for one in counts.participants:
        novel = (MISSING, MISSING) if one.novel is None else (f"{one.novel.k:,}", str(one.novel))
        shares = (f"{one.wrong.k:,}", str(one.wrong), *novel)
        table.add_row(make_printable(one.participant), *shares, f"{one.wrong.n:,}")
    yield table
    yield Text(
        f"{count_things(counts.n_novel_pairs, 'different answer')} that nobody has judged on the images. "
        "Intervals: Clopper–Pearson.",
        style="dim",
    )
