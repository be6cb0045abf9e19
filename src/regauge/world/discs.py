"""Round things, with a hole or without: dough that opens into a bagel, bands of metal, wheels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regauge.world.forms import Form, FormKind, Look
from regauge.world.surfaces import Colour, Patch, Raster, Surface, blend, cover, dome, noise, paint, pick, step

CRUSTS: tuple[Colour, ...] = ((0.93, 0.76, 0.50), (0.86, 0.60, 0.33), (0.72, 0.44, 0.22))
METALS: tuple[Colour, ...] = ((0.90, 0.74, 0.36), (0.86, 0.80, 0.66), (0.78, 0.80, 0.84), (0.83, 0.55, 0.42))
RUBBERS: tuple[Colour, ...] = ((0.20, 0.20, 0.23), (0.27, 0.26, 0.27), (0.33, 0.31, 0.33))
MAX_HOLE = 0.88


@dataclass(frozen=True, slots=True)
class Disc(Form):
    """A disc or a ring.

    Attributes:
        hole: radius of the hole as a share of the whole.
        metal: how metallic it is.
        rubber: how much of a tread it has.
        spokes: how strong the spokes in the hole are.
    """

    hole: float
    metal: float
    rubber: float
    spokes: float


PROTOTYPES = {
    "bun": Disc(hole=0.0, metal=0.0, rubber=0.0, spokes=0.0),
    "bagel": Disc(hole=0.30, metal=0.0, rubber=0.0, spokes=0.0),
    "coin": Disc(hole=0.0, metal=1.0, rubber=0.0, spokes=0.0),
    "ring": Disc(hole=0.74, metal=1.0, rubber=0.0, spokes=0.0),
    "tyre": Disc(hole=0.52, metal=0.0, rubber=1.0, spokes=0.0),
    "wheel": Disc(hole=0.74, metal=0.2, rubber=0.9, spokes=1.0),
}


def paint_disc(form: Disc, look: Look, *, patch: Patch) -> Surface:
    """A disc or ring seen from above."""
    hole = float(np.clip(form.hole, 0, MAX_HOLE))
    metal, rubber = float(np.clip(form.metal, 0, 1)), float(np.clip(form.rubber, 0, 1))
    lumps = noise(patch.u.shape, 6, seed=look.seed)
    softness = (1 - metal) * (1 - rubber)
    radius = patch.radius * (1 + 0.045 * softness * lumps)
    band = np.maximum(radius - 1, hole - radius) if hole > 0.02 else radius - 1
    alpha = cover(band, patch)
    height = _raise(radius, hole=hole, flatness=max(metal * (1 - hole), 0.55 * rubber))
    colour = _colour(radius, lumps, look=look, weights=(softness, metal, rubber))
    if metal > 0.2 and hole < 0.4:
        height = height + metal * (1 - 2.5 * hole) * _emboss(radius, patch, look=look)
    if rubber > 0.1:
        height = height - 0.05 * rubber * _tread(radius, patch)
    if form.spokes > 0.05 and hole > 0.05:
        spokes = _paint_spokes(radius, patch, form=form, look=look)
        colour = paint(colour, pick(METALS, 0.35 + 0.4 * look.tint), share=spokes * (1 - alpha))
        height = np.maximum(height, 0.22 * spokes)
        alpha = np.maximum(alpha, spokes)
    return Surface(alpha, height, colour, gloss=0.12 * softness + 0.75 * metal * (1 - rubber) + 0.12 * rubber)


def _raise(radius: Raster, *, hole: float, flatness: float) -> Raster:
    """A dome that turns into a ring as the hole opens; flat things have a bevelled edge instead."""
    middle, half = (1 + hole) / 2, (1 - hole) / 2
    ring = (0.35 + 0.65 * half) * dome((radius - middle) / half)
    opening = min(hole / 0.22, 1.0)
    swell = 0.72 * dome(radius) * (1 - opening) + ring * opening
    edge = np.clip(half - np.abs(radius - middle), 0, 0.14) if hole > 0.02 else np.clip(1 - radius, 0, 0.14)
    return swell * (1 - flatness) + (0.9 * edge + 0.1) * flatness


def _colour(radius: Raster, lumps: Raster, *, look: Look, weights: tuple[float, float, float]) -> Raster:
    dough, metal, rubber = weights
    crust = pick(CRUSTS, look.tint)
    base = blend(blend(crust, pick(METALS, look.tint), share=metal), pick(RUBBERS, look.tone), share=rubber)
    baked = np.clip(0.55 * step(0.55, 1.0, at=radius) - 0.25 * lumps, -0.2, 1) * dough
    return paint(base, (0.55, 0.30, 0.13), share=np.clip(0.5 * baked, 0, 1)) * np.float32(0.92 + 0.16 * look.tone)


def _emboss(radius: Raster, patch: Patch, *, look: Look) -> Raster:
    """The rim and the device of a coin."""
    rim = 0.07 * step(0.80, 0.86, at=radius) * (1 - step(0.93, 0.99, at=radius))
    angle = np.arctan2(patch.v, patch.u)
    petals = 3 + look.seed % 4
    device = 0.10 * step(0.06, -0.06, at=radius - 0.42 - 0.16 * np.cos(petals * angle))
    return rim + device


def _tread(radius: Raster, patch: Patch) -> Raster:
    blocks = np.sin(26 * np.arctan2(patch.v, patch.u)) > 0
    return np.asarray(blocks * step(0.80, 0.86, at=radius), np.float32)


def _paint_spokes(radius: Raster, patch: Patch, *, form: Disc, look: Look) -> Raster:
    """Spokes and hub; they grow from nothing as the parameter does."""
    strength = float(np.clip(form.spokes, 0, 1))
    n_spokes = 5 + look.seed % 6
    angle = np.mod(np.arctan2(patch.v, patch.u) + 0.3, 2 * np.pi / n_spokes) - np.pi / n_spokes
    away = np.abs(angle) * radius - 0.065 * strength
    spokes = np.where(radius < form.hole + 0.05, cover(away, patch), np.float32(0))
    hub = cover(radius - 0.2 * strength, patch)
    return np.maximum(spokes, hub)


DISCS = FormKind(Disc, PROTOTYPES, units=(0.30, 0.85, 0.80, 0.80), paint=paint_disc, tilt=np.pi)
