"""Labels that people were asked about: tables as `regauge candidates potential` and `candidates final` print them → records."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from regauge.arrays import NO_CLASS, BoolArray, CountArray, IdArray, IntArray
from regauge.formats.classes import resolve_column
from regauge.formats.sizes import make_names
from regauge.formats.text import Table, read_table, require_columns
from regauge.records.candidates import NO_PATH, CandidateRule, Candidates, CutReason, PotentialLabels
from regauge.records.taxonomy import Taxonomy

POTENTIAL = ("image_id", "class")
CANDIDATES = ("image_id", "class", "rule", "cut")
_YES, _NO = ("true", "1", "yes"), ("false", "0", "no")


def load_potential_labels(path: Path | str, *, taxonomy: Taxonomy | None = None) -> PotentialLabels:
    """Potential labels from a `.csv` or `.tsv` table with image_id and class; is_dataset_label and n_participants may be there.

    Raises:
        FormatError: a column or a cell is missing, a class is not known, or a pair occurs twice.
    """
    table = read_table(Path(path))
    require_columns(table, POTENTIAL, purpose="a table of potential labels")
    ids, images, classes, order = _read_pairs(table, taxonomy)
    own = np.full(len(ids), NO_CLASS, np.int32)
    is_own = _read_truths(table, "is_dataset_label")
    own[images[is_own]] = classes[is_own]
    n_participants = _read_counts(table, "n_participants")
    starts = np.concatenate(([0], np.cumsum(np.bincount(images, minlength=len(ids)))))
    return PotentialLabels(ids, own, starts, classes[order], n_participants[order], top=0)


def load_candidates(path: Path | str, *, taxonomy: Taxonomy | None = None) -> Candidates:
    """Candidates for CLASSIFY from a `.csv` or `.tsv` table with image_id, class, rule and cut.

    A row whose rule is empty is none, and one with a cut was left out again.

    Raises:
        FormatError: a column or a cell is missing, a class, rule or cut is not known, or a pair occurs twice.
    """
    table = read_table(Path(path))
    require_columns(table, CANDIDATES, purpose="a table of candidates")
    ids, images, classes, order = _read_pairs(table, taxonomy)
    rules = _read_words(table, "rule", {rule.word: int(rule) for rule in CandidateRule})
    cuts = _read_words(table, "cut", {cut.word: int(cut) for cut in CutReason})
    own = np.full(len(ids), NO_CLASS, np.int32)
    is_own = rules == CandidateRule.DATASET_LABEL
    own[images[is_own]] = classes[is_own]
    n, nothing = len(classes), np.full(len(classes), np.nan)
    return Candidates(
        image_ids=ids,
        dataset_labels=own,
        images=images[order].astype(np.int32),
        classes=classes[order],
        rules=rules[order].astype(np.uint8),
        cuts=cuts[order].astype(np.uint8),
        ask_again=np.zeros(n, np.bool_),
        n_shown=_read_counts(table, "n_shown")[order],
        n_selected=_read_counts(table, "n_selected")[order],
        path_lengths=np.full(n, NO_PATH, np.int32),
        low=nothing,
        high=nothing,
    )


def _read_pairs(table: Table, taxonomy: Taxonomy | None) -> tuple[IdArray, CountArray, IntArray, CountArray]:
    """The images, per row its image and class, and the order by image and class."""
    image_ids = table.get_column("image_id")
    classes = resolve_column(table, "class", taxonomy)
    distinct = image_ids.unique(maintain_order=True)
    numbered = pl.DataFrame({"image_id": distinct, "image": pl.Series(range(len(distinct)), dtype=pl.Int64)})
    joined = image_ids.to_frame("image_id").join(numbered, on="image_id", how="left", maintain_order="left")
    images = joined["image"].to_numpy()
    order = np.lexsort((classes, images))
    twice = np.flatnonzero((np.diff(images[order]) == 0) & (np.diff(classes[order]) == 0))
    if twice.size:
        row = int(order[twice + 1].min())
        raise table.make_error(row, f"class {classes[row]} of image {image_ids[row]!r} occurs a second time.")
    return make_names(distinct), images, classes, order


def _read_truths(table: Table, name: str) -> BoolArray:
    if name not in table.frame.columns:
        return np.zeros(table.frame.height, np.bool_)
    words = table.get_column(name).str.to_lowercase()
    unknown = (~words.is_in([*_YES, *_NO])).arg_true()
    if len(unknown):
        raise table.make_error(int(unknown[0]), f"{name} is true or false, not {words[int(unknown[0])][:40]!r}.")
    return words.is_in(list(_YES)).to_numpy()


def _read_counts(table: Table, name: str) -> CountArray:
    if name not in table.frame.columns:
        return np.zeros(table.frame.height, np.int64)
    words = table.get_column(name)
    counts = words.cast(pl.Int64, strict=False)
    wrong = (counts.is_null() | (counts < 0)).arg_true()
    if len(wrong):
        raise table.make_error(int(wrong[0]), f"{name} is a whole number from 0 up, not {words[int(wrong[0])][:40]!r}.")
    return counts.to_numpy()


def _read_words(table: Table, name: str, codes: dict[str, int]) -> CountArray:
    """Codes of a column whose cells may be empty."""
    words = table.frame[name].cast(pl.String).fill_null("").str.strip_chars()
    unknown = (~words.is_in(list(codes))).arg_true()
    if len(unknown):
        known = ", ".join(word for word in codes if word)
        raise table.make_error(
            int(unknown[0]), f"{name} is one of {known}, or empty, not {words[int(unknown[0])][:40]!r}."
        )
    return np.array([codes[word] for word in words.to_list()], np.int64)
