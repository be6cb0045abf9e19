"""What figures of lines say of them in words, and where their points stand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from regauge.estimates import Share, typeset
from regauge.records.evaluation.fits import Scale, ShiftFit
from regauge.stats.scales import move_inside, to_scale


def describe_equation(fit: ShiftFit) -> list[str]:
    """The line as an equation, its numbers with their limits."""
    name = "" if fit.scale is Scale.LINEAR else f"{fit.scale} "
    scale, decimals, unit = (100, 1, " points") if fit.scale is Scale.LINEAR else (1, 2, "")
    return [
        f"{name}y = a · {name}x + b, {fit.n_models} models",
        f"a = {typeset(fit.slope, decimals=2)}",
        f"b = {typeset(fit.offset, scale=scale, decimals=decimals)}{unit}",
    ]


def say_missing(missing: Sequence[str]) -> list[str]:
    """Whose names were wanted and found no room."""
    return [f"No room for the names of {', '.join(missing)}."] if missing else []


def place_share(accuracy: Share[float], scale: Scale) -> list[float]:
    """Value and limits on the scale; a value of 0 or 1 stands where the fit takes it to stand, and limits there at the rim."""
    ends = np.array([accuracy.value, accuracy.low, accuracy.high])
    if scale is not Scale.LINEAR:
        rim = min(0.001, 0.5 / accuracy.n)
        ends = np.clip([move_inside(accuracy.value, accuracy.n), accuracy.low, accuracy.high], rim, 1 - rim)
    placed: list[float] = to_scale(ends, scale).tolist()
    return placed


def tell_line(fit: ShiftFit) -> str:
    """Slope and offset with their limits."""
    slope = f"slope {typeset(fit.slope, decimals=2)}"
    if fit.scale is not Scale.LINEAR:
        return f"{slope}, offset {typeset(fit.offset, decimals=2)}"
    return f"{slope}, offset {typeset(fit.offset, scale=100)} points"
