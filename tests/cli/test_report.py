"""`regauge report` as a user meets it: its numbers are those of the other commands, and it is there whole or not at all."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows, write
from tests.report.small_reports import HOSTILE, Page
from tests.storage.small_studies import FILES, TRUTH
from tests.waits import wait_for

ABOUT = "Which of two small models is right more often, and by whose labels?"
ODD = [name for name in HOSTILE if len(name) < 200 and "\n" not in name]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Run a command in a study of CIFAR-10 with two test sets, two participants and verdicts."""
    write(tmp_path, {**FILES, "new.csv": TRUTH.replace("a,0", "a,7")})
    monkeypatch.chdir(tmp_path)
    runner = make_runner(monkeypatch, capsys)
    assert runner("init", "study", "--taxonomy", "cifar-10", "--about", ABOUT).status == 0
    monkeypatch.chdir(tmp_path / "study")
    for words in (
        "testset add ../truth.csv",
        "testset add ../new.csv",
        "predictions add ../good.csv ../bad.csv --test-set truth",
        "predictions add ../good.csv ../bad.csv --test-set new",
        "labels add ../verdicts.jsonl",
    ):
        result = runner(*words.split())
        assert result.status == 0, result.err
    return runner


@pytest.fixture
def evaluated(run: Runner) -> Runner:
    """The same, evaluated and compared."""
    for words in ("evaluate --test-set truth", "compare truth new --n-bootstrap 100"):
        assert run(*words.split()).status == 0
    return run


def test_the_numbers_of_the_page_and_of_the_tables_are_those_of_the_other_commands(run: Runner, tmp_path: Path) -> None:
    scores = json.loads(run("evaluate", "--test-set", "truth", "--by", "class", "--format", "json").out)["scores"]
    compared = json.loads(
        run("compare", "truth", "new", "--scale", "all", "--n-bootstrap", "100", "--format", "json").out
    )
    models = {one["name"]: one for one in compared["models"]}
    result = run("report", "--output", "../report")
    assert result.out.splitlines() == [
        f"Report     {tmp_path / 'report' / 'report.html'}",
        f"Figures    {tmp_path / 'report' / 'figures'} (svg, png, pdf)",
        f"Tables     {tmp_path / 'report' / 'tables'} (csv)",
    ]
    rows = read_rows((tmp_path / "report" / "tables" / "scores-1.csv").read_text())
    assert [list(row) for row in rows] == [list(one) for one in scores]
    assert [[parse(text) for text in row.values()] for row in rows] == [list(one.values()) for one in scores]
    page = Page((tmp_path / "report" / "report.html").read_text())
    whole = {(one["participant"], one["metric"]): one["value"] for one in scores if one["subset"] == "all"}
    # One of the two has no five answers.
    metrics = ("top1", "top5")
    found = page.find_values("scores-1-participants")
    assert set(found) == {"good", "bad"}
    for name, values in found.items():
        assert values == [whole.get((name, metric)) for metric in metrics]
    for name, values in page.find_values("shift-1-models").items():
        one = models[name]
        gap = [one["original"]["value"], one["new"]["value"], one["gap"]]
        assert values == [one["rank_original"], *gap, one["rank_new"], one["delta_rank"]]
    for row in read_rows((tmp_path / "report" / "tables" / "shift-1.csv").read_text()):
        one = models[row["name"]]
        for side in ("original", "new"):
            numbers = [row[f"n_{side}"], row[side], row[f"{side}_low"], row[f"{side}_high"]]
            assert [float(text) for text in numbers] == [one[side][name] for name in ("n", "value", "low", "high")]
        assert [float(row[name]) for name in ("gap", "gap_low", "gap_high")] == [
            one[name] for name in ("gap", "gap_low", "gap_high")
        ]
    figures = sorted(path.name for path in (tmp_path / "report" / "figures").glob("*.svg"))
    scales = [f"shift-1-{scale}.svg" for scale in ("linear", "logit", "probit")]
    assert figures == ["multilabel-1.svg", "scores-1-parts.svg", "scores-1.svg", *scales]


def parse(text: str) -> str | float | None:
    if not text:
        return None
    return float(text) if re.fullmatch(r"-?[\d.]+(e-?\d+)?", text) else text


def test_a_report_begins_with_what_the_study_is_and_ends_with_its_commands(evaluated: Runner, tmp_path: Path) -> None:
    result = evaluated("report", "--output", "../report", "--title", "Two small models", "--format", "json")
    (row,) = json.loads(result.out)["reports"]
    assert row == {"page": str(tmp_path / "report" / "report.html"), "n_figures": 9, "n_tables": 4}
    text = Page((tmp_path / "report" / "report.html").read_text()).text
    assert "Two small models" in text
    assert ABOUT in text
    assert "verdicts@1" in text
    commands = [line for line in text.partition("Commands")[2].splitlines() if line.startswith("regauge ")]
    assert commands[0].startswith("regauge init study --taxonomy cifar-10 --about ")
    assert commands[-1] == "regauge report --output ../report --title 'Two small models' --format json"
    assert len(commands) == 9


def test_without_an_output_it_is_among_the_reports_of_the_study_and_status_knows(evaluated: Runner) -> None:
    assert "Write the report: regauge report" in evaluated("status").out
    assert evaluated("report").status == 0
    (folder,) = Path("reports").iterdir()
    assert (folder / "report.html").is_file()
    assert "regauge report" not in evaluated("status").out


def test_the_page_is_opened_when_asked(evaluated: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[str] = []
    monkeypatch.setattr("click.launch", opened.append)
    evaluated("report", "--output", "../report", "--open")
    assert opened == [(tmp_path / "report" / "report.html").as_uri()]


# What it refuses


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("report --output ..", "exists and is not empty; name a new folder for the report"),
        ("report --output ../truth.csv", "exists and is not empty; name a new folder for the report"),
        ("report --output ../truth.csv/below", "cannot be written to"),
        ("report --study ..", "is not a study"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(evaluated: Runner, words: str, reason: str, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    result = evaluated(*words.split())
    assert (result.status, result.out) == (2, "")
    assert re.fullmatch(r"Error: .*\.\n", result.err)
    assert reason in result.err
    assert sorted(tmp_path.rglob("*")) == before


def test_without_an_evaluation_the_next_step_is_said(run: Runner) -> None:
    result = run("report", "--output", "../report")
    assert (result.status, result.out) == (2, "")
    assert result.err == (
        "Error: Nothing has been evaluated and no campaign has been answered, so there is nothing to report yet; run: "
        "regauge evaluate.\n"
    )


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="root may write everywhere")
def test_a_read_only_folder_is_one_sentence(evaluated: Runner, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    # Root is stopped by permissions only without its capabilities.
    plain = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    program = [*plain, sys.executable, "-m", "regauge", "report", "--output", str(closed / "report")]
    result = subprocess.run(program, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"Error: The report cannot be written to {closed / 'report'}: Permission denied.\n"
    assert list(closed.iterdir()) == []


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_report_that_is_stopped_half_way_is_not_there(evaluated: Runner, tmp_path: Path, how: signal.Signals) -> None:
    output = tmp_path / "output"
    output.mkdir()
    program = [sys.executable, "-m", "regauge", "report", "--output", str(output / "report")]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_for(lambda: process.poll() is not None or list(output.glob("*/figures/*")), "the first figure")
        process.send_signal(how)
        process.communicate()
    assert process.returncode != 0
    left = [path.name for path in output.iterdir()]
    assert [name for name in left if not (name.startswith(".") and name.endswith(".partial"))] == []
    assert how == signal.SIGKILL or left == []
    assert evaluated("report", "--output", str(output / "report")).status == 0


# Names


def test_hostile_names_neither_break_nor_inject(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    run = make_runner(monkeypatch, capsys)
    classes = "".join(f'{place},"{name.replace(chr(34), chr(34) * 2)}"\n' for place, name in enumerate([*ODD, "x"]))
    write(tmp_path, {"classes.csv": f"index,name\n{classes}"})
    folder = "study"
    steps = [
        ["init", folder, "--taxonomy", "classes.csv", "--about", "\n".join(HOSTILE)],
        ["testset", "add", "truth.csv", "--name", ODD[1]],
        *(
            ["predictions", "add", f"{name}=bad.csv"]
            for name in ODD
            if name.isprintable() and not set("=/") & set(name)
        ),
        ["predictions", "add", "good.csv"],
        ["labels", "add", "verdicts.jsonl", "--name", ODD[0].replace("/", "")],
        ["evaluate", "--by", "class"],
        ["testset", "add", "truth.csv", "--name", "new"],
        ["predictions", "add", "good.csv", "bad.csv", f"{ODD[3]}=bad.csv", "--test-set", "new"],
        ["compare", ODD[1], "new", "--n-bootstrap", "100"],
        ["report", "--output", "report", "--title", ODD[0]],
    ]
    for step in steps:
        result = run(*step, *([] if step[0] == "init" else ["--study", folder]))
        assert result.status == 0, (step, result.err)
    page = Page((tmp_path / "report" / "report.html").read_text())
    assert len(page.scripts) == 1
    assert not [attributes for _, attributes in page.tags if any(name.startswith("on") for name in attributes)]
    assert "img" not in {tag for tag, _ in page.tags}
    assert all(name in page.text for name in HOSTILE)
    for path in (tmp_path / "report" / "figures").glob("*.svg"):
        tags = {element.tag.rpartition("}")[2] for element in ET.parse(path).iter()}  # noqa: S314 - we wrote it ourselves
        assert tags <= {"svg", "g", "path", "text", "rect", "line", "defs", "clipPath", "style", "tspan"}
