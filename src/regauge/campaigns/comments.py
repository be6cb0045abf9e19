"""What somebody says about their answer, in their own words; it stands in the answer itself."""

from __future__ import annotations

from regauge.errors import InputError
from regauge.records.campaigns.campaign import Payload

COMMENT = "comment"
"""Where an answer has it."""
MAX_COMMENT = 2_000


def parse_comment(answer: Payload) -> dict[str, str]:
    r"""The comment of an answer as a part of its canonical form; nothing where there is none.

    >>> parse_comment({"vote": 1, "comment": " a toy \r\n"})
    {'comment': 'a toy'}

    Raises:
        InputError: the comment is no text, is too long, or has a character that cannot be shown.
    """
    comment = answer.get(COMMENT, "")
    if not isinstance(comment, str):
        raise InputError("A comment is a text.")
    text = comment.replace("\r\n", "\n").strip()
    if len(text) > MAX_COMMENT:
        raise InputError(f"A comment has at most {MAX_COMMENT:,} characters, not {len(text):,}.")
    if not text.replace("\n", "").replace("\t", "").isprintable():
        raise InputError("The comment has a character that cannot be shown; please type it anew.")
    return {COMMENT: text} if text else {}
