"""Classes as tables call them: by their index, and by their name where a taxonomy is known."""

from __future__ import annotations

from regauge.records.taxonomy import Taxonomy


def name_class(index: int | None, taxonomy: Taxonomy | None) -> str:
    """The index with the name beside it; a dash where there is no class."""
    if index is None:
        return "–"
    is_known = taxonomy is not None and 0 <= index < len(taxonomy)
    return f"{index} {taxonomy.classes[index].name}" if taxonomy is not None and is_known else str(index)


def name_classes(taxonomy: Taxonomy) -> list[str]:
    """Every class of a taxonomy, by index."""
    return [name_class(index, taxonomy) for index in range(len(taxonomy))]
