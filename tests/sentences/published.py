"""Sentences about tables of accuracies and published models beside somebody's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
from tests.cli.command_runner import write
from tests.evaluation import test_published_metrics as by_two
from tests.evaluation.sides import compare
from tests.evaluation.test_count_sides import compare_counts
from tests.evaluation.test_published_standings import N_FRESH, N_OLD, make_shift, make_table, stand
from tests.sentences.comparisons_data import texts, titles
from tests.sentences.entries import Always, Entries, Maker, Pair

from regauge.cli.evaluation.shift_tables import make_shift_tables
from regauge.formats.predictions.accuracies import load_accuracies
from regauge.records.evaluation.scores import Scores
from regauge.records.evaluation.shifts import Shift, ShiftSettings
from regauge.report.published_figures import plot_beside
from regauge.report.shift_figures import plot_shift
from regauge.workflows.evaluation.beside import describe_beside

MANY = {f"m{place}": 1_410 for place in range(6)}
BASELINE = ShiftSettings(n_bootstrap=100, baseline=("*",))
COUNTS = "model,n,n_correct\na,10,7\n"
SHARES = "model,accuracy,n\na,0.7,10\n"
ODD = "model,accuracy,n\na,0.7512,10\n"


def said(make: Callable[[], Shift | Scores]) -> Maker:
    """What a comparison says of published models, or a mark that it says nothing."""
    return lambda _: [*describe_beside(make()), "(end of sentences)"]


def noted(make: Callable[[], Shift | Scores]) -> Maker:
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


def drawn_by_two(make: Callable[[], Scores]) -> Maker:
    return lambda _: titles(plot_beside(make()))


def score_by_one() -> Scores:
    return by_two.stand(table=by_two.make_table(metrics=("top1",)))


def score_on_line() -> Scores:
    return by_two.stand(by_two.make_scores((500, 200, 85, 115)))


def score_above_others() -> Scores:
    """Above the line, as one of the published models is even more."""
    table = by_two.make_table()
    outlier = (pl.col("model") == "p05") & (pl.col("metric") == "real")
    frame = table.frame.with_columns(n_correct=pl.when(outlier).then(pl.lit(880)).otherwise("n_correct"))
    return by_two.stand(table=replace(table, frame=frame))


def score_unjudged() -> Scores:
    return by_two.stand(by_two.make_unjudged(), by_two.rename_metric(by_two.make_table()))


def score_often() -> Scores:
    """Four participants, of whom the figure does not say each distance."""
    return by_two.stand(by_two.make_several(4))


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
    "evaluation/standing_sentences.py:describe_residual: the … fit through the … models of": Pair(
        said(stand), said(stand_alone)
    ),
    "evaluation/standing_sentences.py:describe_metric_residual: the … fit of … against … through": Pair(
        said(by_two.stand), said(score_by_one)
    ),
    "evaluation/standing_sentences.py:describe_metric_residual: by … than the line predicts from its": Pair(
        said(by_two.stand), said(score_on_line)
    ),
    "evaluation/standing_sentences.py:describe_metric_residual: …; none of these models lies as far": Pair(
        said(by_two.stand), said(score_above_others)
    ),
    "evaluation/standing_sentences.py:describe_metric_residual: …; … at least as far … it.": Pair(
        said(score_above_others), said(by_two.stand)
    ),
    "evaluation/standing_sentences.py:_tell_distance: …: it cannot be told apart from the": Pair(
        said(stand), said(stand_high)
    ),
    "evaluation/standing_sentences.py:_tell_distance: …: … accurate ….": Pair(said(stand_high), said(stand)),
    "evaluation/standing_sentences.py:_describe_joint_limits: Limits of distances come from … bootstrap samples": Pair(
        said(by_two.stand), said(score_by_one)
    ),
    "evaluation/standing_sentences.py:_describe_limits: Limits of distances come from … bootstrap samples:": Pair(
        said(stand), said(stand_alone)
    ),
    "evaluation/published_lines.py:note_line: There is no line through … of …,": Pair(noted(stand_alone), noted(stand)),
    "evaluation/published_lines.py:note_line: The limits of distances from the line come": Pair(
        noted(stand_among_few), noted(stand)
    ),
    "evaluation/published_lines.py:note_same_names: …… is also the name of a model": Pair(
        noted(stand_as_another), noted(stand)
    ),
    "evaluation/published_metrics.py:note_lines: There is no line through the models of": Pair(
        noted(score_by_one), noted(by_two.stand)
    ),
    "evaluation/published_metrics.py:note_lines: …: … of … predictions are unjudged under": Pair(
        noted(score_unjudged), noted(by_two.stand)
    ),
    "evaluation/published_standings.py:_assume: … … taken to be … of …:": Always(
        "No counts can show that two test sets are the same one.", noted(stand)
    ),
    "formats/predictions/accuracies.py:: Recht, Roelofs, Schmidt, Shankar (2019), Do ImageNet Classifiers": Always(
        "It cites where the packaged numbers come from.", lambda _: load_accuracies("recht2019").citation or ""
    ),
    "formats/predictions/accuracies.py:_load_table: …: right answers read from the column n_correct.": Pair(
        read(COUNTS), read(SHARES)
    ),
    "formats/predictions/accuracies.py:_read_value: …: … read as …, from …% to": Pair(read(SHARES), read(COUNTS)),
    "formats/predictions/accuracies.py:_doubt_n: …: … is not a whole number of": Pair(read(ODD), read(SHARES)),
    "report/published_figures.py:_tell_grey: Grey: … of …, by counts of right": Pair(drawn(stand), drawn(make_shift)),
    "report/published_figures.py:_explain: … with … intervals; dashed: equal accuracy.": Always(
        "Whose the dots are, and what the dashed line is.", drawn_by_two(by_two.stand)
    ),
    "report/published_figures.py:_explain: Shaded: … of … bootstrap samples of ….": Always(
        "There is no such figure without a line, and its band is of bootstrap samples.", drawn_by_two(by_two.stand)
    ),
    "report/published_figures.py:_explain: … is … points from the line.": Pair(
        drawn_by_two(by_two.stand), drawn_by_two(score_often)
    ),
}
