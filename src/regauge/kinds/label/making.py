"""How the tasks of a LABEL campaign are made: class-balanced samples, shuffled together (Shankar et al. 2020, §4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from regauge.arrays import IntArray
from regauge.campaigns.estimates import TaskTime, admit_default
from regauge.campaigns.fields import LABELS
from regauge.campaigns.quizzes import needs_lessons
from regauge.campaigns.sources import (
    Album,
    MadeTasks,
    OpenedSet,
    Sources,
    check_apart,
    check_shared,
    find_among,
)
from regauge.campaigns.visibility import CARDS, REFERENCES
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.fields import FieldError
from regauge.kinds.label.fields import CLASSES, EVALUATION, FROM, LEAVE_OUT, MODE, SAMPLE, TAKE_FEWER, TRAINING
from regauge.kinds.label.task import make_label_task
from regauge.kinds.label.texts import TRAINING_INSTRUCTIONS
from regauge.kinds.usual import count_one, needs_none, tell_no_scale
from regauge.records.campaigns.campaign import EVERYBODY, Payload
from regauge.records.campaigns.evaluations import BLIND, HIDES_TESTED, OWN_ORDER, TRAINS, is_blind
from regauge.records.guide.images import HiddenImages
from regauge.taxonomy.picking import pick_all

SECONDS_PER_IMAGE = 26.0
"""For an image of 1,000 classes, where nothing was measured: the median of five trained people (Shankar et al. 2020)."""
N_REFERENCES = 100
"""Reference images that a card shows of a class, where the set has so many."""
N_NAMED = 5
"""Classes that a sentence names; the others are counted."""
SETS_USED, N_SHORT, FEW_REFERENCES = "n_per_set", "n_short_classes", "few_references"
"""Where the settings say how many images are of each set, how many classes gave fewer than wanted, and of which a card has fewer
references than wanted, with how many."""
N_SHARED = "n_shared_left_out"
"""Where they say how many images are left out because people are trained or tested with them."""
needs_known = needs_none
count_items = count_one
tell_scale = tell_no_scale


def recount(
    settings: Mapping[str, Any],
    tasks: Sequence[Payload],
    *,
    lessons: Sequence[Payload],  # noqa: ARG001 - there are none
) -> Mapping[str, Any]:
    """How many images are left."""
    return {"n_images": len(tasks)} if settings.get("n_images") != len(tasks) else {}


def note_tasks(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """How many classes gave fewer images than were wanted, and of which there are fewer reference images."""
    notes = []
    n_short, few = settings.get(N_SHORT, 0), settings.get(FEW_REFERENCES, {})
    if n_short:
        notes.append(
            f"{count_things(n_short, 'class', many='classes')} gave fewer images than {settings[SAMPLE.name]:,} of a set, so "
            "classes are not balanced."
        )
    if few:
        fewest = sorted(few.items(), key=lambda one: one[1])
        named = ", ".join(f"{name} ({n})" for name, n in fewest[:N_NAMED])
        more = f" and {len(few) - N_NAMED:,} more" if len(few) > N_NAMED else ""
        notes.append(
            f"Fewer than {N_REFERENCES} reference images: {named}{more}; their cards say how many there are, and "
            "regauge campaign references lists all."
        )
    n_shared = settings.get(N_SHARED, 0)
    if n_shared:
        other = "trained" if is_blind(settings) else "tested"
        them = "it" if n_shared == 1 else "them"
        notes.append(f"{count_things(n_shared, 'image')} left out: people are {other} with {them}.")
    if is_blind(settings) and not settings.get(REFERENCES.name):
        notes.append("Cards show no reference images: the campaign names no set of them.")
    return tuple(notes)


def describe_tasks(settings: Mapping[str, Any]) -> Mapping[str, str]:
    """What people are there for, and what the images are."""
    counts = settings.get(SETS_USED, {})
    return {
        "People are": "trained, with feedback" if settings.get(TRAINS) else "tested, blind and timed",
        "Images": ", ".join(f"{n:,} of {name}" for name, n in counts.items()) or "–",
        "Reference images": settings.get(REFERENCES.name) or "none",
    }


def assume_time(settings: Mapping[str, Any]) -> TaskTime:  # noqa: ARG001 - the same for all
    """The same for every image."""
    return TaskTime(SECONDS_PER_IMAGE, 0, admit_default(f"{SECONDS_PER_IMAGE:g} s per image"))


def make_tasks(sources: Sources) -> MadeTasks:
    """One task per drawn image, those of all sets in one random order.

    Raises:
        InputError: sets share images, a class has too few, or something is asked for that tests nobody.
        FieldError: the same, of one setting.
    """
    if needs_lessons(sources.plan):
        raise InputError("Tasks of the kind label have no quiz before them; leave out quiz and training.")
    if sources.pairs is not None:
        raise InputError("Tasks of the kind label are drawn from test sets by class; leave out `pairs=…`.")
    if sources.settings.get(MODE.name) == TRAINING:
        return _make_training(sources)
    if sources.settings.get(LABELS.name) or sources.settings.get(FROM.name):
        raise InputError(
            "People who are tested are told no labels, and sets are named with `sets=…`; leave out `labels=…` and `from_set=…`."
        )
    return _make_evaluation(sources)


def _make_training(sources: Sources) -> MadeTasks:
    """One task per image of the classes, in random order; none of them is in an evaluation of the study, nor is an exact copy."""
    opened = sources.named.get(FROM.name) or sources.sets[0]
    if len(sources.sets) > 1:
        raise FieldError(FROM.name, "People are trained from one set; name it with `from_set=…`, and no other.")
    labels = opened.test_set.labels[opened.rows]
    rows = opened.rows[np.isin(labels, _find_classes(sources, [opened]))]
    if not len(rows):
        raise FieldError(CLASSES.name, f"No class that was named has an image in {opened.entry.name}; name others.")
    rows, n_shared = _find_untested(sources, opened, rows)
    rows = np.random.default_rng(sources.seed).permutation(rows).astype(np.int32)
    album = Album()
    # An image has the number of the position of its task, so that the tasks of a class are found.
    numbers = album.add(opened.entry, rows)
    reference = sources.settings.get(REFERENCES.name) or opened.entry.name
    return MadeTasks(
        [make_label_task(number, n_classes=len(sources.taxonomy), is_lesson=True) for number in numbers.tolist()],
        album,
        instructions=TRAINING_INSTRUCTIONS,
        settings={
            MODE.name: TRAINING,
            "n_images": len(numbers),
            SETS_USED: {opened.entry.name: len(numbers)},
            **({N_SHARED: n_shared} if n_shared else {}),
            EVERYBODY: True,
            OWN_ORDER: len(numbers),
            TRAINS: True,
            HIDES_TESTED: True,
            REFERENCES.name: reference,
            CLASSES.name: list(sources.settings.get(CLASSES.name) or ()),
            CARDS: {"reference": reference, "seed": sources.seed},
        },
    )


def _find_untested(sources: Sources, opened: OpenedSet, rows: IntArray) -> tuple[IntArray, int]:
    """Those of some images that nobody is tested with, if others may be left out, and how many those are.

    Raises:
        InputError: there are others, or none is left; or some are of a new set.
    """
    _check_new_sets(sources, opened, rows)
    rows, n_shared = _leave_out(sources, opened, rows, others=sources.tested)
    if not len(rows):
        raise FieldError(
            FROM.name, f"People are tested with all {n_shared:,} images of {opened.entry.name}; name another set."
        )
    for name, images in sources.tested.items():
        check_apart(
            opened,
            rows,
            images=images,
            where=f"in a campaign which tests people in {name}: nobody may be trained with what they are tested with; "
            "name another set with `from_set=…`",
        )
    return rows, n_shared


def _check_new_sets(sources: Sources, opened: OpenedSet, rows: IntArray) -> None:
    """Refuse images of a new set that people are tested on, in training and as its references, whoever is asked about them.

    Raises:
        InputError: there are some.
    """
    references = sources.named.get(REFERENCES.name)
    for name, images in sources.new_sets.items():
        where = f"in {name}, a new set that people are tested on: nobody may be trained with any image of it; name "
        check_apart(opened, rows, images=images, where=f"{where}the original set, or another one, with `from_set=…`")
        if references is not None:
            check_apart(
                references,
                references.rows,
                images=images,
                where=f"{where}another set of references with `references=…`",
            )


def _make_evaluation(sources: Sources) -> MadeTasks:
    wanted, settings = _find_classes(sources, sources.sets), sources.settings
    n = int(settings.get(SAMPLE.name, SAMPLE.default))
    _check_sets(sources)
    # Of the original set the images that nobody was trained with may be asked about; a new set is new as a whole.
    kept, n_shared = _leave_out(sources, sources.sets[0], sources.sets[0].rows, others=sources.trained)
    free = [kept, *(one.rows for one in sources.sets[1:])]
    rows = [
        _draw(opened, own, classes=wanted, n=n, rng=np.random.default_rng([sources.seed, place]))
        for place, (opened, own) in enumerate(zip(sources.sets, free, strict=True))
    ]
    n_short = _check_short(sources, free, classes=wanted, n=n)
    references = _check_references(sources, rows)
    _check_trained(sources, rows)
    album = Album()
    numbers = np.concatenate([album.add(one.entry, own) for one, own in zip(sources.sets, rows, strict=True)])
    order = np.random.default_rng(sources.seed).permutation(numbers)
    return MadeTasks(
        [make_label_task(number, n_classes=len(sources.taxonomy)) for number in order.tolist()],
        album,
        settings={
            MODE.name: EVALUATION,
            SAMPLE.name: n,
            "n_images": len(numbers),
            SETS_USED: {one.entry.name: len(own) for one, own in zip(sources.sets, rows, strict=True)},
            **({N_SHORT: n_short} if n_short else {}),
            **({N_SHARED: n_shared} if n_shared else {}),
            **({FEW_REFERENCES: references} if references else {}),
            **({CLASSES.name: list(settings[CLASSES.name])} if settings.get(CLASSES.name) else {}),
            **_set_rules(sources, n_positions=len(numbers)),
        },
    )


def _set_rules(sources: Sources, *, n_positions: int) -> dict[str, Any]:
    """What the rest of the program must heed: everybody answers everything in an order of their own, and learns nothing."""
    reference = sources.settings.get(REFERENCES.name) or ""
    return {
        EVERYBODY: True,
        OWN_ORDER: n_positions,
        BLIND: True,
        HIDES_TESTED: True,
        REFERENCES.name: reference,
        CARDS: {"reference": reference, "seed": sources.seed},
    }


def _find_classes(sources: Sources, sets: Sequence[OpenedSet]) -> IntArray:
    """The classes that images are drawn of: those that are named, or all that any of the sets has an image of."""
    named = sources.settings.get(CLASSES.name) or ()
    try:
        picked = np.array(pick_all(sources.taxonomy, named), np.int32)
    except InputError as error:
        raise FieldError(CLASSES.name, str(error)) from error
    if named:
        return picked
    present = [one.test_set.labels[one.rows] for one in sets]
    return np.intersect1d(picked, np.concatenate(present)).astype(np.int32)


def _check_sets(sources: Sources) -> None:
    """Refuse sets that have an image in common: nobody could say from which it was, and it would be asked about twice."""
    for place, one in enumerate(sources.sets):
        for other in sources.sets[:place]:
            check_shared(
                one, other, rows=(one.rows, other.rows), why="so they cannot be told apart; name sets that share none"
            )


def _check_trained(sources: Sources, rows: Sequence[IntArray]) -> None:
    """Refuse images that people were trained with, and every new set of which they were trained with any image.

    Shankar et al. (2020) trained people on the original set alone: the new one is new to them as a whole.

    Raises:
        InputError: there are some.
    """
    for name, images in sources.trained.items():
        for place, (one, own) in enumerate(zip(sources.sets, rows, strict=True)):
            what = "what" if place == 0 else "a new set of which some images are what"
            check_apart(
                one,
                own if place == 0 else one.rows,
                images=images,
                where=f"in a campaign which trains people in {name}: nobody may be tested with {what} they were trained "
                "with; leave those images out with `leave_out_shared=True`, or name other sets with `sets=…`",
            )


def _leave_out(
    sources: Sources, opened: OpenedSet, rows: IntArray, *, others: Mapping[str, HiddenImages]
) -> tuple[IntArray, int]:
    """Some images of a set without those that are among others, where that is asked for, and how many are left out."""
    if not sources.settings.get(LEAVE_OUT.name):
        return rows, 0
    kept = rows
    for images in others.values():
        kept = kept[~find_among(opened, kept, images=images)]
    return kept, len(rows) - len(kept)


def _draw(opened: OpenedSet, rows: IntArray, *, classes: IntArray, n: int, rng: np.random.Generator) -> IntArray:
    """Up to n of some images of each class of a set, by their rows."""
    # In one random order, the first n of each class are a sample without replacement.
    rows = rng.permutation(rows)
    labels = opened.test_set.labels[rows]
    by_class = np.argsort(labels, kind="stable")
    ranks = np.arange(len(rows)) - np.searchsorted(labels[by_class], labels[by_class])
    chosen = by_class[(ranks < n) & np.isin(labels[by_class], classes)]
    return np.sort(rows[chosen]).astype(np.int32)


def _check_short(sources: Sources, free: Sequence[IntArray], *, classes: IntArray, n: int) -> int:
    """How many classes have fewer images in a set than are wanted among those that can be taken, where that is allowed.

    Raises:
        FieldError: it is not.
    """
    short = set()
    for one, rows in zip(sources.sets, free, strict=True):
        counts = np.bincount(one.test_set.labels[rows].clip(0), minlength=len(sources.taxonomy))
        few = classes[counts[classes] < n]
        short.update(few.tolist())
        if len(few) and not sources.settings.get(TAKE_FEWER.name):
            first = sources.taxonomy.classes[int(few[0])]
            more = f", and {len(few) - 1:,} more classes have too few" if len(few) > 1 else ""
            raise FieldError(
                SAMPLE.name,
                f"Class {first.name} ({first.id}) has {count_things(int(counts[few[0]]), 'image')} in {one.entry.name}, fewer "
                f"than the {n:,} wanted of each class{more}; want fewer with `per_class=…`, or take what there is with "
                "`take_fewer=True`.",
            )
    if not len(classes) or not any(len(rows) for rows in free):
        raise FieldError(CLASSES.name, "No class that was named has an image in these sets; name others.")
    return len(short)


def _check_references(sources: Sources, rows: Sequence[IntArray]) -> dict[str, int]:
    """Per class with fewer reference images than wanted, its name and how many there are.

    Raises:
        FieldError: the set shares an image with those that are asked about.
    """
    opened = sources.named.get(REFERENCES.name)
    if opened is None:
        return {}
    for one, own in zip(sources.sets, rows, strict=True):
        check_shared(
            opened, one, rows=(opened.rows, own), why="so references would show what is asked about; name another set"
        )
    counts = np.bincount(opened.test_set.labels[opened.rows].clip(0), minlength=len(sources.taxonomy))
    few = np.flatnonzero(counts[: len(sources.taxonomy)] < N_REFERENCES).tolist()
    return {sources.taxonomy.classes[index].name: int(counts[index]) for index in few}
