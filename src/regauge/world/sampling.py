"""How scenes come about: somebody photographs a thing of a class, more or less typical, among other things.

`Habits` say how a collection was photographed. Two collections with slightly different habits differ as two benchmarks
built by the same recipe do: nothing one would notice in a single picture, yet the second is a little harder.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from regauge.arrays import FloatArray
from regauge.world.forms import Form, FormKind, Look, make_form
from regauge.world.grounds import Ground, Light, Scrap, Weave
from regauge.world.objects import CLASS_IDS, KIND_OF, Thing
from regauge.world.scenes import CLEAR_SIZE, Placed, Scene

MAX_STRAY = 0.62
"""No form is sampled farther on the way to a neighbouring class."""

JITTER = 0.10
"""Standard deviation of every parameter around the way, in units of its kind."""

_WEAVES = tuple(Weave)


@dataclass(frozen=True, slots=True)
class Habits:
    """How the pictures of a collection were taken.

    Attributes:
        stray: spread of how far forms lie on the way to a neighbouring class, which is half-way at 0.5.
        sizes: smallest and largest radius of the wanted thing, as shares of the picture's side.
        off_centre: spread of its place around the middle.
        company: probabilities of one, two, three and four things.
        aside: share of the pictures with several things in which another one takes the middle.
        n_scraps: mean number of pebbles and twigs.
        blur: largest blur as a share of the side.
        glow: spread of how warm the light is.
    """

    stray: float
    sizes: tuple[float, float]
    off_centre: float
    company: tuple[float, float, float, float]
    aside: float
    n_scraps: float
    blur: float
    glow: float


ORIGINAL_HABITS = Habits(
    stray=0.22,
    sizes=(0.21, 0.35),
    off_centre=0.065,
    company=(0.68, 0.23, 0.06, 0.03),
    aside=0.12,
    n_scraps=1.0,
    blur=0.010,
    glow=0.35,
)
POOL_HABITS = Habits(
    stray=0.26,
    sizes=(0.195, 0.335),
    off_centre=0.07,
    company=(0.62, 0.27, 0.08, 0.03),
    aside=0.16,
    n_scraps=1.5,
    blur=0.012,
    glow=0.50,
)


def sample_form(class_id: str, habits: Habits, *, rng: np.random.Generator) -> Form:
    """A form of the class that strays some way towards another class of its kind."""
    kind = KIND_OF[class_id]
    start = kind.prototypes[class_id].to_vector()
    end = kind.prototypes[_pick_neighbour(kind, class_id, rng=rng)].to_vector()
    share = min(abs(rng.normal(0, habits.stray)), MAX_STRAY)
    jitter = rng.normal(0, JITTER, size=len(start)) * np.array(kind.units)
    return make_form(kind, np.clip(start + (end - start) * share + jitter, 0, 1.1))


def _pick_neighbour(kind: FormKind, class_id: str, *, rng: np.random.Generator) -> str:
    """Another class of the kind, more often one whose prototype is near."""
    others = [other for other in kind.prototypes if other != class_id]
    here, units = kind.prototypes[class_id].to_vector(), np.array(kind.units)
    near = np.array(
        [np.exp(-0.5 * (((kind.prototypes[other].to_vector() - here) / units) ** 2).sum()) for other in others]
    )
    return others[int(rng.choice(len(others), p=near / near.sum()))]


def sample_thing(class_id: str, habits: Habits, *, rng: np.random.Generator) -> Thing:
    """A thing of the class with some look."""
    tint, tone = rng.random(2).tolist()
    return Thing(sample_form(class_id, habits, rng=rng), Look(tint, tone, int(rng.integers(1 << 30))))


def sample_scene(class_id: str, habits: Habits, *, rng: np.random.Generator) -> Scene:
    """A scene that somebody took because a thing of the class was in it."""
    x, y = (0.5 + np.clip(rng.normal(0, habits.off_centre, size=2), -0.2, 0.2)).tolist()
    size = float(rng.uniform(*habits.sizes))
    wanted = _place(sample_thing(class_id, habits, rng=rng), (x, y, size), rng=rng)
    n_others = int(rng.choice(4, p=habits.company))
    if n_others:
        wanted = replace(wanted, size=0.86 * wanted.size)
    others = [_sample_other(wanted, habits, rng=rng) for _ in range(n_others)]
    if n_others and rng.random() < habits.aside:
        wanted, others[0] = _swap_places(wanted, others[0])
    n_nearer = int(rng.binomial(n_others, 0.35))
    return Scene(
        ground=_sample_ground(rng),
        light=_sample_light(habits.glow, rng=rng),
        things=(*others[n_nearer:], wanted, *others[:n_nearer]),
        scraps=tuple(_sample_scrap(rng) for _ in range(int(rng.poisson(habits.n_scraps)))),
        blur=float(rng.uniform(0, habits.blur)),
        grain=float(rng.uniform(0.004, 0.02)),
        seed=int(rng.integers(1 << 30)),
    )


def _place(thing: Thing, disc: tuple[float, float, float], *, rng: np.random.Generator) -> Placed:
    x, y, size = disc
    return Placed(thing, x, y, size, turn=float(rng.normal(0, 0.5) * thing.kind.tilt))


def _swap_places(first: Placed, second: Placed) -> tuple[Placed, Placed]:
    """Each where the other was, and as large; the smaller one large enough to be seen clearly."""
    size = max(second.size, CLEAR_SIZE)
    return (
        replace(first, x=second.x, y=second.y, size=size),
        replace(second, x=first.x, y=first.y, size=first.size),
    )


def _sample_other(wanted: Placed, habits: Habits, *, rng: np.random.Generator) -> Placed:
    """A second thing of any class, beside the wanted one or partly before or behind it."""
    thing = sample_thing(CLASS_IDS[int(rng.integers(len(CLASS_IDS)))], habits, rng=rng)
    size = float(rng.uniform(0.10, 0.25))
    angle, gap = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(0.75, 1.25))
    reach = gap * (wanted.size + size)
    x = float(np.clip(wanted.x + reach * np.cos(angle), 0.08, 0.92))
    y = float(np.clip(wanted.y + reach * np.sin(angle), 0.08, 0.92))
    return _place(thing, (x, y, size), rng=rng)


def _sample_ground(rng: np.random.Generator) -> Ground:
    tone, contrast = rng.random(2).tolist()
    return Ground(_WEAVES[int(rng.integers(len(_WEAVES)))], tone, 0.03 + 0.06 * contrast, int(rng.integers(1 << 30)))


def _sample_light(glow: float, *, rng: np.random.Generator) -> Light:
    """Mostly from above, as people hang lamps."""
    swing, warmth, exposure = rng.normal(size=3).tolist()
    return Light(
        -np.pi / 2 + 0.8 * swing, float(rng.random()), float(np.clip(glow * warmth, -1.5, 1.5)), 1.06 + 0.07 * exposure
    )


def _sample_scrap(rng: np.random.Generator) -> Scrap:
    places: FloatArray = rng.random(4)
    x, y, tone, turn = places.tolist()
    slim = float(rng.random() < 0.4)
    return Scrap(x, y, float(rng.uniform(0.02, 0.05)) * (1 + slim), slim, np.pi * turn, tone)
