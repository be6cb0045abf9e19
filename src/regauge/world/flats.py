"""Flat things with corners: a tile turned on its corner is a diamond, a stretched diamond a kite."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regauge.world.forms import Form, FormKind, Look
from regauge.world.surfaces import Colour, Patch, Raster, Surface, cover, paint, pick, step

GLAZES: tuple[Colour, ...] = ((0.22, 0.42, 0.60), (0.28, 0.56, 0.54), (0.72, 0.40, 0.30), (0.84, 0.66, 0.32))
SIGNALS: tuple[Colour, ...] = ((0.76, 0.20, 0.18), (0.90, 0.62, 0.16), (0.17, 0.36, 0.62), (0.24, 0.50, 0.34))
ICES: tuple[Colour, ...] = ((0.74, 0.86, 0.93), (0.90, 0.90, 0.95), (0.82, 0.78, 0.92), (0.70, 0.88, 0.84))
SAILS: tuple[Colour, ...] = ((0.86, 0.34, 0.30), (0.94, 0.70, 0.30), (0.30, 0.60, 0.66), (0.52, 0.40, 0.66))
CREAM: Colour = (0.95, 0.92, 0.85)


@dataclass(frozen=True, slots=True)
class Flat(Form):
    """A flat shape with four to eight corners.

    Attributes:
        turn: how far it stands on its corner; 1 is an eighth of a full turn.
        cut: how much of its corners is cut off; 1 is a regular octagon.
        drop: how much longer its lower half is than its upper.
        facets: how strongly it is cut like a gem.
        band: how strong the border is.
    """

    turn: float
    cut: float
    drop: float
    facets: float
    band: float


PROTOTYPES = {
    "tile": Flat(turn=0.0, cut=0.0, drop=0.0, facets=0.0, band=0.1),
    "sign": Flat(turn=0.0, cut=1.0, drop=0.0, facets=0.0, band=1.0),
    "diamond": Flat(turn=1.0, cut=0.15, drop=0.15, facets=1.0, band=0.0),
    "kite": Flat(turn=1.0, cut=0.0, drop=1.0, facets=0.0, band=0.2),
}


def paint_flat(form: Flat, look: Look, *, patch: Patch) -> Surface:
    """The shape, its relief and what is painted on it."""
    drop = float(np.clip(form.drop, 0, 1))
    x, y, inside = _find_inside(form, patch, drop=drop)
    alpha = cover(-inside, patch)
    facets = float(np.clip(form.facets, 0, 1))
    height = 0.5 * np.clip(inside, 0, 0.10) * (1 - 0.7 * drop) + facets * _cut_facets(x, y, inside=inside)
    colour = _colour(form, look, places=(x, y, inside))
    if drop > 0.3:
        tail = _paint_tail(patch, drop=drop, seed=look.seed)
        colour = paint(colour, pick(SAILS, 1 - look.tint), share=tail * (1 - alpha))
        alpha = np.maximum(alpha, tail)
    return Surface(alpha, height.astype(np.float32), colour, gloss=0.25 + 0.5 * facets - 0.25 * drop)


def _find_inside(form: Flat, patch: Patch, *, drop: float) -> tuple[Raster, Raster, Raster]:
    """The axes of the turned square and how far inside its outline each pixel lies."""
    # The widest line moves up; below it the shape is drawn out, above it pressed together.
    stretch_u, v = patch.u * (1 + 0.42 * drop), patch.v + 0.42 * drop
    v = np.where(v > 0, v / (1 + 0.10 * drop), v * (1 + 0.75 * drop))
    angle = float(np.pi / 4 * form.turn)
    x = stretch_u * np.float32(np.cos(angle)) + v * np.float32(np.sin(angle))
    y = v * np.float32(np.cos(angle)) - stretch_u * np.float32(np.sin(angle))
    half = 0.84
    across, down = np.abs(x), np.abs(y)
    corner = half * (2 - (2 - np.sqrt(2)) * float(np.clip(form.cut, 0, 1)))
    straight = half - np.maximum(across, down)
    slanted = (corner - across - down) / np.float32(np.sqrt(2))
    return x, y, np.minimum(straight, slanted)


def _cut_facets(x: Raster, y: Raster, *, inside: Raster) -> Raster:
    """Planes that rise from the edge to a flat table, folded like the crown of a gem."""
    fold = np.abs(np.abs(x) - np.abs(y))
    return np.asarray(0.85 * np.clip(inside, 0, 0.42) + 0.35 * np.clip(fold, 0, 0.4) * (inside < 0.42), np.float32)


def _colour(form: Flat, look: Look, *, places: tuple[Raster, Raster, Raster]) -> Raster:
    x, y, inside = places
    drop, facets, band = (float(np.clip(value, 0, 1)) for value in (form.drop, form.facets, form.band))
    glazed = paint(CREAM, pick(GLAZES, look.tint), share=0.9 * _paint_motif(x, y, seed=look.seed))
    sail = paint(
        pick(SAILS, look.tint), pick(SAILS, np.mod(look.tint + 0.45, 1.0)), share=np.asarray(x * y > 0, np.float32)
    )
    signal = paint(pick(SIGNALS, look.tint), CREAM, share=_paint_sign(x, y, inside=inside))
    colour = paint(paint(glazed, signal, share=band * (1 - drop)), sail, share=drop)
    return paint(colour, pick(ICES, look.tint), share=0.96 * facets) * np.float32(0.9 + 0.15 * look.tone)


def _paint_motif(x: Raster, y: Raster, *, seed: int) -> Raster:
    """A painted star or circle with quarter circles in the corners."""
    radius = np.hypot(x, y)
    corner = np.hypot(np.abs(x) - 0.84, np.abs(y) - 0.84)
    n_points = 4 + 4 * (seed % 2)
    star = 0.40 + 0.14 * np.cos(n_points * np.arctan2(y, x))
    ring = step(0.05, 0.02, at=np.abs(radius - 0.62))
    return np.clip(step(0.04, -0.04, at=radius - star) + step(0.04, -0.02, at=corner - 0.30) + ring, 0, 1)


def _paint_sign(x: Raster, y: Raster, *, inside: Raster) -> Raster:
    border = step(0.03, 0.06, at=inside) * step(0.16, 0.12, at=inside)
    bar = step(0.17, 0.13, at=np.abs(y)) * step(0.54, 0.50, at=np.abs(x))
    return np.maximum(border, bar)


def _paint_tail(patch: Patch, *, drop: float, seed: int) -> Raster:
    """A thin line with bows, from the lowest corner to the side."""
    along = np.clip((patch.v - 0.75) / 0.5, 0, 1)
    centre = 0.55 * (1 if seed % 2 else -1) * along * along + 0.05 * np.sin(14 * patch.v)
    bows = 0.022 + 0.07 * (np.sin(22 * patch.v + 1) > 0.35)
    shown = (patch.v > 0.75) & (patch.v < 1.25)
    return np.where(shown, cover(np.abs(patch.u - centre) - bows, patch), np.float32(0)) * np.float32(
        min(1.0, 2 * (drop - 0.3))
    )


FLATS = FormKind(Flat, PROTOTYPES, units=(0.75, 0.75, 0.75, 0.80, 0.90), paint=paint_flat, tilt=0.16)
