"""Vessels seen from the side: cup, mug, bowl, vase and goblet are one profile with other measures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regauge.world.forms import Form, FormKind, Look
from regauge.world.surfaces import Colour, Patch, Raster, Surface, blend, cover, dome, paint, pick, step

GLAZES: tuple[Colour, ...] = (
    (0.93, 0.90, 0.83),
    (0.62, 0.74, 0.73),
    (0.36, 0.52, 0.62),
    (0.80, 0.52, 0.42),
    (0.88, 0.76, 0.54),
    (0.55, 0.62, 0.48),
)
TILT = 0.20
"""How far one looks into the vessel: the short axis of its rim, as a share of the long one."""


@dataclass(frozen=True, slots=True)
class Vessel(Form):
    """A turned vessel.

    Attributes:
        height: half its height.
        rim: half the width of its rim.
        belly: half the width at its middle.
        foot: half the width of its foot.
        stem: how far it narrows to a stem below the middle.
        handle: size of the handle.
    """

    height: float
    rim: float
    belly: float
    foot: float
    stem: float
    handle: float


PROTOTYPES = {
    "cup": Vessel(height=0.52, rim=0.74, belly=0.60, foot=0.34, stem=0.0, handle=0.50),
    "mug": Vessel(height=0.74, rim=0.58, belly=0.58, foot=0.55, stem=0.0, handle=1.0),
    "bowl": Vessel(height=0.40, rim=0.98, belly=0.80, foot=0.36, stem=0.0, handle=0.0),
    "vase": Vessel(height=0.98, rim=0.34, belly=0.64, foot=0.34, stem=0.0, handle=0.0),
    "goblet": Vessel(height=0.94, rim=0.52, belly=0.50, foot=0.42, stem=1.0, handle=0.0),
}


def paint_vessel(form: Vessel, look: Look, *, patch: Patch) -> Surface:
    """The body, its opening and its handle."""
    height = float(np.clip(form.height, 0.25, 1.05))
    place = (patch.v + height) / (2 * height)
    width = _find_width(form, place)
    across = np.abs(patch.u) / width
    bulge = TILT * width * dome(across)
    body = np.maximum((np.abs(patch.u) - width), np.maximum(-patch.v - height, patch.v - height - 0.6 * bulge))
    alpha = cover(body, patch)
    opening = np.hypot(patch.u, (patch.v + height) / TILT) - max(form.rim, 0.1)
    mouth = cover(np.where(opening > 0, opening * TILT, opening), patch)
    colour = _colour(form, look, place=place + 0.5 * bulge)
    inner = cover(np.where(opening > 0, opening, opening + 0.05), patch)
    colour = paint(colour, blend(pick(GLAZES, look.tint), (0.16, 0.12, 0.11), share=0.55), share=inner * mouth)
    relief = width * dome(across) * (1 - mouth) + 0.1 * mouth
    alpha = np.maximum(alpha, mouth)
    if form.handle > 0.05:
        handle, swell = _paint_handle(form, patch, height=height)
        relief = np.where(alpha > 0.5, relief, swell)
        alpha = np.maximum(alpha, handle)
    return Surface(alpha, relief.astype(np.float32), colour, gloss=0.42)


def _find_width(form: Vessel, place: Raster) -> Raster:
    """Half the width at each place from rim (0) to foot (1), smoothly through the measures."""
    rim, belly, foot = (max(value, 0.08) for value in (form.rim, form.belly, form.foot))
    stem = float(np.clip(form.stem, 0, 1))
    t = np.linspace(0, 1, 64)
    # A quadratic through rim, belly and foot; the stem cuts a smooth waist between the bowl and the foot.
    curve = rim * (1 - t) * (1 - 2 * t) + belly * 4 * t * (1 - t) + foot * t * (2 * t - 1)
    bowl_end, foot_start = 0.42, 0.97
    waist = np.clip((t - bowl_end) / 0.14, 0, 1) * np.clip((foot_start - t) / 0.12, 0, 1)
    waist = waist * waist * (3 - 2 * waist)
    curve = curve * (1 - stem * waist) + 0.07 * stem * waist
    return np.interp(place, t, np.maximum(curve, 0.05)).astype(np.float32)


def _colour(form: Vessel, look: Look, *, place: Raster) -> Raster:
    """Glaze with one or two painted bands."""
    base, accent = pick(GLAZES, look.tint), pick(GLAZES, np.mod(look.tint + 0.37 + 0.2 * (look.seed % 3), 1.0))
    centre, half = 0.30 + 0.04 * (look.seed % 5), 0.03 + 0.03 * (look.seed % 4)
    band = step(half + 0.02, half, at=np.abs(place - centre))
    second = step(0.035, 0.02, at=np.abs(place - centre - half - 0.07))
    share = np.maximum(band, second) * np.float32(0.85 if look.seed % 3 else 0.15)
    shade = np.float32(0.86 + 0.2 * look.tone + 0 * form.stem)
    return paint(base, accent, share=share) * shade


def _paint_handle(form: Vessel, patch: Patch, *, height: float) -> tuple[Raster, Raster]:
    """Coverage and height of a ring at the right side, half hidden by the body."""
    size = float(np.clip(form.handle, 0, 1.1))
    centre_u = (form.rim + 2 * form.belly) / 3 - 0.02
    radius = 0.40 * height * size + 0.06
    away = np.hypot((patch.u - centre_u) / 1.05, patch.v + 0.12 * height) - radius
    half = 0.045 + 0.055 * size
    return cover(np.abs(away) - half, patch), half * dome(away / half)


VESSELS = FormKind(Vessel, PROTOTYPES, units=(0.32, 0.30, 0.30, 0.30, 0.80, 0.70), paint=paint_vessel, tilt=0.05)
