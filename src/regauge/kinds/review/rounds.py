"""REVIEW: another round, for labels that too few have judged: those that reviewers named, and those that some skipped."""

from __future__ import annotations

import numpy as np

from regauge.campaigns.eligibility import NOT_FOR
from regauge.campaigns.fields import COMPLETE as COMPLETE_MODE
from regauge.campaigns.fields import MODE
from regauge.campaigns.priorities import PRIORITY
from regauge.campaigns.reviews.votes import MAX_PAIRS, VOTES
from regauge.campaigns.rounds import NewRound, RoundInputs
from regauge.errors import InputError
from regauge.kinds.review.answers import N_VOTES, find_controls, find_deciding, find_pairs, make_responses
from regauge.kinds.review.task import COMPLETE, GOLD, N_CLASSES, SAID, make_review_task
from regauge.labels.plurality import count_pair_votes, decide_plurality
from regauge.records.campaigns.campaign import Payload
from regauge.records.campaigns.redundancy import Decisions, PairState, RedundancyRule
from regauge.records.labels.review_votes import ReviewVotes

IS_ADAPTIVE = False


def decide(standing: RoundInputs, rule: RedundancyRule | None) -> Decisions:  # noqa: ARG001 - nothing is drawn
    """Nothing is drawn by these votes."""
    raise InputError(f"Campaign {standing.campaign.name} is of the kind review, which decides nothing about a draw.")


def explain_few(n_needed: int) -> str:
    """Why too few may be given a task of the round."""
    return f"and it needs {n_needed:,}; invite more reviewers."


def make_round(standing: RoundInputs, rule: RedundancyRule | None, *, seed: int) -> NewRound:  # noqa: ARG001 - all is asked
    """Every label that fewer people judged than answer a task, once its tasks are done: named by a reviewer, or skipped by some.

    Whoever judged one may judge it once more with the others; of two verdicts of one person the later holds.
    """
    votes = make_responses(standing.held)
    waiting_of = _count_waiting(standing)
    keys = votes.images.astype(np.int64) << 32 | votes.classes
    distinct = np.union1d(keys, np.array(sorted(waiting_of), np.int64)).astype(np.int64)
    places = np.searchsorted(distinct, keys)
    n_votes = np.bincount(places, minlength=len(distinct))
    is_named = np.bincount(places[votes.is_added], minlength=len(distinct)) > 0
    is_looking = standing.campaign.plan.settings.get(MODE.name) == COMPLETE_MODE
    is_asked = np.array([key in waiting_of for key in distinct.tolist()], np.bool_)
    waiting = np.array([waiting_of.get(key, 0) > 0 for key in distinct.tolist()], np.bool_)
    # Where something was found, others look again, even if all of them named it.
    is_open = (n_votes < standing.campaign.plan.n_annotators) | (is_looking & is_named & ~is_asked)
    # An expert's verdict needs no others.
    is_open &= np.bincount(places[votes.is_expert], minlength=len(distinct)) == 0
    barred = np.isin(distinct >> 32, list(standing.barred))
    asked = distinct[is_open & ~waiting & ~barred]
    told = _tell_verdicts(standing, votes) if is_looking else _find_gold(standing)
    tasks, more = [], {PRIORITY: 1, N_CLASSES: len(standing.taxonomy)}
    own = _find_own(standing)
    for image in np.unique(asked >> 32).tolist():
        keys_of_image = asked[asked >> 32 == image].tolist()
        for barred_people in sorted({own.get(key, ()) for key in keys_of_image}):
            classes = [key & 0xFFFFFFFF for key in keys_of_image if own.get(key, ()) == barred_people]
            parts = (classes[start : start + MAX_PAIRS] for start in range(0, len(classes), MAX_PAIRS))
            bars = {NOT_FOR: list(barred_people)} if barred_people else {}
            tasks += [make_review_task([image], part, **more, **bars, **told.get(image, {})) for part in parts]
    states = dict.fromkeys((state.name.lower() for state in PairState), 0)
    states["open"], states["fixed"] = int(is_open.sum()), int((~is_open).sum())
    return NewRound(
        tasks=tasks,
        n_pairs=len(distinct),
        states=states,
        expected_errors=dict.fromkeys(states),
        n_asked=len(asked),
        n_pending=int((is_open & waiting).sum()),
        n_excluded=int((is_open & barred & ~waiting).sum()),
        n_cells=len(asked),
        locked=_find_shown(standing, frozenset((asked >> 32).tolist())) if is_looking else frozenset(),
    )


def _tell_verdicts(standing: RoundInputs, votes: ReviewVotes) -> dict[int, Payload]:
    """Per image, that another look is taken, and the verdicts that tasks gave so far, as the plurality has them."""
    known = _find_asked(standing)
    keys, decides = votes.images.astype(np.int64) << 32 | votes.classes, find_deciding(votes)
    distinct, pairs = np.unique(keys[decides], return_inverse=True)
    outcomes = decide_plurality(count_pair_votes(pairs, votes.verdicts[decides], n_pairs=len(distinct)))
    found: dict[int, dict[str, str]] = {int(image): {} for image in np.unique(votes.images)}
    for key, outcome in zip(distinct.tolist(), outcomes.tolist(), strict=True):
        if key in known:
            found[key >> 32][str(key & 0xFFFFFFFF)] = VOTES[outcome]
    return {image: {COMPLETE: 1, **({SAID: said} if said else {})} for image, said in found.items()}


def _find_shown(standing: RoundInputs, images: frozenset[int]) -> frozenset[int]:
    """The positions of the tasks of some images: what was said in them is shown to others."""
    tasks = standing.held.tasks
    pairs = zip(tasks.ids.tolist(), tasks.subjects.tolist(), strict=True)
    return frozenset(standing.positions[one] for one, subject in pairs if subject in images)


def _find_gold(standing: RoundInputs) -> dict[int, Payload]:
    """Per image that has gold items, what its further tasks say of these: nobody is shown what is known of them."""
    (images, classes), controls = find_pairs(standing.held.tasks), find_controls(standing.held.tasks)
    found: dict[int, dict[str, int]] = {}
    for place in np.flatnonzero(controls).tolist():
        found.setdefault(int(images[place]), {})[str(classes[place])] = int(controls[place])
    return {image: {GOLD: own} for image, own in found.items()}


def _find_own(standing: RoundInputs) -> dict[int, tuple[int, ...]]:
    """Per pair that people gave in an evaluation, the numbers of those who may not judge it."""
    if not standing.not_for:
        return {}
    tasks = standing.held.tasks
    images, classes = find_pairs(tasks)
    owners = np.repeat(tasks.ids, tasks.sizes // N_VOTES)
    keys = zip(owners.tolist(), (images.astype(np.int64) << 32 | classes).tolist(), strict=True)
    return {key: standing.not_for[task] for task, key in keys if task in standing.not_for}


def _find_asked(standing: RoundInputs) -> set[int]:
    """The pairs that tasks ask about already."""
    images, classes = find_pairs(standing.held.tasks)
    return set((images.astype(np.int64) << 32 | classes).tolist())


def _count_waiting(standing: RoundInputs) -> dict[int, int]:
    """Per pair that tasks ask about, gold items aside, how many answers to these are still to come."""
    tasks = standing.held.tasks
    n_answers = np.bincount(standing.held.columns.tasks, minlength=len(tasks))
    wanted = tasks.count_wanted(standing.campaign.plan.n_annotators)
    missing = np.where(tasks.is_work, np.maximum(0, wanted - n_answers), 0)
    (images, classes), controls = find_pairs(tasks), find_controls(tasks)
    owners = np.repeat(np.arange(len(tasks)), tasks.sizes // N_VOTES)
    found: dict[int, int] = {}
    for place in np.flatnonzero(controls == 0).tolist():
        key = int(images[place]) << 32 | int(classes[place])
        found[key] = found.get(key, 0) + int(missing[owners[place]])
    return found
