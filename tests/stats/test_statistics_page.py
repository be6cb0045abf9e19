"""The page about the statistics names every public function of the stage, and none that is not there."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import regauge.stats

PAGE = Path(__file__).resolve().parents[2] / "docs" / "statistics.md"
MODULES = [
    name
    for found in pkgutil.walk_packages(regauge.stats.__path__, "regauge.stats.")
    if not (name := found.name.removeprefix("regauge.stats.")).split(".")[-1].startswith("_")
]


@pytest.mark.parametrize("name", MODULES)
def test_every_module_of_the_stage_is_on_the_page(name: str) -> None:
    module = importlib.import_module(f"regauge.stats.{name}")
    public = {
        key
        for key, value in vars(module).items()
        if inspect.isfunction(value) and not key.startswith("_") and value.__module__ == module.__name__
    }
    named = set(re.findall(rf"`{name}\.(\w+)`", PAGE.read_text(encoding="utf-8")))
    assert named == public
