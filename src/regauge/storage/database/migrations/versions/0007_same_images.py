"""Of a duplicate it is kept which image stands for it, so that copies and near-duplicates are judged together."""

from __future__ import annotations

import re
from ast import literal_eval

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

SENTENCES = re.compile(
    r"It has the same (?:bytes|pixels) as image (?P<copy>.+) of the (?:pool|test set) .+\."
    r"|It is the same as image (?P<same>.+) of the (?:pool|test set) .+\."
    r"|It shows the same as (?:the original )?image (?P<near>.+), by a review of pairs\.",
    re.DOTALL,
)
"""How earlier versions named that image: as Python writes a text, in these sentences."""


def upgrade() -> None:
    """Add the column, and fill it from what the reasons say."""
    op.add_column("exclusions", sa.Column("same_as", sa.String, nullable=False, server_default=""))
    table = sa.table("exclusions", *(sa.column(name) for name in ("id", "rule", "reason", "same_as")))
    connection = op.get_bind()
    query = sa.select(table.c.id, table.c.reason).where(table.c.rule.in_(("exact-duplicate", "near-duplicate")))
    found = [{"at": number, "text": find_named(reason)} for number, reason in connection.execute(query)]
    named = [one for one in found if one["text"]]
    change = sa.update(table).where(table.c.id == sa.bindparam("at")).values(same_as=sa.bindparam("text"))
    if named:
        connection.execute(change, named)


def find_named(reason: str) -> str:
    """The image that a reason names; empty where it names none, as reasons that people wrote do not."""
    match = SENTENCES.fullmatch(reason)
    if match is None:
        return ""
    written = next(text for text in match.groups() if text is not None)
    try:
        named = literal_eval(written)
    except (ValueError, SyntaxError):
        return ""
    return named if isinstance(named, str) else ""
