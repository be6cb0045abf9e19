"""What can be set of campaigns and of rules for labels, by the kind of task: for commands, forms and documentation."""

from __future__ import annotations

from regauge.campaigns.fields import RULE as COMMON_RULE
from regauge.campaigns.fields import (
    SEED,
    SOURCE,
    TEST_SET,
    KindFields,
    QuestionSource,
)
from regauge.campaigns.rounds import ROUND
from regauge.campaigns.terms_fields import (
    CHANGEABLE_TERMS,
    QUIZ_CLASSES,
    TERMS,
    TEXTS,
    change_terms,
    find_classes,
    read_terms,
)
from regauge.fields import Choice, Field
from regauge.kinds.contract import Kinds
from regauge.kinds.registry import KINDS, find_kind
from regauge.records.campaigns.campaign import Kind

__all__ = [
    "CHANGEABLE_TERMS",
    "QUIZ_CLASSES",
    "ROUND",
    "SEED",
    "SOURCE",
    "TERMS",
    "TEST_SET",
    "TEXTS",
    "KindFields",
    "QuestionSource",
    "change_terms",
    "find_classes",
    "find_kind_of",
    "get_fields",
    "list_fields",
    "list_rule",
    "make_kind_field",
    "read_terms",
]


def make_kind_field(kinds: Kinds = KINDS) -> Field:
    """The choice of a kind of task."""
    choices = {str(name): kind.fields.about for name, kind in kinds.items()}
    return Field("kind", "Kind of task", Choice(choices, is_open=True), "What a task asks.")


def get_fields(kind: Kind, *, kinds: Kinds = KINDS) -> KindFields:
    """What can be set of campaigns of a kind.

    Raises:
        InputError: there is no kind of that name.
    """
    return find_kind(kinds, kind).fields


def list_fields(kinds: Kinds = KINDS) -> tuple[KindFields, ...]:
    """What can be set of campaigns, for every kind."""
    return tuple(kind.fields for kind in kinds.values())


def list_rule(kinds: Kinds = KINDS) -> tuple[Field, ...]:
    """The settings of the rules of all kinds, each once; what several have in common is said in common words."""
    found: dict[str, Field] = {}
    for one in (*COMMON_RULE, *(field for table in list_fields(kinds) for field in table.rule)):
        found.setdefault(one.name, one)
    return tuple(found.values())


def find_kind_of(name: str, *, kinds: Kinds = KINDS) -> Kind:
    """The first kind whose rule has a setting."""
    return next(table.kind for table in list_fields(kinds) if name in {one.name for one in table.rule})
