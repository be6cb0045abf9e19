"""The vocabulary: every noun stands for one type, which is where the page says, and no public class name means two things."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import regauge

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "regauge"
PAGE = ROOT / "docs" / "vocabulary.md"
ROW = re.compile(r"\| (?P<noun>[^|`]+) \| (?P<sentence>.+) \| `(?P<type>\w+)` \| `(?P<module>[\w/]+\.py)` \|")


@cache
def find_classes() -> dict[str, list[str]]:
    """Public class name → the modules that define it, as paths below the package."""
    found = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path.relative_to(SOURCE).as_posix())
    return dict(found)


def read_page() -> list[re.Match[str]]:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.count("|") == 5]
    found = [ROW.fullmatch(line) for line in rows if not line.startswith(("|---", "| noun |"))]
    assert all(found), "a row of the vocabulary cannot be read"
    return [row for row in found if row]


def test_no_public_class_name_is_defined_twice():
    assert {name: modules for name, modules in find_classes().items() if len(modules) > 1} == {}


def test_every_type_of_the_vocabulary_is_where_the_page_says():
    rows = read_page()
    assert len(rows) > 100
    assert [row["type"] for row in rows if find_classes().get(row["type"]) != [row["module"]]] == []


def test_a_noun_and_a_type_stand_in_the_vocabulary_once():
    rows = read_page()
    for column in ("noun", "type"):
        words = [row[column] for row in rows]
        assert sorted(words) == sorted(set(words))


def test_every_record_that_users_of_the_package_see_is_in_the_vocabulary():
    # Settings, sources and requests are arguments, which docs/python.md shows; errors of a family stand for it.
    arguments = re.compile(r"(Settings|Source|Sources|Request|Method|Kind|Rule|By|Answers|FeatureSet|Selection)$")
    types = {name for name in regauge.__all__ if name in find_classes() and not arguments.search(name)}
    families = {"RegaugeError", "AmbiguousClassError", "MissingImagesError", "UnknownClassError"}
    enums = {"Acceptance", "Unlisted"}
    assert types - families - enums - {row["type"] for row in read_page()} == set()
