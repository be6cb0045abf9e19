"""Tables: which columns a width has room for, what the formats for papers write, and what becomes of odd names."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from tests.cli.command_runner import Runner, make_runner

from regauge.cli.printing.documents import escape_latex, to_latex, to_markdown
from regauge.cli.printing.tables import FittedTable, Holds, make_table, shorten_name

INTERVAL = "83.3% [82.9, 83.6]"


def make(name: str = "resnet50") -> FittedTable:
    """A name, an important number, and two that are less so, of which the right one is more important."""
    table = make_table("model", title="Models & more")
    table.add_column("top1", rank=0)
    table.add_column("top5", rank=2)
    table.add_column("real", rank=1)
    table.add_row(name, INTERVAL, INTERVAL, INTERVAL)
    table.add_row("b", "–", "–", "–")
    return table


def render(table: FittedTable, width: int) -> str:
    console = Console(width=width, file=io.StringIO(), record=True)
    console.print(table)
    return console.export_text()


def test_the_least_important_columns_go_first_and_are_named() -> None:
    # 8 + 3 · (2 + 18) = 68 columns for all, 48 without one of them, 28 without two.
    assert "Left out" not in render(make(), 68)
    assert "Left out at this width: top5; --format csv has all." in render(make(), 67)
    assert "real" in render(make(), 67).splitlines()[1]
    assert "Left out at this width: top5, real" in " ".join(render(make(), 47).split())


def test_columns_of_one_rank_go_together_and_those_without_a_label_unmentioned() -> None:
    table = make_table("model", "n")
    table.add_column("n", rank=1, label="")
    table.add_column("top1", rank=1)
    table.add_row("a", "5", "7", INTERVAL)
    assert "Left out at this width: top1; " in " ".join(render(table, 20).split())
    assert "7" not in render(table, 20)


def test_a_name_is_shortened_in_its_middle_only_where_it_is_long_or_nothing_else_helps() -> None:
    assert "x" * 39 in render(make("x" * 39), 60)
    short = render(make("first" + "x" * 60 + "last"), 80)
    assert "first" in short
    assert "last" in short
    assert "…" in short
    assert "names are shortened" in " ".join(short.split())
    assert "…" not in render(make("first" + "x" * 60 + "last"), 140)


@pytest.mark.parametrize("width", range(1, 90))
def test_no_line_is_wider_than_the_terminal_however_narrow(width: int) -> None:
    table = make("日本語の名前のとても長いモデル")
    table.add_column("why", Holds.WORDS)
    for column in table.columns[-1:]:
        column.cells.extend(make_table("").columns[0].cells)
    table.columns.pop()
    lines = render(table, width).splitlines()
    kept = table.fit(width).widths
    assert sum(kept.values()) + 2 * (len(kept) - 1) <= max(width, 1)
    assert lines


@pytest.mark.parametrize("width", [1, 2, 3, 9, 10])
def test_a_shortened_name_is_no_wider_than_asked(width: int) -> None:
    assert len(shorten_name("abcdefghijkl", width)) <= width
    assert shorten_name("abc", 3) == "abc"


def test_sentences_break_between_words_and_never_inside_a_number_with_its_interval() -> None:
    table = make_table("image")
    table.add_column("why", Holds.WORDS)
    table.add_row("a", f"of these {INTERVAL} were right, n = 12,345 in all")
    shown = render(table, 32)
    assert any(INTERVAL in line for line in shown.splitlines())
    assert any("n = 12,345" in line for line in shown.splitlines())


def test_a_name_cannot_move_the_cursor_or_break_a_line() -> None:
    shown = render(make("two\nlines \x1b[2J"), 140)
    assert "two\\nlines \\x1b[2J" in shown


def test_latex_has_the_rules_of_booktabs_and_every_special_character_written_out() -> None:
    table = make(r"50% & _a^b~ {x} \cmd $ # <1>")
    table.add_section()
    text = to_latex(table)
    assert text.splitlines()[0] == "% Models & more"
    assert r"\begin{tabular}{lrrr}" in text
    assert [text.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule", r"\end{tabular}")] == [1, 1, 1, 1]
    name = r"50\% \& \_a\textasciicircum{}b\textasciitilde{} \{x\} \textbackslash{}cmd \$ \# \textless{}1\textgreater{}"
    assert f"{name} & " in text
    assert "b & -- & -- & -- " in text


def test_a_bracket_at_the_start_of_a_row_is_no_argument_of_the_line_before() -> None:
    assert escape_latex("[0, 0.2)") == "{}[0, 0.2)"


def test_markdown_keeps_its_columns_and_shows_no_markup_of_names() -> None:
    text = to_markdown(make("a|b *c* <script> [x](javascript:y)"))
    lines = text.splitlines()
    assert lines[0] == "**Models &amp; more**"
    assert lines[3] == "|---|---:|---:|---:|"
    assert r"a\|b \*c\* &lt;script&gt; \[x\](javascript:y)" in lines[4]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    return make_runner(monkeypatch, capsys)


@pytest.mark.parametrize("width", ["60", "140"])
def test_a_table_for_a_paper_is_whole_whatever_the_terminal(
    run: Runner, monkeypatch: pytest.MonkeyPatch, width: str
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    latex = run("taxonomy", "cifar-10", "list", "--format", "latex").out
    markdown = run("taxonomy", "cifar-10", "list", "--format", "markdown").out
    assert sum(line.endswith(r"\\") for line in latex.splitlines()) == 11
    assert sum(line.startswith("| ") for line in markdown.splitlines()) == 11
    assert "Left out" not in latex + markdown
    sentence = run("taxonomy", "cifar-10", "lint", "--format", "latex").out
    assert all(line.startswith("%") for line in sentence.splitlines())
