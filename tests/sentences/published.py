"""Sentences about tables of accuracies and published models beside somebody's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tests.cli.command_runner import write
from tests.evaluation.sides import compare
from tests.evaluation.test_count_sides import compare_counts
from tests.evaluation.test_published_standings import N_FRESH, N_OLD, make_shift, make_table, stand
from tests.sentences.comparisons_data import texts, titles
from tests.sentences.entries import Always, Entries, Maker, Pair

from regauge.cli.evaluation.shift_tables import make_shift_tables
from regauge.formats.predictions.accuracies import load_accuracies
from regauge.records.evaluation.shifts import Shift, ShiftSettings
from regauge.report.shift_figures import plot_shift
from regauge.workflows.evaluation.beside import describe_beside

MANY = {f"m{place}": 1_410 for place in range(6)}
BASELINE = ShiftSettings(n_bootstrap=100, baseline=("*",))
COUNTS = "model,n,n_correct\na,10,7\n"
SHARES = "model,accuracy,n\na,0.7,10\n"
ODD = "model,accuracy,n\na,0.7512,10\n"


def said(make: Callable[[], Shift]) -> Maker:
    """What a comparison says of published models, or a mark that it says nothing."""
    return lambda _: [*describe_beside(make()), "(end of sentences)"]


def noted(make: Callable[[], Shift]) -> Maker:
    return lambda _: [*make().notes, "(end of notes)"]


def read(text: str) -> Maker:
    """What is said of a table of accuracies."""

    def make(folder: Path) -> list[str]:
        write(folder, {"table.csv": text})
        return [*load_accuracies(folder / "table.csv").notes, "(end of notes)"]

    return make


def drawn(make: Callable[[], Shift]) -> Maker:
    return lambda _: titles(plot_shift(make()))


def printed(make: Callable[[], Shift]) -> Maker:
    return lambda _: texts(make_shift_tables(make()))


def stand_alone() -> Shift:
    """Far better than the only published model."""
    return stand(make_shift(1_900, 900), make_table(n_models=1))


def stand_with_one_less() -> Shift:
    table = make_table()
    return stand(table=replace(table, frame=table.frame[:-1]))


def stand_high() -> Shift:
    return stand(make_shift(k_fresh=705))


def stand_often() -> Shift:
    return stand(compare(MANY, dict.fromkeys(MANY, 605), (N_OLD, N_FRESH)))


def stand_as_another() -> Shift:
    return stand(compare({"p03": 1_410}, {"p03": 605}, (N_OLD, N_FRESH)))


def stand_among_few() -> Shift:
    return stand(table=make_table(n_models=4))


def compare_with_baseline() -> Shift:
    return compare({"a": 150, "b": 120}, {"a": 60, "b": 40}, (200, 100), baseline=("*",))


ENTRIES: Entries = {
    "evaluation/count_sides.py:note_counts: Of … only counts of right answers are": Pair(
        noted(compare_counts), noted(make_shift)
    ),
    "cli/evaluation/shift_tables.py:describe_robustness: points above the … fit through the … #2": Pair(
        printed(lambda: compare_counts(BASELINE)), printed(compare_with_baseline)
    ),
    "evaluation/published_sets.py:keep_common: … on one of … and … only,": Pair(
        noted(stand_with_one_less), noted(stand)
    ),
    "evaluation/standing_sentences.py:describe_published: … in the machine-readable output.": Pair(
        said(stand_often), said(stand)
    ),
    "evaluation/standing_sentences.py:describe_published: Limits of ranks hold at …% for all": Always(
        "It says how limits of ranks are made, which stand before it.", said(stand)
    ),
    "evaluation/standing_sentences.py:describe_standing: … ranks … of … by … on": Always(
        "Every model beside published ones has a rank.", said(stand)
    ),
    "evaluation/standing_sentences.py:describe_standing: …; it can be told apart from all": Pair(
        said(stand_alone), said(stand)
    ),
    "evaluation/standing_sentences.py:describe_standing: …; …% limits put it …, because …": Pair(
        said(stand), said(stand_alone)
    ),
    "evaluation/standing_sentences.py:describe_residual: … is … points from the … fit": Pair(
        said(stand), said(stand_alone)
    ),
    "evaluation/standing_sentences.py:describe_residual: …: it cannot be told apart from the": Pair(
        said(stand), said(stand_high)
    ),
    "evaluation/standing_sentences.py:describe_residual: …: … accurate on the new set than": Pair(
        said(stand_high), said(stand)
    ),
    "evaluation/standing_sentences.py:_describe_limits: Limits of distances come from … bootstrap samples:": Pair(
        said(stand), said(stand_alone)
    ),
    "evaluation/published_standings.py:_note_published: There is no line through … of …,": Pair(
        noted(stand_alone), noted(stand)
    ),
    "evaluation/published_standings.py:_note_published: The limits of distances from the line come": Pair(
        noted(stand_among_few), noted(stand)
    ),
    "evaluation/published_standings.py:_note_published: …… is also the name of a model": Pair(
        noted(stand_as_another), noted(stand)
    ),
    "evaluation/published_standings.py:_assume: That … … … of … is taken": Always(
        "No counts can show that two test sets are the same one.", noted(stand)
    ),
    "formats/predictions/accuracies.py:: Recht, Roelofs, Schmidt, Shankar (2019), Do ImageNet Classifiers": Always(
        "It cites where the packaged numbers come from.", lambda _: load_accuracies("recht2019").citation or ""
    ),
    "formats/predictions/accuracies.py:_load_table: …: right answers read from the column n_correct.": Pair(
        read(COUNTS), read(SHARES)
    ),
    "formats/predictions/accuracies.py:_read_value: …: … read as …, from …% to": Pair(read(SHARES), read(COUNTS)),
    "formats/predictions/accuracies.py:_doubt_n: …: … is no whole number of answers": Pair(read(ODD), read(SHARES)),
    "report/published_figures.py:explain_published: Grey: … of ……, by counts of right": Pair(
        drawn(stand), drawn(make_shift)
    ),
}
