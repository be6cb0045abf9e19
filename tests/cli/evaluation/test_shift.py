"""`regauge shift` as a user meets it: tables of any width, formats, figures, notes and refusals."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command_runner import Result, Runner, make_runner, read_rows, write

import regauge
from regauge.cli.printing.figures import FIGURE_SUFFIXES

SETS = ("--original-truth", "old.csv", "--original", "old", "--new-truth", "fresh.csv", "--new", "fresh")
OLD = {"alpha": 18, "beta": 16, "gamma": 10, "delta": 8}
FRESH = {"alpha": 6, "beta": 8, "gamma": 4, "delta": 1}
FEW = "Note: The limits of the fit come from resampling 4 models, which are too few to trust them."
DROPPED = (
    "Note: 2 of 200 bootstrap samples of models have no line, for all their models are equally accurate on the original set; "
    "they are left out of the limits."
)


def make_files(name: str, n: int, n_correct: Mapping[str, int]) -> dict[str, str]:
    """A truth and one file per model, which is right on its first images."""
    ids = [f"{name}{row}" for row in range(n)]
    files = {f"{name}.csv": "image_id,label\n" + "".join(f"{one},0\n" for one in ids)}
    for model, k in n_correct.items():
        rows = "".join(f"{one},{0 if row < k else 1}\n" for row, one in enumerate(ids))
        files[f"{name}/{model}.csv"] = f"image_id,class\n{rows}"
    return files


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Compare four models on 20 images of old and 10 of fresh, with few bootstrap samples unless asked otherwise."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {**make_files("old", 20, OLD), **make_files("fresh", 10, FRESH)})
    runner = make_runner(monkeypatch, capsys, "shift", *SETS)

    def run_quickly(*arguments: str) -> Result:
        return runner(*arguments, *(() if "--n-bootstrap" in arguments else ("--n-bootstrap", "200")))

    return run_quickly


def read_json(result: Result) -> dict[str, Any]:
    assert result.status == 0, result.err
    content: dict[str, Any] = json.loads(result.out, parse_constant=pytest.fail)
    return content


# Tables


def test_the_table_reads_like_table_1_of_the_paper(run: Runner) -> None:
    result = run()
    assert result.status == 0
    lines = [line.rstrip() for line in result.out.splitlines()]
    assert lines[0].startswith("Mean change of top1 over 4 models: -17.5 points [")
    assert "top1 on old and on fresh" in lines
    cells = [line.split() for line in lines]
    # 18/20 and 6/10: a gap of 30 points; second on the new set, one place lost.
    (alpha,) = [line for line in cells if "alpha" in line]
    assert alpha[:4] == ["1", "alpha", "90.0%", "[68.3,"]
    assert alpha[5:7] == ["60.0%", "[26.2,"]
    assert alpha[8] == "30.0"
    assert alpha[-3:-1] == ["2", "-1"]
    (beta,) = [line for line in cells if "beta" in line]
    assert beta[-3:-1] == ["1", "+1"]
    # A sum of −(30 + 0 + 10 + 30)/4 points.
    (mean,) = [line for line in lines if line.startswith("Mean change of top1 over 4 models: -17.5 points [")]
    assert mean.endswith("], images resampled")
    assert "n = 20" in result.out
    assert "n = 10" in result.out


def test_the_table_shows_what_pulls_the_line(run: Runner) -> None:
    leverages = [one["leverage"] for one in read_json(run("--format", "json"))["models"]]
    lines = [line.split() for line in run().out.splitlines()]
    shown = [line[-1] for line in lines if line[1:2] and line[1] in OLD]
    assert shown == [f"{leverage:.3f}" for leverage in leverages]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140])
def test_no_width_splits_a_name_or_a_number_or_leaves_a_column_out_unsaid(
    run: Runner, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    wide = run("--baseline", "*").out
    monkeypatch.setenv("COLUMNS", str(width))
    narrow = run("--baseline", "*").out
    assert "…" not in narrow
    assert max(len(line.rstrip()) for line in narrow.splitlines()) <= width
    for name in OLD:
        assert name in narrow
    # What a narrow table has is what the wide one has, and the rest is named.
    known = {word for line in wide.splitlines() for word in line.split()}
    rows = [line.split() for line in narrow.splitlines() if any(name in line.split() for name in OLD)]
    assert {word for row in rows for word in row} <= known
    assert len(rows) == len(OLD)
    for header in ("original", "gap", "robustness", "lever"):
        assert header in narrow
    assert ("Left out at this width: " in narrow) is (width < 140)


def test_all_scales_stand_side_by_side_and_say_what_a_slope_means(run: Runner) -> None:
    out = " ".join(run("--scale", "all").out.split())
    for scale in ("Linear", "Probit", "Logit"):
        assert f"{scale} fit through 4 models: slope " in out
    assert "which are too few to conclude from" in out
    assert "cannot be told from an easier or a harder test set" in out
    one = run("--scale", "logit").out
    assert "Logit fit" in one
    assert "Linear fit" not in one


def test_flat_lines_on_every_scale_are_not_called_good_news(tmp_path: Path, run: Runner) -> None:
    # Twelve models with 38, 36, … 16 of 40 old images right, and 8, 8, 7, 7 … of 10 fresh ones: slopes far below 1.
    names = [f"m{place}" for place in range(12)]
    old = dict(zip(names, range(38, 14, -2), strict=True))
    fresh = dict(zip(names, (8, 8, 8, 7, 7, 7, 6, 6, 6, 5, 5, 5), strict=True))
    for name in OLD:
        (tmp_path / "old" / f"{name}.csv").unlink()
        (tmp_path / "fresh" / f"{name}.csv").unlink()
    write(tmp_path, {**make_files("old", 40, old), **make_files("fresh", 10, fresh)})
    content = read_json(run("--scale", "all", "--format", "json"))
    assert all(fit["slope_high"] < 1 for fit in content["fits"])
    assert content["conclusion"].startswith("On all 3 scales the slope is below 1: better models lose more")
    assert "speaks against" not in content["conclusion"]
    assert content["conclusion"] in " ".join(run("--scale", "all").out.split())


def test_robustness_is_explained_where_it_is_shown(run: Runner) -> None:
    assert "robustness" not in run().out
    out = " ".join(run("--baseline", "*").out.split())
    told = read_json(run("--baseline", "*", "--format", "json"))["robustness"]
    assert (
        "Effective robustness: points above the linear fit through the 4 models of the baseline; limits from "
        f"{told['n_bootstrap']} bootstrap samples of the images, the same for model and baseline, and of the baseline's models."
    ) in out
    assert (told["scale"], told["n_models"], told["resample"]) == ("linear", 4, "models+images")
    assert told["n_bootstrap"] + told["n_dropped"] == 200


def test_a_name_cannot_move_the_cursor_or_be_taken_for_markup(run: Runner, tmp_path: Path) -> None:
    for name in ("old", "fresh"):
        (tmp_path / name / "alpha.csv").rename(tmp_path / name / "[red]\x1b[2J.csv")
    out = run().out
    assert "\x1b" not in out
    assert "[red]\\x1b[2J" in out


@pytest.mark.parametrize("resample", ["models", "images", "models+images"])
def test_what_is_drawn_anew_is_told_with_the_mean_change_and_with_the_fit(run: Runner, resample: str) -> None:
    words = resample.replace("+", " and ")
    out = " ".join(run("--resample", resample).out.split())
    assert f"], {words} resampled" in out
    assert f"bootstrap samples of {words})" in out
    content = read_json(run("--resample", resample, "--format", "json"))
    assert content["mean_changes"]["top1"]["resample"] == content["fit"]["resample"] == resample


def test_shared_images_are_said_and_count_once_where_ids_are_said_to_mean_the_same(run: Runner, tmp_path: Path) -> None:
    for folder in ("old", "fresh"):
        for name in OLD:
            (tmp_path / folder / f"{name}.csv").unlink()
    files = make_files("old", 20, OLD)
    write(tmp_path, {**files, **{name.replace("old", "fresh"): text for name, text in files.items()}})
    unsaid = run()
    assert "Note: 20 image ids are in both old and fresh, and no digest says whether" in unsaid.err
    assert "say so with --shared ids." in unsaid.err
    result = run("--shared", "ids")
    assert "Note: old and fresh share 20 images (by equal ids); shared images are drawn together." in result.err
    assert "with the 20 images of both sets counted once." in " ".join(result.out.split())
    content = read_json(run("--shared", "ids", "--format", "json"))
    assert (content["n_shared_images"], content["gap_interval"]) == (20, "newcombe, shared images once")
    assert {(one["gap"], one["gap_low"], one["gap_high"]) for one in content["models"]} == {(0, 0, 0)}
    assert read_json(run("--format", "json"))["gap_interval"] == "newcombe"


# Programs


def test_json_has_the_documented_fields_as_fractions(run: Runner) -> None:
    content = read_json(run("--format", "json", "--scale", "all", "--seed", "3", "--level", "0.9"))
    alpha = content["models"][0]
    assert set(alpha) >= {"name", "original", "new", "gap", "gap_low", "gap_high", "rank_original", "rank_new"}
    assert set(alpha["original"]) == set(alpha["new"]) == {"n", "n_correct", "value", "low", "high"}
    assert (alpha["name"], alpha["original"]["n_correct"], alpha["original"]["value"]) == ("alpha", 18, 0.9)
    assert (alpha["gap"], alpha["rank_new"], alpha["delta_rank"]) == (pytest.approx(0.3), 2, -1)
    names = (
        "scale",
        "slope",
        "offset",
        "slope_low",
        "slope_high",
        "offset_low",
        "offset_high",
        "n_models",
        "n_bootstrap",
    )
    assert set(content["fit"]) >= set(names)
    assert content["fit"] == content["fits"][0]
    assert [fit["scale"] for fit in content["fits"]] == ["linear", "probit", "logit"]
    assert content["fit"]["n_models"] == 4
    assert content["mean_change"] == {"top1": pytest.approx(-0.175), "top5": None}
    change = content["mean_changes"]["top1"]
    assert [change["low"], change["high"]] == content["mean_change_intervals"]["top1"]
    assert (change["n_models"], change["value"], change["resample"]) == (4, pytest.approx(-0.175), "images")
    assert (content["seed"], content["level"], content["version"]) == (3, 0.9, regauge.__version__)


def test_csv_and_json_lines_have_a_row_per_model(run: Runner) -> None:
    rows = read_rows(run("--format", "csv").out)
    assert [row["name"] for row in rows] == ["alpha", "beta", "gamma", "delta"]
    assert float(rows[0]["gap"]) == pytest.approx(0.3)
    assert (rows[0]["delta_rank"], rows[0]["effective_robustness"]) == ("-1", "")
    lines = [json.loads(line) for line in run("--format", "jsonl").out.splitlines()]
    assert [line["name"] for line in lines] == [row["name"] for row in rows]
    assert lines[0]["gap"] == float(rows[0]["gap"])


@pytest.mark.parametrize("output_format", ["table", "json", "csv", "jsonl"])
def test_notes_go_to_standard_error_only(run: Runner, output_format: str) -> None:
    result = run("--format", output_format)
    assert result.err.splitlines() == [
        "Note: old.csv: dataset labels of 20 images.",
        "Note: fresh.csv: dataset labels of 10 images.",
        FEW,
        DROPPED,
    ]
    assert "Note:" not in result.out


def test_the_seed_decides_the_limits(run: Runner) -> None:
    first, again, other = (run("--format", "json", "--seed", seed).out for seed in ("1", "1", "2"))
    assert first == again
    assert first != other.replace('"seed": 2', '"seed": 1')


@pytest.mark.parametrize(("options", "n"), [((), 100_000), (("--resample", "images"), 10_000)])
def test_without_a_number_there_are_enough_bootstrap_samples(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    n: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    names = {f"m{row:02}": 10 + row for row in range(12)}
    write(tmp_path, {**make_files("old", 40, names), **make_files("fresh", 40, names)})
    content = read_json(make_runner(monkeypatch, capsys, "shift", *SETS)("--format", "json", *options))
    # Twelve models are all the same one in a draw of 12¹¹.
    assert content["fit"]["n_bootstrap"] == n


def test_families_are_read_from_a_file(run: Runner, tmp_path: Path) -> None:
    write(tmp_path, {"families.csv": "model,family\nalpha,x\nbeta,x\ngamma,y\ndelta,z\n"})
    arguments = ("--resample", "families", "--families", "families.csv", "--n-bootstrap", "9000", "--format", "json")
    fit = read_json(run(*arguments))["fit"]
    assert fit["resample"] == "families"
    # Three families of which the same one is drawn three times in 3 of 27 draws; x has a line of its own, y and z have
    # none: 2/27 of the draws are left out.
    assert fit["n_bootstrap"] == pytest.approx(9_000 * 25 / 27, abs=100)


def test_only_some_models_are_fitted(run: Runner) -> None:
    content = read_json(run("--format", "json", "--fit-models", "*a", "--fit-except", "delta", "--fit-except", "g*"))
    assert content["fit"]["models"] == ["alpha", "beta"]
    assert [one["leverage"] is None for one in content["models"]] == [False, False, True, True]
    assert len(content["models"]) == 4


# Figures


@pytest.mark.parametrize("suffix", FIGURE_SUFFIXES)
def test_a_figure_of_every_kind_is_written(run: Runner, tmp_path: Path, suffix: str) -> None:
    assert run("--figure", f"shift{suffix}", "--label", "al*").status == 0
    start = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF-", ".html": b"<!DOCTYPE html>"}[suffix]
    assert (tmp_path / f"shift{suffix}").read_bytes().lstrip().lower().startswith(start.lower())


def test_only_the_chosen_names_are_printed_in_the_figure(run: Runner, tmp_path: Path) -> None:
    run("--figure", "shift.svg", "--label", "al*", "--label", "delta", "--scale", "probit")
    picture = (tmp_path / "shift.svg").read_text(encoding="utf-8")
    assert ">alpha</text>" in picture
    assert ">delta</text>" in picture
    assert ">beta</text>" not in picture


# Where there is no line


@pytest.mark.parametrize(
    ("old", "fresh", "options", "reason"),
    [
        ({"a": 5}, {"a": 4}, (), "linear fit: a line needs at least two models, and there is only a."),
        (
            {"a": 5, "b": 5},
            {"a": 4, "b": 6},
            (),
            "linear fit: all 2 models have the same accuracy on old, 25.0%.",
        ),
        (
            {"a": 20, "b": 20},
            {"a": 4, "b": 6},
            ("--scale", "probit"),
            "probit fit: all 2 models have the same accuracy on old, 100.0%.",
        ),
    ],
)
def test_a_missing_line_is_a_note_and_the_gaps_are_shown(
    run: Runner, tmp_path: Path, old: dict[str, int], fresh: dict[str, int], options: tuple[str, ...], reason: str
) -> None:
    for name in OLD:
        for folder in ("old", "fresh"):
            (tmp_path / folder / f"{name}.csv").unlink()
    write(tmp_path, {**make_files("old", 20, old), **make_files("fresh", 10, fresh)})
    result = run(*options, "--figure", "shift.svg")
    assert result.status == 0
    assert f"Note: There is no {reason}" in result.err.splitlines()
    assert "gap" in result.out
    assert "fit through" not in result.out
    assert (tmp_path / "shift.svg").stat().st_size > 0
    content = read_json(run(*options, "--format", "json"))
    assert (content["fit"], content["fits"]) == (None, [])


# Refusals


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--fit-models", "x*"), "No model matches 'x*'; there are: alpha, beta, gamma, delta."),
        (("--baseline", "x*"), "No model matches 'x*'; there are: alpha, beta, gamma, delta."),
        (("--metric", "real"), "For real there is nothing in the truth of old; it allows: top1, top5."),
        (("--metric", "top5"), "alpha gives too few answers for top5 on old."),
        (("--n-bootstrap", "0"), "A fit takes 100 to 10,000,000 bootstrap samples, not 0."),
        (("--seed", "-1"), "A seed is a whole number from 0 to 2**64 - 1, not -1."),
        (("--level", "1"), "A confidence level lies strictly between 0 and 1, such as 0.95, not 1.0."),
        (
            ("--resample", "families"),
            "Drawing families needs to know them: give a file with the columns model,family.",
        ),
        (("--label", "alpha"), "--label prints names in a figure; say where to with --figure."),
        (
            ("--figure", "shift.svg", "--label", "x*"),
            "No model matches 'x*', so there is no name to print in the figure.",
        ),
        (("--figure", "shift.gif"), "A figure is .svg, .png, .pdf, .html, not .gif: shift.gif."),
    ],
)
def test_what_makes_no_sense_is_one_sentence(run: Runner, arguments: tuple[str, ...], message: str) -> None:
    assert run(*arguments) == (2, "", f"Error: {message}\n")


@pytest.mark.parametrize(
    ("families", "message"),
    [
        ("alpha,x\nbeta,x\ngamma,y\ndelta,z\nomega,z\n", "The families name 'omega', which is not a model here."),
        ("alpha,x\nbeta,x\ngamma,y\n", "'delta' has no family; give every model one."),
        ("alpha,x\nalpha,y\n", "families.csv, line 3: model 'alpha' occurs a second time."),
    ],
)
def test_families_that_do_not_fit_are_one_sentence(run: Runner, tmp_path: Path, families: str, message: str) -> None:
    write(tmp_path, {"families.csv": f"model,family\n{families}"})
    assert run("--resample", "families", "--families", "families.csv") == (2, "", f"Error: {message}\n")


def test_families_that_would_be_ignored_are_refused(run: Runner, tmp_path: Path) -> None:
    write(tmp_path, {"families.csv": "model,family\nalpha,x\n"})
    result = run("--families", "families.csv")
    assert result.status == 2
    assert result.err.startswith("Error: --families is of use only with --resample families;")


def test_a_model_on_one_side_only_is_one_sentence(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "fresh" / "beta.csv").unlink()
    message = (
        "beta has predictions on old but not on fresh; models are matched by name, so give both sets the same names."
    )
    assert run() == (2, "", f"Error: {message}\n")


@pytest.mark.parametrize("option", ["--original", "--new"])
def test_both_sides_are_needed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    place = SETS.index(option)
    result = make_runner(monkeypatch, capsys, "shift")(*SETS[:place], *SETS[place + 2 :])
    assert result.status == 2
    assert f"Missing option '{option}'" in result.err
