"""Names from files and arguments as a terminal may show them."""

from __future__ import annotations


def make_printable(text: str) -> str:
    r"""The text with control characters written out, so that no name can move the cursor or hide what stands beside it.

    >>> make_printable("ResNet\x1b[2J\n")
    'ResNet\\x1b[2J\\n'
    """
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
