"""What the slopes of a comparison say of better models: one conclusion from all scales, for tables, reports and docs alike.

A slope above 1 means that better models lose less on its scale, a slope below 1 that they lose more, as they would if
adaptive overfitting grew with accuracy. Whether a slope exceeds 1 can depend on the scale (on the sets of Recht et al. 2019
it does), so that one scale alone supports a statement about that scale and no other. Nothing is concluded from limits that
rest on too few models, and what is concluded holds for what was drawn anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from regauge.estimates import join_words
from regauge.evaluation.robustness import FEW_RESAMPLED
from regauge.records.evaluation.fits import Resample, Scale, ShiftFit
from regauge.records.evaluation.shifts import Shift

COMMON_CHANGE = (
    "A change that all models share cannot be told from an easier or a harder test set by these numbers alone."
)

REACH = {
    Resample.MODELS: "other models like these on the same images",
    Resample.FAMILIES: "other families of models like these on the same images",
    Resample.IMAGES: "these models on other images like these",
    Resample.MODELS_AND_IMAGES: "other models and other images like these",
    Resample.FAMILIES_AND_IMAGES: "other families of models and other images like these",
}
"""What limits speak of, by what was drawn anew."""


class SlopeSide(StrEnum):
    """Where the limits of a slope lie."""

    ABOVE = "above 1"
    BELOW = "below 1"
    AROUND = "not clearly on either side of 1"


MEANING = {
    SlopeSide.ABOVE: "better models lose less there",
    SlopeSide.BELOW: "better models lose more there",
    SlopeSide.AROUND: "better models lose neither clearly more nor clearly less there",
}


def find_side(fit: ShiftFit) -> SlopeSide:
    """Where the limits of the slope lie; limits that touch 1 are around it."""
    if fit.slope.low > 1:
        return SlopeSide.ABOVE
    return SlopeSide.BELOW if fit.slope.high < 1 else SlopeSide.AROUND


def conclude(shift: Shift) -> str:
    """What the slopes on all fitted scales say together, for what that holds, and what no slope can say; "" without a fit."""
    return " ".join(_conclude(shift))


def _conclude(shift: Shift) -> Iterator[str]:
    if not shift.fits:
        return
    n_drawn = count_resampled(shift)
    if n_drawn is not None and n_drawn < FEW_RESAMPLED:
        yield (
            f"Whether better models lose more or less stays open: the limits come from resampling {n_drawn} "
            f"{'families' if _get_resampled(shift).has_families else 'models'}, which are too few to conclude from."
        )
    else:
        yield from _compare_scales(shift)
        level, drawn = f"{100 * shift.settings.level:g}%", _get_resampled(shift)
        yield f"By {level} limits from resampling {drawn.words}, this is about {REACH[drawn]}."
    yield COMMON_CHANGE


def count_resampled(shift: Shift) -> int | None:
    """How many models or families the limits of the fits come from; None where only images were drawn anew."""
    names, drawn = shift.fits[0].models, _get_resampled(shift)
    if not drawn.has_models:
        return None
    if drawn.has_families:
        return len({shift.settings.families.get(name, name) for name in names})
    return len(names)


def _get_resampled(shift: Shift) -> Resample:
    return shift.fits[0].resample


def _compare_scales(shift: Shift) -> Iterator[str]:
    """What all scales say where they agree, which scale says what where they do not, and that some are missing."""
    sides = {fit.scale: find_side(fit) for fit in shift.fits}
    if len(set(sides.values())) > 1:
        said = [f"{side} on the {_name_scales(sides, side)}" for side in SlopeSide if side in sides.values()]
        yield (
            f"Whether better models lose more or less depends on the scale: the slope is {join_words(said)}. Together the scales "
            "speak neither for nor against growing adaptive overfitting."
        )
        return
    (side,) = set(sides.values())
    if len(sides) == len(Scale):
        yield f"On all {len(sides)} scales the slope is {side}: {_interpret(side)}"
        return
    named = _name_scales(sides, side)
    yield f"The slope is {side} on the {named}: {MEANING[side]}."
    if set(shift.settings.scales) == set(Scale):
        yield f"The others have no line here, so this is a statement about the {named} only."
    else:
        yield f'This is a statement about the {named} only; `scales="all"` shows the others.'


def _interpret(side: SlopeSide) -> str:
    if side is SlopeSide.ABOVE:
        return (
            "better models lose less, whatever the scale. There are no diminishing returns, which speaks against growing "
            "adaptive overfitting."
        )
    if side is SlopeSide.BELOW:
        return (
            "better models lose more, whatever the scale, as with growing adaptive overfitting; other differences between the "
            "sets can do the same."
        )
    return "better models lose neither clearly more nor clearly less, and growing adaptive overfitting stays open."


def _name_scales(sides: dict[Scale, SlopeSide], side: SlopeSide) -> str:
    named = [scale for scale in sides if sides[scale] is side]
    return f"{join_words(named)} {'scale' if len(named) == 1 else 'scales'}"
