"""How long a search for classes takes per key: every start of everyday queries, as somebody types them."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from functools import partial
from pathlib import Path

from benchmarks.harness import Role, Variant, Workload, compare
from regauge.formats.taxonomies import load_taxonomy, load_word_lists
from regauge.taxonomy.finder_index import FinderIndex, build_finder_index, collect_finder_data
from regauge.taxonomy.search import search_index

QUERIES = Path(__file__).resolve().parents[1] / "tests" / "taxonomy" / "everyday_queries.csv"
SCRIPT = QUERIES.parents[1] / "parts" / "search_queries.js"
N_QUERIES = 20
LIMIT = 30


def list_keys() -> list[str]:
    """What the field holds after every key of some queries."""
    with QUERIES.open(encoding="utf-8", newline="") as file:
        queries = [row["query"] for row in csv.DictReader(file)][:N_QUERIES]
    return [query[:n] for query in queries for n in range(1, len(query) + 1)]


def search_all(index: FinderIndex, keys: list[str]) -> int:
    return sum(len(search_index(index, key)) for key in keys)


def scan_all(names: list[str], keys: list[str]) -> int:
    """The least that a search can do: look once whether the text is in each name."""
    return sum(sum(key in name for name in names) for key in keys)


def time_finder() -> str:
    """What a key takes in the finder of the pages, whose script Node runs."""
    node = shutil.which("node")
    if node is None:
        return "Not measured: the finder of the pages, for which Node is not installed."
    data = collect_finder_data(load_taxonomy("imagenet-1k"), load_word_lists()).to_json()
    sent = json.dumps({"data": data, "queries": list_keys()})
    found = subprocess.run([node, str(SCRIPT)], input=sent, capture_output=True, text=True, check=True)
    milliseconds = json.loads(found.stdout)["milliseconds"]
    return (
        f"In the finder of the pages a key takes {milliseconds:.1f} ms of processor time on average, and is to take less than "
        f"{LIMIT} ms."
    )


def compare_searches() -> str:
    taxonomy = load_taxonomy("imagenet-1k")
    index = build_finder_index(collect_finder_data(taxonomy, load_word_lists()))
    keys = list_keys()
    names = [text.simple for text in index.texts]
    variants = [
        Variant("search_index", partial(search_all, index, keys), Role.OURS, gives="the first ten, and why"),
        Variant("key in name, for every name", partial(scan_all, names, keys), Role.FLOOR, gives="a number"),
    ]
    return compare(f"{len(keys)} keys in {len(names):,} names of {len(taxonomy):,} classes", variants)


def run() -> Workload:
    return Workload("Search for classes", "The time is of all keys together.", (compare_searches(), time_finder()))


if __name__ == "__main__":
    print(run().to_markdown())
