"""Every command that prints a table fits the terminal, whatever its width: nothing is split, nothing lost unsaid."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import click
import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console
from tests.cli.command_runner import write

from regauge.cli.main import cli, main
from regauge.cli.printing import output
from regauge.cli.printing.documents import to_latex, to_markdown
from regauge.cli.printing.tables import FittedTable, Holds
from regauge.evaluation.context.registry import ANALYSES
from regauge.workflows.demo.flow import Demo

WIDTHS = (60, 80, 100, 140)
FILES = {
    "panel.csv": "image_id,class,panelist,verdict\na-very-long-image-id-of-somebody,0,x,correct\nb,1,x,wrong\n",
    "votes.csv": "task,worker,label\na,v,cat\na,w,cat\nb,v,dog\nb,w,cat\n",
    "coded.csv": "image_id,prediction,category,severity\na,1,fine-grained,major\nb,2,spurious correlation,minor\n",
    "coded-new.csv": "image_id,prediction,category,severity,overturned,note\nDRAWN,0,FG,major,,a very long remark\n"
    "DRAWN,1,FG,borderline,,\nDRAWN,2,,,missed object,it was hidden behind the other one\n",
    "listed.csv": "image_id,reason\nX,a drawing and no photograph\n",
    "guide.md": f"# Legs\n\nFour legs, {'and a very long explanation ' * 8}.\n",
    "pair.md": "One has legs, the other has not.\n",
    "answers.csv": "image_id,class\na,1\nb,2\n",
    "before.jsonl": '{"image_id":"a","correct":[0],"wrong":[1]}\n{"image_id":"b","correct":[1],"wrong":[]}\n',
    "after.jsonl": '{"image_id":"a","correct":[0],"wrong":[1]}\n{"image_id":"b","correct":[1,2],"wrong":[]}\n',
    "label.jsonl": '{"image_id":"X","correct":[0],"wrong":[1]}\n',
}
PANELISTS = "--panelists simulated-running-02 --panelists simulated-running-03"
CASES = (
    "score DEMO/predictions/original --truth DEMO/original.jsonl --taxonomy DEMO/taxonomy.json",
    (
        "score DEMO/predictions/original --truth DEMO/original.jsonl --taxonomy DEMO/taxonomy.json --by class "
        "--against patches-4-ridge --balanced"
    ),
    "score one=DEMO/predictions/original/patches-4-ridge.npz --truth DEMO/original.jsonl",
    (
        "shift --original-truth DEMO/original.jsonl --original DEMO/predictions/original --new-truth DEMO/new.jsonl --new "
        "DEMO/predictions/new --scale all --baseline patches* --n-bootstrap 100 --by-class"
    ),
    "gap original new --n-bootstrap 100",
    "aggregate contains DEMO/contains.csv --taxonomy DEMO/taxonomy.json",
    "aggregate classify DEMO/classify.jsonl --taxonomy DEMO/taxonomy.json",
    "aggregate panel panel.csv",
    "aggregate votes votes.csv --agreement",
    "mistakes summary coded.csv --taxonomy imagenet-1k",
    "mistakes find DEMO/predictions/original --truth DEMO/original.jsonl --taxonomy DEMO/taxonomy.json",
    (
        "mistakes find DEMO/predictions/original --truth DEMO/original.jsonl --taxonomy DEMO/taxonomy.json "
        "--participant patches-4-ridge"
    ),
    (
        "mistakes compare patches-4-ridge patches-64-ridge --predictions DEMO/predictions/original "
        "--truth DEMO/original.jsonl"
    ),
    "mistakes overturned answers.csv --before before.jsonl --after after.jsonl --taxonomy imagenet-1k",
    "mistakes flow answers.csv --labels before.jsonl --labels after.jsonl",
    "mistakes fixed coded.csv --predictions answers.csv --predictions again=answers.csv --truth before.jsonl",
    "taxonomy imagenet-1k relations",
    "taxonomy imagenet-1k groups",
    "taxonomy imagenet-1k list",
    "taxonomy imagenet-1k search crane",
    "plan --annotators 3 --per-class 5 --n-studies 2 --classes 10 --pay 0.1",
    "status",
    "pool list",
    "pool images --excluded",
    "pool images",
    "pool status",
    "pool filter --taken 2012-01-01..2014-01-01",
    "pool exclude listed.csv",
    "pool restore listed.csv --reason mistaken",
    "pool duplicates DEMO/near-duplicates.csv",
    "pool add more",
    "testset list",
    "testset show new",
    "testset compare original new new-threshold --n-bootstrap 100",
    "testset remove new NEW --reason blurred",
    "testset revise new --allow-short",
    "testset restore new NEW",
    (
        "testset sample --name drawn --strategy top-images --original original --per-class 2 --allow-short "
        "--frequencies simulated-frequencies --min-annotations 1"
    ),
    "testset diff new new-threshold",
    "testset export drawn exported",
    "testset relocate original DEMO/images/original",
    "testset add more --name added",
    (
        "testset two-sample --features-a features.npy --features-b others.npy --ids-a ids.txt --ids-b other.txt "
        "--n-components 2 --n-folds 2 --n-permutations 99"
    ),
    "predictions list",
    "predictions add again=DEMO/predictions/original/patches-4-ridge.npz --test-set original",
    "candidates potential --test-set original",
    "candidates final frequencies.csv --truth DEMO/original.jsonl --taxonomy DEMO/taxonomy.json --skip-unknown",
    "candidates split frequencies.csv --truth DEMO/original.jsonl --taxonomy DEMO/taxonomy.json --skip-unknown",
    "campaign status",
    "campaign annotators simulated-contains",
    "campaign decisions simulated-frequencies",
    "campaign extend simulated-frequencies --dry-run",
    "campaign image simulated-contains ASKED",
    "campaign failures simulated-running",
    "campaign reports simulated-running",
    "campaign visits simulated-running",
    "campaign create contains mine --test-set new --controls original --cells 8 --positive 2 --negative 2",
    "campaign create classify other potential.csv --test-set original",
    "campaign open mine",
    "campaign create label exam --mode evaluation --sets original new --take-fewer --leave-out-shared",
    "campaign predictions simulated-test",
    "predictions mark patches* --family patches",
    "humans original new --n-bootstrap 100",
    "context all --test-set original --kind model --n-bootstrap 100",
    "exposure list --test-set original",
    "exposure campaign simulated-test",
    "exposure effect --test-set original",
    "exposure declare simulated-test-annotator-000 --set original --since 2025-01-01 --why known",
    "exposure declared",
    "exposure aliases",
    "campaign texts mine --instructions panel.csv",
    "campaign close mine",
    "campaign labels simulated-contains --name mine",
    "annotators list",
    "annotators expertise simulated-running-01 --add dogs",
    "campaign referrals simulated-review",
    "annotators erase simulated-running-01 --reason asked --yes",
    "labels list",
    "labels add label.jsonl",
    "labels diff simulated-crowd label",
    "labels merge simulated-crowd label --name merged",
    "labels export label out.jsonl",
    "relations propose",
    "relations list",
    "relations accept part 0 1 --reason it-is-a-part",
    "relations reject part 0 1 --reason it-is-none-after-all",
    "relations accept subset 2 3 --reason every-one-of-these-is-one-of-those",
    "relations contradictions --labels simulated-crowd",
    "relations apply --labels simulated-crowd --name related",
    "labels plan --test-set new --participant patches-4-ridge --participant patches-64-ridge --write plan.json",
    "labels settled plan.json --labels simulated-reviewed",
    "campaign create review planned --test-set new --plan plan.json",
    "campaign settled planned",
    f"campaign create panel board --test-set original --pairs potential.csv {PANELISTS}",
    "campaign discussion board",
    "campaign assign planned --anybody",
    "labels draw-audit audit.json --test-set new --participant patches-64-ridge",
    "labels audit audit.json --labels simulated-crowd",
    "labels summary simulated-crowd --test-set new",
    "mistakes add coded-new.csv --participant somebody-else --labels simulated-reviewed --name coded --test-set new",
    "mistakes list",
    "mistakes show coded",
    "mistakes export coded coded-out.json",
    "campaign create code coders --participant patches-4-ridge --labels simulated-crowd --test-set new",
    "campaign coding simulated-coding --preview",
    "slice create rule labelled --test-set new --labels simulated-crowd --n-correct 1..3",
    "slice add listed.csv --name chosen --labels simulated-crowd --test-set new",
    "slice list",
    "slice show labelled",
    "slice score labelled --allow-missing",
    "slice export labelled slice-out",
    "guide edit 0 --text guide.md --reason first",
    "guide edit 0 1 --text pair.md",
    "guide cite label@1 CANDIDATE 0 1 --note clear",
    "guide list",
    "guide list --missing",
    "guide show 0 1",
    "guide history 0",
    "guide diff 0",
    "guide restore 0 --version 2",
    "guide search legs",
    "guide export guide-folder",
    "guide import guide-folder",
    "evaluate --test-set new",
    "compare original new --n-bootstrap 100",
    "export csv out.csv --test-set new",
)
NO_TABLE = {
    **dict.fromkeys(("init", "import", "backup", "restore"), "says in a sentence what was made"),
    **dict.fromkeys(("taxonomy distance", "taxonomy lint", "taxonomy show"), "says it in lines"),
    **dict.fromkeys(("campaign estimate", "campaign terms"), "says it in lines"),
    **dict.fromkeys(("campaign invite", "annotators renew"), "prints links, each in a line that can be copied"),
    "campaign judge": "prints a list as visits does, of people whom a platform sent",
    **dict.fromkeys(
        ("campaign learning", "campaign references"),
        "needs a training or reference images: its rows are printed as lists are",
    ),
    "slice create major": "needs coded mistakes of models: what it says is tested with them",
    "report": "prints paths, each in a line that can be copied",
    **dict.fromkeys(
        (f"context {name}" for name in ANALYSES),
        "prints what `context all` prints of it",
    ),
    "reproduce": "has a test of its own, with a paper's data",
    **dict.fromkeys(
        ("campaign mturk approve", "campaign mturk list"), "asks a marketplace: its rows are printed as lists are"
    ),
    **dict.fromkeys(
        (
            f"export {one}"
            for one in ("bundle", "croissant", "crowd-kit", "huggingface", "jsonl", "label-studio", "parquet", "site")
        ),
        "prints the table of export csv",
    ),
}


class Recorder(Console):
    """The terminal, which remembers the tables that it was given."""

    tables: ClassVar[list[FittedTable]] = []

    def print(self, *objects: object, **others: object) -> None:
        self.tables.extend(one for one in objects if isinstance(one, FittedTable))
        super().print(*objects, **others)  # type: ignore[arg-type]


def list_commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The commands that take --format."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from list_commands(below, (*path, name))
    elif any(one.name == "output_format" for one in command.params):
        yield path


def test_every_command_with_a_format_is_tried_at_every_width_or_says_why_not() -> None:
    known = {" ".join(path) for path in list_commands(cli)}
    tried = {path for path in known for case in CASES if find_path(case).startswith(f"{path} ")}
    assert known - tried - set(NO_TABLE) == set()
    assert tried & set(NO_TABLE) == set()
    assert set(NO_TABLE) <= known


def find_path(case: str) -> str:
    words = case.split()
    # The group of classes takes the name of a taxonomy before the command.
    return " ".join([words[0], *words[2:]] if words[0] == "taxonomy" else words) + " "


@pytest.fixture
def study(demo: Demo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the demo's study, and small files beside it."""
    shutil.copytree(demo.study, tmp_path / "study")
    folder = tmp_path / "study"
    monkeypatch.chdir(folder)
    source = demo.folder / "images" / "original"
    (folder / "more" / "0").mkdir(parents=True)
    shutil.copy(next(source.rglob("*.jpg")), folder / "more" / "0" / "another.jpg")
    for seed, name in enumerate(("features", "others")):
        np.save(folder / f"{name}.npy", np.random.default_rng(seed).normal(size=(20, 3)).astype(np.float32))
    ids = [f"{one}{row}" for one in "xy" for row in range(20)]
    write(folder, {"ids.txt": "\n".join(ids[:20]), "other.txt": "\n".join(ids[20:])})
    return folder


def run(words: list[str], monkeypatch: pytest.MonkeyPatch) -> tuple[object, list[FittedTable]]:
    Recorder.tables = []
    monkeypatch.setattr(sys, "argv", ["regauge", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    return stop.value.code or 0, Recorder.tables


def check(table: FittedTable, width: int) -> list[str]:
    """What is wrong with a table at a width."""
    console = Console(width=width, file=io.StringIO(), record=True)
    console.print(table)
    text = console.export_text()
    lines, printed = text.splitlines(), text.split()
    joined, whole = " ".join(printed), set(printed)
    wrong = [f"too wide: {line}" for line in lines if cell_len(line.rstrip()) > width]
    kept = table.fit(width).widths
    for place, column in enumerate(table.columns):
        if place not in kept:
            wrong += [f"unsaid: {column.label}"] if " ".join(column.label.split()) not in joined else []
            continue
        # Of a thousand rows many say the same.
        cells = dict.fromkeys(cell.plain for cell in column.cells)
        if column.holds is Holds.NUMBERS:
            wrong += [
                f"split: {one}" for cell in cells for one in cell.split("\n") if one not in whole and one not in text
            ]
        elif column.holds is Holds.NAMES:
            narrow = (cell for cell in cells if cell not in whole and cell_len(cell) <= kept[place])
            # What has lines is never in one.
            wrong += [f"split: {cell}" for cell in narrow if "\n" in cell or cell not in text]
        else:
            words = dict.fromkeys(word for cell in cells for word in cell.split() if word not in whole)
            wrong += [f"split: {one}" for one in words if one not in text and cell_len(one) <= kept[place]]
    return wrong


def test_tables_of_every_command_fit_every_width(
    demo: Demo, study: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "Console", Recorder)
    monkeypatch.setenv("COLUMNS", str(WIDTHS[0]))
    image = prepare(demo, study, monkeypatch, capsys)
    wrong: dict[str, object] = {}
    for case in CASES:
        words = [word.replace("DEMO", str(demo.folder)) for word in case.split()]
        status, tables = run([image.get(word, word) for word in words], monkeypatch)
        captured = capsys.readouterr()
        if status != 0:
            wrong[case] = captured.err
        found = [one for table in tables for width in WIDTHS for one in check(table, width)]
        if found:
            wrong[case] = found[:3]
        for table in tables:
            check_papers(table)
    assert not wrong, "\n".join(f"{case}: {what}" for case, what in wrong.items())


def prepare(
    demo: Demo, study: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> dict[str, str]:
    """Files that commands make for others, and images that have a part in the study."""
    folder = str(demo.folder)
    asked = (demo.folder / "contains.csv").read_text().splitlines()[1].split(",")[3]
    for words, name in (
        (["aggregate", "contains", f"{folder}/contains.csv", "--format", "csv"], "frequencies.csv"),
        (["candidates", "potential", "--test-set", "original", "--format", "csv"], "potential.csv"),
        (["testset", "show", "new", "--format", "csv"], "new.csv"),
        (["pool", "images", "--format", "csv"], "candidates.csv"),
    ):
        status, _ = run(words, monkeypatch)
        captured = capsys.readouterr()
        assert status == 0, captured.err
        (study / name).write_text(captured.out)
    drawn, candidate = (
        (study / name).read_text().splitlines()[1].split(",")[0] for name in ("new.csv", "candidates.csv")
    )
    write(study, {name: text.replace("X", candidate).replace("DRAWN", drawn) for name, text in FILES.items()})
    return {"ASKED": asked, "NEW": drawn, "CANDIDATE": candidate}


def check_papers(table: FittedTable) -> None:
    """A table for a paper has every row and every column."""
    latex, markdown = to_latex(table), to_markdown(table)
    rows = [line for line in latex.splitlines() if line.endswith(r"\\")]
    has_head = any(one.header for one in table.columns)
    assert len(rows) == table.n_rows + has_head
    assert all(row.replace(r"\&", "").count("&") == len(table.columns) - 1 for row in rows)
    assert latex.count(r"\toprule") == latex.count(r"\bottomrule") == 1
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len(lines) == table.n_rows + 2
    assert all(line.replace(r"\|", "").count("|") == len(table.columns) + 1 for line in lines)
