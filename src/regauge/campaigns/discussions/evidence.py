"""Evidence from outside the study beside a vote: a text, a link, a picture."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from regauge.campaigns.comments import read_comment
from regauge.errors import InputError
from regauge.records.addresses import is_web_address
from regauge.records.campaigns.campaign import Payload

EVIDENCE = "evidence"
"""Where an answer has it."""
TEXT, LINK, PICTURE = "text", "link", "picture"
_TOKEN = re.compile("[0-9a-f]{32}")


def parse_evidence(answer: Payload) -> dict[str, dict[str, str]]:
    """The evidence of an answer as a part of its canonical form; nothing where there is none.

    >>> parse_evidence({"evidence": {"link": "https://example.org/loon"}})
    {'evidence': {'link': 'https://example.org/loon'}}

    Raises:
        InputError: it is not a text, a web address, or a picture that was sent before.
    """
    said = answer.get(EVIDENCE, {})
    if not isinstance(said, Mapping) or not set(said) <= {TEXT, LINK, PICTURE}:
        raise InputError("Evidence is a text, a link and a picture.")
    if not all(isinstance(one, str) for one in said.values()):
        raise InputError("Evidence is a text, a link and a picture.")
    text, link, picture = (said.get(name, "") for name in (TEXT, LINK, PICTURE))
    if link and not is_web_address(link):
        raise InputError("A link to evidence begins with http:// or https:// and has up to 2,000 characters.")
    if picture and not _TOKEN.fullmatch(picture):
        raise InputError("There is no such picture; please send it again.")
    found = {TEXT: read_comment(text) if text.strip() else "", LINK: link, PICTURE: picture}
    kept = {name: one for name, one in found.items() if one}
    return {EVIDENCE: kept} if kept else {}


def parse_picture(answer: Payload) -> dict[str, dict[str, str]]:
    """Evidence that is a picture and nothing else, where an answer has its words and its link elsewhere.

    Raises:
        InputError: it is something else, or no picture that was sent before.
    """
    found = parse_evidence(answer)
    if set(found.get(EVIDENCE, {})) - {PICTURE}:
        raise InputError("Evidence is a picture here; words go into the note, and a link stands beside it.")
    return found


def tell_picture(answer: Mapping[str, Any]) -> str:
    """That an answer comes with a picture, in words; nothing where it does not."""
    return "(with a picture)" if answer.get(EVIDENCE, {}).get(PICTURE) else ""
