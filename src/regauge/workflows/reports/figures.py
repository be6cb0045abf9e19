"""Draw what was measured and write it where the user wants it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from regauge.errors import FigureError, StorageError
from regauge.storage.files import write_whole

PNG_SCALE = 2

_CLIP = re.compile(r'(?<=id=")clip\d+(?=")|(?<=url\(#)clip\d+(?=\))')

_WRITERS: dict[str, Callable[[dict[str, Any]], str | bytes]] = {
    ".svg": vl_convert.vegalite_to_svg,
    ".png": lambda spec: vl_convert.vegalite_to_png(spec, scale=PNG_SCALE),
    ".pdf": vl_convert.vegalite_to_pdf,
    ".html": lambda spec: vl_convert.vegalite_to_html(spec, bundle=True),
}

FIGURE_SUFFIXES = tuple(_WRITERS)


def convert_spec(spec: Mapping[str, Any], *, name: str) -> dict[str, bytes]:
    """A Vega-Lite drawing as the content of an .svg, a .png and a .pdf file, laid out once for all three.

    Args:
        spec: the drawing.
        name: begins the ids inside the drawing. Vega numbers them on and on, so that equal drawings would differ, and drawings
            on one page could take each other's.
    """
    svg = vl_convert.vegalite_to_svg(dict(spec))
    numbers = {old: place for place, old in enumerate(dict.fromkeys(_CLIP.findall(svg)))}
    svg = _CLIP.sub(lambda found: f"{name}-clip{numbers[found[0]]}", svg)
    return {
        ".svg": svg.encode(),
        ".png": vl_convert.svg_to_png(svg, scale=PNG_SCALE),
        ".pdf": vl_convert.svg_to_pdf(svg),
    }


def save_figure(figure: alt.TopLevelMixin, path: Path | str) -> Path:
    """Write a figure as .svg, .png, .pdf or (interactive, offline) .html.

    Raises:
        DrawingError: the extension is none of these, or the file cannot be written.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in _WRITERS:
        raise FigureError(
            f"A figure is {', '.join(_WRITERS)}, not {path.suffix or 'a file without extension'}: {path}."
        )
    content = _WRITERS[kind](figure.to_dict())
    try:
        with write_whole(path, replaces=True) as partial:
            partial.write_bytes(content.encode() if isinstance(content, str) else content)
    except StorageError as error:
        raise FigureError(str(error)) from error
    return path
