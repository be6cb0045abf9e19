"""Draw what was measured and write it where the user wants it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from regauge.errors import FigureError, StorageError
from regauge.report.drawing.sheet import MARK
from regauge.storage.files import write_whole

PNG_SCALE = 2
KINDS = (".svg", ".png", ".pdf", ".html")
PX_PER_INCH, PT_PER_PX = 96, 0.75

_CLIP = re.compile(r'(?<=id=")clip\d+(?=")|(?<=url\(#)clip\d+(?=\))')
_EXTENT = re.compile(r'(?<=<svg )([^>]*?)width="([\d.]+)" height="([\d.]+)"')


def convert_spec(spec: Mapping[str, Any], *, name: str) -> dict[str, bytes]:
    """A Vega-Lite drawing as the content of an .svg, a .png and a .pdf file, laid out once for all three.

    Args:
        spec: the drawing.
        name: begins the ids inside the drawing. Vega numbers them on and on, so that equal drawings would differ, and drawings
            on one page could take each other's.
    """
    svg = _draw(spec)
    numbers = {old: place for place, old in enumerate(dict.fromkeys(_CLIP.findall(svg)))}
    svg = _CLIP.sub(lambda found: f"{name}-clip{numbers[found[0]]}", svg)
    return {
        ".svg": svg.encode(),
        ".png": _to_png(svg, _find_ppi(spec)),
        ".pdf": _to_pdf(svg),
    }


def save_figure(figure: alt.TopLevelMixin, path: Path | str) -> Path:
    """Write a figure as .svg, .png, .pdf or (interactive, offline) .html, as wide as its canvas.

    A PDF file holds the letters that it uses. An SVG file names common ones, and any sans-serif will do.

    Raises:
        FigureError: the extension is none of these, or the file cannot be written.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise FigureError(f"A figure is {', '.join(KINDS)}, not {path.suffix or 'a file without extension'}: {path}.")
    content = _write(figure.to_dict(validate=False), kind)
    try:
        with write_whole(path, replaces=True) as partial:
            partial.write_bytes(content)
    except StorageError as error:
        raise FigureError(str(error)) from error
    return path


def _write(spec: dict[str, Any], kind: str) -> bytes:
    if kind == ".html":
        return _to_html(spec).encode()
    svg = _draw(spec)
    if kind == ".svg":
        return svg.encode()
    return _to_png(svg, _find_ppi(spec)) if kind == ".png" else _to_pdf(svg)


def _to_html(spec: Mapping[str, Any]) -> str:
    """The drawing as a page of its own, in which no name of a model or a part ends the script that it stands in.

    The converter puts texts into the script as they are. A character that occurs nowhere goes in place of every `<`, and comes
    out as what a script reads as `<` and a browser does not.
    """
    text = json.dumps(spec, ensure_ascii=False)
    unused = next(chr(code) for code in range(0xE000, 0xF900) if chr(code) not in text)
    page: str = vl_convert.vegalite_to_html(text.replace("<", unused), bundle=True)
    return page.replace(unused, r"\u003c")


def _draw(spec: Mapping[str, Any]) -> str:
    """The drawing as SVG; where it says how wide it is to be, exactly so wide."""
    svg = vl_convert.vegalite_to_svg(dict(spec))
    asked = spec.get("usermeta", {}).get(MARK)
    return svg if asked is None else _resize(svg, width=float(asked["width"]))


def _resize(svg: str, *, width: float | None = None, scale: float = 1.0) -> str:
    """The drawing with another width, or its own times a scale, and a height that follows."""

    def replace(found: re.Match[str]) -> str:
        factor = scale if width is None else width / float(found[2])
        return f'{found[1]}width="{float(found[2]) * factor:.2f}" height="{float(found[3]) * factor:.2f}"'

    return _EXTENT.sub(replace, svg, count=1)


def _find_ppi(spec: Mapping[str, Any]) -> int:
    asked = spec.get("usermeta", {}).get(MARK)
    return PX_PER_INCH * PNG_SCALE if asked is None else int(asked["ppi"])


def _to_png(svg: str, ppi: int) -> bytes:
    """The picture with so many pixels per inch, which its file tells as well."""
    # For vl-convert, 72 pixels per inch is the picture as it is.
    return vl_convert.svg_to_png(svg, scale=72 / PX_PER_INCH, ppi=ppi)


def _to_pdf(svg: str) -> bytes:
    """The page, on which a pixel of the drawing takes 1/96 inch."""
    # A PDF file counts in points, and for vl-convert a pixel is one.
    return vl_convert.svg_to_pdf(_resize(svg, scale=PT_PER_PX))
