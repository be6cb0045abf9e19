"""How the tasks of a REVIEW campaign are made: images with their open classes, or grids of one class and dataset label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from regauge.campaigns.eligibility import NOT_FOR
from regauge.campaigns.estimates import TaskTime, admit_default
from regauge.campaigns.fields import AUDIT, MODE, REVIEW_PLAN
from regauge.campaigns.fields import COMPLETE as COMPLETE_MODE
from regauge.campaigns.priorities import PRIORITY
from regauge.campaigns.quizzes import needs_lessons
from regauge.campaigns.reviews.final import tell_final_review
from regauge.campaigns.reviews.votes import MAX_PAIRS
from regauge.campaigns.sources import Album, MadeTasks, OpenedSet, Sources, find_pairs, order_by_label
from regauge.campaigns.visibility import CARDS
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.kinds.review.gold import AskedPairs, add_gold
from regauge.kinds.review.scores import add_scores
from regauge.kinds.review.task import COMPLETE, GOLD, N_CLASSES, SCORES, list_gold, make_review_task
from regauge.kinds.review.texts import LOOK_FOR_MORE
from regauge.kinds.usual import count_one, needs_none, tell_no_scale
from regauge.records.campaigns.campaign import Payload

SECONDS_TO_LOOK = 15.0
"""To look for what is missing in an image, where nothing was measured."""
SECONDS_PER_PAIR = 5.0
"""For one label of an image, where nothing was measured."""
MIN_LOOKING = 2
"""So many reviewers find nothing more before an image is taken for complete."""
BY_IMAGE, BY_CLASS_PAIR = "image", "class-pair"
needs_known = needs_none
count_items = count_one
tell_scale = tell_no_scale


def make_tasks(sources: Sources) -> MadeTasks:
    """The pairs as tasks: images of one dataset label after the other, so that a reviewer thinks about a class once.

    Where there is an order of images, it holds, and every task says how urgent it is by its place.

    Raises:
        InputError: lessons are wanted, there is nothing to review, or an image or a class is unknown.
    """
    if needs_lessons(sources.plan):
        raise InputError(
            "Reviewers are experts: tasks of the kind review have no quiz and no training; leave them out."
        )
    if sources.pairs is not None and not sources.pairs:
        raise InputError("There is nothing left to review: every answer and every dataset label has a verdict.")
    if twice := next((pair for pair, n in Counter(sources.pairs).items() if n > 1), None):
        raise InputError(f"Image {twice[0]!r} is listed twice with class {twice[1]}; name each pair once.")
    if sources.settings.get(MODE.name) == COMPLETE_MODE:
        return _make_complete(sources)
    album, tasks = Album(), []
    by_grid = sources.settings.get("by", BY_IMAGE) == BY_CLASS_PAIR
    rng = np.random.default_rng(sources.seed)
    found = find_pairs(sources.sets, sources.pairs, taxonomy=sources.taxonomy, asks_one=True)
    for opened, asked in zip(sources.sets, add_gold(sources, found, rng=rng), strict=True):
        make = _make_grids if by_grid else partial(_make_images, not_for=sources.not_for)
        tasks += list(make(opened, asked, album=album, rng=rng))
    tasks = add_scores(_put_in_order(tasks, album, sources) if sources.order else tasks, sources, album=album)
    counts = recount({}, tasks, lessons=())
    settings = {CARDS: _name_cards(sources), **counts, "by": BY_CLASS_PAIR if by_grid else BY_IMAGE}
    return MadeTasks(_bound(tasks, sources), album, settings=settings)


def recount(
    settings: Mapping[str, Any],
    tasks: Sequence[Payload],
    *,
    lessons: Sequence[Payload],  # noqa: ARG001 - there are none
) -> Mapping[str, Any]:
    """How many pairs and images are left, and how many of the pairs are gold."""
    n_pairs = sum(len(task["images"]) * len(task["classes"]) for task in tasks)
    n_gold = sum(len(list_gold(task)) for task in tasks)
    n_images = len({image for task in tasks for image in task["images"]})
    counts = {"n_pairs": n_pairs, "n_images": n_images, "n_reviews": len(tasks)}
    n_scored = sum(SCORES in task for task in tasks)
    return {
        **counts,
        **({"n_gold": n_gold} if n_gold or "n_gold" in settings else {}),
        **({"n_scored": n_scored} if n_scored or "n_scored" in settings else {}),
    }


def note_tasks(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """How much there is to judge."""
    pairs, images = count_things(settings["n_pairs"], "label"), count_things(settings["n_images"], "image")
    if _is_complete(settings):
        return (f"Reviewers look for what is missing in {images}, and judge {pairs}.",)
    n_gold = settings.get("n_gold", 0)
    gold = (f"{count_things(n_gold, 'gold item')} hidden among them, whose verdict is known.",) if n_gold else ()
    n_scored, n_tasks = settings.get("n_scored", 0), settings.get("n_reviews", 0)
    scores = (f"{n_scored:,} of {count_things(n_tasks, 'task')} show scores.",) if n_scored else ()
    return (
        f"Reviewers judge {pairs} of {images}.",
        *gold,
        *scores,
        *_note_audit(settings.get(AUDIT.name) or {}),
        *tell_final_review(settings),
    )


def _note_audit(audit: Mapping[str, Any]) -> Iterator[str]:
    if audit:
        yield f"{count_things(audit['n_images'], 'image')} that everybody gets right among them, for the audit."
    if audit.get("n_missing"):
        yield (
            f"{count_things(audit['n_missing'], 'image')} of the audit could not be drawn: there are no others on which "
            "everybody answers the dataset label and that nobody has judged."
        )


def describe_tasks(settings: Mapping[str, Any]) -> Mapping[str, str]:
    """How much there is to judge, and how."""
    how = "one image with its labels" if settings["by"] == BY_IMAGE else "one label with its images"
    plan, audit = settings.get(REVIEW_PLAN.name), settings.get(AUDIT.name)
    how = "one image with its verdicts, for what is missing" if _is_complete(settings) else how
    gold = {"Gold items among them": f"{settings['n_gold']:,}"} if settings.get("n_gold") else {}
    return {
        "Labels to judge": f"{settings['n_pairs']:,} of {count_things(settings['n_images'], 'image')}",
        **gold,
        **({"Tasks with scores": f"{settings['n_scored']:,}"} if settings.get("n_scored") else {}),
        "A task shows": how,
        **({"Plan": f"{count_things(plan['n_images'], 'image')}, in its order"} if plan else {}),
        **({"Audit": f"{count_things(audit['n_images'], 'image')} that everybody gets right"} if audit else {}),
    }


def assume_time(settings: Mapping[str, Any]) -> TaskTime:
    """So many seconds for each label of an average task."""
    n = settings["n_pairs"] / max(1, settings.get("n_reviews", settings["n_images"]))
    if _is_complete(settings):
        words = f"{SECONDS_TO_LOOK:g} s per image and {SECONDS_PER_PAIR:g} s per label"
        return TaskTime(SECONDS_TO_LOOK + SECONDS_PER_PAIR * n, 0, admit_default(words))
    return TaskTime(SECONDS_PER_PAIR * n, 0, admit_default(f"{SECONDS_PER_PAIR:g} s per label"))


def _name_cards(sources: Sources) -> dict[str, Any]:
    """The sets that cards of classes show."""
    reference = sources.settings.get("references", "")
    return {"tested": sources.sets[0].entry.name, "reference": reference, "seed": sources.seed}


def _is_complete(settings: Mapping[str, Any]) -> bool:
    return settings.get(MODE.name) == COMPLETE_MODE


def _make_complete(sources: Sources) -> MadeTasks:
    """Every image, or those of the pairs with their classes: each once, and to say what is missing.

    Raises:
        InputError: only one reviewer would look, or an image or a class is unknown.
    """
    if sources.plan.n_annotators < MIN_LOOKING:
        raise InputError(
            f"An image is complete once {MIN_LOOKING} reviewers find nothing more, so {sources.plan.n_annotators} per task "
            "cannot tell; ask more."
        )
    album, tasks, rng = Album(), [], np.random.default_rng(sources.seed)
    if sources.pairs is None:
        for opened in sources.sets:
            rows = np.array(order_by_label(opened, opened.rows, rng=rng), np.int32)
            tasks += [
                make_review_task([number], [], **{COMPLETE: 1}) for number in album.add(opened.entry, rows).tolist()
            ]
    else:
        found = find_pairs(sources.sets, sources.pairs, taxonomy=sources.taxonomy, asks_one=True)
        for opened, (own, classes) in zip(sources.sets, found, strict=True):
            made = list(_make_images(opened, AskedPairs(own, classes, {}), album=album, rng=rng))
            # Of an image with very many classes the first task asks what is missing, and the others do not.
            firsts = {task["images"][0]: place for place, task in reversed(list(enumerate(made)))}
            tasks += [
                {**task, COMPLETE: 1} if firsts[task["images"][0]] == place else task for place, task in enumerate(made)
            ]
    counts = recount({}, tasks, lessons=())
    settings = {CARDS: _name_cards(sources), **counts, "by": BY_IMAGE, MODE.name: COMPLETE_MODE}
    return MadeTasks(_bound(tasks, sources), album, settings=settings, instructions=LOOK_FOR_MORE)


def _make_images(
    opened: OpenedSet,
    pairs: AskedPairs,
    *,
    album: Album,
    rng: np.random.Generator,
    not_for: Mapping[tuple[str, int], tuple[int, ...]] = MappingProxyType({}),
) -> Iterator[Payload]:
    """One task per image; several where it has very many classes, or classes that not the same people may judge."""
    rows, classes = pairs.rows, pairs.classes
    gold_of = pairs.gold_by_row
    distinct, codes = np.unique(rows, return_inverse=True)
    numbers = dict(zip(distinct.tolist(), album.add(opened.entry, distinct.astype(np.int32)).tolist(), strict=True))
    groups = np.split(classes[np.argsort(codes, kind="stable")], np.cumsum(np.bincount(codes))[:-1])
    class_of = dict(zip(distinct.tolist(), groups, strict=True))
    for row in order_by_label(opened, distinct, rng=rng):
        gold, image_id = _tell_gold(gold_of.get(row, {})), str(opened.test_set.image_ids[row])
        parts: dict[tuple[int, ...], list[int]] = {}
        for index in np.sort(class_of[row]).tolist():
            parts.setdefault(not_for.get((image_id, index), ()), []).append(index)
        for barred, asked in parts.items():
            bars = {NOT_FOR: list(barred)} if barred else {}
            for start in range(0, len(asked), MAX_PAIRS):
                yield make_review_task([numbers[row]], asked[start : start + MAX_PAIRS], **gold, **bars)


def _make_grids(opened: OpenedSet, pairs: AskedPairs, *, album: Album, rng: np.random.Generator) -> Iterator[Payload]:
    """Grids of one class on images of one dataset label, the largest groups first."""
    rows, classes = pairs.rows, pairs.classes
    numbers = album.add(opened.entry, rows)
    labels = opened.test_set.labels[rows]
    keys = np.stack((labels, classes), axis=1)
    _, codes, sizes = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    codes = codes.reshape(-1)
    order = rng.permutation(len(rows))
    order = order[np.lexsort((codes[order], -sizes[codes[order]]))]
    for part in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1):
        for start in range(0, len(part), MAX_PAIRS):
            cells = part[start : start + MAX_PAIRS]
            index, images = int(classes[cells[0]]), numbers[cells].tolist()
            known = [pairs.gold.get((row, index)) for row in rows[cells].tolist()]
            # One image alone makes no grid, but a task of the image.
            items = images if len(images) > 1 else [index]
            gold = {item: int(control) for item, control in zip(items, known, strict=True) if control is not None}
            yield make_review_task(images, [index], **_tell_gold(gold))


def _tell_gold(gold: Mapping[int, int]) -> dict[str, Any]:
    """What a task says of its gold items; nothing where it has none. JSON has texts for keys."""
    return {GOLD: {str(item): control for item, control in gold.items()}} if gold else {}


def _put_in_order(tasks: Sequence[Payload], album: Album, sources: Sources) -> list[Payload]:
    """The tasks by the order of their images, the first of which are the most urgent; images of gold alone stand anywhere."""
    ids = {one.entry.id: one.test_set.image_ids for one in sources.sets}
    shown = [str(ids[image.test_set_id][image.row]) for image in album.numbers]
    place_of = {image_id: place for place, image_id in enumerate(sources.order)}
    others = [one for one in shown if one not in place_of]
    drawn = np.random.default_rng([sources.seed, 2]).integers(len(sources.order), size=len(others))
    place_of |= zip(others, drawn.tolist(), strict=True)
    places = [place_of[one] for one in shown]
    ordered = sorted(tasks, key=lambda task: places[task["images"][0]])
    return [{**task, PRIORITY: len(sources.order) - places[task["images"][0]]} for task in ordered]


def _bound(tasks: Sequence[Payload], sources: Sources) -> list[Payload]:
    """The tasks with the number of classes, of which reviewers may name any."""
    return [{**task, N_CLASSES: len(sources.taxonomy)} for task in tasks]
