"""The page of a website and its scripts: one page for everything, one classic script, no request but for chunks.

The scripts are modules, as those of all pages are. A browser takes no modules from a folder (`file:`), so they are put into one
script here: every module becomes a function, imports and exports become its constants and its result.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from urllib.parse import urlsplit

from regauge.errors import InputError

MAIN = "site/main.js"
STYLES = ("tokens.css", "parts.css", "site.css")
ICON = "icon.svg"

_IMPORT = re.compile(r'^import \{(?P<names>[^}]*)\} from "(?P<path>\.{1,2}/[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:(?:async )?function\*?|class|const) (?P<name>\w+))", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*(?:/\*\*.*?\*/|//[^\n]*)[ \t]*\n|^[ \t]+", re.MULTILINE | re.DOTALL)
"""What a browser does not need at the beginning of a line: comments and the space before the first word."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src {pictures}; base-uri 'none'; form-action 'none'"
)


@dataclass(frozen=True, slots=True)
class PageAddresses:
    """Where the page finds the rest, relative to itself.

    Attributes:
        styles: style sheets in their order.
        script: the script.
        data: what the addresses of chunks begin with.
        icon: the icon.
        pictures: what addresses of pictures begin with.
        home: where the mark in the corner leads, where that is another page; empty for the first page of the website.
    """

    styles: tuple[str, ...]
    script: str
    data: str
    icon: str
    pictures: str
    home: str = ""


IN_FOLDER = PageAddresses(STYLES, "site.js", "data/", ICON, "pictures/")
"""How the files of a static website lie."""


@cache
def read_static() -> Mapping[str, bytes]:
    """Everything besides the page and the data, by the name of its file in a static website."""
    static, look = _find_static(), resources.files("regauge") / "look"
    return {
        "site.js": bundle_scripts().encode(),
        "tokens.css": (look / "tokens.css").read_bytes(),
        "parts.css": (static / "parts" / "parts.css").read_bytes(),
        "site.css": (static / "site" / "site.css").read_bytes(),
        ICON: (static / ICON).read_bytes(),
    }


@cache
def bundle_scripts() -> str:
    """All modules that the website needs in one classic script, those that others import first."""
    static = _find_static()
    found: dict[str, str] = {}
    for name, source in _walk(static, MAIN, on_the_way=()):
        found.setdefault(name, _wrap(name, source))
    return '"use strict";\n(() => {\nconst modules = {};\n' + "".join(found.values()) + "})();\n"


def make_page(addresses: PageAddresses, *, title: str, policy: str = "") -> str:
    """The one page of a website.

    Args:
        addresses: where it finds the rest.
        title: what the window is called before the first page is shown.
        policy: the Content-Security-Policy, where no server sends one.
    """
    styles = "".join(f'<link rel="stylesheet" href="{html.escape(one)}">\n' for one in addresses.styles)
    meta = f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">\n' if policy else ""
    places = {"data": addresses.data, "pictures": addresses.pictures, "home": addresses.home}
    known = "".join(f' data-{name}="{html.escape(value)}"' for name, value in places.items())
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{meta}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{html.escape(title)}</title>\n"
        f'<link rel="icon" href="{html.escape(addresses.icon)}" type="image/svg+xml">\n{styles}'
        f'<script src="{html.escape(addresses.script)}" defer></script>\n</head>\n'
        f'<body class="plain site"{known}>\n'
        '<main id="main" tabindex="-1"><h1>Loading</h1></main>\n'
        "<noscript><p>This website is made by a script in your browser; please allow JavaScript.</p></noscript>\n"
        "</body>\n</html>\n"
    )


def make_policy(link_prefix: str = "") -> str:
    """What the browser may load: files beside the page, and pictures from where they are linked.

    >>> make_policy("https://images.test/a/").split("; ")[3]
    "img-src 'self' https://images.test"
    """
    address = urlsplit(link_prefix)
    origin = f" {address.scheme}://{address.netloc}" if address.netloc else ""
    if re.search(r"[\s;,'\"]", origin.strip()):
        raise InputError(
            f"Pictures are linked from a web address such as https://example.org/images/, not {link_prefix!r}."
        )
    return _POLICY.format(pictures=f"'self'{origin}")


def _find_static() -> Traversable:
    return resources.files("regauge") / "server" / "static"


def _walk(static: Traversable, name: str, on_the_way: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """A module after those that it imports.

    Raises:
        InputError: modules import each other in a circle, so none can come first.
    """
    if name in on_the_way:
        raise InputError(f"The scripts {' → '.join((*on_the_way, name))} import each other in a circle.")
    source = static.joinpath(*name.split("/")).read_text(encoding="utf-8")
    for found in _IMPORT.finditer(source):
        yield from _walk(static, _locate(name, found["path"]), (*on_the_way, name))
    yield name, source


def _wrap(name: str, source: str) -> str:
    """A module as a function that gives what the module exports.

    Raises:
        InputError: the module imports or exports in a way that is not understood here.
    """
    exported = [found["name"] for found in _EXPORT.finditer(source)]
    plain = _EXPORT.sub("", _IMPORT.sub(lambda found: _import(name, found), _COMMENT.sub("", source)))
    if left := _LEFT.search(plain):
        line = plain[left.start() :].partition("\n")[0]
        raise InputError(
            f"The script {name} has {line!r}; import names in braces, and export functions, classes and constants."
        )
    return f'modules["{name}"] = (() => {{\n{plain}return {{ {", ".join(exported)} }};\n}})();\n'


def _import(name: str, found: re.Match[str]) -> str:
    names = " ".join(found["names"].split()).replace(" as ", ": ")
    return f'const {{ {names} }} = modules["{_locate(name, found["path"])}"];\n'


def _locate(name: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
