"""What somebody says in their own words: beside an answer, in the place of one, or in a thread; and who may read a thread."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from regauge.errors import InputError
from regauge.records.addresses import is_web_address
from regauge.records.campaigns.campaign import Payload
from regauge.records.campaigns.comments import CommentThread, ReviewComment
from regauge.records.names import is_blank

COMMENT = "comment"
"""Where an answer has it."""
MAX_COMMENT = 2_000
LINK = "link"
"""Where an answer has the address of its evidence."""
RETURNED = "returned"
"""Where an answer says that the image, or the grid, is handed back without a verdict; its comment says why."""


def parse_comment(answer: Payload) -> dict[str, str]:
    r"""The comment of an answer as a part of its canonical form; nothing where there is none.

    >>> parse_comment({"vote": 1, "comment": " a toy \r\n"})
    {'comment': 'a toy'}

    Raises:
        InputError: the comment is not text, is too long, or has a character that cannot be shown.
    """
    comment = answer.get(COMMENT, "")
    if not isinstance(comment, str):
        raise InputError("A comment is a text.")
    text = _clean(comment)
    return {COMMENT: text} if text else {}


def parse_link(answer: Payload) -> dict[str, str]:
    """The link to evidence as a part of an answer's canonical form; nothing where there is none.

    Raises:
        InputError: it is no link that a page may offer.
    """
    link = answer.get(LINK, "")
    if not isinstance(link, str) or (link and not is_web_address(link)):
        raise InputError("A link to evidence begins with http:// or https:// and has up to 2,000 characters.")
    return {LINK: link} if link else {}


def read_comment(comment: str) -> str:
    """A comment of a thread, which says something.

    Raises:
        InputError: it shows nothing, is too long, or has a character that cannot be shown.
    """
    text = _clean(comment)
    if is_blank(text):
        raise InputError("A comment says something; write it down.")
    return text


def _clean(comment: str) -> str:
    text = comment.replace("\r\n", "\n").strip()
    if len(text) > MAX_COMMENT:
        raise InputError(f"A comment has at most {MAX_COMMENT:,} characters, not {len(text):,}.")
    if not text.replace("\n", "").replace("\t", "").isprintable():
        raise InputError("The comment has a character that cannot be shown; please type it again.")
    return text


def is_returned(answer: Payload) -> bool:
    """Whether an answer hands what it was asked about back without a verdict."""
    return answer.get(RETURNED) is True


def parse_return(answer: Payload) -> Payload:
    """An answer that hands back what it was asked about, in its canonical form: the comment, and no verdict.

    >>> dict(parse_return({"returned": True, "comment": " which of the two? "}))
    {'verdicts': {}, 'returned': True, 'comment': 'which of the two?'}

    Raises:
        InputError: it says more than that, or does not say why.
    """
    if any(said for name, said in answer.items() if name not in {"version", RETURNED, COMMENT}):
        raise InputError("What is handed back has no verdict; say why in the comment alone.")
    said = parse_comment(answer)
    if is_blank(said.get(COMMENT, "")):
        raise InputError("Say why you hand it back: the comment is what others go by.")
    return {"verdicts": {}, RETURNED: True, **said}


@dataclass(frozen=True, slots=True)
class ThreadReader:
    """A reviewer who has a task before them, and what they may know of others.

    Attributes:
        annotator_id: their number.
        answered: the tasks that they have judged, by number.
        has_judged: whether they have judged the task that they look at, and have no other with its images to judge.
    """

    annotator_id: int
    answered: Collection[int] = frozenset()
    has_judged: bool = False


def keep_readable(thread: CommentThread, reader: ThreadReader) -> CommentThread | None:
    """What a reviewer may read of a thread; None where that is nothing.

    Votes are independent: what another reviewer wrote is shown only to those who have judged the task that it was written at, and
    judge nothing more of its image at the moment. A thread that came with an answer that was returned is between managers and
    whoever gave that answer.
    """
    if thread.returned_to not in {None, reader.annotator_id}:
        return None
    is_theirs = reader.annotator_id in {thread.began_by, thread.returned_to}
    kept = tuple(one for one in thread.comments if _may_read(one, reader, is_theirs=is_theirs))
    return replace(thread, comments=kept) if kept else None


def _may_read(comment: ReviewComment, reader: ThreadReader, *, is_theirs: bool) -> bool:
    if comment.annotator_id == reader.annotator_id:
        return True
    if comment.is_manager:
        return is_theirs or reader.has_judged
    return reader.has_judged and comment.task_id in reader.answered
