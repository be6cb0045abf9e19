"""The ground on which every drawing stands: a patch of local coordinates, a surface over it, and how light falls on it.

A thing is drawn in its own coordinates, where it is about two units wide, so that the same parameters give the same
picture at every size. It says where it is (`alpha`), how high it rises (`height`), its own colour and how it shines;
light and shadow follow from that.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Raster: TypeAlias = NDArray[np.floating]
Colour: TypeAlias = tuple[float, float, float]

REACH = 1.3
"""Half the side of a patch in local units: no drawing goes farther from its centre."""

AMBIENT = 0.46
"""The part of the light that comes from everywhere."""


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """A square of pixels in the local coordinates of a thing: u to its right, v down, both turned with it.

    Attributes:
        u: first coordinate of each pixel [n, n].
        v: second coordinate of each pixel [n, n].
        pixel: side of a pixel in local units.
    """

    u: Raster
    v: Raster
    pixel: float

    @property
    def radius(self) -> Raster:
        """Distance of each pixel from the centre."""
        return np.hypot(self.u, self.v)


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """What a thing looks like before light falls on it.

    Attributes:
        alpha: share of each pixel that it covers.
        height: how far it rises towards the viewer, in local units.
        colour: its own colour [3, n, n].
        gloss: strength of the highlight.
    """

    alpha: Raster
    height: Raster
    colour: Raster
    gloss: float


def make_patch(n_pixels: int, *, turn: float = 0.0, shift: tuple[float, float] = (0.0, 0.0)) -> Patch:
    """A patch of n × n pixels that reaches `REACH` units to each side, its axes turned by an angle in radians.

    Args:
        n_pixels: pixels along a side.
        turn: how far the thing is turned.
        shift: how far its centre lies beside that of the patch, in pixels.
    """
    pixel = 2 * REACH / n_pixels
    across = ((np.arange(n_pixels, dtype=np.float32) + 0.5 - n_pixels / 2 - shift[0]) * pixel).astype(np.float32)
    down = ((np.arange(n_pixels, dtype=np.float32) + 0.5 - n_pixels / 2 - shift[1]) * pixel).astype(np.float32)
    cosine, sine = float(np.cos(turn)), float(np.sin(turn))
    u = across[np.newaxis] * cosine + down[:, np.newaxis] * sine
    v = down[:, np.newaxis] * cosine - across[np.newaxis] * sine
    return Patch(u, v, pixel)


def cover(distance: Raster, patch: Patch) -> Raster:
    """Share of each pixel inside an outline, from the signed distance to it (negative inside): a soft edge."""
    return np.asarray(np.clip(0.5 - distance / patch.pixel, 0, 1), np.float32)


def step(low: float, high: float, *, at: Raster) -> Raster:
    """A smooth step from 0 at `low` to 1 at `high`."""
    t = np.clip((at - low) / (high - low), 0, 1)
    return np.asarray(t * t * (3 - 2 * t), np.float32)


def dome(ratio: Raster) -> Raster:
    """Height of a half sphere at a distance from its axis, given in radii."""
    return np.sqrt(np.clip(1 - ratio * ratio, 0, 1))


def paint(first: Raster | Colour, second: Raster | Colour, *, share: Raster | np.floating | float) -> Raster:
    """The first colour where the share is 0, the second where it is 1."""
    start, end = spread(first), spread(second)
    return start + (end - start) * np.asarray(share, np.float32)


def spread(colour: Raster | Colour) -> Raster:
    """A colour as planes that go with every picture; colours come plane by plane, for that is quicker to work on."""
    planes = np.asarray(colour, np.float32)
    return planes.reshape(3, 1, 1) if planes.ndim == 1 else planes


def blend(first: Colour, second: Colour, *, share: float) -> Colour:
    """One colour between two."""
    return (
        first[0] + (second[0] - first[0]) * share,
        first[1] + (second[1] - first[1]) * share,
        first[2] + (second[2] - first[2]) * share,
    )


def pick(palette: tuple[Colour, ...], place: float) -> Colour:
    """The colour at a place in [0, 1] of a palette, running from one entry into the next."""
    at = min(max(place, 0.0), 1.0) * (len(palette) - 1)
    index = min(int(at), len(palette) - 2)
    return blend(palette[index], palette[index + 1], share=at - index)


def noise(shape: tuple[int, int], cells: int, *, seed: int) -> Raster:
    """Smooth noise in about [−1, 1] with that many cells along a side; the same picture at every resolution."""
    lattice = Image.fromarray(_make_lattice(cells, seed))
    return np.asarray(lattice.resize((shape[1], shape[0]), Image.Resampling.BICUBIC))


def light_up(surface: Surface, direction: Colour, *, pixel: float) -> Raster:
    """The surface's colour under a light from a direction, by Lambert's law with a soft highlight."""
    x, y, z = direction
    right, down = _find_slopes(surface.height, pixel)
    length = np.sqrt(1 + right * right + down * down)
    facing = (z - right * x - down * y) / length
    lit = AMBIENT + (1.12 - AMBIENT) * np.clip(facing, 0, 1)
    colour = surface.colour * lit
    if surface.gloss > 0:
        half = float(np.sqrt(x * x + y * y + (z + 1) ** 2))
        shine = np.clip((z + 1 - right * x - down * y) / (length * half), 0, 1)
        shine = shine * shine
        shine = shine * shine
        shine = shine * shine
        shine = shine * shine
        colour = colour + surface.gloss * shine * shine
    return np.clip(colour, 0, 1)


@lru_cache(maxsize=256)
def _make_lattice(cells: int, seed: int) -> Raster:
    """Numbers in [−1, 1] from mixing the bits of a counter: no generator, hence no state."""
    with np.errstate(over="ignore"):
        bits = np.arange(cells * cells, dtype=np.uint32) * np.uint32(0x9E3779B9) + np.uint32(seed & 0xFFFFFFFF)
        bits = (bits ^ (bits >> np.uint32(16))) * np.uint32(0x85EBCA6B)
        bits = (bits ^ (bits >> np.uint32(13))) * np.uint32(0xC2B2AE35)
        bits ^= bits >> np.uint32(16)
    return (bits.astype(np.float32) / np.float32(2**31) - 1).reshape(cells, cells)


def _find_slopes(height: Raster, pixel: float) -> tuple[Raster, Raster]:
    """How steeply the surface rises to the right and downwards, by central differences."""
    right, down = np.zeros_like(height), np.zeros_like(height)
    np.subtract(height[:, 2:], height[:, :-2], out=right[:, 1:-1])
    np.subtract(height[2:], height[:-2], out=down[1:-1])
    scale = np.float32(0.5 / pixel)
    return right * scale, down * scale
