"""What people are experts of: a kind of the hierarchy, such as dogs, or free words.

Whoever knows a kind knows what is below it: an expert of dogs may be asked about terriers.
"""

from __future__ import annotations

from regauge.errors import InputError
from regauge.records.campaigns.referrals import MAX_EXPERTISE
from regauge.records.taxonomy import NodeId, Taxonomy
from regauge.taxonomy.words import simplify, stem_all


def name_expertise(taxonomy: Taxonomy, words: str) -> str:
    """The one way to write an expertise: the first name of the kind that the words are a name of, or the words in small letters.

    Raises:
        InputError: there are no words, or too many.
    """
    simple = simplify(words)
    if not simple or len(words) > MAX_EXPERTISE:
        raise InputError(f"An expertise is a kind of the hierarchy or a few words, of 1 to {MAX_EXPERTISE} characters.")
    nodes = _find_nodes(taxonomy, simple)
    return _call(taxonomy, nodes[0]) if nodes else simple


def list_covering(taxonomy: Taxonomy, words: str) -> tuple[str, ...]:
    """The expertises of those who may be asked about something: the one that is named first, and every kind above it.

    Raises:
        InputError: there are no words, or too many.
    """
    name = name_expertise(taxonomy, words)
    nodes = _find_nodes(taxonomy, simplify(words))
    return tuple(dict.fromkeys((name, *(_call(taxonomy, node) for node in _list_above(taxonomy, nodes)))))


def find_kinds(taxonomy: Taxonomy, words: str) -> list[NodeId]:
    """The nodes that words are a name of, in the singular or the plural; none where nothing is called so."""
    simple = simplify(words)
    return _find_nodes(taxonomy, simple) if simple else []


def _find_nodes(taxonomy: Taxonomy, simple: str) -> list[NodeId]:
    """The nodes that have a name, in the singular or the plural; inner nodes first, for people know kinds rather than classes."""
    wanted = stem_all(simple, {})
    named = {**taxonomy.node_names, **{one.id: one.names for one in taxonomy.classes}}

    def is_it(name: str) -> bool:
        # Most names begin otherwise, which is soon seen.
        return (not name.isascii() or name[:1].lower() == wanted[:1]) and stem_all(simplify(name), {}) == wanted

    return [node for node, names in named.items() if any(map(is_it, names))]


def _list_above(taxonomy: Taxonomy, nodes: list[NodeId]) -> list[NodeId]:
    """Every node at or above some, the nearest first."""
    found = dict.fromkeys(nodes)
    level = nodes
    while level:
        level = [parent for node in level for parent in taxonomy.parents.get(node, ()) if parent not in found]
        found.update(dict.fromkeys(level))
    return list(found)


def _call(taxonomy: Taxonomy, node: NodeId) -> str:
    return simplify(taxonomy.find_names(node)[0])
