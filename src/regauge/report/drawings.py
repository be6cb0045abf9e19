"""Figures as they stand in a page: one picture each, with what its marks say under the mouse, light and dark.

A drawing is SVG that Vega made. On a page its marks lose what is meant for readers who cannot see them, for the whole picture
has a name of its own and the table its numbers, and the same words become titles, which browsers show under the mouse. Its
colours are those of a light page; on a dark one the style sheet puts their twins in place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.etree import ElementTree as ET

from regauge.report.theme import DARK

SVG = "http://www.w3.org/2000/svg"
_SPOKEN = ("role", "aria-label", "aria-roledescription", "aria-hidden")
_MARK = "graphics-symbol"
_ZEROS = re.compile(r"(\.\d{2})\d+")
"""Decimals of places that no screen shows."""


def embed_drawing(svg: str) -> str:
    """The drawing as a page holds it.

    >>> one = '<svg xmlns="http://www.w3.org/2000/svg"><path role="graphics-symbol" aria-label="a: 1"/></svg>'
    >>> embed_drawing(one)
    '<svg xmlns="http://www.w3.org/2000/svg"><path><title>a: 1</title></path></svg>'
    """
    ET.register_namespace("", SVG)
    root = ET.fromstring(svg)  # noqa: S314 - drawn by Vega, here and now
    for mark in root.iter():
        if mark.get("role") == _MARK and mark.get("aria-label"):
            title = ET.Element(f"{{{SVG}}}title")
            title.text = mark.get("aria-label")
            mark.insert(0, title)
        for name in _SPOKEN:
            mark.attrib.pop(name, None)
        if "d" in mark.attrib:
            mark.set("d", _ZEROS.sub(r"\1", mark.attrib["d"]))
    return ET.tostring(root, encoding="unicode")


def make_dark_style(colours: Mapping[str, str] = DARK) -> str:
    """Rules that give every colour of a figure its twin where the page is dark, by the system or by the reader's choice.

    >>> print(make_dark_style({"#1A1A1A": "#ECEDEE"}).splitlines()[1])
      :root:not([data-theme="light"]) .drawing [fill="#1A1A1A" i] { fill: #ECEDEE; }
    """

    def write(root: str) -> str:
        return "\n".join(
            f'  {root} .drawing [{name}="{light}" i] {{ {name}: {dark}; }}'
            for light, dark in colours.items()
            for name in ("fill", "stroke")
        )

    system, choice = write(':root:not([data-theme="light"])'), write(':root[data-theme="dark"]')
    return f"@media screen and (prefers-color-scheme: dark) {{\n{system}\n}}\n@media screen {{\n{choice}\n}}\n"
