"""Markdown of the guide → HTML of a few tags, whatever somebody writes.

Texts are checked when they are saved: no HTML, links to web addresses alone, pictures of the study alone. Whatever is rendered is
nonetheless made of tags in a list of ours, so that a text that came into the tables by another way can do no harm either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import TypeAlias

from markdown_it import MarkdownIt
from markdown_it.common.normalize_url import normalizeLink
from markdown_it.token import Token

from regauge.errors import InputError
from regauge.records.addresses import is_web_address
from regauge.records.guide.entries import MAX_TEXT

PICTURE = "image:"
"""How the address of a picture begins: the id of an image of the study comes after it."""
UNSHOWN = "(a picture that is not shown here)"

FindPicture: TypeAlias = Callable[[str], str | None]
"""From what stands after `image:` to the address of the picture; None where it is not to be shown."""

_TAGS = {
    "paragraph": "p",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
    "blockquote": "blockquote",
    "em": "em",
    "strong": "strong",
}
_LOWEST = 6
_BELOW = 2
"""The headings of an entry stand below that of the page and that of the entry."""


class _Parser(MarkdownIt):
    """Takes every address as it is written: whether it is a good one, is asked elsewhere."""

    def validateLink(self, url: str) -> bool:  # noqa: N802, ARG002 - their names
        """All of them."""
        return True

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - their name
        """As it is: ids of images are exact."""
        return url


_WITH_HTML = _Parser("commonmark", {"html": True})
_WITHOUT_HTML = _Parser("commonmark", {"html": False})


def check_text(text: str, *, max_length: int = MAX_TEXT) -> str:
    """The text as it is stored, if it may stand in the guide: lines end with a line feed, and none is blank around them.

    Raises:
        InputError: it is too long, or has HTML, a link that is not a web address, a picture that is none of the study, or a
            character that cannot be stored.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if "\x00" in text or any("\ud800" <= one <= "\udfff" for one in text):
        raise InputError("A guide entry has a character that cannot be stored; leave it out.")
    if len(text) > max_length:
        raise InputError(f"A guide entry has up to {max_length:,} characters, not {len(text):,}; write less, or link.")
    text = text if text.strip() else ""
    for token in _walk(_WITH_HTML.parse(text)):
        _check_token(token)
    return text


def list_pictures(text: str) -> tuple[str, ...]:
    """What stands after `image:` in every picture of a text, in its order; the place of each is its number on pages."""
    sources = (str(token.attrGet("src") or "") for token in _walk(_WITHOUT_HTML.parse(text)) if token.type == "image")
    return tuple(source.removeprefix(PICTURE) for source in sources if source.startswith(PICTURE))


def render_markdown(text: str, find_picture: FindPicture) -> str:
    """The text as HTML: paragraphs, headings, lists, quotations, code, emphasis, links and pictures, and nothing else.

    Links open elsewhere and are told nothing of the page they are on.
    """
    return "".join(_render(_WITHOUT_HTML.parse(text), find_picture))


def _walk(tokens: Sequence[Token]) -> Iterator[Token]:
    """All tokens, those inside of others too."""
    for token in tokens:
        yield token
        yield from _walk(token.children or ())


def _check_token(token: Token) -> None:
    if token.type in {"html_block", "html_inline"}:
        found = token.content.strip().split("\n")[0][:40]
        raise InputError(
            f"A guide entry is Markdown without HTML, and {found!r} is HTML; leave it out, or write \\< for the sign itself."
        )
    if token.type == "link_open":
        address = str(token.attrGet("href") or "")
        if not is_web_address(address):
            raise InputError(
                f"A guide link that is not an http(s) address: {address[:80]!r}; write all of it, with https://."
            )
    if token.type == "image":
        source = str(token.attrGet("src") or "")
        if not source.startswith(PICTURE) or not source.removeprefix(PICTURE):
            raise InputError(
                f"A guide picture that is not an image of the study: {source[:80]!r}; write ![](image:ID) with the id of "
                "an image."
            )


def _render(tokens: Sequence[Token], find_picture: FindPicture) -> Iterator[str]:
    # Whether each link that is open was written as one: a link to elsewhere is only its words.
    links: list[bool] = []
    for token in tokens:
        name, _, end = token.type.rpartition("_")
        if token.type == "inline":
            yield from _render(token.children or (), find_picture)
        elif token.hidden:
            # The paragraphs of a tight list; the next item begins on a line of its own.
            yield ""
        elif token.type == "link_open":
            links.append(is_web_address(str(token.attrGet("href") or "")))
            yield _open_link(token) if links[-1] else ""
        elif token.type == "link_close":
            yield "</a>" if links.pop() else ""
        elif name == "heading":
            level = min(int(token.tag[1:]) + _BELOW, _LOWEST)
            yield f"<h{level}>" if end == "open" else f"</h{level}>\n"
        elif name in _TAGS:
            yield _render_tag(token, _TAGS[name], is_open=end == "open")
        else:
            yield _render_leaf(token, find_picture)


def _render_tag(token: Token, tag: str, *, is_open: bool) -> str:
    if not is_open:
        return f"</{tag}>\n" if token.block else f"</{tag}>"
    start = token.attrGet("start")
    return f'<ol start="{int(start)}">' if tag == "ol" and start is not None else f"<{tag}>"


def _render_leaf(token: Token, find_picture: FindPicture) -> str:
    if token.type == "image":
        return _render_picture(token, find_picture)
    if token.type in {"fence", "code_block"}:
        return f"<pre><code>{escape(token.content)}</code></pre>\n"
    if token.type == "code_inline":
        return f"<code>{escape(token.content)}</code>"
    breaks = {"hr": "<hr>\n", "hardbreak": "<br>\n", "softbreak": "\n"}
    # Whatever else there is, is its words.
    return breaks.get(token.type, escape(token.content))


def _open_link(token: Token) -> str:
    address = normalizeLink(str(token.attrGet("href")))
    return f'<a href="{escape(address)}" rel="noopener noreferrer" target="_blank">'


def _render_picture(token: Token, find_picture: FindPicture) -> str:
    source = str(token.attrGet("src") or "")
    words = "".join(one.content for one in _walk(token.children or ()) if one.type in {"text", "code_inline"})
    address = find_picture(source.removeprefix(PICTURE)) if source.startswith(PICTURE) else None
    if address is None:
        return f"<em>{escape(UNSHOWN)}</em>"
    return f'<img src="{escape(address)}" alt="{escape(words)}" loading="lazy">'
