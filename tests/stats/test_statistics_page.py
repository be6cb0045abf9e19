"""The page about the statistics tells the truth: its examples run, and the functions it names exist."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "statistics.md"
MODULES = ("counts", "intervals", "resampling", "paired", "multiplicity")


def test_the_examples_on_the_page_run() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert results.attempted >= 15
    assert results.failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_the_page_names_every_public_function_and_no_other(name: str) -> None:
    module = importlib.import_module(f"regauge.stats.{name}")
    public = {
        key
        for key, value in vars(module).items()
        if callable(value) and not key.startswith("_") and getattr(value, "__module__", "") == module.__name__
    }
    named = set(re.findall(rf"`{name}\.(\w+)`", PAGE.read_text(encoding="utf-8")))
    assert named == public - {"Limits", "Statistic"}
