"""What can be set of campaigns and of rules for labels, by the kind of task: for commands, forms and documentation."""

from __future__ import annotations

from regauge.campaigns.fields import (
    ANNOTATORS,
    COMMON,
    CONTROLS,
    LEASE,
    PLAN,
    QUESTIONS,
    ROUND,
    SEED,
    SOURCE,
    TEST_SET,
    KindFields,
    Source,
)
from regauge.campaigns.fields import RULE as COMMON_RULE
from regauge.campaigns.kinds import FIELDS
from regauge.campaigns.terms_fields import (
    CARE,
    CHANGEABLE_TERMS,
    HAS_QUIZ,
    NEWNESS,
    PAYING,
    QUIZ_CLASSES,
    QUIZZING,
    TERMS,
    TEXTS,
    change_terms,
    find_classes,
    read_terms,
)
from regauge.fields import Choice, Field
from regauge.records.campaigns import Kind

__all__ = [
    "ANNOTATORS",
    "CARE",
    "CHANGEABLE_TERMS",
    "COMMON",
    "COMMON_RULE",
    "CONTROLS",
    "HAS_QUIZ",
    "KIND",
    "LEASE",
    "NEWNESS",
    "PAYING",
    "PLAN",
    "QUESTIONS",
    "QUIZZING",
    "QUIZ_CLASSES",
    "ROUND",
    "SEED",
    "SOURCE",
    "TERMS",
    "TEST_SET",
    "TEXTS",
    "KindFields",
    "Source",
    "change_terms",
    "find_classes",
    "find_kind_of",
    "get_fields",
    "list_fields",
    "list_rule",
    "read_terms",
]

KIND = Field(
    "kind",
    "Kind of task",
    Choice({kind: table.about for kind, table in FIELDS.items()}, is_open=True),
    "What a task asks.",
)


def get_fields(kind: Kind) -> KindFields:
    """What can be set of campaigns of a kind."""
    return FIELDS[kind]


def list_fields() -> tuple[KindFields, ...]:
    """The same of every kind."""
    return tuple(FIELDS.values())


def list_rule() -> tuple[Field, ...]:
    """The settings of the rules of all kinds, each once; what several have in common is said in common words."""
    found: dict[str, Field] = {}
    for one in (*COMMON_RULE, *(field for table in FIELDS.values() for field in table.rule)):
        found.setdefault(one.name, one)
    return tuple(found.values())


def find_kind_of(name: str) -> Kind:
    """The first kind whose rule has a setting."""
    return next(kind for kind, table in FIELDS.items() if name in {one.name for one in table.rule})
