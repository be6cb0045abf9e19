"""Names from files and arguments as a terminal may show them."""

from __future__ import annotations

MAX_SENTENCE = 2_000


def shorten(text: str) -> str:
    """The text without its middle where it is too long for a sentence, as it is when a whole cell of a bad file is in it.

    >>> len(shorten("x" * 10_000_000))
    2003
    """
    half = MAX_SENTENCE // 2
    return text if len(text) <= MAX_SENTENCE else f"{text[:half]} … {text[-half:]}"


def make_printable(text: str) -> str:
    r"""The text with control characters written out, so that no name can move the cursor or hide what stands beside it.

    >>> make_printable("ResNet\x1b[2J\n")
    'ResNet\\x1b[2J\\n'
    """
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
