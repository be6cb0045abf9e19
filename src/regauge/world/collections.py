"""The collections of the embedded world: a training set, an original test set and a pool of candidates, with their truth.

Every picture was found by a query for a class; the query is its dataset label, and a few queries were wrong. Some
pictures are copies of others. All of it is recorded, so whatever an audit finds can be checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from regauge.arrays import BoolArray, CountArray, IdArray, IntArray, ScoreArray, freeze, freeze_ids
from regauge.errors import InputError
from regauge.records.labels.label_set import LabelSet, VerdictArray
from regauge.records.labels.verdicts import Verdict
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet
from regauge.world.copies import COPY_KINDS, Copying, CopyKind, copy_image
from regauge.world.objects import CLASS_IDS, FAMILIES, KIND_OF, make_taxonomy
from regauge.world.sampling import ORIGINAL_HABITS, POOL_HABITS, Habits, sample_scene
from regauge.world.scenes import MAX_THINGS, Scene, find_truth, judge, render

ImageArray: TypeAlias = NDArray[np.uint8]
DateArray: TypeAlias = NDArray[np.datetime64]
RenderScenes: TypeAlias = Callable[[Sequence[Scene]], ImageArray]
"""From scenes to pictures [n, SIDE, SIDE, 3]."""

SIDE = 64
"""Pixels along a side of the pictures that models see; any scene can be drawn larger for people."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many pictures each collection has."""

    training: int = 6_000
    original: int = 1_000
    pool: int = 3_000

    def __post_init__(self) -> None:
        for name, n in (("training set", self.training), ("original test set", self.original), ("pool", self.pool)):
            if n < len(CLASS_IDS):
                raise InputError(f"The {name} needs a picture of each of the {len(CLASS_IDS)} classes, not {n}.")


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a collection was gathered.

    Attributes:
        name: what outputs call it; its image ids start with it.
        habits: how its pictures were taken.
        wrong_rate: share of queries that found something else.
        copy_rate: share of pictures that are copies.
        synonym_rate: share of queries by another than the usual name.
        first_day: the first day on which pictures were taken.
        n_days: how many days they were taken on.
    """

    name: str
    habits: Habits
    wrong_rate: float
    copy_rate: float
    synonym_rate: float
    first_day: str
    n_days: int


TRAINING = Recipe("training", ORIGINAL_HABITS, 0.03, 0.0, 0.30, "2006-01-01", 1_600)
ORIGINAL = Recipe("original", ORIGINAL_HABITS, 0.03, 0.01, 0.30, "2006-01-01", 1_600)
POOL = Recipe("pool", POOL_HABITS, 0.12, 0.03, 0.45, "2009-06-01", 1_500)
SIBLING_RATE = 0.6
"""Share of wrong queries that found a neighbouring class; the others found anything."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Collection:
    """Pictures with all that is known about them, one row each.

    Attributes:
        name: what outputs call it.
        image_ids: one distinct id per picture.
        images: the pictures [n, SIDE, SIDE, 3].
        labels: the dataset label: the class of the query that found the picture.
        queries: the words of the query.
        taken_on: day on which the picture was taken.
        uploaded_on: day on which it was published.
        scenes: what each picture was drawn from.
        copyings: what was done to the source of a copy.
        source_ids: the image that it is a copy of, in this collection or another; empty where it is none.
        degrees: how much each class is in the picture [n, classes].
        thing_degrees: the same for each of its things; 0 where there is no further thing [n, MAX_THINGS, classes].
        saliences: how much each thing strikes the eye [n, MAX_THINGS].
    """

    name: str
    image_ids: IdArray
    images: ImageArray
    labels: IntArray
    queries: IdArray
    taken_on: DateArray
    uploaded_on: DateArray
    scenes: tuple[Scene, ...]
    copyings: tuple[Copying, ...]
    source_ids: IdArray
    degrees: ScoreArray
    thing_degrees: ScoreArray
    saliences: ScoreArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner=f"Collection {self.name}"))
        for column, dtype in _COLUMN_TYPES.items():
            object.__setattr__(self, column, freeze(getattr(self, column), dtype))

    def __len__(self) -> int:
        return len(self.image_ids)

    def __repr__(self) -> str:
        n_copies = int((self.source_ids != "").sum())
        return f"<Collection {self.name}: {len(self):,} pictures, {n_copies:,} copies>"

    @property
    def verdicts(self) -> VerdictArray:
        """What a perfect reviewer says of every class in every picture [n, classes]."""
        return judge(self.degrees)

    @property
    def label_verdicts(self) -> VerdictArray:
        """What a perfect reviewer says of each dataset label [n]."""
        return judge(np.take_along_axis(self.degrees, self.labels[:, np.newaxis], axis=1)[:, 0])

    @property
    def main_labels(self) -> IntArray:
        """The class that the most striking thing of each picture is most [n]."""
        main = self.thing_degrees[np.arange(len(self)), self.saliences.argmax(axis=1)]
        return np.asarray(main.argmax(axis=1), np.int32)

    @property
    def is_copy(self) -> BoolArray:
        """Which pictures are copies [n]."""
        return np.asarray(self.source_ids != "", np.bool_)

    def choose(self, rows: CountArray, *, name: str) -> Collection:
        """The pictures of some rows, in their order, under another name; they keep their ids."""
        columns = {column: getattr(self, column)[rows] for column in ("image_ids", *_COLUMN_TYPES)}
        scenes, copyings = ([texts[row] for row in rows] for texts in (self.scenes, self.copyings))
        return Collection(name=name, scenes=tuple(scenes), copyings=tuple(copyings), **columns)

    def render(self, row: int, side: int) -> Image.Image:
        """The picture of a row at another size, with everything that was done to it as a copy."""
        return copy_image(render(self.scenes[row], side), self.copyings[row])

    def to_test_set(self) -> TestSet:
        """The pictures with their dataset labels."""
        return TestSet(self.name, self.image_ids, self.labels)

    def to_label_set(self) -> LabelSet:
        """The whole truth as a label set: complete lists, so an unlisted class is wrong; mislabeled is problematic."""
        verdicts = self.verdicts
        return LabelSet.from_lists(
            f"{self.name}-truth",
            self.image_ids,
            correct=[np.flatnonzero(row == Verdict.CORRECT).tolist() for row in verdicts],
            unclear=[np.flatnonzero(row == Verdict.UNCLEAR).tolist() for row in verdicts],
            is_problematic=(self.label_verdicts == Verdict.WRONG).tolist(),
            main_labels=self.main_labels.tolist(),
        )


_COLUMN_TYPES: dict[str, type[np.generic]] = {
    "images": np.uint8,
    "taken_on": np.datetime64,
    "uploaded_on": np.datetime64,
    "labels": np.int32,
    "queries": np.str_,
    "source_ids": np.str_,
    "degrees": np.float32,
    "thing_degrees": np.float32,
    "saliences": np.float32,
}


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """The embedded world: its classes and its three collections."""

    taxonomy: Taxonomy
    training: Collection
    original: Collection
    pool: Collection


def render_all(scenes: Sequence[Scene]) -> ImageArray:
    """All pictures, one after the other: they are small, so threads would mostly wait for the interpreter's lock."""
    images = np.empty((len(scenes), SIDE, SIDE, 3), np.uint8)
    for row, scene in enumerate(scenes):
        images[row] = np.asarray(render(scene, SIDE))
    return images


def make_world(rng: np.random.Generator, *, sizes: Sizes | None = None, render: RenderScenes = render_all) -> World:
    """Sample and draw the whole world. The same generator gives the same bits, however the pictures are drawn.

    Args:
        rng: everything that is left to chance.
        sizes: how many pictures each collection has; 6,000, 1,000 and 3,000 by default.
        render: draws many scenes; a scene holds all its chance, so they may be drawn anywhere and in any order.
    """
    sizes = sizes or Sizes()
    training = gather(TRAINING, sizes.training, rng=rng, render=render)
    original = gather(ORIGINAL, sizes.original, rng=rng, others=(training,), render=render)
    pool = gather(POOL, sizes.pool, rng=rng, others=(training, original), render=render)
    return World(make_taxonomy(), training, original, pool)


def gather(
    recipe: Recipe,
    n: int,
    *,
    rng: np.random.Generator,
    others: Sequence[Collection] = (),
    render: RenderScenes = render_all,
) -> Collection:
    """A collection of n pictures with as many queries of every class as the number allows.

    Args:
        recipe: how it is gathered.
        n: how many pictures.
        rng: everything that is left to chance.
        others: collections that some of its copies come from; the rest are copies of its own pictures.
        render: draws many scenes.
    """
    labels = rng.permutation(np.arange(n, dtype=np.int32) % len(CLASS_IDS))
    drawn = [_pick_drawn_class(CLASS_IDS[label], recipe.wrong_rate, rng=rng) for label in labels.tolist()]
    scenes = [sample_scene(class_id, recipe.habits, rng=rng) for class_id in drawn]
    taken_on = np.datetime64(recipe.first_day, "D") + rng.integers(recipe.n_days, size=n)
    fresh = Collection(
        name=recipe.name,
        image_ids=np.array([f"{recipe.name}-{number:05d}" for number in range(n)]),
        images=render(scenes),
        labels=labels,
        queries=np.array([_word_query(label, recipe.synonym_rate, rng=rng) for label in labels.tolist()]),
        taken_on=taken_on,
        uploaded_on=taken_on + rng.geometric(0.08, size=n),
        scenes=tuple(scenes),
        copyings=(Copying(),) * n,
        source_ids=np.full(n, ""),
        **_find_columns(scenes),
    )
    return _put_copies(fresh, recipe, others=others, rng=rng)


def _pick_drawn_class(label: str, wrong_rate: float, *, rng: np.random.Generator) -> str:
    """What a query for a class really finds."""
    if rng.random() >= wrong_rate:
        return label
    siblings = rng.random() < SIBLING_RATE
    others = [other for other in (KIND_OF[label].prototypes if siblings else CLASS_IDS) if other != label]
    return others[int(rng.integers(len(others)))]


_NAMES = [
    names for subfamilies in FAMILIES.values() for classes in subfamilies.values() for names, _ in classes.values()
]


def _word_query(label: int, synonym_rate: float, *, rng: np.random.Generator) -> str:
    names = _NAMES[label]
    is_synonym = rng.random() < synonym_rate
    return names[-1] if is_synonym else names[0]


def _find_columns(scenes: Sequence[Scene]) -> dict[str, ScoreArray]:
    n = len(scenes)
    thing_degrees = np.zeros((n, MAX_THINGS, len(CLASS_IDS)), np.float32)
    saliences = np.zeros((n, MAX_THINGS), np.float32)
    for row, scene in enumerate(scenes):
        truth = find_truth(scene)
        thing_degrees[row, : len(scene.things)] = truth.thing_degrees
        saliences[row, : len(scene.things)] = truth.saliences
    return {"degrees": thing_degrees.max(axis=1), "thing_degrees": thing_degrees, "saliences": saliences}


def _put_copies(
    fresh: Collection, recipe: Recipe, *, others: Sequence[Collection], rng: np.random.Generator
) -> Collection:
    """The collection with some pictures replaced by copies of its own or of other collections' pictures.

    A copy keeps its id and is uploaded later; the rest, with query and label, is its source's. A source is never a copy
    itself, so every copy is one step away from it.
    """
    n_copies = round(recipe.copy_rate * len(fresh))
    rows = np.sort(rng.choice(len(fresh), size=n_copies, replace=False))
    if not n_copies:
        return fresh
    sources = [_pick_source((fresh, *others), taken=rows, rng=rng) for _ in rows]
    copyings = [_pick_copying(rng) for _ in rows]
    columns = {name: getattr(fresh, name).copy() for name in _COPIED}
    for row, (source, at), copying in zip(rows, sources, copyings, strict=True):
        for name, column in columns.items():
            column[row] = getattr(source, name)[at]
        columns["images"][row] = np.asarray(copy_image(Image.fromarray(source.images[at]), copying))
    # Texts go through lists: an array of texts cuts off what is longer than its longest.
    queries, source_ids = fresh.queries.tolist(), fresh.source_ids.tolist()
    scenes, changes = list(fresh.scenes), list(fresh.copyings)
    for row, (source, at), copying in zip(rows.tolist(), sources, copyings, strict=True):
        queries[row], source_ids[row] = str(source.queries[at]), str(source.image_ids[at])
        scenes[row], changes[row] = source.scenes[at], copying
    return replace(
        fresh,
        **columns,
        uploaded_on=np.maximum(fresh.uploaded_on, columns["taken_on"] + 1),
        queries=np.array(queries),
        source_ids=np.array(source_ids),
        scenes=tuple(scenes),
        copyings=tuple(changes),
    )


_COPIED = ("images", "labels", "taken_on", "degrees", "thing_degrees", "saliences")


def _pick_source(
    candidates: Sequence[Collection], *, taken: NDArray[np.int64], rng: np.random.Generator
) -> tuple[Collection, int]:
    """A picture that is not a copy and will not be replaced by one; half of them from the first collection, the new one."""
    is_own = len(candidates) == 1 or rng.random() < 0.5
    source = candidates[0] if is_own else candidates[1 + int(rng.integers(len(candidates) - 1))]
    usable = ~source.is_copy
    if is_own:
        usable[taken] = False
    return source, int(rng.choice(np.flatnonzero(usable)))


def _pick_copying(rng: np.random.Generator) -> Copying:
    kind = COPY_KINDS[int(rng.integers(len(COPY_KINDS)))]
    return Copying(CopyKind(kind), float(rng.random()))
