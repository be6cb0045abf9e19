"""What settings, tasks and answers of discussed campaigns say: panel and chairs, why somebody votes so, and evidence for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from regauge.campaigns.comments import MAX_COMMENT, read_comment
from regauge.campaigns.eligibility import PANEL
from regauge.errors import InputError
from regauge.fields import Field, Names
from regauge.records.addresses import is_web_address
from regauge.records.campaigns.campaign import Payload
from regauge.records.campaigns.discussions import CHAIRS, DISCUSSED
from regauge.records.names import is_blank

ARGUMENT = "argument"
"""Where an answer says why somebody votes so; all panelists read it once round 1 is over."""
PANELISTS = Field(
    "panelists",
    "Panelists",
    Names(),
    "Who votes, each of them on everything; a tie is unclear.",
    (),
    option="--panelists",
    metavar="NAME",
)
CHAIR = Field(
    CHAIRS,
    "Chair",
    Names(),
    "Who closes round 1 and locks what is decided, among those who take part.",
    (),
    option="--chair",
    metavar="NAME",
    usual="the first who is named",
)

EVIDENCE = "evidence"
"""Where an answer has it."""
TEXT, LINK, PICTURE = "text", "link", "picture"
_TOKEN = re.compile("[0-9a-f]{32}")


def parse_argument(answer: Payload) -> dict[str, str]:
    r"""The argument of an answer as a part of its canonical form; nothing where there is none.

    >>> parse_argument({"argument": " five petals \r\n"})
    {'argument': 'five petals'}

    Raises:
        InputError: it is not text, is too long, or has a character that cannot be shown.
    """
    said = answer.get(ARGUMENT, "")
    if not isinstance(said, str):
        raise InputError("An argument is a text.")
    text = said.replace("\r\n", "\n").strip()
    if len(text) > MAX_COMMENT:
        raise InputError(f"An argument has at most {MAX_COMMENT:,} characters, not {len(text):,}.")
    if not text.replace("\n", "").replace("\t", "").isprintable():
        raise InputError("The argument has a character that cannot be shown; please type it again.")
    return {} if is_blank(text) else {ARGUMENT: text}


def is_discussed(task: Payload) -> bool:
    """Whether the answers to a task are votes of a discussion."""
    return bool(task.get(DISCUSSED))


def list_panel(settings: Mapping[str, Any]) -> tuple[int, ...]:
    """The panelists of a campaign, by their numbers."""
    return tuple(settings.get(PANEL, ()))


def list_chairs(settings: Mapping[str, Any]) -> tuple[int, ...]:
    """The chairs of a campaign, by their numbers."""
    return tuple(settings.get(CHAIRS, ()))


def describe_ties(n_panelists: int) -> str:
    """What a tie does on a panel of so many; empty where no two verdicts can have half of the votes each.

    >>> describe_ties(5)
    ''
    """
    if n_panelists == 2:
        return "On a panel of 2, every disagreement that remains is a tie, and a tie is unclear."
    if n_panelists % 2 == 0:
        return f"A panel of {n_panelists} can be split in half, and a tie is unclear."
    return ""


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
