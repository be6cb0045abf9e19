"""Look into a taxonomy: classes, search, paths, distances, groups, lint."""

from __future__ import annotations

from dataclasses import dataclass

from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.formats.classes import resolve_class
from regauge.formats.relations import load_published_relations
from regauge.formats.taxonomies import load_word_lists
from regauge.records.taxonomy import ClassRelation, ImageClass, NodeId, Taxonomy
from regauge.taxonomy.groups import find_groups
from regauge.taxonomy.hierarchy import (
    count_ancestor_level,
    count_path_length,
    find_common_ancestors,
    find_paths_to_root,
)
from regauge.taxonomy.lint import Finding, count_searches, lint_taxonomy
from regauge.taxonomy.search import Match, explain_match, search_classes


@dataclass(frozen=True, slots=True)
class ClassDescription:
    """A class with everything above it.

    Attributes:
        image_class: the class.
        paths: all ways up to a root, as names, the class first.
        groups: the groups that it is in, by grouping.
    """

    image_class: ImageClass
    paths: tuple[tuple[str, ...], ...]
    groups: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Distance:
    """How far apart two classes are; None where nothing joins them."""

    first: ImageClass
    second: ImageClass
    path_length: int | None
    ancestor_level: int | None
    common_ancestor: str | None


@dataclass(frozen=True, slots=True)
class GroupMembers:
    """One group of a grouping and its classes."""

    grouping: str
    name: str
    classes: tuple[ImageClass, ...]


def describe_class(taxonomy: Taxonomy, text: str) -> ClassDescription:
    """The class that an index, id or name stands for, its paths to the root and its groups."""
    image_class = taxonomy.classes[resolve_class(text, taxonomy)]
    paths = find_paths_to_root(taxonomy, image_class.id)
    return ClassDescription(
        image_class=image_class,
        paths=tuple(tuple(taxonomy.find_names(node)[0] for node in path) for path in paths),
        groups=_find_groups_of(taxonomy, image_class),
    )


def find_classes(taxonomy: Taxonomy, text: str, *, limit: int = 10) -> tuple[Match, ...]:
    """The classes that a text may mean, also by everyday words, best first; empty when nothing is even similar."""
    return search_classes(taxonomy, text, limit=limit, words=load_word_lists())


def explain(match: Match) -> str:
    """Why a class was found, in a few words."""
    return explain_match(match)


@dataclass(frozen=True, slots=True)
class CheckedTaxonomy:
    """What was found about the classes of a taxonomy.

    Attributes:
        findings: what is wrong or doubtful, errors first.
        notes: what could not be checked, a sentence each.
    """

    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()


def check_taxonomy(taxonomy: Taxonomy) -> CheckedTaxonomy:
    """What is wrong or doubtful about the classes."""
    n_searches = count_searches(taxonomy)
    if not n_searches:
        return CheckedTaxonomy(lint_taxonomy(taxonomy))
    note = (
        f"{count_things(n_searches, 'link is a search', many='links are searches')}, so it is not known which pages they mean; "
        "links to pages can be given in a taxonomy file."
    )
    return CheckedTaxonomy(lint_taxonomy(taxonomy), (note,))


def find_relations(taxonomy: Taxonomy) -> tuple[ClassRelation, ...]:
    """The relations of the taxonomy itself, and those that were published for its classes, which are proposals."""
    own = {one.key: one for one in taxonomy.relations}
    return (*own.values(), *(one for one in load_published_relations(taxonomy) if one.key not in own))


def measure_distance(taxonomy: Taxonomy, first: str, second: str) -> Distance:
    """Path length and ancestor level between two classes, and their nearest common ancestor."""
    one, other = (taxonomy.classes[resolve_class(text, taxonomy)] for text in (first, second))
    ancestors = find_common_ancestors(taxonomy, one.id, other.id)
    return Distance(
        first=one,
        second=other,
        path_length=count_path_length(taxonomy, one.id, other.id),
        ancestor_level=count_ancestor_level(taxonomy, one.id, other.id),
        common_ancestor=_call(taxonomy, ancestors[0].node) if ancestors else None,
    )


def list_groups(taxonomy: Taxonomy, name: str | None = None) -> tuple[GroupMembers, ...]:
    """Every group with its classes, or those of one grouping or one group, in any capitalisation."""
    groups = tuple(
        GroupMembers(grouping.name, group, tuple(taxonomy.classes[index] for index in members.tolist()))
        for grouping in taxonomy.groupings
        for group, members in find_groups(taxonomy, grouping.name).items()
    )
    if name is None:
        return groups
    chosen = tuple(group for group in groups if name in {group.grouping, group.name})
    chosen = chosen or tuple(group for group in groups if name.casefold() == group.name.casefold())
    if not chosen:
        known = ", ".join(dict.fromkeys(word for group in groups for word in (group.grouping, group.name)))
        raise InputError(f"Taxonomy {taxonomy.name} has no group or grouping {name!r}; it has: {known or 'none'}.")
    return chosen


def _find_groups_of(taxonomy: Taxonomy, image_class: ImageClass) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for group in list_groups(taxonomy):
        if image_class in group.classes:
            found[group.grouping] = (*found.get(group.grouping, ()), group.name)
    return found


def _call(taxonomy: Taxonomy, node: NodeId) -> str:
    return f"{taxonomy.find_names(node)[0]} ({node})"
