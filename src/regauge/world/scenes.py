"""A scene: things on a ground under a light. It can be drawn at any size, and what is true of it is known.

How much a class is in a scene is how much its best thing is that class, times how well that thing can be seen. The
thresholds below turn that degree into the verdict a perfect reviewer would give.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageFilter

from regauge.arrays import FloatArray, ScoreArray
from regauge.errors import InputError
from regauge.records.labels.label_set import VerdictArray
from regauge.records.labels.verdicts import Verdict
from regauge.world.grounds import Ground, Light, Scrap, paint_ground, paint_scraps
from regauge.world.objects import Thing, perceive
from regauge.world.surfaces import REACH, Raster, light_up, make_patch, spread

CORRECT_FROM = 0.55
"""From this degree on a class is in the picture."""

UNCLEAR_FROM = 0.25
"""From this degree on one cannot say that it is not."""

CLEAR_SIZE = 0.13
"""A thing of this radius, as a share of the picture's side, is seen fully; a smaller one less and less."""

HAZE = 15.0
"""How much a picture out of focus hides, per share of its side that it is blurred."""

MAX_THINGS = 4
OVERSAMPLING = 2

MIN_BLUR = 0.25
"""A smaller blur, in pixels, would not be seen."""

_N_PROBES = 240
_SHADOW = 0.42


@dataclass(frozen=True, slots=True)
class Placed:
    """A thing in its place.

    Attributes:
        thing: what lies there.
        x: its centre as a share of the picture's side, from the left.
        y: its centre, from the top.
        size: its radius as a share of the side.
        turn: how far it is turned, in radians.
    """

    thing: Thing
    x: float
    y: float
    size: float
    turn: float


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that a picture is drawn from.

    Attributes:
        ground: what lies beneath.
        light: where the light comes from.
        things: from the farthest to the nearest; a nearer one hides a farther one.
        scraps: pebbles and twigs between the ground and the things.
        blur: how far the picture is out of focus, as a share of its side.
        grain: standard deviation of the film grain.
        seed: which grain.
    """

    ground: Ground
    light: Light
    things: tuple[Placed, ...]
    scraps: tuple[Scrap, ...]
    blur: float
    grain: float
    seed: int

    def __post_init__(self) -> None:
        if not 1 <= len(self.things) <= MAX_THINGS:
            raise InputError(f"A scene has 1 to {MAX_THINGS} things, not {len(self.things)}.")


@dataclass(frozen=True, slots=True, eq=False)
class SceneTruth:
    """What is true of a scene.

    Attributes:
        degrees: how much each class is in it, 0 to 1 [classes].
        thing_degrees: the same for each thing by itself [things, classes].
        saliences: how much each thing strikes the eye: visible area, more in the middle [things].
    """

    degrees: FloatArray
    thing_degrees: FloatArray
    saliences: FloatArray


def judge(degrees: FloatArray | ScoreArray) -> VerdictArray:
    """Verdicts of a perfect reviewer, by the thresholds above; of the same shape as the degrees."""
    unclear = np.where(degrees >= UNCLEAR_FROM, Verdict.UNCLEAR, Verdict.WRONG)
    return np.where(degrees >= CORRECT_FROM, Verdict.CORRECT, unclear).astype(np.int8)


def find_truth(scene: Scene) -> SceneTruth:
    """What is in the scene, from its parameters alone."""
    shares = measure_visibility(scene)
    sizes = np.array([placed.size for placed in scene.things])
    seen = shares * np.clip(sizes / CLEAR_SIZE, 0, 1) * (1 - HAZE * scene.blur)
    thing_degrees = np.stack([perceive(placed.thing.form) for placed in scene.things]) * seen[:, np.newaxis]
    away = np.array([(placed.x - 0.5) ** 2 + (placed.y - 0.5) ** 2 for placed in scene.things])
    saliences = shares * sizes**2 * np.exp(-3 * away)
    return SceneTruth(thing_degrees.max(axis=0), thing_degrees, saliences)


def measure_visibility(scene: Scene) -> FloatArray:
    """For each thing, the share of its disc that is inside the picture and behind no nearer thing.

    Things are taken as discs of their radius and probed at points spread evenly over them, so that the share depends on
    the parameters alone and not on the size of a drawing.
    """
    discs = np.array([(placed.x, placed.y, placed.size) for placed in scene.things])
    x, y = (discs[:, axis, np.newaxis] + discs[:, 2:] * _PROBES[axis] for axis in (0, 1))
    visible = (x >= 0) & (x <= 1) & (y >= 0) & (y <= 1)
    for nearer in range(1, len(discs)):
        centre_x, centre_y, radius = discs[nearer]
        visible[:nearer] &= (x[:nearer] - centre_x) ** 2 + (y[:nearer] - centre_y) ** 2 > (0.9 * radius) ** 2
    return np.asarray(visible.mean(axis=1), np.float64)


def _spread_probes() -> FloatArray:
    """Points in the unit disc on a sunflower's spiral: each stands for the same area."""
    order = np.arange(_N_PROBES) + 0.5
    radius, angle = np.sqrt(order / _N_PROBES), order * np.pi * (3 - np.sqrt(5))
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)])


_PROBES = _spread_probes()


def render(scene: Scene, side: int) -> Image.Image:
    """The picture of a scene; things are drawn twice as large and shrunk. The same scene at every size."""
    canvas = paint_ground(scene.ground, scene.light, side=side)
    paint_scraps(canvas, scene.scraps, light=scene.light)
    for placed in scene.things:
        _paint_thing(canvas, placed, light=scene.light)
    warmth = scene.light.warmth
    canvas *= spread((1 + 0.07 * warmth, 1.0, 1 - 0.09 * warmth)) * np.float32(255 * scene.light.exposure)
    if scene.blur * side > MIN_BLUR:
        blurred = _to_image(canvas).filter(ImageFilter.GaussianBlur(scene.blur * side))
        canvas = np.asarray(blurred, np.float32).transpose(2, 0, 1)
    if scene.grain > 0:
        grain = np.random.default_rng(scene.seed).standard_normal((side, side), np.float32)
        canvas = canvas + grain * np.float32(255 * scene.grain)
    return _to_image(canvas)


def _to_image(canvas: Raster) -> Image.Image:
    return Image.fromarray(np.ascontiguousarray(np.clip(canvas, 0, 255).astype(np.uint8).transpose(1, 2, 0)))


def _paint_thing(canvas: Raster, placed: Placed, *, light: Light) -> None:
    """Put a thing and its shadow on the canvas, in place."""
    side = canvas.shape[1]
    half = max(round(placed.size * side * REACH), 4)
    left, top = round(placed.x * side), round(placed.y * side)
    shift = ((placed.x * side - left) * OVERSAMPLING, (placed.y * side - top) * OVERSAMPLING)
    patch = make_patch(2 * half * OVERSAMPLING, turn=placed.turn, shift=shift)
    surface = placed.thing.kind.paint(placed.thing.form, placed.thing.look, patch=patch)
    colour = light_up(surface, light.direction, pixel=patch.pixel)
    alpha, colour = _shrink(surface.alpha, colour)
    x, y, rise = light.direction
    reach = 0.55 * half * (1.1 - rise)
    shade, margin = _blur_shadow(alpha, half)
    _lay(canvas, shade, _Corner(round(left - half - margin - reach * x), round(top - half - margin - reach * y)), None)
    _lay(canvas, alpha, _Corner(left - half, top - half), colour)


def _shrink(alpha: Raster, colour: Raster) -> tuple[Raster, Raster]:
    """Means over the pixels of the large drawing; the colour is already weighted with its coverage."""
    weighted = colour * alpha
    corners = [(row, column) for row in range(OVERSAMPLING) for column in range(OVERSAMPLING)]
    every, scale = OVERSAMPLING, np.float32(1 / OVERSAMPLING**2)
    small = sum((alpha[row::every, column::every] for row, column in corners[1:]), alpha[::every, ::every])
    large = sum((weighted[:, row::every, column::every] for row, column in corners[1:]), weighted[:, ::every, ::every])
    return small * scale, large * scale


@dataclass(frozen=True, slots=True)
class _Corner:
    """Where the upper left pixel of a layer lies on the canvas."""

    left: int
    top: int


def _blur_shadow(alpha: Raster, half: int) -> tuple[Raster, int]:
    """A soft copy of the outline with room around it, and how many pixels of room."""
    margin = max(half // 4, 2)
    outline = Image.fromarray((np.pad(alpha, margin) * 255).astype(np.uint8))
    soft = outline.filter(ImageFilter.BoxBlur(half / 9)).filter(ImageFilter.BoxBlur(half / 9))
    return np.asarray(soft, np.float32) * np.float32(_SHADOW / 255), margin


def _lay(canvas: Raster, alpha: Raster, corner: _Corner, colour: Raster | None) -> None:
    """Lay a layer over the canvas where both are; without a colour it only darkens. The colour is weighted with alpha already."""
    wide = canvas.shape[1]
    top, left = max(corner.top, 0), max(corner.left, 0)
    bottom, right = min(corner.top + alpha.shape[0], wide), min(corner.left + alpha.shape[1], wide)
    if top >= bottom or left >= right:
        return
    part = (slice(top - corner.top, bottom - corner.top), slice(left - corner.left, right - corner.left))
    under, share = canvas[:, top:bottom, left:right], alpha[part]
    if colour is None:
        under *= 1 - share
    else:
        under *= 1 - share
        under += colour[:, part[0], part[1]]
