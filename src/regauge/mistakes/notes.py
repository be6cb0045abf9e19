"""What must be said of found mistakes, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from regauge.estimates import count_things, join_words
from regauge.mistakes.finding import DATASET_LABELS, AppliedLabels
from regauge.records.labels.label_set import Unlisted
from regauge.records.mistakes.coding import MistakeCoding
from regauge.records.mistakes.flows import NOT_CODED, Fate, MistakeFlow, ReviewFlow
from regauge.records.mistakes.found import FoundMistakes, ParticipantMistakes
from regauge.records.mistakes.overlaps import MistakesOverlap, Overlap
from regauge.records.mistakes.summaries import FixedMistakes
from regauge.records.taxonomy import Taxonomy


def describe_labels(applied: AppliedLabels) -> Iterator[str]:
    """What the label set means for mistakes."""
    name = applied.label_set.name
    if name == DATASET_LABELS:
        yield "There is no label set, so dataset labels decide; nobody has judged any other class."
    elif applied.label_set.unlisted is Unlisted.WRONG:
        yield f"{name} takes every class that it does not list for wrong, so no mistake is novel."
    if applied.is_strict:
        yield "Strict: an answer that people found unclear is a mistake too."


def describe_found(found: FoundMistakes, taxonomy: Taxonomy | None) -> Iterator[str]:
    """What was left out, and what is missing."""
    yield from describe_left_out(found)
    if found.is_sample:
        yield (
            f"{len(found):,} of {count_things(found.n_mistakes, 'mistake')} were drawn at random, with the seed {found.seed}; "
            "shares have an interval for all of them (hypergeometric)."
        )
    if taxonomy is None:
        yield "Ancestor levels need a hierarchy: name a taxonomy that has one with `taxonomy=…`."
    elif not taxonomy.has_hierarchy:
        yield f"Taxonomy {taxonomy.name} has no hierarchy, so mistakes have no ancestor level."


def describe_left_out(found: FoundMistakes | ParticipantMistakes) -> Iterator[str]:
    """How many images of the test set a participant's mistakes are not about."""
    if found.n_unanswered:
        yield f"{found.participant}: {count_things(found.n_unanswered, 'image')} without an answer."
    if found.n_problematic:
        yield f"{found.participant}: {count_things(found.n_problematic, 'answered image')} left out as problematic."
    if found.n_unknown:
        yield f"{found.participant}: {count_things(found.n_unknown, 'answered image')} left out: no label is judged there."


def describe_all_left_out(participants: Sequence[ParticipantMistakes]) -> Iterator[str]:
    """The same of several participants: a sentence for each reason, however many participants there are."""
    if len(participants) == 1:
        yield from describe_left_out(participants[0])
        return
    for field, said in _LEFT_OUT.items():
        counts = [n for n in (getattr(one, field) for one in participants) if n]
        if counts:
            who = f"{len(counts):,} of {len(participants):,} participants"
            yield f"{who}: {_count_range(counts, said[0])} {said[1]} each."


_LEFT_OUT = {
    "n_unanswered": ("image", "without an answer"),
    "n_problematic": ("answered image", "left out as problematic"),
    "n_unknown": ("answered image", "left out without a judged label"),
}


def describe_fixes(found: FixedMistakes) -> Iterator[str]:
    """How many coded mistakes nobody knows the end of."""
    counts = [one.n_left_out for one in found.fixes if one.n_left_out]
    if counts:
        who = f" for {len(counts):,} of {len(found.fixes):,} participants" if len(found.fixes) > 1 else ""
        yield (
            f"{_count_range(counts, 'coded mistake')} left out{who}: {found.labels} accepts the prediction by now or does not "
            "judge the image, or the image has no answer."
        )


def _count_range(counts: Sequence[int], thing: str) -> str:
    """As many things as there are at least and at most.

    >>> _count_range([1, 3], "image"), _count_range([1, 1], "image")
    ('1 to 3 images', '1 image')
    """
    low, high = min(counts), max(counts)
    return f"{low:,} to {count_things(high, thing)}" if low < high else count_things(low, thing)


def describe_overlap(overlap: MistakesOverlap) -> Iterator[str]:
    """How much of it nobody has judged yet."""
    n_novel = sum(overlap.count_novel(one) for one in (Overlap.NEW, Overlap.DIFFERENT))
    if n_novel:
        answers = count_things(n_novel, "answer", many="answers")
        yield (
            f"Nobody has judged {answers} among the new mistakes of {overlap.second} and those common with another answer; a "
            "review may accept some."
        )


def describe_flow(flow: ReviewFlow, level: float) -> Iterator[str]:
    """What the share of overturned mistakes is of, and which answers became mistakes."""
    if len(flow) < flow.n_mistakes:
        whole = flow.overturned
        yield (
            f"{flow.participant}: {len(flow):,} of {count_things(flow.n_mistakes, 'mistake')} on {flow.test_set} were drawn at "
            f"random; {whole.n_low:,} to {whole.n_high:,} of all would be overturned ({100 * level:g}%, hypergeometric)."
        )
    n_unknown = flow.count(Fate.UNKNOWN)
    if n_unknown:
        yield (
            f"{flow.participant}: {count_things(n_unknown, 'mistake')} left out of the share on images that {flow.after} "
            "does not judge."
        )
    if flow.n_appeared:
        yield (
            f"{flow.participant}: {count_things(flow.n_appeared, 'answer')} accepted by {flow.before} and a mistake under "
            f"{flow.after}."
        )


def describe_stand_in(coding: MistakeCoding) -> str:
    """That only coded answers are known."""
    mistakes = count_things(len(coding), "mistake")
    return f"{coding.participant} has no predictions here, so this is about the {mistakes} of {coding.name}."


def describe_trace(flow: MistakeFlow, coding: MistakeCoding | None = None) -> Iterator[str]:
    """What a flow leaves open, and which coded mistakes have no place in it."""
    n_novel, n_open = flow.n_end_novel, dict(flow.ends).get(NOT_CODED, 0)
    if n_novel:
        yield f"Nobody has judged {count_things(n_novel, 'answer')} among the mistakes at the end; a review may accept some."
    if n_open:
        yield f"{flow.coding} says nothing of {count_things(n_open, 'mistake')} at the end."
    n_apart = 0 if coding is None else len(coding.coded) - (flow.n_end - n_open)
    if n_apart:
        yield (
            f"{count_things(n_apart, 'coded mistake')} without a place in the flow: {flow.labels[-1]} accepts the prediction by "
            f"now or does not judge the image, or {flow.participant} answers something else."
        )


def describe_dependence(flows: Sequence[ReviewFlow]) -> Iterator[str]:
    """Whether a test that takes mistakes for independent is given the same images twice."""
    if len(flows) == 2 and not set(flows[0].image_ids.tolist()).isdisjoint(flows[1].image_ids.tolist()):
        names = join_words([flow.participant for flow in flows])
        yield f"{names} are mistaken on some of the same images, and the test takes their mistakes for independent."
