"""Draw what was measured and write it where the user wants it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from regauge.errors import DrawingError
from regauge.report.figures import draw_scores
from regauge.report.shift_figures import draw_shift

__all__ = ["draw_scores", "draw_shift", "save_figure"]

PNG_SCALE = 2

_WRITERS: dict[str, Callable[[dict[str, Any]], str | bytes]] = {
    ".svg": vl_convert.vegalite_to_svg,
    ".png": lambda spec: vl_convert.vegalite_to_png(spec, scale=PNG_SCALE),
    ".pdf": vl_convert.vegalite_to_pdf,
    ".html": lambda spec: vl_convert.vegalite_to_html(spec, bundle=True),
}


def save_figure(figure: alt.TopLevelMixin, path: Path | str) -> Path:
    """Write a figure as .svg, .png, .pdf or (interactive, offline) .html.

    Raises:
        DrawingError: the extension is none of these, or the file cannot be written.
    """
    path = Path(path)
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        raise DrawingError(
            f"A figure is {', '.join(_WRITERS)}, not {path.suffix or 'a file without extension'}: {path}."
        )
    content = writer(figure.to_dict())
    try:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise DrawingError(f"The figure cannot be written to {path}: {error.strerror}.") from error
    return path
