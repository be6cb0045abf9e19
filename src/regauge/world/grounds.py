"""What things lie on and among: soft grounds, light, and scraps that belong to no class."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from PIL import Image, ImageDraw

from regauge.world.surfaces import Colour, Raster, blend, noise, pick, spread

TONES: tuple[Colour, ...] = (
    (0.93, 0.89, 0.81),
    (0.78, 0.84, 0.76),
    (0.66, 0.78, 0.82),
    (0.90, 0.78, 0.73),
    (0.55, 0.64, 0.72),
    (0.88, 0.77, 0.60),
    (0.48, 0.58, 0.54),
    (0.92, 0.85, 0.88),
)
PEBBLES: tuple[Colour, ...] = ((0.62, 0.60, 0.56), (0.74, 0.70, 0.64), (0.50, 0.52, 0.54), (0.66, 0.52, 0.42))
SHADE: Colour = (0.0, 0.0, 0.0)
SCRAP_SCALE = 4
TWIG: Colour = (0.42, 0.31, 0.22)

Box: TypeAlias = tuple[slice, slice]
"""Rows and columns of a picture."""

_TURNS = np.linspace(0, 2 * np.pi, 24, endpoint=False)


class Weave(StrEnum):
    """What the ground is made of."""

    PLASTER = "plaster"
    WOOD = "wood"
    LINEN = "linen"


@dataclass(frozen=True, slots=True)
class Ground:
    """The surface under a scene.

    Attributes:
        weave: what it is made of.
        tone: place among the ground colours, 0 to 1.
        contrast: strength of its texture.
        seed: which texture.
    """

    weave: Weave
    tone: float
    contrast: float
    seed: int


@dataclass(frozen=True, slots=True)
class Light:
    """One lamp and the camera's answer to it.

    Attributes:
        angle: direction it comes from, in radians; π/2 is from below the picture.
        height: how high it stands, 0 (grazing) to 1 (overhead).
        warmth: −1 (blue) to 1 (yellow).
        exposure: factor on all colours.
    """

    angle: float
    height: float
    warmth: float
    exposure: float

    @property
    def direction(self) -> Colour:
        """Unit vector towards the lamp: right, down, towards the viewer."""
        rise = 0.45 + 0.45 * self.height
        flat = float(np.sqrt(1 - rise * rise))
        return flat * float(np.cos(self.angle)), flat * float(np.sin(self.angle)), rise


@dataclass(frozen=True, slots=True)
class Scrap:
    """A pebble or a twig: in the way, but of no class.

    Attributes:
        x: its centre, as a share of the picture's side.
        y: its centre, downwards.
        size: half its length.
        slim: 0 for a pebble, 1 for a twig.
        angle: how it lies.
        tone: its colour among those of its kind.
    """

    x: float
    y: float
    size: float
    slim: float
    angle: float
    tone: float


def paint_ground(ground: Ground, light: Light, *, side: int) -> Raster:
    """The ground with a broad fall of light across it [3, side, side]."""
    texture = _weave(ground, side)
    along = np.linspace(-1, 1, side, dtype=np.float32)
    x, y, _ = light.direction
    fall = along[np.newaxis] * np.float32(x) + along[:, np.newaxis] * np.float32(y)
    corner = along[np.newaxis] ** 2 + along[:, np.newaxis] ** 2
    brightness = 1 + 0.13 * fall - 0.07 * corner + ground.contrast * texture
    return np.asarray(spread(pick(TONES, ground.tone)) * brightness, np.float32)


def _weave(ground: Ground, side: int) -> Raster:
    square = (side, side)
    clouds = noise(square, 5, seed=ground.seed)
    if ground.weave is Weave.WOOD:
        grain = noise((side, max(side // 8, 1)), 22, seed=ground.seed + 1)
        long = np.asarray(Image.fromarray(grain).resize(square, Image.Resampling.BILINEAR))
        return 0.35 * clouds + 0.75 * long
    if ground.weave is Weave.LINEN:
        threads = np.sin(np.linspace(0, 2 * np.pi * 24, side, dtype=np.float32) + ground.seed % 7)
        return (
            0.4 * clouds
            + 0.35 * (threads[np.newaxis] * threads[:, np.newaxis])
            + 0.3 * noise(square, 30, seed=ground.seed)
        )
    return 0.7 * clouds + 0.35 * noise(square, 24, seed=ground.seed + 2)


def paint_scraps(canvas: Raster, scraps: tuple[Scrap, ...], *, light: Light) -> None:
    """Lay pebbles and twigs on the canvas, in place, each with a shadow away from the light and a lit side."""
    side = canvas.shape[1]
    x, y, _ = light.direction
    for scrap in scraps:
        tone = blend(pick(PEBBLES, scrap.tone), TWIG, share=scrap.slim)
        lit = blend(tone, (1.0, 0.98, 0.94), share=0.30)
        size = max(int(scrap.size * side * 1.3) + 2, 3)
        rows, columns = _frame(scrap.y * side, size, side=side), _frame(scrap.x * side, size, side=side)
        if rows.start >= rows.stop or columns.start >= columns.stop:
            continue
        box, part = (rows, columns), canvas[:, rows, columns]
        for shift, colour, strength in ((0.22, SHADE, 0.30), (0.0, tone, 1.0), (-0.16, lit, 0.55)):
            move = (-shift * x * scrap.size, -shift * y * scrap.size, 1.0 if shift >= 0 else 0.62)
            share = _paint_outline(scrap, box, side=side, move=move) * np.float32(strength)
            part += (spread(colour) - part) * share


def _frame(centre: float, size: int, *, side: int) -> slice:
    return slice(max(int(centre) - size, 0), min(int(centre) + size + 1, side))


def _paint_outline(scrap: Scrap, box: Box, *, side: int, move: tuple[float, float, float]) -> Raster:
    """Coverage of a turned, slightly lumpy ellipse inside a box of the picture, drawn larger and shrunk."""
    rows, columns = box
    right, down, shrink = move
    shape = (columns.stop - columns.start, rows.stop - rows.start)
    mask = Image.new("L", (SCRAP_SCALE * shape[0], SCRAP_SCALE * shape[1]), 0)
    long, wide = scrap.size * shrink, scrap.size * shrink * (0.72 - 0.62 * scrap.slim)
    lumpy = 1 + 0.12 * np.sin(3 * _TURNS + 9 * scrap.tone)
    u, v = long * lumpy * np.cos(_TURNS), wide * lumpy * np.sin(_TURNS)
    c, s = np.cos(scrap.angle), np.sin(scrap.angle)
    xs = ((scrap.x + right + u * c - v * s) * side - columns.start) * SCRAP_SCALE
    ys = ((scrap.y + down + u * s + v * c) * side - rows.start) * SCRAP_SCALE
    ImageDraw.Draw(mask).polygon(np.stack([xs, ys], axis=1).ravel().tolist(), fill=255)
    return np.asarray(mask.reduce(SCRAP_SCALE), np.float32) / np.float32(255)
