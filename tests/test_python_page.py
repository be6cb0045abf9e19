"""docs/python.md: its loop runs with PyTorch or with what does the same, and its table names a function for every command."""

from __future__ import annotations

import contextlib
import re
import sys
import types
from typing import Any

import numpy as np
import pytest
from scripts.check_examples import find_examples, write_examples
from tests.test_docs import COMMAND_LIST, ROOT, read

import regauge

NO_FUNCTION = "—"


class Tensor:
    """What the example asks of a tensor."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values if dtype is None else self.values.astype(dtype)

    def __getitem__(self, key: Any) -> Tensor:
        return Tensor(self.values[key])

    def __mod__(self, other: int) -> Tensor:
        return Tensor(self.values % other)

    def cpu(self) -> Tensor:
        return self


class Linear:
    """A linear layer with the names that PyTorch has for it."""

    def __init__(self, n_in: int, n_out: int) -> None:
        self.weights = np.random.default_rng(0).normal(size=(n_in, n_out))

    def eval(self) -> Linear:
        return self

    def __call__(self, images: Tensor) -> Tensor:
        return Tensor(images.values @ self.weights)


def make_torch() -> Any:
    """A module with the calls of the example."""
    module: Any = types.ModuleType("torch")
    module.rand = lambda *shape: Tensor(np.random.default_rng(1).random(shape))
    module.arange = lambda n: Tensor(np.arange(n))
    module.inference_mode = contextlib.nullcontext
    module.nn = types.SimpleNamespace(Linear=Linear)
    return module


def get_loop() -> str:
    (loop,) = (one for one in find_examples(ROOT / "docs" / "python.md") if "import torch" in one)
    return loop


def test_the_loop_of_the_page_runs_without_pytorch(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "torch", make_torch())
    exec(get_loop(), {})  # noqa: S102 - our own page
    assert re.fullmatch(r"linear, top1: \d+\.\d% \[.*\] \(n = 8\)\n", capsys.readouterr().out)


def test_the_loop_of_the_page_runs_with_pytorch(capsys):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    exec(get_loop(), {})  # noqa: S102 - our own page
    assert capsys.readouterr().out.endswith("(n = 8)\n")


def test_every_example_is_checked_for_its_types(tmp_path):
    names = {path.stem.rpartition("_")[0] for path in write_examples(tmp_path)}
    assert {"python", "labels", "comparing", "statistics"} <= names
    assert "scripts.check_examples" in read("Makefile")


def list_functions() -> dict[str, str]:
    """What the table of the page says of every command."""
    table = read("docs/python.md").partition("## Which function")[2]
    return {row[1]: row[2].strip() for row in re.finditer(r"^\| `([a-z0-9 -]+)` \| (.+) \|$", table, re.MULTILINE)}


def test_the_page_says_of_every_command_which_function_does_it_or_why_none_does():
    commands = [name for name, command in COMMAND_LIST if not hasattr(command, "commands")]
    # Groups that make their commands themselves are named as a whole.
    told = list_functions()
    missing = [name for name in commands if not any(name == one or name.startswith(f"{one} ") for one in told)]
    assert missing == []
    unknown = [one for one in told if not any(name == one or name.startswith(f"{one} ") for name in commands)]
    assert unknown == []


@pytest.mark.parametrize(("command", "cell"), list_functions().items())
def test_a_function_that_the_table_names_is_there(command, cell):
    if cell.startswith(NO_FUNCTION):
        assert len(cell.removeprefix(NO_FUNCTION).split()) > 3, f"{command} needs a reason"
        return
    names = re.findall(r"`(\w+)`", cell)
    assert names, command
    for name in names:
        assert callable(getattr(regauge, name)), name
