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
_FONT = "font-family"
_EMPTY = {"", "M0,0h0v0h0Z"}
_DEFAULTS = {"opacity": "1", "x2": "0", "y2": "0", "transform": "translate(0,0)"}
"""Of marks, as Vega writes them out; a line ends at 0 where nothing else is said."""


def embed_drawing(svg: str) -> str:
    """The drawing as a page holds it.

    >>> one = '<svg xmlns="http://www.w3.org/2000/svg"><path role="graphics-symbol" aria-label="a: 1"/></svg>'
    >>> embed_drawing(one)
    '<svg xmlns="http://www.w3.org/2000/svg"><path><title>a: 1</title></path></svg>'
    """
    ET.register_namespace("", SVG)
    root = ET.fromstring(svg)  # noqa: S314 - drawn by Vega, here and now
    _drop_unseen(root)
    for mark in root.iter():
        # Axes and titles are groups, whose words can be read.
        if mark.get("role") == _MARK and mark.get("aria-label") and mark.tag != f"{{{SVG}}}g":
            title = ET.Element(f"{{{SVG}}}title")
            title.text = mark.get("aria-label")
            mark.insert(0, title)
        for name in _SPOKEN:
            mark.attrib.pop(name, None)
        for name in ("d", "transform"):
            # A scale is a factor, of which every decimal shows.
            if name in mark.attrib and "scale" not in mark.attrib[name]:
                mark.set(name, _ZEROS.sub(r"\1", mark.attrib[name]))
    _name_font_once(root)
    return ET.tostring(root, encoding="unicode")


def _drop_unseen(root: ET.Element) -> None:
    """Without what shows nothing: marks that are not drawn, and values that hold anyway. They are a fifth of a drawing."""
    for parent in list(root.iter()):
        for mark in list(parent):
            if mark.get("display") == "none" or mark.get("d") in _EMPTY:
                parent.remove(mark)
    for mark in root.iter():
        for name, value in _DEFAULTS.items():
            if mark.get(name) == value:
                del mark.attrib[name]
        for name in ("pointer-events", "class"):
            mark.attrib.pop(name, None)


def _name_font_once(root: ET.Element) -> None:
    """Letters all of one font inherit it from the drawing: its name at every text is a sixth of a page."""
    named = [mark for mark in root.iter() if _FONT in mark.attrib]
    if len({mark.attrib[_FONT] for mark in named}) == 1:
        font = named[0].attrib[_FONT]
        for mark in named:
            del mark.attrib[_FONT]
        root.set(_FONT, font)


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
