"""Tables of accuracies: every form that people have them in, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from regauge.errors import FormatError, InputError
from regauge.formats.predictions.accuracies import PACKAGED, load_accuracies

# The header and three rows of results-imagenetv2-matched-frequency.csv as timm publishes it.
TIMM = """model,top1,top1_err,top5,top5_err,param_count,img_size,crop_pct,interpolation,top1_diff,top5_diff,rank_diff
eva_giant_patch14_336.clip_ft_in1k,82.200,17.800,96.290,3.710,"1,013.01",336,1.000,bicubic,-7.266,-2.536,+6
eva02_large_patch14_448.mim_in22k_ft_in1k,82.130,17.870,96.260,3.740,305.08,448,1.000,bicubic,-7.494,-2.690,+2
eva_giant_patch14_560.m30m_ft_in22k_in1k,82.040,17.960,96.440,3.560,"1,014.45",560,1.000,bicubic,-7.746,-2.552,-1
"""


def write(folder: Path, text: str, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_counts_are_read_as_they_are(tmp_path: Path) -> None:
    table = load_accuracies(write(tmp_path, "model,n,n_correct\na,10,7\nb,10,0\n"))
    assert table.frame.rows() == [("a", "table", "top1", 10, 7, 0.7), ("b", "table", "top1", 10, 0, 0.0)]
    assert table.sets == ("table",)
    assert table.find_n("table", "top1") == 10
    assert table.find_n("table", "top5") is None


def test_fractions_and_percentages_are_told_by_the_name_of_their_column_alone(tmp_path: Path) -> None:
    fractions = load_accuracies(write(tmp_path, "model,accuracy,n\na,0.7,10\nb,1,10\n"))
    percents = load_accuracies(write(tmp_path, "model,accuracy_percent,n\na,70,10\nb,100,10\n"))
    assert fractions.frame["n_correct"].to_list() == percents.frame["n_correct"].to_list() == [7, 10]
    assert fractions.notes == (
        "table.csv: accuracy read as fractions, from 70.0% to 100.0%; right answers are accuracy · n, rounded to whole ones.",
    )
    assert "accuracy_percent read as percentages, from 70.0% to 100.0%" in percents.notes[0]


def test_what_timm_publishes_gives_two_metrics_and_needs_an_n(tmp_path: Path) -> None:
    path = write(tmp_path, TIMM)
    alone = load_accuracies(path)
    assert alone.frame["n"].null_count() == alone.frame["n_correct"].null_count() == 6
    table = load_accuracies(path, n=10_000)
    found = table.frame.filter(pl.col("model").str.starts_with("eva02")).select("metric", "n", "n_correct").rows()
    assert found == [("top1", 10_000, 8_213), ("top5", 10_000, 9_626)]
    assert len(table.notes) == 2, "nothing is doubted: these are whole numbers of answers out of 10,000"


def test_an_accuracy_that_is_no_whole_number_of_answers_casts_doubt_on_n(tmp_path: Path) -> None:
    # 82.2% of 7,500 images are 6,165 answers, but 82.13% are 6,159.75, and a percentage of three decimals is exact to 0.04.
    notes = load_accuracies(write(tmp_path, TIMM), n=7_500).notes
    doubt = (
        "table.csv: 82.130 is not a whole number of answers out of 7,500 (eva02_large_patch14_448.mim_in22k_ft_in1k)"
    )
    assert any(note.startswith(doubt) for note in notes)


def test_rounded_percentages_cast_no_doubt(tmp_path: Path) -> None:
    # 61.9% stands for anything from 6,185 to 6,195 of 10,000.
    assert len(load_accuracies(write(tmp_path, "model,accuracy_percent,n\na,61.9,9999\n")).notes) == 1


def test_several_sets_and_metrics_stand_in_one_table(tmp_path: Path) -> None:
    text = "model,set,metric,n,n_correct\na,old,top1,10,7\na,old,top5,10,9\na,new,top1,5,2\n"
    table = load_accuracies(write(tmp_path, text))
    assert table.sets == ("old", "new")
    assert repr(table) == "<AccuracyTable table: 1 model on old, new>"
    assert table.get_rows("old").height == 2
    with pytest.raises(InputError, match=r"table has no set 'nev' \(did you mean 'new'\?\); it has: old, new\."):
        table.get_rows("nev")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "model,accuracy,n\na,76.1,10\n",
            ", line 2: accuracy is a fraction from 0 to 1, not '76.1'; percentages belong in",
        ),
        ("model,accuracy,n\na,105,10\n", ", line 2: accuracy is a fraction from 0 to 1, not '105'."),
        (
            "model,accuracy_percent,n\na,105,10\n",
            ", line 2: accuracy_percent is a percentage from 0 to 100, not '105'.",
        ),
        ("model,accuracy,n\na,nan,10\n", ", line 2: accuracy is a fraction from 0 to 1, not 'nan'."),
        ("model,accuracy,n\na,-0.1,10\n", ", line 2: accuracy is a fraction from 0 to 1, not '-0.1'."),
        ("model,accuracy,n\na,inf,10\n", ", line 2: accuracy is a fraction from 0 to 1, not 'inf'."),
        ("model,accuracy,n\na,76%,10\n", ", line 2: accuracy is a fraction from 0 to 1, not '76%'."),
        (
            "model,top1\na,0.761\nb,0.5\n",
            ", line 1: top1 holds percentages, and none here is above 1; fractions belong",
        ),
        ("model,top1,top1_err\na,76.1,33.9\n", ", line 2: top1 and top1_err add up to 100, not 76.1 and 33.9."),
        ("model,n,n_correct\na,-10,7\n", ", line 2: n is a whole number from 1 to 100,000,000, not '-10'."),
        ("model,n,n_correct\na,0,0\n", ", line 2: n is a whole number from 1 to 100,000,000, not '0'."),
        ("model,n,n_correct\na,10,7.5\n", ", line 2: n_correct is a whole number from 0 to 100,000,000, not '7.5'."),
        ("model,n,n_correct\na,10,11\n", ", line 2: n_correct is at most n, and 11 of 10 is not."),
        ("model,n,n_correct\na,10,\n", ", line 2: the column 'n_correct' is empty."),
        ("model,n_correct\na,7\n", ", line 1: n_correct needs a column n beside it: how many images were counted."),
        ("model,n,n_correct\na,10,7\nb,10,6\na,10,5\n", ", line 4: model 'a' occurs a second time with top1 on table."),
        ("model,n\na,10\n", ", line 1: a table of accuracies has the columns model,n,n_correct or"),
        ("name,n,n_correct\na,10,7\n", ", line 1: a table of accuracies (model,n,n_correct or"),
        ("model,accuracy,top1,n\na,0.5,50,10\n", ", line 1: accuracies stand in one of the columns accuracy, top1;"),
        ("model,metric,top1,n\na,top1,50,10\n", ", line 1: a column top1 says which metric it is;"),
        ("model,n,n_correct\n", ", line 1: the file has a header and no rows."),
        ("", ": the file is empty."),
    ],
)
def test_what_is_no_table_of_accuracies_is_refused_with_its_line(tmp_path: Path, text: str, problem: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(FormatError, match=re.escape(str(path) + problem)):
        load_accuracies(path)


def test_an_n_beside_a_column_of_its_own_is_refused_and_so_is_one_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="the file tells n in a column of its own"):
        load_accuracies(write(tmp_path, "model,n,n_correct\na,10,7\n"), n=10)
    with pytest.raises(InputError, match="is a whole number from 1 to 100,000,000, not 0"):
        load_accuracies(write(tmp_path, "model,accuracy\na,0.7\n"), n=0)


def test_an_unknown_name_asks_whether_another_was_meant() -> None:
    with pytest.raises(InputError, match=r"no packaged table of accuracies 'recht2109' \(did you mean 'recht2019'\?\)"):
        load_accuracies("recht2109")
    with pytest.raises(InputError, match="leave n out"):
        load_accuracies("recht2019", n=5)
    with pytest.raises(FormatError, match="there is no such file"):
        load_accuracies("recht2109.csv")


def test_the_packaged_table_has_67_models_on_every_set_and_cites_the_paper() -> None:
    table = load_accuracies("recht2019")
    sizes = table.frame.group_by("set", "metric", maintain_order=True).agg(pl.len(), pl.col("n").unique()).rows()
    assert sizes == [
        ("val", "top1", 67, [50_000]),
        ("val", "top5", 67, [50_000]),
        ("val", "real", 67, [46_837]),
        *(
            (name, metric, 67, [10_000])
            for name in ("matched-frequency", "threshold-0.7")
            for metric in ("top1", "top5")
        ),
    ]
    assert "Recht" in (table.citation or "")
    assert set(PACKAGED) == {"recht2019"}
