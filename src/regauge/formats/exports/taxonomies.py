"""Taxonomies → files in our own format, apart from other writers: whoever opens a study needs no more of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from regauge.records.taxonomy import ClassRelation, Grouping, Taxonomy


def write_taxonomy(taxonomy: Taxonomy, path: Path) -> None:
    """Regauge's own JSON, as docs/taxonomy.md describes it."""
    path.write_text(format_taxonomy(taxonomy), encoding="utf-8")


def format_taxonomy(taxonomy: Taxonomy, *, source: str = "") -> str:
    """The taxonomy in Regauge's own format, one class, node and group per line, so that versions can be compared.

    Args:
        taxonomy: what to write.
        source: where the words come from, kept in the file.
    """
    classes = [
        {
            "index": one.index,
            "id": one.id,
            "names": one.names,
            "gloss": one.gloss,
            "link": one.link,
            "parents": taxonomy.parents.get(one.id, ()),
        }
        for one in taxonomy.classes
    ]
    class_ids = {one.id for one in taxonomy.classes}
    nodes = [
        {"id": node, "names": taxonomy.find_names(node), "parents": parents}
        for node, parents in taxonomy.parents.items()
        if node not in class_ids
    ]
    head = {"format": "regauge-taxonomy", "version": 1, "name": taxonomy.name, "source": source}
    fields = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    groupings = ",\n".join(map(_format_grouping, taxonomy.groupings))
    lists = [
        f'"classes": {_format_list(classes)}',
        f'"nodes": {_format_list(nodes)}',
        f'"groupings": [\n{groupings}\n]',
        # Without relations a file is what it was before there were any.
        *([f'"relations": {_format_list(map(_describe_relation, taxonomy.relations))}'] if taxonomy.relations else []),
    ]
    return "{\n" + ",\n".join(fields + lists) + "\n}\n"


def _describe_relation(relation: ClassRelation) -> dict[str, Any]:
    """What is known of a relation, classes by index."""
    known = {name: getattr(relation, name) for name in ("reason", "source", "who", "at") if getattr(relation, name)}
    ends = {"first": relation.first, "second": relation.second}
    return {"kind": relation.kind.value, **ends, **known, "status": relation.status.value}


def _format_grouping(grouping: Grouping) -> str:
    groups = [{"name": rule.name, "within": rule.within, "without": rule.without} for rule in grouping.groups]
    head = json.dumps({"name": grouping.name, "reference": grouping.reference}, ensure_ascii=False)
    return f'{head[:-1]}, "groups": {_format_list(groups)}}}'


def _format_list(entries: Iterable[Mapping[str, Any]]) -> str:
    return "[\n" + ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries) + "\n]"
