"""Exported tables → a Croissant description of them (JSON-LD), as data catalogues and mlcroissant read it.

The format is that of the MLCommons Croissant specification 1.0, http://mlcommons.org/croissant/1.0.
"""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from regauge.formats.exports.tables import Schema

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
ENCODINGS = {".csv": "text/csv", ".jsonl": "application/jsonlines", ".parquet": "application/x-parquet"}

_OWN = (
    "citeAs column conformsTo equivalentProperty extract field fileProperty fileObject fileSet format includes isLiveDataset "
    "jsonPath key md5 parentField path recordSet references regex repeated replace samplingRate separator source subField "
    "transform"
)
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    **{name: f"cr:{name}" for name in _OWN.split()},
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
}
_TYPES = {pl.String: "sc:Text", pl.Int64: "sc:Integer", pl.Float64: "sc:Float", pl.Float32: "sc:Float"}


@dataclass(frozen=True, slots=True)
class CardFacts:
    """What a description says beyond its files.

    Attributes:
        name: what the data are called.
        description: a sentence or two.
        license: as the user says it; empty where it was not said.
        date: the day on which it was made, such as 2026-01-31.
    """

    name: str
    description: str
    license: str
    date: str


def describe_files(facts: CardFacts, files: Mapping[Path, Schema]) -> dict[str, Any]:
    """The JSON-LD object: every file with its checksum, and its columns as a record set.

    Args:
        facts: what the data are.
        files: tables in the folder that the description goes to, and their columns.
    """
    content: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": facts.name,
        "description": facts.description,
        "datePublished": facts.date,
        "version": "1.0.0",
    }
    if facts.license:
        content["license"] = facts.license
    content["distribution"] = [_describe_file(path) for path in files]
    content["recordSet"] = [_describe_records(path, schema) for path, schema in files.items()]
    return content


def find_columns(path: Path) -> Sequence[str]:
    """The columns that a table has, by its head alone."""
    return _scan(path).collect_schema().names()


def find_values(path: Path, column: str) -> list[str]:
    """The distinct values of a column of text."""
    return sorted(_scan(path).select(pl.col(column).unique()).collect()[column].cast(pl.String).to_list())


def _scan(path: Path) -> pl.LazyFrame:
    if path.suffix == ".csv":
        # Without a guess at types: a test set may be called 2024.
        return pl.scan_csv(path, infer_schema=False, glob=False)
    if path.suffix == ".jsonl":
        # This one takes every path for a pattern.
        return pl.scan_ndjson(glob.escape(str(path)))
    return pl.scan_parquet(path, glob=False)


def _describe_file(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "@type": "cr:FileObject",
        "@id": path.name,
        "name": path.name,
        "contentUrl": path.name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": ENCODINGS[path.suffix],
        "sha256": sha256,
    }


def _describe_records(path: Path, schema: Schema) -> dict[str, Any]:
    name = path.stem
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"{name}/{column}",
            "name": column,
            "dataType": _TYPES.get(kind, "sc:Boolean"),
            "source": {"fileObject": {"@id": path.name}, "extract": {"column": column}},
        }
        for column, kind in schema.items()
    ]
    return {"@type": "cr:RecordSet", "@id": name, "name": name, "field": fields}
