"""Whatever somebody writes, what comes out is made of a few harmless tags; what may not stand in the guide is refused."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.guide.markdown import (
    PICTURE,
    UNSHOWN,
    check_text,
    list_pictures,
    render_markdown,
)
from regauge.records.addresses import is_web_address
from regauge.records.guide.entries import MAX_TEXT

ALLOWED = {
    **{
        tag: set()
        for tag in ["p", "ul", "li", "blockquote", "em", "strong", "hr", "br", "pre", "code", "h3", "h4", "h5", "h6"]
    },
    "ol": {"start"},
    "a": {"href", "rel", "target"},
    "img": {"src", "alt", "loading"},
}
PIECES = st.sampled_from(
    [
        *(
            "<script>",
            "</script>",
            "<img src=x onerror=alert(1)>",
            "<!--",
            "-->",
            "<![CDATA[",
            "<a href='",
            "<svg/onload=x>",
        ),
        *(
            "javascript:alert(1)",
            "data:text/html,x",
            "&#106;avascript:",
            "https://example.org/",
            "image:a",
            "//evil.example",
        ),
        *(
            "[",
            "]",
            "(",
            ")",
            "![",
            "](",
            "<",
            ">",
            '"',
            "'",
            "\\",
            "`",
            "```",
            "*",
            "_",
            "#",
            "- ",
            "1. ",
            "99. ",
            "> ",
        ),
        *("\n", "\n\n", "    ", "&lt;", "&quot;", "[a]: ", "word", "\x00", "\u2028", "=", "---\n", "{{ 7 * 7 }}"),
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=30).map("".join), st.text(max_size=80))


class Reader(HTMLParser):
    """Every tag that a browser would find, with its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.others: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    def handle_decl(self, decl: str) -> None:
        self.others.append(decl)

    def handle_pi(self, data: str) -> None:
        self.others.append(data)

    def unknown_decl(self, data: str) -> None:
        self.others.append(data)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


@settings(max_examples=400, deadline=None)
@given(TEXTS)
@example('[x](<https://a.example/" onclick="alert(1)>)')
@example('![" onerror="alert(1)](image:a)')
@example("<https://a.example/?<script>>")
def test_no_tag_or_attribute_outside_the_list_comes_out_whatever_is_written(text):
    found = read(render_markdown(text, lambda source: f"/pictures/{len(source)}"))
    assert found.others == []
    for tag, attributes in found.found:
        assert attributes.keys() <= ALLOWED[tag]
        if tag == "a":
            assert is_web_address(attributes["href"] or "")
            assert attributes["rel"] == "noopener noreferrer"
        if tag == "img":
            assert (attributes["src"] or "").startswith("/pictures/")


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_what_is_accepted_is_accepted_again_and_stays_as_it_is(text):
    try:
        checked = check_text(text)
    except InputError:
        return
    assert check_text(checked) == checked
    assert "\r" not in checked


def test_the_usual_markdown_is_rendered():
    html = render_markdown(
        "# Tench\n\nA *green* **fish**, `Tinca`:\n\n1. fins\n2. tail\n\n> see [it](https://example.org)", str
    )
    assert "<h3>Tench</h3>" in html
    assert "<em>green</em> <strong>fish</strong>, <code>Tinca</code>" in html
    assert "<ol><li>fins</li>\n<li>tail</li>\n</ol>" in html
    assert '<a href="https://example.org" rel="noopener noreferrer" target="_blank">it</a>' in html


def test_a_picture_has_the_address_that_it_is_given_and_one_that_is_not_shown_is_words():
    text = "![a fish](image:a) ![](image:b)"
    html = render_markdown(text, {"a": "/somewhere/1"}.get)
    assert '<img src="/somewhere/1" alt="a fish" loading="lazy">' in html
    assert UNSHOWN in html
    assert "image:b" not in html


def test_html_that_came_into_a_text_by_another_way_is_shown_as_it_is_written():
    assert render_markdown("<script>alert(1)</script>", str) == "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"


@pytest.mark.parametrize(
    "text", ["<b>fin</b>", "<script>alert(1)</script>", "a <br/> b", "<!-- note -->", "![<i>](image:a)"]
)
def test_html_is_refused(text):
    with pytest.raises(InputError, match="Markdown without HTML"):
        check_text(text)


@pytest.mark.parametrize(
    "address",
    [
        *("javascript:alert(1)", "JaVaScRiPt:alert(1)", "&#106;avascript:alert(1)", "data:text/html,x", "vbscript:x"),
        *("file:///etc/passwd", "mailto:a@example.org", "//example.org", "/manage", "ftp://example.org", "https://"),
        "https://name@example.org",
    ],
)
def test_a_link_that_is_no_web_address_is_refused(address):
    for text in (f"[x]({address})", f"[x][y]\n\n[y]: {address}", f"[![x](image:a)]({address})"):
        with pytest.raises(InputError, match=r"A guide link that is not an http\(s\) address"):
            check_text(text)


@pytest.mark.parametrize("source", ["https://example.org/a.png", "data:image/png;base64,x", "a.png", "image:"])
def test_a_picture_that_is_no_image_of_the_study_is_refused(source):
    with pytest.raises(InputError, match="A guide picture that is not an image of the study"):
        check_text(f"![]({source})")


def test_signs_that_are_no_html_are_welcome():
    for text in ("3 < 4 > 2", "`<b>`", "    <b>code</b>", "\\<b>", "&lt;b&gt;"):
        assert check_text(text) == text


def test_what_is_too_long_or_cannot_be_stored_is_refused():
    assert check_text("a" * MAX_TEXT)
    with pytest.raises(InputError, match="20,000 characters, not 20,001"):
        check_text("a" * (MAX_TEXT + 1))
    for text in ("a\x00", "a\ud800"):
        with pytest.raises(InputError, match="cannot be stored"):
            check_text(text)


def test_lines_end_alike_and_none_is_blank_around_the_text():
    assert check_text("\r\n  a\r\nb\rc\n\n") == "  a\nb\nc"
    assert check_text(" \n \n") == ""


@given(
    st.text(min_size=1, max_size=30).filter(lambda one: one.isprintable() and one.strip() == one and "\x00" not in one)
)
@example("b test")
@example("a%41(b)")
@example("&amp;<x>\\")
def test_any_id_of_an_image_can_be_written_and_is_found_again(image_id):
    written = "".join(f"\\{one}" if one in "\\<>&" else one for one in image_id)
    assert list_pictures(f"![a b](<{PICTURE}{written}>)") == (image_id,)
