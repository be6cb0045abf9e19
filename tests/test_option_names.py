"""Sentences that are raised or noted below the command line speak of keywords; the command line makes options of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.command_runner import make_runner
from tests.test_architecture import MODULES, find_layer, list_offences, parse
from tests.test_docs import COMMAND_LIST

from regauge.records.option_names import OPTION_NAMES, SETTING, name_options

BELOW = [path for path in MODULES if find_layer(path) != "cli"]
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def find_texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every text of a module that is not a docstring, with its line; what an f-string fills in is left out."""
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    left_out = documented | inside
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield (
                node.lineno,
                "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values),
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node.lineno, node.value


def find_options(path: Path) -> list[str]:
    """Sentences that name an option; tables of settings say what their options are called, and commands have options."""
    return [
        f"line {line}: {text}"
        for line, text in find_texts(parse(path))
        if OPTION.search(re.sub(r"regauge [a-z].*", "", text)) and not OPTION.fullmatch(text)
    ]


def test_no_sentence_below_the_command_line_names_an_option():
    assert list_offences(find_options, BELOW) == []


def test_the_test_above_finds_what_it_looks_for(tmp_path):
    code = '"""Not --here."""\nraise E(f"Take {one} with --this")\nA = "--option"\nB = "Make one: regauge init --taxonomy X"\n'
    (tmp_path / "module.py").write_text(code)
    assert find_options(tmp_path / "module.py") == ["line 2: Take … with --this"]


@pytest.fixture(scope="module")
def keywords() -> frozenset[str]:
    """The parameters and fields of everything below the command line, and the settings in tables."""
    found = set()
    for tree in map(parse, BELOW):
        for node in ast.walk(tree):
            if isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Field":
                found |= {str(one.value) for one in node.args[:1] if isinstance(one, ast.Constant)}
    return frozenset(found)


@pytest.fixture(scope="module")
def settings() -> list[tuple[str, str]]:
    """The keywords that sentences name, as they are written."""
    texts = {text for path in BELOW if path.stem != "option_names" for _, text in find_texts(parse(path))}
    return sorted({(found[0], found["name"]) for text in texts for found in SETTING.finditer(text)})


OPTIONS = {option for _, command in COMMAND_LIST for one in command.params for option in one.opts} | {"--no-screening"}


def test_a_keyword_that_a_sentence_names_is_one_and_has_an_option(settings, keywords):
    assert len(settings) > 50
    assert [name for _, name in settings if name not in keywords] == []
    assert [setting for setting, _ in settings if name_options(setting).split()[0] not in OPTIONS] == []


def test_options_with_other_names_are_named_somewhere(settings):
    assert set(OPTION_NAMES) <= {name for _, name in settings}


def test_values_are_written_for_a_shell():
    assert name_options("`truths=['it is', 'it, is not']`") == "--truths 'it is,\"it, is not\"'"
    assert name_options("`tasks=4` and `screening=False`") == "--tasks 4 and --no-screening"
    assert name_options("with `study.begin()` and `a` = `b`") == "with `study.begin()` and `a` = `b`"


def test_errors_of_commands_name_options(tmp_path, monkeypatch, capsys):
    (tmp_path / "t.csv").write_text("image_id,label\na,0\nb,1\n")
    (tmp_path / "p.csv").write_text("image_id,class\na,0\n")
    monkeypatch.chdir(tmp_path)
    found = make_runner(monkeypatch, capsys)("score", "p.csv", "--truth", "t.csv")
    assert found.err.endswith("score the rest with --allow-missing.\n")
