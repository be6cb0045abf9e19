"""The browser finds what Python finds: the same classes, in the same order, for the same reasons."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from regauge.formats.taxonomies import load_taxonomy, load_word_lists
from regauge.taxonomy.finder_index import build_finder_index, collect_finder_data
from regauge.taxonomy.search import explain_match, make_match, search_index

IMAGENET = load_taxonomy("imagenet-1k")
INDEX = build_finder_index(collect_finder_data(IMAGENET, load_word_lists()))
SCRIPT = Path(__file__).resolve().parents[1] / "parts" / "search_queries.js"
ODD = [
    "",
    "  ",
    "207",
    "1000",
    "n0144",
    "n01440764",
    "Café",
    "ÉCLAIR",
    "hot-dog's",
    "zzzzzz",
    "a",
    "a b c d e f g h",
    "ß",
    "ﬁsh",
    "piggy",
    "doggies",
    "fireplace",
    "wheelchair",
    "corn on the cob",
    "a thing for the hair",
    "satellite dish on a roof",
    "cup of coffee",
    "house for birds",
    "tallest dog",
    "labtop",
    "fishing with a reel",
]


def list_queries() -> list[str]:
    """Everyday queries whole and half typed, names of classes with a slip, and odd ones."""
    everyday = []
    for name in ("everyday_queries.csv", "fresh_queries.csv"):
        with (Path(__file__).parent / name).open(encoding="utf-8", newline="") as file:
            everyday += [row["query"] for row in csv.DictReader(file)]
    halves = [query[: len(query) // 2 + 1] for query in everyday]
    names = [image_class.names[-1] for image_class in IMAGENET.classes[::9]]
    slips = [name[:3] + name[4:] for name in names]
    swapped = [" ".join(reversed(name.split())) for name in names]
    return [*everyday, *halves, *names, *slips, *swapped, *ODD]


def ask_browser(queries: list[str]) -> dict[str, Any]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    sent = json.dumps({"data": INDEX.data.to_json(), "queries": queries})
    done = subprocess.run([node, str(SCRIPT)], input=sent, capture_output=True, text=True, check=True, timeout=120)
    return dict(json.loads(done.stdout))


def test_the_browser_gives_the_same_first_ten_for_hundreds_of_queries() -> None:
    queries = list_queries()
    assert len(queries) > 1000
    answers = ask_browser(queries)["told"]
    for query, answer in zip(queries, answers, strict=True):
        found = search_index(INDEX, query)
        told = [[one.index, one.score, explain_match(make_match(IMAGENET, INDEX, one))] for one in found]
        assert answer == told, query


def test_a_search_in_the_browser_takes_less_than_thirty_milliseconds() -> None:
    assert ask_browser(list_queries())["milliseconds"] < 30
