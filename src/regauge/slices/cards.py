"""The card of a slice: how it was made, what it holds, what it cannot tell, and how to use it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from regauge.estimates import count_things, format_limits, join_words
from regauge.records.labels.label_set import LabelSet, Unlisted
from regauge.records.labels.verdicts import Verdict
from regauge.records.mistakes.coded import SEVERITIES
from regauge.records.mistakes.coding import MistakeCoding
from regauge.records.slices.rules import ImageRule, MajorRule, ProblematicImages
from regauge.records.slices.slice import Slice, SliceKind
from regauge.slices.scoring import share_right

LEVEL = 0.95
_VERDICTS = (Verdict.CORRECT, Verdict.UNCLEAR, Verdict.WRONG)


@dataclass(frozen=True, slots=True, eq=False)
class CardContent:
    """What a card tells of.

    Attributes:
        chosen: the slice.
        label_set: what is right on its images.
        codings: how severe mistakes on them are.
        void: why the slice no longer holds; empty where it does.
    """

    chosen: Slice
    label_set: LabelSet
    codings: tuple[MistakeCoding, ...] = ()
    void: str = ""


def format_card(content: CardContent) -> str:
    """The card in Markdown."""
    chosen = content.chosen
    parts = [f"# {_escape(chosen.name)}", f"{count_things(len(chosen), 'image')} of {_escape(chosen.test_set)}."]
    if content.void:
        parts.append(f"**This slice is void:** {_escape(content.void)}. Its scores no longer hold.")
    parts += ["## How it was made", *_tell_making(content)]
    parts += ["## What it holds", *_tell_content(content)]
    parts += ["## Limits", "\n".join(f"- {one}" for one in _tell_limits(content))]
    parts += ["## How to use it", "\n".join(f"{place}. {one}" for place, one in enumerate(_tell_use(), start=1))]
    return "\n\n".join(parts) + "\n"


def describe_choice(rule: MajorRule | ImageRule | None) -> str:
    """A rule in one sentence without its full stop."""
    if rule is None:
        return "The images were listed"
    if isinstance(rule, MajorRule):
        n = len(rule.models) + 1
        return (
            f"Of the major mistakes of {rule.reference}, those on which at least {rule.at_least:,} of {n:,} models make a major "
            f"mistake: {join_words((rule.reference, *rule.models))}"
        )
    return f"The images of which all of this holds: {'; '.join(_list_conditions(rule))}"


def _list_conditions(rule: ImageRule) -> Iterator[str]:
    counts = {"correct": rule.n_correct, "unclear": rule.n_unclear, "wrong": rule.n_wrong}
    for name, allowed in counts.items():
        if allowed is not None:
            yield f"the number of labels judged {name} is {allowed.words}"
    if rule.groups:
        yield "the dataset label is in " + " or ".join(f"{group} ({grouping})" for grouping, group in rule.groups)
    if rule.needs_codes:
        kinds = " or ".join(rule.categories) or "any category"
        yield f"a mistake is coded as {kinds}, {' or '.join(rule.severities) or 'any severity'}"
    if rule.max_seconds is not None:
        yield f"people take {rule.max_seconds:g} seconds or less, in the median"
    if rule.images:
        yield f"{rule.images} lists them"
    if rule.problematic is ProblematicImages.ONLY:
        yield "they are problematic"
    elif rule.problematic is ProblematicImages.LEAVE_OUT:
        yield "they are not problematic"


def _tell_making(content: CardContent) -> Iterator[str]:
    chosen, inputs = content.chosen, content.chosen.inputs
    is_gone = chosen.rule is None and chosen.kind is not SliceKind.LIST
    choice = "Its rule went with what was erased" if is_gone else describe_choice(chosen.rule)
    n = count_things(inputs.n_candidates, "image")
    origin = f"{n} could have been chosen." if chosen.rule is not None or is_gone else f"The list has {n}."
    yield f"{_escape(choice)}. {origin}"
    rows = {
        "Labels": chosen.labels,
        "Codings": ", ".join(inputs.codings) or "none",
        "Chosen with": ", ".join(inputs.names) or "nobody's answers",
        "List": inputs.source or "none",
        "Complete labelling": ", ".join(inputs.complete_by) if chosen.is_complete else "not covered",
        "Made": chosen.at[:10] or "unknown",
    }
    lines = ["| | |", "|---|---|", *(f"| {name} | {_escape(value)} |" for name, value in rows.items())]
    yield "\n".join(lines)


def _tell_content(content: CardContent) -> Iterator[str]:
    chosen, labels = content.chosen, content.label_set
    is_here = np.isin(labels.image_ids, chosen.image_ids)
    verdicts = labels.verdicts[is_here[labels.rows]]
    counts = ", ".join(f"{int(np.count_nonzero(verdicts == one)):,} {one.name.lower()}" for one in _VERDICTS)
    yield f"Labels of its images: {counts}."
    n_bad = int(np.count_nonzero(labels.is_problematic[is_here]))
    if n_bad:
        yield f"{count_things(n_bad, 'image')} problematic, on which no answer counts."
    coded = _count_codes(content)
    if coded:
        lines = [
            "| coded mistakes on its images | n |",
            "|---|---|",
            *(f"| {_escape(name)} | {n:,} |" for name, n in coded),
        ]
        yield "\n".join(lines)


def _count_codes(content: CardContent) -> Sequence[tuple[str, int]]:
    """How many different pairs of image and prediction are coded so, the most frequent first; of several codes the first."""
    kept, found = set(content.chosen.image_ids.tolist()), dict[tuple[str, int], str]()
    for coding in content.codings:
        coded = coding.coded
        codes = zip(coded.categories.tolist(), coded.severities.tolist(), strict=True)
        pairs = zip(coded.image_ids.tolist(), coded.predictions.tolist(), strict=True)
        for pair, (category, severity) in zip(pairs, codes, strict=True):
            if pair[0] in kept:
                found.setdefault(pair, f"{coded.category_names[category]}, {SEVERITIES[severity]}")
    return Counter(found.values()).most_common()


def _tell_limits(content: CardContent) -> Iterator[str]:
    chosen, n = content.chosen, len(content.chosen)
    half = share_right(n // 2, n, level=LEVEL)
    yield (
        f"Whoever gets {n // 2:,} of {n:,} right has a 95% interval of {format_limits(half, scale=100)} percent "
        "(Clopper–Pearson); a smaller difference between two participants may be chance."
    )
    if chosen.inputs.participants:
        yield (
            f"{_escape(join_words(chosen.inputs.names))} helped to choose the images. Their scores on it are low or high for "
            "that reason and are not comparable with others."
        )
        yield "Images that some models get wrong favour models that err elsewhere: a new model may do well for no other reason."
    if chosen.is_open:
        yield (
            f"It is open: {count_things(chosen.inputs.n_open, 'prediction')} had not been judged or coded when it was frozen, "
            f"and {count_things(chosen.inputs.n_undecided, 'more image')} may have belonged to it."
        )
    if not chosen.is_complete:
        is_wrong = content.label_set.unlisted is Unlisted.WRONG
        yield (
            "Its labels are not complete: a class that nobody has predicted yet may be in an image without being among its "
            f"labels. Such an answer counts as {'wrong' if is_wrong else 'unjudged, never as wrong'}."
        )
    yield "Verdicts and severities are judgements of the people who gave them; others may see some differently."


def _tell_use() -> Iterator[str]:
    """What Vasudevan et al. (2022, section 5.2) advise, in other words."""
    yield "Look at the mistakes one by one, or at a sample of them, before you compare numbers."
    yield "Ask of every mistake whether it is one. If the answer is right, add the verdict to the labels and score again."
    yield (
        "Ask of every mistake that is left whether it is major, and of which category, and mend what causes it. Fewer major "
        "mistakes can matter more than more right answers."
    )
    yield "While you change a model, follow how its mistakes move between major, minor and none."
    yield "Report other slices and the accuracy on the whole test set beside it."


def _escape(text: str) -> str:
    """Text as Markdown shows it, in tables too."""
    folded = " ".join(text.split())
    return "".join(f"\\{one}" if one in "\\`*_[]<>|#" else one for one in folded)
