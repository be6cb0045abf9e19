"""What in a taxonomy would trip a person or a program: names that mean two classes, cycles, rules that point nowhere.

An error makes results wrong or incomplete; a warning is a fact of the benchmark that its users should know.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urlsplit

from regauge.errors import InputError
from regauge.records.taxonomy import GroupRule, ImageClass, NodeId, Taxonomy
from regauge.taxonomy.groups import find_groups
from regauge.taxonomy.relations import check_relations

_ARTICLE = "/wiki/"
_SEARCH = "search="
"""What the address of a search has in it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to know about a taxonomy.

    Attributes:
        severity: error where results would be wrong, warning where a reader may be misled.
        code: the kind of finding, the same in every version.
        message: a sentence that says what was found and where.
        ids: the classes or nodes it is about.
    """

    severity: Literal["error", "warning"]
    code: str
    message: str
    ids: tuple[NodeId, ...]


def lint_taxonomy(taxonomy: Taxonomy) -> tuple[Finding, ...]:
    """All findings, errors first; empty for a taxonomy without a doubt.

    Codes: `cycle`, `unknown-node` and `contradictory-relations` are errors; `shared-name`,
    `shared-name-in-other-capitals`, `shared-link`, `class-below-class`, `number-as-name` and `empty-group` are warnings.
    """
    return (
        *_find_cycles(taxonomy),
        *_find_unknown_nodes(taxonomy),
        *_find_contradictions(taxonomy),
        *_find_shared_names(taxonomy),
        *_find_shared_links(taxonomy),
        *_find_classes_below_classes(taxonomy),
        *_find_numbers(taxonomy),
        *_find_empty_groups(taxonomy),
    )


def _find_contradictions(taxonomy: Taxonomy) -> Iterator[Finding]:
    """One finding for the first relations that cannot hold together."""
    try:
        check_relations(taxonomy.relations, taxonomy)
    except InputError as error:
        ids = sorted({index for one in taxonomy.relations for index in (one.first, one.second)})
        nodes = tuple(taxonomy.classes[index].id for index in ids)
        yield Finding("error", "contradictory-relations", str(error), nodes)


def _find_shared_names(taxonomy: Taxonomy) -> Iterator[Finding]:
    """One finding per name of several classes.

    A class is looked up without regard to capitals, so Cardigan the dog and cardigan the garment are in each other's way too;
    that is told apart, because files that keep the capitals are not ambiguous.
    """
    spellings: dict[str, dict[NodeId, str]] = {}
    for image_class in taxonomy.classes:
        for name in image_class.names:
            spellings.setdefault(name.casefold(), {}).setdefault(image_class.id, name)
    for owners in spellings.values():
        if len(owners) > 1:
            yield _report_shared_name(taxonomy, owners)


def _report_shared_name(taxonomy: Taxonomy, owners: dict[NodeId, str]) -> Finding:
    ids = tuple(owners)
    spelt = list(dict.fromkeys(owners.values()))
    advice = f"{_list_classes(taxonomy, ids)}; write an id to say which is meant."
    if len(spelt) == 1:
        return Finding("warning", "shared-name", f"The name {spelt[0]!r} means {len(ids)} classes: {advice}", ids)
    message = f"The names {' and '.join(map(repr, spelt))} differ only in capitals: {advice}"
    return Finding("warning", "shared-name-in-other-capitals", message, ids)


def _find_shared_links(taxonomy: Taxonomy) -> Iterator[Finding]:
    """One finding per page that stands for several classes.

    A link that is a search for the first name is shared whenever first names are; the name is reported then, not the link. Two
    addresses of one page are one link, see `find_page`.
    """
    owners: dict[str, list[ImageClass]] = {}
    for image_class in taxonomy.classes:
        if image_class.link:
            owners.setdefault(find_page(image_class.link), []).append(image_class)
    for classes in owners.values():
        if len({image_class.name.casefold() for image_class in classes}) > 1:
            ids = tuple(image_class.id for image_class in classes)
            links = " and ".join(dict.fromkeys(image_class.link for image_class in classes))
            message = f"{len(ids)} classes have the same link {links}: {_list_classes(taxonomy, ids)}."
            yield Finding("warning", "shared-link", message, ids)


def find_page(link: str) -> str:
    """The page that a link opens, as far as its address tells: the same for two addresses that differ only in writing.

    Scheme, capitals of the host, `www.` and `m.`, a final slash, the place on the page, signs written by their codes, underscores
    for spaces and, on Wikipedia, a small first letter make no difference. Where a page sends its readers on to is not known.

    >>> find_page("http://en.m.wikipedia.org/wiki/laptop#Notebook"), find_page("https://example.org/a%20b/")
    ('en.wikipedia.org/wiki/Laptop', 'example.org/a b')
    """
    parts = urlsplit(link)
    host = ".".join(word for word in parts.netloc.casefold().split(".") if word not in {"www", "m"})
    path = unquote(parts.path).replace("_", " ").rstrip("/")
    if host.endswith("wikipedia.org") and path.startswith(_ARTICLE):
        title = path.removeprefix(_ARTICLE)
        path = _ARTICLE + title[:1].upper() + title[1:]
    return host + path + (f"?{unquote(parts.query)}" if parts.query else "")


def count_searches(taxonomy: Taxonomy) -> int:
    """How many links search for a name instead of naming a page, so that they cannot be compared."""
    return sum(_SEARCH in image_class.link.casefold() for image_class in taxonomy.classes)


def _find_classes_below_classes(taxonomy: Taxonomy) -> Iterator[Finding]:
    class_ids = {image_class.id for image_class in taxonomy.classes}
    for image_class in taxonomy.classes:
        for above in sorted(_find_above(taxonomy, image_class.id) & class_ids - {image_class.id}):
            pair = (image_class.id, above)
            lower, upper = (_call(taxonomy, node) for node in pair)
            message = f"Class {lower} lies below class {upper}, so an image of the first is an image of both."
            yield Finding("warning", "class-below-class", message, pair)


def _find_numbers(taxonomy: Taxonomy) -> Iterator[Finding]:
    """Ids and names of digits only, which would be read as the index of another class."""
    for image_class in taxonomy.classes:
        texts = dict.fromkeys((image_class.id, *image_class.names))
        for text in texts:
            if text.isascii() and text.isdigit() and int(text) != image_class.index:
                message = f"Class {image_class.index} is called {text!r}, but digits alone always mean an index."
                yield Finding("warning", "number-as-name", message, (image_class.id,))


def _find_unknown_nodes(taxonomy: Taxonomy) -> Iterator[Finding]:
    known = set(taxonomy.parents) | {image_class.id for image_class in taxonomy.classes}
    for grouping in taxonomy.groupings:
        for rule in grouping.groups:
            for node in _list_unknown(rule, known):
                group = f"Group {rule.name!r} of grouping {grouping.name!r}"
                message = f"{group} names the node {node!r}, which the taxonomy does not have."
                yield Finding("error", "unknown-node", message, (node,))


def _list_unknown(rule: GroupRule, known: set[NodeId]) -> list[NodeId]:
    return [node for node in dict.fromkeys((*rule.within, *rule.without)) if node not in known]


def _find_empty_groups(taxonomy: Taxonomy) -> Iterator[Finding]:
    for grouping in taxonomy.groupings:
        for name, members in find_groups(taxonomy, grouping.name).items():
            if not members.size:
                message = f"Group {name!r} of grouping {grouping.name!r} has no class."
                yield Finding("warning", "empty-group", message, ())


def _find_cycles(taxonomy: Taxonomy) -> Iterator[Finding]:
    """One finding per cycle, until taking those cycles out leaves none; of cycles that share a node, one is named.

    Nodes whose parents are all settled are settled in turn. Whatever is left has a parent that is left as well, so walking
    up from it must come back to a node it has seen.
    """
    unsettled = {node: len(set(parents)) for node, parents in taxonomy.parents.items()}
    children: dict[NodeId, list[NodeId]] = {}
    for node, parents in taxonomy.parents.items():
        for parent in dict.fromkeys(parents):
            children.setdefault(parent, []).append(node)
    _settle(unsettled, children, [n for n in (*children, *taxonomy.parents) if not unsettled.get(n)])
    while unsettled:
        cycle = _walk_cycle(taxonomy, unsettled)
        way = " → ".join(_call(taxonomy, node) for node in (*cycle, cycle[0]))
        yield Finding("error", "cycle", f"The hierarchy runs in a circle: {way}.", cycle)
        _settle(unsettled, children, cycle)


def _settle(unsettled: dict[NodeId, int], children: dict[NodeId, list[NodeId]], nodes: Iterable[NodeId]) -> None:
    """Take nodes out, and then every node that has no unsettled parent any more."""
    waiting = deque(dict.fromkeys(nodes))
    settled = set(waiting)
    while waiting:
        node = waiting.popleft()
        unsettled.pop(node, None)
        for child in children.get(node, ()):
            if child in unsettled:
                unsettled[child] -= 1
                if not unsettled[child] and child not in settled:
                    settled.add(child)
                    waiting.append(child)


def _walk_cycle(taxonomy: Taxonomy, unsettled: dict[NodeId, int]) -> tuple[NodeId, ...]:
    walked: dict[NodeId, int] = {}
    node = next(iter(unsettled))
    while node not in walked:
        walked[node] = len(walked)
        node = next(parent for parent in taxonomy.parents[node] if parent in unsettled)
    return tuple(walked)[walked[node] :]


def _find_above(taxonomy: Taxonomy, node: NodeId) -> set[NodeId]:
    above: set[NodeId] = set()
    level = {node}
    while level:
        level = {parent for child in level for parent in taxonomy.parents.get(child, ())} - above
        above |= level
    return above


def _call(taxonomy: Taxonomy, node: NodeId) -> str:
    name = taxonomy.find_names(node)[0]
    return node if name == node else f"{name} ({node})"


def _list_classes(taxonomy: Taxonomy, ids: Iterable[NodeId]) -> str:
    return ", ".join(_call(taxonomy, node) for node in ids)
