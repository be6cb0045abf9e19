"""Tables for documents: the number behind a cell is the measured one, and what was not measured is not a number."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.report.small_reports import make_ids, make_reviewed, make_scores, make_shift

from regauge.records.labels.label_set import LabelSet
from regauge.report.figures import plot_scores
from regauge.report.tables import (
    DocumentTable,
    TableCell,
    make_participants_table,
    make_shift_table,
    make_subsets_table,
)

OLD = {"alpha": 180, "beta": 150, "gamma": 120, "delta": 60}
FRESH = {"alpha": 60, "beta": 61, "gamma": 36, "delta": 12}


def find(table: DocumentTable, row: str) -> tuple[TableCell, ...]:
    return dict(table.rows)[row]


def test_participants_stand_best_first_with_the_numbers_that_were_measured() -> None:
    scores = make_scores({"weak": 10, "strong": 30, "tied": 10}, label_sets=[make_reviewed()])
    table = make_participants_table(scores)
    assert [name for name, _ in table.rows] == ["strong", "tied", "weak"]
    assert [(column.title, column.subtitle, column.n) for column in table.columns] == [
        ("Top-1", "by dataset", "n = 40"),
        ("Multi-label, lenient", "by people@1", "n = 40"),
        ("Multi-label, strict", "by people@1", "n = 40"),
    ]
    for name, cells in table.rows:
        assert [cell.value for cell in cells] == [
            scores.get(name, metric).value for metric in ("top1", "multilabel_lenient", "multilabel_strict")
        ]
    assert find(table, "strong")[0].text == "75.0% [58.8, 87.3]"


def test_balanced_means_have_a_table_of_their_own() -> None:
    scores = make_scores({"weak": 10, "strong": 30})
    table = make_participants_table(scores, balanced=True)
    assert [column.title for column in table.columns] == ["Top-1, balanced"]
    assert find(table, "weak")[0].value == scores.get("weak", "top1_balanced").value


def test_two_label_sets_of_one_metric_are_told_apart() -> None:
    scores = make_scores({"model": 10}, label_sets=[make_reviewed("early@1"), make_reviewed("late@2")])
    strict = [one for one in make_participants_table(scores).columns if one.title == "Multi-label, strict"]
    assert [column.subtitle for column in strict] == ["by early@1", "by late@2"]


def test_a_metric_of_follow_up_images_is_named_so() -> None:
    main = LabelSet.from_lists("people@1", make_ids(), correct=[[0]] * 40, main_labels=[0] * 40)
    scores = make_scores({"model": 10}, label_sets=[replace(main, is_follow_up_only=True)])
    titles = [column.title for column in make_participants_table(scores).columns]
    assert titles == ["Top-1", "Multi-label, lenient", "Multi-label, strict", "Main label, follow-up images only"]
    panels = plot_scores(scores, metrics=["main_label"]).to_json()
    assert "Main label, follow-up images only" in panels


def test_unjudged_predictions_give_an_upper_bound_below_the_value() -> None:
    scores = make_scores({"model": 10}, label_sets=[make_reviewed(n_unjudged=8)])
    cell = find(make_participants_table(scores), "model")[2]
    assert (cell.value, cell.note) == (0.25, "up to 45.0%, 8 unjudged")
    assert find(make_participants_table(scores), "model")[0].note == ""


def test_parts_stand_in_output_order_with_n_and_a_dash_where_there_are_no_images(tmp_path: Path) -> None:
    (tmp_path / "lists.json").write_text('{"late": ["image 39"], "early": ["image 0", "image 1"], "none": []}')
    scores = make_scores({"weak": 1, "strong": 40}, by=tmp_path / "lists.json")
    table = make_subsets_table(scores, ["strong", "weak"], measure=("top1", "dataset"))
    assert [name for name, _ in table.rows] == ["late (n = 1)", "early (n = 2)", "none (n = 0)"]
    assert [column.title for column in table.columns] == ["strong", "weak"]
    assert [cell.value for cell in find(table, "early (n = 2)")] == [1.0, 0.5]
    assert find(table, "none (n = 0)") == (TableCell("–"), TableCell("–"))


def test_a_comparison_has_accuracies_gaps_and_ranks_of_every_model() -> None:
    found = make_shift(OLD, FRESH)
    table = make_shift_table(found)
    assert [column.title for column in table.columns] == ["Rank", "old", "fresh", "Gap", "New rank", "Δ rank"]
    assert [column.n for column in table.columns[1:3]] == ["n = 200", "n = 80"]
    assert [column.title for column in table.columns if column.is_rank] == ["Rank", "New rank"]
    for model in found.models:
        values = [cell.value for cell in find(table, model.name)]
        assert values == [
            model.rank_original,
            model.original.value,
            model.new.value,
            model.gap.value,
            model.rank_new,
            model.delta_rank,
        ]
    assert [cell.text for cell in find(table, "alpha")][-1] == "−1"
    gap = found.get_model("delta")
    assert find(table, "delta")[3].text == f"15.0 [{100 * gap.gap.low:.1f}, {100 * gap.gap.high:.1f}]"


def test_effective_robustness_is_a_column_where_there_is_a_baseline() -> None:
    found = make_shift(OLD, FRESH, baseline=("*",))
    table = make_shift_table(found)
    assert table.columns[-1].title == "Robustness"
    said = "points above the linear fit through 4 models; models and images resampled"
    assert table.columns[-1].subtitle == said
    assert make_shift_table(replace(found, baseline=None)).columns[-1].subtitle == "points; limits of the line alone"
    robustness = found.get_model("beta").effective_robustness
    assert robustness is not None
    assert find(table, "beta")[-1].value == robustness.value


def test_different_numbers_of_images_are_a_span() -> None:
    scores = make_scores({"a": 10, "b": 20})
    frame = scores.to_frame()
    several = type(scores)(frame.with_columns(n=frame["n"] + (frame["participant"] == "a").cast(int) * 1000))
    assert make_participants_table(several).columns[0].n == "n = 40 to 1,040"


def test_a_table_without_rows_or_columns_is_empty() -> None:
    scores = make_scores({"a": 10})
    assert make_participants_table(type(scores)(scores.to_frame().head(0))).is_empty
    assert not make_participants_table(scores).is_empty
