"""Descriptions of tables in Croissant's JSON-LD."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import polars as pl
import pytest

from regauge.formats.exports.croissant import CardFacts, describe_files, find_columns, find_values
from regauge.formats.exports.tables import KINDS, TABLES, VOTE_COLUMNS, write_table

FACTS = CardFacts("mine\n\x1b", "Words.", "", "2026-01-31")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "labels.csv").write_text(",".join(TABLES["labels"]) + "\n")
    return tmp_path / "labels.csv"


def test_a_file_is_described_by_checksum_and_columns(table: Path) -> None:
    found = describe_files(FACTS, {table: TABLES["labels"]})
    (file,) = found["distribution"]
    assert (file["contentUrl"], file["encodingFormat"]) == ("labels.csv", "text/csv")
    assert file["sha256"] == hashlib.sha256(table.read_bytes()).hexdigest()
    (records,) = found["recordSet"]
    kinds = {field["name"]: field["dataType"] for field in records["field"]}
    assert list(kinds) == list(TABLES["labels"])
    assert (kinds["class"], kinds["verdict"], kinds["problematic"]) == ("sc:Integer", "sc:Text", "sc:Boolean")


def test_a_licence_is_stated_where_it_is_known(table: Path) -> None:
    assert "license" not in describe_files(FACTS, {table: TABLES["labels"]})
    facts = CardFacts("mine", "Words.", "cc-by-4.0", "2026-01-31")
    assert describe_files(facts, {table: TABLES["labels"]})["license"] == "cc-by-4.0"


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")
def test_any_name_is_one_that_mlcroissant_takes(table: Path) -> None:
    mlcroissant = pytest.importorskip(
        "mlcroissant", reason="Croissant's reader is not installed: pip install mlcroissant"
    )
    content = describe_files(FACTS, {table: TABLES["labels"]})
    (table.parent / "c.json").write_text(json.dumps(content))
    dataset = mlcroissant.Dataset(jsonld=str(table.parent / "c.json"))
    assert dataset.metadata.ctx.issues.errors == set()


@pytest.mark.parametrize("kind", KINDS)
def test_columns_and_values_of_a_table_are_found(tmp_path: Path, kind: str) -> None:
    frame = pl.DataFrame({"task": ["2024", "01", "2024"], "worker": ["a", "b", None], "label": [1, 2, 3]})
    path = tmp_path / f"t[1].{kind}"
    write_table([frame], path, kind=kind, schema=VOTE_COLUMNS)
    assert list(find_columns(path)) == list(VOTE_COLUMNS)
    assert find_values(path, "task") == ["01", "2024"]
