"""Scenes of drawn shapes: one main object, sometimes a second, on a textured ground.

Six classes in two families. Some run into each other: a disc with a small hole is hardly a ring, a square turned by a
sixteenth is neither square nor diamond. There the truth is unclear, as it is in photographs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from regauge.records.taxonomy import ClassIndex, Grouping, GroupRule, ImageClass, NodeId, Taxonomy

SIZE = 48
OVERSAMPLING = 4
SECOND_OBJECT_RATE = 0.3
MISLABEL_RATE = 0.03

_CLASSES = (
    ("disc", "round", "a filled circle"),
    ("ring", "round", "a circle with a hole"),
    ("crescent", "round", "a circle with a round bite"),
    ("square", "angular", "four equal sides, standing on one of them"),
    ("diamond", "angular", "a square standing on its corner"),
    ("triangle", "angular", "three equal sides"),
)
DISC, RING, CRESCENT, SQUARE, DIAMOND, TRIANGLE = range(len(_CLASSES))


@dataclass(frozen=True, slots=True)
class Thing:
    """One object of a scene."""

    class_index: int
    unclear_index: int | None
    """The class that it might be instead, where it stands between two."""
    centre: tuple[float, float]
    radius: float
    hole: float
    turn: float
    colour: tuple[int, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A drawn image with everything that is true of it."""

    image: Image.Image
    label: int
    """The dataset label, which is wrong in a few scenes, as in real benchmarks."""
    correct: tuple[int, ...]
    unclear: tuple[int, ...]
    main: int

    @property
    def possible(self) -> frozenset[int]:
        """The classes that are in the scene, certainly or possibly."""
        return frozenset((*self.correct, *self.unclear))

    @property
    def is_problematic(self) -> bool:
        """Whether the dataset label is wrong beyond doubt."""
        return self.label not in self.possible

    def to_pixels(self) -> NDArray[np.float64]:
        """The image as numbers in [0, 1], [SIZE, SIZE, 3]."""
        return np.asarray(self.image, dtype=np.float64) / 255


def make_taxonomy() -> Taxonomy:
    """The six classes, their two families and a grouping by family."""
    families = dict.fromkeys(family for _, family, _ in _CLASSES)
    return Taxonomy(
        name="drawn-shapes",
        classes=tuple(
            ImageClass(ClassIndex(index), NodeId(name), (name,), gloss)
            for index, (name, _, gloss) in enumerate(_CLASSES)
        ),
        parents={
            NodeId("shape"): (),
            **{NodeId(family): (NodeId("shape"),) for family in families},
            **{NodeId(name): (NodeId(family),) for name, family, _ in _CLASSES},
        },
        groupings=(Grouping("family", tuple(GroupRule(family, (NodeId(family),)) for family in families)),),
    )


def draw_scenes(n: int, *, rng: np.random.Generator) -> list[Scene]:
    """Scenes with as many main objects of every class as the number allows."""
    mains = rng.permutation(np.arange(n) % len(_CLASSES))
    return [_draw_scene(int(main), rng) for main in mains]


def _draw_scene(main: int, rng: np.random.Generator) -> Scene:
    things = [_make_thing(main, rng, radius=float(rng.uniform(11, 16)), spread=7)]
    if rng.random() < SECOND_OBJECT_RATE:
        other = int(rng.choice([index for index in range(len(_CLASSES)) if index != main]))
        things.append(_make_thing(other, rng, radius=float(rng.uniform(6, 8)), spread=17))
    image = _draw_ground(rng)
    for thing in things:
        image = _draw_thing(image, thing)
    correct = tuple(dict.fromkeys(thing.class_index for thing in things))
    unclear = tuple(dict.fromkeys(thing.unclear_index for thing in things if thing.unclear_index is not None))
    label = main
    if rng.random() < MISLABEL_RATE:
        label = int(rng.choice([index for index in range(len(_CLASSES)) if index != main]))
    return Scene(
        image=_photograph(image, rng),
        label=label,
        correct=correct,
        unclear=tuple(index for index in unclear if index not in correct),
        main=main,
    )


def _make_thing(index: int, rng: np.random.Generator, *, radius: float, spread: float) -> Thing:
    hole, turn, unclear = 0.0, float(rng.normal(0, 0.05)), None
    if index == RING:
        hole = float(rng.uniform(0.12, 0.7))
        unclear = DISC if hole < 0.2 else None
    elif index == CRESCENT:
        hole = float(rng.uniform(0.45, 0.85))
    elif index in {SQUARE, DIAMOND}:
        # A turn of 0 is a square, of an eighth (45°) a diamond; near a sixteenth people cannot tell.
        tilt = float(np.clip(abs(rng.normal(0, 0.25)), 0, 0.49)) * np.pi / 4
        turn = float(rng.choice([-1, 1])) * tilt + (np.pi / 4 if index == DIAMOND else 0)
        unclear = (DIAMOND if index == SQUARE else SQUARE) if tilt > 0.35 * np.pi / 4 else None
    x, y = SIZE / 2 + rng.uniform(-spread, spread, size=2)
    red, green, blue = rng.integers(40, 256, size=3).tolist()
    return Thing(index, unclear, (float(x), float(y)), radius, hole, turn, (red, green, blue))


def _draw_ground(rng: np.random.Generator) -> Image.Image:
    """A soft two-colour texture, large enough to draw on without steps."""
    coarse = rng.random((6, 6, 1)) * 0.35
    colour = rng.random(3) * 0.6 + 0.15
    pixels = np.clip((colour + coarse) * 255, 0, 255).astype(np.uint8)
    side = SIZE * OVERSAMPLING
    return Image.fromarray(pixels).resize((side, side), Image.Resampling.BICUBIC)


def _draw_thing(image: Image.Image, thing: Thing) -> Image.Image:
    mask = Image.new("L", image.size, 0)
    pen = ImageDraw.Draw(mask)
    x, y = thing.centre[0] * OVERSAMPLING, thing.centre[1] * OVERSAMPLING
    radius = thing.radius * OVERSAMPLING
    if thing.class_index in {DISC, RING, CRESCENT}:
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=255)
        if thing.hole:
            shift = 0.55 * radius if thing.class_index == CRESCENT else 0.0
            inner = thing.hole * radius
            pen.ellipse((x + shift - inner, y - inner, x + shift + inner, y + inner), fill=0)
    else:
        n_sides = 3 if thing.class_index == TRIANGLE else 4
        pen.regular_polygon((x, y, radius), n_sides, rotation=np.degrees(thing.turn), fill=255)
    image.paste(thing.colour, mask=mask)
    return image


def _photograph(image: Image.Image, rng: np.random.Generator) -> Image.Image:
    """Shrunk, a little out of focus, and with noise."""
    small = image.resize((SIZE, SIZE), Image.Resampling.LANCZOS).filter(
        ImageFilter.GaussianBlur(float(rng.uniform(0, 0.7)))
    )
    noisy = np.asarray(small, dtype=np.float64) + rng.normal(0, 8, size=(SIZE, SIZE, 3))
    return Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8))
