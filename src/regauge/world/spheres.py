"""Spheres told apart by what is on them: seams, panels, felt, craters, peel; a lemon is a sphere drawn long."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from regauge.world.forms import Form, FormKind, Look
from regauge.world.surfaces import Colour, Patch, Raster, Surface, cover, dome, noise, paint, pick, step

Points: TypeAlias = tuple[Raster, Raster, Raster]
"""Where on the unit sphere each pixel lies, after the sphere was rolled."""

MARBLES: tuple[Colour, ...] = ((0.24, 0.48, 0.66), (0.30, 0.62, 0.52), (0.66, 0.36, 0.52), (0.80, 0.44, 0.26))
PEELS: tuple[Colour, ...] = ((0.97, 0.58, 0.14), (0.93, 0.48, 0.13))
LEMONS: tuple[Colour, ...] = ((0.98, 0.86, 0.27), (0.92, 0.82, 0.36))
LEATHERS: tuple[Colour, ...] = ((0.82, 0.42, 0.19), (0.74, 0.34, 0.18))
FELTS: tuple[Colour, ...] = ((0.80, 0.88, 0.26), (0.70, 0.82, 0.30))
MOONS: tuple[Colour, ...] = ((0.82, 0.80, 0.75), (0.74, 0.74, 0.76))
PEARLS: tuple[Colour, ...] = ((0.96, 0.92, 0.88), (0.93, 0.86, 0.86), (0.84, 0.88, 0.90))
WHITE: Colour = (0.96, 0.96, 0.94)
INK: Colour = (0.14, 0.14, 0.17)
GOLDEN = (1 + 5**0.5) / 2


@dataclass(frozen=True, slots=True)
class Sphere(Form):
    """A round body; each parameter says how strongly it shows one trait.

    Attributes:
        panels: dark pentagons on white.
        ribs: the grooves of a basketball.
        seam: the curved seam of a tennis ball, with felt.
        swirl: bands of coloured glass.
        sheen: the soft shine of nacre.
        craters: craters and dark plains.
        peel: the dimples of citrus peel.
        stretch: how far it is drawn out into a lemon's shape.
    """

    panels: float
    ribs: float
    seam: float
    swirl: float
    sheen: float
    craters: float
    peel: float
    stretch: float


def _make_prototype(**traits: float) -> Sphere:
    names = ("panels", "ribs", "seam", "swirl", "sheen", "craters", "peel", "stretch")
    return Sphere(*(traits.get(name, 0.0) for name in names))


PROTOTYPES = {
    "football": _make_prototype(panels=1),
    "basketball": _make_prototype(ribs=1, peel=0.2),
    "tennis_ball": _make_prototype(seam=1),
    "marble": _make_prototype(swirl=1, sheen=0.5),
    "pearl": _make_prototype(sheen=1),
    "moon": _make_prototype(craters=1),
    "orange": _make_prototype(peel=1),
    "lemon": _make_prototype(peel=1, stretch=1),
}


def paint_sphere(form: Sphere, look: Look, *, patch: Patch) -> Surface:
    """The body with all its traits laid over each other, each as strongly as its parameter says."""
    stretch = float(np.clip(form.stretch, 0, 1.1))
    ratio = _find_ratio(patch, stretch)
    height = dome(ratio)
    alpha = cover((ratio - 1) * (1 - 0.15 * stretch), patch)
    points = _roll(patch.u, patch.v, height=height, seed=look.seed)
    colour, relief = np.zeros((3, *ratio.shape), np.float32), np.zeros_like(ratio)
    weights = {name: max(float(getattr(form, name)), 0.0) for name in _TRAITS}
    total = sum(weight**1.5 for weight in weights.values()) + 1e-6
    for name, weight in weights.items():
        if weight > 0.04:
            painted, bumps = _TRAITS[name](points, look, stretch)
            colour += painted * np.float32(weight**1.5 / total)
            relief += bumps * np.float32(min(weight, 1.0))
    gloss = 0.1 + 0.55 * min(form.sheen, 1) + 0.2 * weights["peel"] + 0.45 * weights["swirl"]
    tone = np.float32(0.90 + 0.14 * look.tone)
    return Surface(alpha, height * np.float32(0.95) + relief, colour * tone, gloss=float(np.clip(gloss, 0, 0.8)))


def _find_ratio(patch: Patch, stretch: float) -> Raster:
    """Distance from the centre as a share of the outline's, with a nub at both ends of a stretched body."""
    if stretch < 0.02:
        return patch.radius
    nub = 0.20 * stretch * np.exp(-((patch.v / 0.20) ** 2)) * step(0.4, 1.0, at=np.abs(patch.u))
    return np.asarray(np.hypot(patch.u * (1 + 0.02 * stretch) / (1 + nub), patch.v * (1 + 0.30 * stretch)), np.float32)


def _roll(u: Raster, v: Raster, *, height: Raster, seed: int) -> Points:
    """The pixels as points of the sphere, rolled in a way that the seed decides."""
    first, second = 0.35 * (seed % 17) / 17 * np.pi + 0.25, (seed // 17 % 19) / 19 * np.pi
    c, s = np.float32(np.cos(first)), np.float32(np.sin(first))
    x, z = u * c + height * s, height * c - u * s
    c, s = np.float32(np.cos(second)), np.float32(np.sin(second))
    return x, v * c + z * s, z * c - v * s


def _make_panels() -> Points:
    pairs = [(0.0, a, b * GOLDEN) for a in (-1.0, 1.0) for b in (-1.0, 1.0)]
    corners = [turned for x, y, z in pairs for turned in ((x, y, z), (z, x, y), (y, z, x))]
    unit = np.array(corners, np.float32) / np.float32(np.hypot(1, GOLDEN))
    return unit[:, 0], unit[:, 1], unit[:, 2]


_PANELS = _make_panels()


def _paint_panels(points: Points, look: Look, _stretch: float) -> tuple[Raster, Raster]:
    """A football: dark pentagons around the corners of an icosahedron, and the seams between the hexagons."""
    facing = np.stack([points[0] * x + points[1] * y + points[2] * z for x, y, z in zip(*_PANELS, strict=True)])
    # The seams of a football run from pentagon to pentagon, where the third and the fourth nearest are equally near.
    fourth, third, second, first = np.sort(np.partition(facing, -4, axis=0)[-4:], axis=0)
    dark = step(0.27, 0.31, at=first - 0.5 * (second + third))
    line = step(0.06, 0.025, at=third - fourth) * (1 - dark)
    ink = pick((INK, (0.18, 0.24, 0.42)), look.tint)
    return paint(paint(WHITE, ink, share=dark), (0.55, 0.55, 0.56), share=0.8 * line), -0.03 * line


def _paint_ribs(points: Points, look: Look, _stretch: float) -> tuple[Raster, Raster]:
    """A basketball: two great circles and two bowed grooves."""
    x, y, z = points
    bowed = np.abs(np.abs(x) - 0.62 + 0.35 * y * y) * 0.8
    groove = step(0.055, 0.02, at=np.minimum(np.minimum(np.abs(x), np.abs(z)), bowed))
    return paint(pick(LEATHERS, look.tint), (0.16, 0.10, 0.08), share=groove), -0.05 * groove


def _paint_seam(points: Points, look: Look, _stretch: float) -> tuple[Raster, Raster]:
    """A tennis ball: one curved seam around felt."""
    x, y, z = points
    seam = step(0.12, 0.06, at=np.abs(z - 0.75 * (x * x - y * y)))
    felt = noise(x.shape, 40, seed=look.seed)
    colour = paint(paint(pick(FELTS, look.tint), WHITE, share=np.clip(0.12 * felt, 0, 1)), WHITE, share=0.95 * seam)
    return colour, 0.02 * felt * (1 - seam)


def _paint_swirl(points: Points, look: Look, _stretch: float) -> tuple[Raster, Raster]:
    """A glass marble: bent bands of colour."""
    x, y, z = points
    bend = noise(x.shape, 5, seed=look.seed)
    bands = 0.5 + 0.5 * np.sin(7 * x + 4 * y * z + 2.2 * bend)
    colour = paint(pick(MARBLES, look.tint), WHITE, share=0.85 * step(0.62, 0.9, at=bands))
    colour = paint(colour, pick(MARBLES, float(np.mod(look.tint + 0.5, 1))), share=0.8 * step(0.35, 0.1, at=bands))
    return colour, np.zeros_like(x)


def _paint_sheen(points: Points, look: Look, _stretch: float) -> tuple[Raster, Raster]:
    """A pearl: hardly a colour, changing a little from side to side."""
    x, y, _ = points
    play = 0.5 + 0.5 * np.sin(2.5 * x + 1.5 * y)
    return paint(pick(PEARLS, look.tint), (0.84, 0.82, 0.90), share=0.5 * play), np.zeros_like(x)


def _paint_craters(points: Points, look: Look, _stretch: float) -> tuple[Raster, Raster]:
    """A moon: dark plains and craters of two sizes."""
    shape = points[0].shape
    plains = step(0.05, 0.45, at=noise(shape, 5, seed=look.seed))
    pits = step(0.35, 0.75, at=noise(shape, 13, seed=look.seed + 1)) + 0.6 * step(
        0.4, 0.8, at=noise(shape, 24, seed=look.seed + 2)
    )
    colour = paint(pick(MOONS, look.tint), (0.52, 0.52, 0.55), share=0.75 * plains)
    return paint(colour, (0.60, 0.59, 0.59), share=np.clip(0.45 * pits, 0, 1)), -0.05 * pits


def _paint_peel(points: Points, look: Look, stretch: float) -> tuple[Raster, Raster]:
    """Citrus peel: fine dimples, and the stem's small star."""
    dimples = noise(points[0].shape, 34, seed=look.seed)
    base = paint(pick(PEELS, look.tint), pick(LEMONS, look.tint), share=np.float32(min(stretch, 1.0)))
    stem = step(0.16, 0.08, at=np.hypot(points[0], points[1])) * (points[2] > 0) * np.float32(1 - min(stretch, 1))
    return paint(
        paint(base, (1.0, 0.95, 0.7), share=np.clip(0.08 * dimples, 0, 1)), (0.42, 0.50, 0.22), share=stem
    ), 0.018 * dimples


_TRAITS: dict[str, Callable[[Points, Look, float], tuple[Raster, Raster]]] = {
    "panels": _paint_panels,
    "ribs": _paint_ribs,
    "seam": _paint_seam,
    "swirl": _paint_swirl,
    "sheen": _paint_sheen,
    "craters": _paint_craters,
    "peel": _paint_peel,
}

SPHERES = FormKind(Sphere, PROTOTYPES, units=(1.0, 1.0, 1.0, 0.9, 0.9, 1.0, 1.0, 0.9), paint=paint_sphere, tilt=0.6)
