"""Classes as people name them: a class, a node of the hierarchy with all below it, or a group."""

from __future__ import annotations

from collections.abc import Iterable

from regauge.errors import InputError
from regauge.records.taxonomy import NodeId, Taxonomy
from regauge.taxonomy.expertise import find_kinds
from regauge.taxonomy.groups import find_members
from regauge.taxonomy.hierarchy import find_classes_below


def pick_classes(taxonomy: Taxonomy, words: str) -> tuple[int, ...]:
    """The classes that some words name, in index order.

    A group comes first, as it is written and then in any capitalisation: ImageNet has the group dogs with 118 classes and the
    group Dogs with 130. Then a number or an id, then a name of nodes of the hierarchy, in the singular or the plural.

    Raises:
        InputError: nothing is called so, no class is below it, or several classes are.
    """
    text = words.strip()
    members = _find_group(taxonomy, text)
    if members:
        return members
    nodes = [NodeId(text)] if text in taxonomy.parents else find_kinds(taxonomy, text)
    own = {one.id for one in taxonomy.classes}
    # Of several classes that share a name one was meant, and the class itself says so.
    if nodes and not (len(nodes) > 1 and own.issuperset(nodes)):
        found = tuple(int(index) for index in find_classes_below(taxonomy, *nodes))
        if found:
            return found
    return (int(taxonomy.get_index(text)),)


def pick_all(taxonomy: Taxonomy, names: Iterable[str]) -> tuple[int, ...]:
    """The classes that any of some names stand for, each once, in index order; all of them where there are no names.

    Raises:
        InputError: a name stands for nothing.
    """
    wanted = [name for name in names if name.strip()]
    if not wanted:
        return tuple(range(len(taxonomy)))
    found: set[int] = set()
    for name in wanted:
        try:
            found.update(pick_classes(taxonomy, name))
        except InputError as error:
            raise InputError(f"{error} A class, a node of the hierarchy or a group can be named.") from error
    return tuple(sorted(found))


def _find_group(taxonomy: Taxonomy, text: str) -> tuple[int, ...]:
    rules = [rule for grouping in taxonomy.groupings for rule in grouping.groups]
    exact = [rule for rule in rules if rule.name == text]
    alike = exact or [rule for rule in rules if rule.name.casefold() == text.casefold()]
    return tuple(find_members(taxonomy, alike[0]).tolist()) if alike else ()
