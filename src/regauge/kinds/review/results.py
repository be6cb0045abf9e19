"""REVIEW: the verdicts that votes make, with what they rest on, and the counts of images while a campaign runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray
from regauge.estimates import count_things
from regauge.kinds.review.answers import (
    N_VOTES,
    find_controls,
    find_deciding,
    find_pair_numbers,
    find_pairs,
    list_votes,
)
from regauge.kinds.review.completeness import find_complete
from regauge.kinds.review.figures import find_bad
from regauge.kinds.review.making import MIN_LOOKING
from regauge.labels.frequencies.verdicts import count_verdicts
from regauge.labels.merging import lay_over
from regauge.labels.plurality import count_pair_votes, decide_plurality, find_shared
from regauge.records.campaigns.campaign import ResponseStatus
from regauge.records.labels.evidence import ExpertVote, LabelEvidence, ProblematicReason, VerdictEvidence
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.labels.results import LabelContext, MadeLabels
from regauge.records.labels.review_votes import NO_GOLD, ReviewSettings, ReviewVotes
from regauge.records.labels.verdicts import Verdict
from regauge.records.responses.answers import Control
from regauge.records.responses.figures import ImageCounts
from regauge.responses.ledger import Ledger

RULE = "plurality of reviewers"
EXPERT_RULE = "an expert's verdict, after a referral"
GOLD_RULE = "known before the review"
TRUSTED_RULE = "dataset label, taken as correct"


class VerdictCounter:
    """Counts the votes on every pair of a running campaign."""

    def count(self, ledger: Ledger) -> ImageCounts:
        """How many judged each pair, and how many found it correct, over the answers that count."""
        tasks, columns = ledger.tasks, ledger.columns
        held = columns.keep(columns.find_rows((ResponseStatus.COUNTED,)))
        votes = list_votes(held)
        table = count_pair_votes(
            find_pair_numbers(tasks, held, votes=votes), votes.verdicts, n_pairs=len(tasks.items) // N_VOTES
        )
        images, classes = find_pairs(tasks)
        work = np.flatnonzero(np.repeat(tasks.is_work, tasks.sizes // N_VOTES))
        return ImageCounts(
            images[work],
            classes[work],
            table[work].sum(axis=1),
            table[work, Verdict.CORRECT],
            find_controls(tasks)[work] != Control.NONE,
        )


def make_counter() -> VerdictCounter:
    """What counts the images of a running campaign."""
    return VerdictCounter()


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """What the votes give: pairs by image id and class with verdict and evidence, and the problematic images."""

    verdicts: dict[tuple[str, int], Verdict]
    evidence: dict[tuple[str, int], VerdictEvidence]
    problematic: dict[str, str]
    n_open: int
    n_split: int
    n_shared: int
    n_expert: int
    n_referred: int


def make_labels(responses: ReviewVotes, settings: ReviewSettings, *, context: LabelContext) -> MadeLabels:
    """The plurality of the votes on each pair, above the verdicts that were there before.

    A shared first place is unclear. An image is problematic where more than half of those who judged it say so, or where its
    dataset label is wrong. A class that a reviewer named counts as found correct by them. Verdicts on images that were drawn for
    a sampled review say so.
    """
    is_bad = _find_bad(responses, settings)
    judged = _judge(responses, ~is_bad, settings=settings, guide=context.guide)
    verdicts = dict(judged.verdicts)
    evidence = {one: replace(said, is_sampled=one[0] in context.sampled) for one, said in judged.evidence.items()}
    gold = _find_gold(responses, context)
    verdicts |= gold
    evidence |= dict.fromkeys(gold, VerdictEvidence(rule=GOLD_RULE))
    if not settings.keep_wrong_labels:
        judged.problematic.update(_find_wrong_labels(context, verdicts, judged.problematic))
    if settings.trust_dataset_labels:
        _trust(context, verdicts, evidence)
    label_set = _make_label_set(context.name, verdicts, judged.problematic)
    if context.base is not None:
        label_set = lay_over(context.base, label_set)
    held = {} if context.base_evidence is None else context.base_evidence.by_pair
    seen = np.union1d(responses.seen_images, responses.images)
    asked = {str(responses.image_ids[one]) for one in seen.tolist()}
    return MadeLabels(
        Truth(label_sets=(label_set,), evidence=(LabelEvidence.from_pairs(context.name, {**held, **evidence}),)),
        n_images=len(label_set),
        n_unanswered=len(context.asked - asked),
        n_screened_answers=int(np.count_nonzero(is_bad[responses.reviewers])),
        n_screened_annotators=int(np.count_nonzero(is_bad)),
        verdicts=count_verdicts(label_set),
        notes=(*_describe(judged, responses, settings), *_describe_gold(responses), *_describe_looking(responses)),
    )


def _find_bad(responses: ReviewVotes, settings: ReviewSettings) -> BoolArray:
    n = len(responses.names)
    # What experts are asked nobody else could tell, so that it may well be unclear.
    is_usual = ~responses.is_expert
    n_votes = np.bincount(responses.reviewers[is_usual], minlength=n)
    is_unclear = is_usual & (responses.verdicts == Verdict.UNCLEAR)
    n_unclear = np.bincount(responses.reviewers[is_unclear], minlength=n)
    is_kept = np.isin(responses.names, settings.keep_annotators)
    return find_bad(n_unclear, n_votes) & ~is_kept & settings.screening


def _judge(
    responses: ReviewVotes, is_kept: BoolArray, *, settings: ReviewSettings, guide: Sequence[tuple[int, int]]
) -> _Judged:
    keys = responses.images.astype(np.int64) << 32 | responses.classes
    referred = responses.referred_images.astype(np.int64) << 32 | responses.referred_classes
    by_expert = keys[responses.is_expert & is_kept[responses.reviewers]]
    is_gold = responses.gold != NO_GOLD
    counted = np.flatnonzero(is_kept[responses.reviewers] & ~is_gold & find_deciding(responses))
    distinct, pairs = np.unique(keys[counted], return_inverse=True)
    table = count_pair_votes(pairs, responses.verdicts[counted], n_pairs=len(distinct))
    is_alone = np.isin(distinct, by_expert)
    outcomes, is_settled = decide_plurality(table), is_alone | (table.sum(axis=1) >= settings.min_votes)
    names = [(str(responses.image_ids[key >> 32]), int(key & 0xFFFFFFFF)) for key in distinct.tolist()]
    votes_of: list[list[int]] = [[] for _ in names]
    for vote, pair in zip(counted.tolist(), pairs.tolist(), strict=True):
        votes_of[pair].append(vote)
    verdicts, evidence = {}, {}
    for pair in np.flatnonzero(is_settled).tolist():
        verdicts[names[pair]] = Verdict(outcomes[pair])
        said = _tell_evidence(responses, votes_of[pair], outcome=Verdict(outcomes[pair]), guide=guide)
        evidence[names[pair]] = replace(said, rule=EXPERT_RULE, is_expert=True) if is_alone[pair] else said
    return _Judged(
        verdicts,
        evidence,
        _find_problematic(responses, is_kept),
        n_open=int(np.count_nonzero(~is_settled)),
        n_split=int(np.count_nonzero((table[is_settled] > 0).sum(axis=1) > 1)),
        n_shared=int(np.count_nonzero(find_shared(table[is_settled]))),
        n_expert=int(np.count_nonzero(is_alone)),
        n_referred=len(np.setdiff1d(referred, np.union1d(by_expert, keys[is_gold]))),
    )


def _tell_evidence(
    responses: ReviewVotes, votes: list[int], *, outcome: Verdict, guide: Sequence[tuple[int, int]]
) -> VerdictEvidence:
    said = sorted(votes, key=lambda vote: str(responses.names[responses.reviewers[vote]]))
    agreeing = [responses.reasons[vote] for vote in said if responses.verdicts[vote] == outcome]
    reasons = Counter(reason for reason in agreeing if reason)
    return VerdictEvidence(
        rule=RULE,
        votes=tuple(
            ExpertVote(str(responses.names[responses.reviewers[vote]]), Verdict(responses.verdicts[vote]))
            for vote in said
        ),
        reason=reasons.most_common(1)[0][0] if reasons else "",
        guide=_find_guide(guide, max(int(responses.received[vote]) for vote in said)),
        note=" | ".join(dict.fromkeys(responses.notes[vote] for vote in said if responses.notes[vote])),
    )


def _find_guide(guide: Sequence[tuple[int, int]], at: int) -> int:
    """The version of the guide at a moment; 0 before the first."""
    return max((version for since, version in guide if since <= at), default=0)


def _find_problematic(responses: ReviewVotes, is_kept: BoolArray) -> dict[str, str]:
    """Images that more than half of their reviewers call problematic, with the problem that most of them name."""
    seen = responses.seen_images[is_kept[responses.seen_reviewers]]
    n_seen = np.bincount(seen, minlength=len(responses.image_ids))
    said: dict[int, dict[int, list[str]]] = {}
    rows = zip(responses.problem_images.tolist(), responses.problem_reviewers.tolist(), responses.problems, strict=True)
    for image, reviewer, problem in rows:
        if is_kept[reviewer]:
            said.setdefault(image, {}).setdefault(reviewer, []).append(problem)
    return {
        str(responses.image_ids[image]): Counter(one for own in by.values() for one in own).most_common(1)[0][0]
        for image, by in said.items()
        if 2 * len(by) > n_seen[image]
    }


def _find_wrong_labels(
    context: LabelContext, verdicts: Mapping[tuple[str, int], Verdict], known: Mapping[str, str]
) -> dict[str, str]:
    """Images whose dataset label is wrong, and that are not problematic for another reason."""
    pairs = zip(context.images.image_ids.tolist(), context.images.labels.tolist(), strict=True)
    wrong = [image_id for image_id, label in pairs if verdicts.get((image_id, label)) is Verdict.WRONG]
    return {image_id: ProblematicReason.WRONG_LABEL.value for image_id in wrong if image_id not in known}


def _list_judged(context: LabelContext) -> set[tuple[str, int]]:
    """The pairs that were judged before this review, by image id and class."""
    base = context.base
    return set() if base is None else set(zip(base.image_ids[base.rows].tolist(), base.classes.tolist(), strict=True))


def _find_gold(responses: ReviewVotes, context: LabelContext) -> dict[tuple[str, int], Verdict]:
    """What is known of gold items of which the label set before says nothing: votes on them test people and decide nothing."""
    places = np.flatnonzero(responses.gold != NO_GOLD)
    ids = responses.image_ids[responses.images[places]].tolist()
    known = zip(ids, responses.classes[places].tolist(), responses.gold[places].tolist(), strict=True)
    before = _list_judged(context)
    return {(image_id, index): Verdict(gold) for image_id, index, gold in known if (image_id, index) not in before}


def _trust(
    context: LabelContext, verdicts: dict[tuple[str, int], Verdict], evidence: dict[tuple[str, int], VerdictEvidence]
) -> None:
    """Dataset labels that nobody judged are correct, in this review or before it."""
    before = _list_judged(context)
    pairs = zip(context.images.image_ids.tolist(), context.images.labels.tolist(), strict=True)
    for image_id, label in pairs:
        pair = (image_id, label)
        if label != NO_CLASS and pair not in verdicts and pair not in before:
            verdicts[pair], evidence[pair] = Verdict.CORRECT, VerdictEvidence(rule=TRUSTED_RULE)


def _make_label_set(name: str, verdicts: Mapping[tuple[str, int], Verdict], problematic: Mapping[str, str]) -> LabelSet:
    images = list(dict.fromkeys([*(image_id for image_id, _ in verdicts), *problematic]))
    lists: dict[Verdict, dict[str, list[int]]] = {verdict: {image_id: [] for image_id in images} for verdict in Verdict}
    for (image_id, index), verdict in verdicts.items():
        lists[verdict][image_id].append(index)
    columns: dict[str, Any] = {verdict.name.lower(): list(lists[verdict].values()) for verdict in Verdict}
    return LabelSet.from_lists(name, images, **columns, is_problematic=[one in problematic for one in images])


def _describe(judged: _Judged, responses: ReviewVotes, settings: ReviewSettings) -> Iterator[str]:
    n_plural = len(judged.verdicts) - judged.n_expert
    yield (
        f"{count_things(n_plural, 'verdict')} by the plurality of reviewers; they disagreed on "
        f"{judged.n_split:,}, and the first place was shared on {judged.n_shared:,}, which are unclear."
    )
    if judged.n_open:
        yield f"Fewer than {settings.min_votes:,} votes leave {count_things(judged.n_open, 'label')} open."
    if judged.n_expert:
        yield f"{count_things(judged.n_expert, 'verdict')} of one expert alone, to whom reviewers referred the label."
    if judged.n_referred:
        waits, stay = ("label waits", "stays") if judged.n_referred == 1 else ("labels wait", "stay")
        yield f"{judged.n_referred:,} referred {waits} for an expert and {stay} open until then."
    n_added = len({pair for pair in _list_added(responses) if pair in judged.verdicts})
    if n_added:
        yield f"{count_things(n_added, 'verdict')} on a class that was not asked about: a reviewer named it."
    if judged.problematic:
        counts = ", ".join(f"{n:,} {problem}" for problem, n in Counter(judged.problematic.values()).most_common())
        yield f"{count_things(len(judged.problematic), 'image')} left out as problematic: {counts}."


def _describe_gold(responses: ReviewVotes) -> Iterator[str]:
    is_gold = responses.gold != NO_GOLD
    if is_gold.any():
        n_right = int(np.count_nonzero(responses.verdicts[is_gold] == responses.gold[is_gold]))
        yield (
            f"{count_things(int(is_gold.sum()), 'vote')} on gold items, {n_right:,} of which say what was known, decide "
            "nothing."
        )


def _describe_looking(responses: ReviewVotes) -> Iterator[str]:
    """How many images are complete: enough reviewers found nothing more in the last task, and nobody something."""
    if responses.looking_found.all():
        return
    n_looked = len(np.unique(responses.looking_images))
    n_complete = len(find_complete(responses).image_ids)
    yield (
        f"{n_complete:,} of {count_things(n_looked, 'image')} complete: {MIN_LOOKING} reviewers or more "
        "looked, and all of them found nothing more."
    )


def _list_added(responses: ReviewVotes) -> Iterator[tuple[str, int]]:
    for vote in np.flatnonzero(responses.is_added).tolist():
        yield str(responses.image_ids[responses.images[vote]]), int(responses.classes[vote])
