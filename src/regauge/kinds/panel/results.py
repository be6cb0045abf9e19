"""PANEL: what is made of votes: verdicts on what is locked, with what was said in both rounds, and problematic images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from regauge.campaigns.discussions.outcomes import decide_item, describe_effects, is_decided, measure_effects
from regauge.campaigns.discussions.words import EVIDENCE
from regauge.campaigns.reviews.votes import N_VOTES, VERDICT_OF, find_pair_numbers, find_pairs, list_votes
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.kinds.panel.discussion import DATASET_LABEL, IMAGE, PROBLEM, WRONG
from regauge.labels.frequencies.verdicts import count_verdicts
from regauge.labels.merging import lay_over
from regauge.labels.plurality import RULE, count_pair_votes, judge_panel
from regauge.records.campaigns.campaign import ResponseStatus
from regauge.records.campaigns.discussions import DiscussionStanding, ItemStanding, Stance
from regauge.records.labels.evidence import ExpertVote, LabelEvidence, VerdictEvidence
from regauge.records.labels.label_set import Truth
from regauge.records.labels.panel import ImageVotes, PanelSettings, PanelVotes
from regauge.records.labels.results import LabelContext, MadeLabels
from regauge.records.labels.verdicts import Verdict
from regauge.records.responses.figures import ImageCounts
from regauge.records.responses.ledgers import HeldAnswers
from regauge.responses.ledger import Ledger

N_NAMED = 20
"""Predictions that a sentence names; the others are counted."""


class VoteCounter:
    """Counts the votes on every prediction of a running campaign."""

    def count(self, ledger: Ledger) -> ImageCounts:
        """How many voted on each prediction, and how many found it correct, over the answers that count."""
        tasks, columns = ledger.tasks, ledger.columns
        held = columns.keep(columns.find_rows((ResponseStatus.COUNTED,)))
        votes = list_votes(held)
        numbers = find_pair_numbers(tasks, held, votes=votes)
        table = count_pair_votes(numbers, votes.verdicts, n_pairs=len(tasks.items) // N_VOTES)
        images, classes = find_pairs(tasks)
        is_control = np.zeros(len(images), np.bool_)
        return ImageCounts(images, classes, table.sum(axis=1), table[:, Verdict.CORRECT], is_control)


def make_counter() -> VoteCounter:
    """What counts the images of a running campaign."""
    return VoteCounter()


@dataclass(frozen=True, slots=True)
class _Decided:
    """An item that is decided, with its image by id."""

    item: ItemStanding
    image_id: str


def make_labels(responses: HeldAnswers, settings: PanelSettings, *, context: LabelContext) -> MadeLabels:
    """The outcome on every prediction of an item that is locked, above the verdicts that were there before.

    Raises:
        InputError: nothing is locked yet.
    """
    standing = context.discussion
    decided = [] if standing is None else list(_list_decided(standing, responses))
    if standing is None or not decided:
        raise InputError("A panel decides nothing before a chair locks it, and nothing is locked yet.")
    judged = judge_panel(_list_votes(decided, standing), name=context.name, images=_list_image_votes(decided))
    label_set = judged.label_set if context.base is None else lay_over(context.base, judged.label_set)
    evidence = {
        (one.image_id, index): _tell_evidence(one.item, index, standing=standing, guide=context.guide)
        for one in decided
        for index in one.item.task["classes"]
    }
    held = {} if context.base_evidence is None else context.base_evidence.by_pair
    effects = measure_effects(standing, _list_predictions(standing), level=settings.level)
    return MadeLabels(
        Truth(label_sets=(label_set,), evidence=(LabelEvidence.from_pairs(context.name, {**held, **evidence}),)),
        n_images=len(label_set),
        n_unanswered=len(context.asked - set(label_set.image_ids.tolist())),
        n_screened_answers=0,
        n_screened_annotators=0,
        verdicts=count_verdicts(label_set),
        notes=(
            *describe_outcomes(decided_items(decided), standing),
            *describe_effects(effects),
            *_name_without_majority(decided),
        ),
    )


def decided_items(decided: Sequence[_Decided]) -> list[ItemStanding]:
    """The items themselves."""
    return [one.item for one in decided]


def _list_decided(standing: DiscussionStanding, held: HeldAnswers) -> Iterator[_Decided]:
    for item in standing.items:
        if is_decided(item):
            (number,) = item.task["images"]
            yield _Decided(item, str(held.image_ids[number]))


def _list_votes(decided: Sequence[_Decided], standing: DiscussionStanding) -> PanelVotes:
    rows = [
        (place, index, standing.panel.index(stance.annotator_id), VERDICT_OF[stance.final[str(index)]])
        for place, one in enumerate(decided)
        for index in one.item.task["classes"]
        for stance in one.item.stances
    ]
    images, classes, panelists, verdicts = (np.array(column, np.int32) for column in zip(*rows, strict=True))
    ids = np.array([one.image_id for one in decided], np.str_)
    names = np.array([standing.names.get(who, f"panelist {who}") for who in standing.panel], np.str_)
    return PanelVotes(ids, names, images, classes, panelists, verdicts.astype(np.int8))


def _list_image_votes(decided: Sequence[_Decided]) -> ImageVotes:
    rows = [
        (place, stance.final.get(DATASET_LABEL) == WRONG, stance.final[IMAGE] == PROBLEM)
        for place, one in enumerate(decided)
        for stance in one.item.stances
    ]
    images, is_wrong, is_problematic = zip(*rows, strict=True)
    return ImageVotes(np.array(images, np.int32), np.array(is_wrong, np.bool_), np.array(is_problematic, np.bool_))


def _tell_evidence(
    item: ItemStanding, index: int, *, standing: DiscussionStanding, guide: Sequence[tuple[int, int]]
) -> VerdictEvidence:
    """Who said what in either round, and why."""
    named = sorted((standing.names.get(one.annotator_id, ""), one) for one in _rank(item.stances))
    at = 0 if item.lock is None else int(np.datetime64(item.lock.at[:23], "ms").astype(np.int64))
    return VerdictEvidence(
        rule=RULE,
        votes=tuple(ExpertVote(who, VERDICT_OF[one.final[str(index)]]) for who, one in named),
        first_votes=tuple(ExpertVote(who, VERDICT_OF[one.first[str(index)]]) for who, one in named if one.first),
        arguments=tuple(_list_arguments(item, standing)),
        guide=max((version for since, version in guide if since <= at), default=0),
    )


def _rank(stances: Sequence[Stance]) -> list[Stance]:
    return sorted(stances, key=lambda one: one.annotator_id)


def _list_arguments(item: ItemStanding, standing: DiscussionStanding) -> Iterator[tuple[str, str]]:
    """Everything that was argued and shown in time, in the order in which it came."""
    said = sorted(
        (one.id, standing.names.get(stance.annotator_id, ""), one)
        for stance in item.stances
        for one in stance.said
        if not one.is_late
    )
    for _, who, one in said:
        evidence = one.answer.get(EVIDENCE, {})
        picture = "a picture" if evidence.get("picture") else ""
        words = [one.argument, evidence.get("text", ""), evidence.get("link", ""), picture]
        if any(words):
            yield who, " | ".join(word for word in words if word)


def _list_predictions(standing: DiscussionStanding) -> dict[str, list[str]]:
    """The questions that are about predictions, and not about the image."""
    return {str(one.task_id): [str(index) for index in one.task["classes"]] for one in standing.items}


def describe_outcomes(decided: Sequence[ItemStanding], standing: DiscussionStanding) -> Iterator[str]:
    """What is decided and what is still open, and which images are problematic."""
    n = len(standing.items)
    locked = f"{len(decided):,} of {count_things(n, 'image')} locked"
    yield f"{locked}, and decided by the most votes; a shared first place is unclear."
    n_missing = sum(one.is_locked and bool(one.missing) for one in standing.items)
    if n_missing:
        words = "image is" if n_missing == 1 else "images are"
        yield (
            f"{n_missing:,} locked {words} left open: somebody whose vote is needed has none any more, and no chair excused them."
        )
    outcomes = [decide_item(one) for one in decided]
    n_wrong = sum(one[DATASET_LABEL].vote == WRONG for one in outcomes if DATASET_LABEL in one)
    n_problematic = sum(one[IMAGE].vote == PROBLEM for one in outcomes)
    if n_wrong:
        n_correct = sum(
            any(one[str(index)].vote == "correct" for index in item.task["classes"])
            for item, one in zip(decided, outcomes, strict=True)
            if DATASET_LABEL in one and one[DATASET_LABEL].vote == WRONG
        )
        yield (
            f"{count_things(n_wrong, 'image')} problematic as the dataset label is wrong; on {n_correct:,} of them a "
            "prediction is correct, and counts for nobody."
        )
    if n_problematic:
        yield f"{count_things(n_problematic, 'image')} problematic in the panel's own eyes."


def _name_without_majority(decided: Sequence[_Decided]) -> Iterator[str]:
    found = [
        f"{one.image_id} with class {index}"
        for one in decided
        for index in one.item.task["classes"]
        if not decide_item(one.item)[str(index)].has_majority
    ]
    if found:
        more = f", and {len(found) - N_NAMED:,} more" if len(found) > N_NAMED else ""
        yield f"Without more than half: {', '.join(found[:N_NAMED])}{more}."
