"""Addresses: that which people use for a server, and links that people give."""

from __future__ import annotations

from urllib.parse import urlsplit

from regauge.errors import InputError


def check_base_url(address: str) -> str:
    """The address without a slash at its end, if links can begin with it.

    Pages, images and cookies are below the root of their host. A study below a path of it would need all of them rewritten by
    the proxy, and share its cookies and what browsers keep with whatever else is there: give it a host name of its own.

    >>> check_base_url("https://labels.example.org/")
    'https://labels.example.org'

    Raises:
        InputError: the text is not an address, or the address has a path.
    """
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        raise InputError(_say(address)) from None
    is_plain = address.isascii() and address.isprintable() and not any(character.isspace() for character in address)
    if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc or not is_plain:
        raise InputError(_say(address))
    if parts.path.strip("/") or parts.query or parts.fragment or "?" in address or "#" in address:
        raise InputError(
            f"A study is served at the root of its host, such as {parts.scheme}://{parts.netloc}, not at {address!r}: give it a "
            "host name or a port of its own."
        )
    return f"{parts.scheme}://{parts.netloc}"


MAX_LINK = 2_000


def is_web_address(text: str) -> bool:
    """Whether a text is a link that a page may offer: http or https, a host, no name or password, nothing that cannot be seen.

    >>> [is_web_address(text) for text in ("https://example.org/a?b=c", "javascript:alert(1)", "//example.org", "http://a b")]
    [True, False, False, False]
    """
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return False
    # Browsers take a backslash for a slash, so what stands behind it may be another host.
    is_plain = text.isprintable() and not any(character.isspace() for character in text) and "\\" not in text
    has_host = bool(parts.hostname) and "@" not in parts.netloc
    return is_plain and has_host and parts.scheme in {"http", "https"} and len(text) <= MAX_LINK


def _say(address: str) -> str:
    return (
        "The address that people use begins with http:// or https:// and a host, such as https://labels.example.org, not "
        f"{address!r}."
    )
