"""Leaves told apart by their outline, and flowers by their centre and their petals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regauge.world.forms import Form, FormKind, Look
from regauge.world.surfaces import Colour, Patch, Raster, Surface, cover, noise, paint, pick, step

GREENS: tuple[Colour, ...] = (
    (0.30, 0.50, 0.24),
    (0.42, 0.60, 0.28),
    (0.62, 0.66, 0.28),
    (0.84, 0.62, 0.24),
    (0.78, 0.38, 0.20),
)
WHITES: tuple[Colour, ...] = ((0.98, 0.97, 0.95), (0.97, 0.90, 0.93), (0.92, 0.92, 0.99))
GOLDS: tuple[Colour, ...] = ((0.97, 0.74, 0.12), (0.94, 0.62, 0.12))
SEEDS: Colour = (0.30, 0.18, 0.10)
POLLEN: Colour = (0.95, 0.74, 0.20)


@dataclass(frozen=True, slots=True)
class Leaf(Form):
    """A leaf along its midrib.

    Attributes:
        width: half its greatest width.
        lobes: how deep the bays of its edge are.
        belly: where it is widest, from its stalk (0) to its tip (1).
    """

    width: float
    lobes: float
    belly: float


@dataclass(frozen=True, slots=True)
class Flower(Form):
    """A flower seen from above.

    Attributes:
        centre: radius of its centre.
        gold: how yellow its petals are and how dark its centre is.
        point: how pointed its petals are.
    """

    centre: float
    gold: float
    point: float


LEAF_PROTOTYPES = {
    "beech_leaf": Leaf(width=0.58, lobes=0.0, belly=0.48),
    "willow_leaf": Leaf(width=0.17, lobes=0.0, belly=0.42),
    "oak_leaf": Leaf(width=0.60, lobes=1.0, belly=0.60),
}
FLOWER_PROTOTYPES = {
    "daisy": Flower(centre=0.26, gold=0.0, point=0.1),
    "sunflower": Flower(centre=0.50, gold=1.0, point=0.9),
}


def paint_leaf(form: Leaf, look: Look, *, patch: Patch) -> Surface:
    """Blade, ribs and stalk."""
    place = np.clip((patch.u + 0.95) / 2, 0, 1)
    edge = _find_edge(form, place)
    bent = patch.v + 0.10 * (patch.u * patch.u - 0.4) * np.float32(1 if look.seed % 2 else -1)
    blade = cover(np.where((patch.u > -0.97) & (patch.u < 1.07), np.abs(bent) - edge, np.float32(1)), patch)
    ribs = _paint_ribs(patch.u, bent, width=max(form.width, 0.1))
    mottle = noise(patch.u.shape, 7, seed=look.seed)
    base = paint(
        pick(GREENS, look.tint), pick(GREENS, min(look.tint + 0.25, 1.0)), share=np.clip(0.5 + 0.6 * mottle, 0, 1)
    )
    colour = paint(base, (0.93, 0.90, 0.62), share=0.45 * ribs)
    stalk = np.where(patch.u < -0.85, cover(np.abs(bent) - 0.035, patch), np.float32(0)) * (patch.u > -1.24)
    colour = paint(colour, (0.45, 0.36, 0.20), share=stalk * (1 - blade))
    height = 0.16 * np.abs(bent) / max(form.width, 0.15) + 0.06 * mottle - 0.05 * ribs
    shade = np.float32(0.86 + 0.24 * look.tone)
    return Surface(np.maximum(blade, stalk), height.astype(np.float32), colour * shade, gloss=0.10)


def _find_edge(form: Leaf, place: Raster) -> Raster:
    """Half the width at each place along the midrib; the lobes cut bays into it."""
    belly = float(np.clip(form.belly, 0.25, 0.75))
    power = np.log(0.5) / np.log(belly)
    swell = np.sin(np.pi * np.power(place, power)) ** 0.85
    lobes = float(np.clip(form.lobes, 0, 1.1))
    bays = 1 - lobes * (0.26 - 0.30 * np.cos(2 * np.pi * 3.1 * (place - 0.18)))
    width = max(form.width, 0.06)
    return np.asarray(width * swell * np.clip(bays, 0.15, 1.3), np.float32)


def _paint_ribs(u: Raster, v: Raster, *, width: float) -> Raster:
    midrib = step(0.035, 0.012, at=np.abs(v))
    slant = np.mod((u - 0.75 * np.abs(v)) * 6.0, 1.0)
    side = step(0.14, 0.05, at=np.abs(slant - 0.5)) * (np.abs(v) < 0.9 * width)
    return np.asarray(np.maximum(midrib, 0.7 * side), np.float32)


def paint_flower(form: Flower, look: Look, *, patch: Patch) -> Surface:
    """Two rows of petals around a centre."""
    centre = float(np.clip(form.centre, 0.1, 0.75))
    gold, point = float(np.clip(form.gold, 0, 1)), float(np.clip(form.point, 0, 1))
    radius, angle = patch.radius, np.arctan2(patch.v, patch.u)
    n_petals = 12 + look.seed % 5
    back = _paint_petals(radius, angle + np.pi / n_petals, n_petals=n_petals, point=point)
    front = _paint_petals(radius * 1.06, angle, n_petals=n_petals, point=point)
    petals = np.maximum(cover(back, patch), cover(front, patch))
    base = paint(pick(WHITES, look.tint), pick(GOLDS, look.tint), share=np.float32(gold))
    colour = paint(base, base * np.float32(0.78), share=cover(-front, patch))
    colour = paint(colour, base * np.float32(0.70), share=0.5 * step(0.35, 0.0, at=radius - centre))
    disc = cover(radius - centre, patch)
    grain = noise(radius.shape, 26, seed=look.seed)
    heart = paint(
        POLLEN,
        SEEDS,
        share=np.clip(gold * (0.85 + 0.2 * grain) * step(1.0, 0.75, at=radius / centre) + 0.12 * gold, 0, 1),
    )
    colour = paint(colour, heart, share=disc)
    ridge = 0.10 * np.cos(n_petals * angle) * (1 - disc) + 0.25 * np.sqrt(np.clip(1 - radius / centre, 0, 1)) * disc
    height = ridge + 0.03 * grain * disc
    return Surface(
        np.maximum(petals, disc), height.astype(np.float32), colour * np.float32(0.93 + 0.1 * look.tone), gloss=0.04
    )


def _paint_petals(radius: Raster, angle: Raster, *, n_petals: int, point: float) -> Raster:
    """Signed distance, about, to a wreath of petals: round ones for 0, pointed ones for 1."""
    wave = np.abs(np.cos(0.5 * n_petals * angle))
    tip = wave ** (0.45 + 0.55 * point)
    return np.asarray(radius - (0.56 + 0.44 * tip), np.float32)


LEAVES = FormKind(Leaf, LEAF_PROTOTYPES, units=(0.36, 0.85, 0.25), paint=paint_leaf, tilt=np.pi)
FLOWERS = FormKind(Flower, FLOWER_PROTOTYPES, units=(0.42, 1.6, 1.6), paint=paint_flower, tilt=np.pi)
