"""What a participant still gets wrong: which mistakes coders look at, and which other codings have decided already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regauge.campaigns.fields import PARTICIPANTS
from regauge.campaigns.reviews.coding import CATEGORIES, N_MISTAKES, TAKEN_OVER
from regauge.campaigns.visibility import LABELS
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.evaluation.targets import line_up
from regauge.fields import FieldError
from regauge.formats.mistakes.categories import load_categories
from regauge.formats.mistakes.coded import dump_taken_over
from regauge.labels.selection import keep_images
from regauge.mistakes.accepting import BY_LABEL_SET
from regauge.mistakes.finding import apply_labels, find_mistakes
from regauge.records.labels.label_set import Truth
from regauge.records.mistakes.coded import SEVERITIES, STANDARD_CATEGORIES, DefinedCategory
from regauge.records.mistakes.coders import TakenOver
from regauge.records.mistakes.coding import CodingEntry, MistakeCoding
from regauge.records.mistakes.found import FoundMistakes
from regauge.records.studies import SUPERSEDED, LabelSetEntry, PredictionsEntry, TestSetEntry
from regauge.storage.labels.label_set import get_label_set, load_label_set
from regauge.storage.mistakes.codings import list_codings, load_coding
from regauge.storage.predictions import get_predictions, load_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import load_test_set

MAX_NAME, MAX_DEFINITION = 60, 600
"""Characters of a category and of what it means: a page shows all of them beside an image."""


@dataclass(frozen=True, slots=True, eq=False)
class RemainingMistakes:
    """What coders are asked.

    Attributes:
        pairs: images with the class that was answered.
        settings: what that rests on, for the record of the campaign.
        documents: what other codings decided, as a text.
    """

    pairs: list[tuple[str, int]]
    settings: Mapping[str, Any]
    documents: Mapping[str, str]


def find_remaining(study: Study, entry: TestSetEntry, *, settings: Mapping[str, Any]) -> RemainingMistakes:
    """All mistakes of one participant under a label set, judged or not, but for those that a coding of the study has decided.

    A severity belongs to an image and a prediction, whoever predicted it, so it is taken over where it is known.

    Raises:
        FieldError: there is no such participant or label set, the label set is void, or the list of categories cannot be used.
        InputError: nothing remains to code.
    """
    mine, labels = _get_participant(study, entry, settings), _get_labels(study, settings)
    categories = _load_own_categories(settings)
    found = _find(study, entry, mine, labels=labels)
    if not len(found):
        raise InputError(
            f"Nothing remains to code: {mine.participant} makes no mistake on {entry.name} under {labels.full_name}."
        )
    taken = _take_over(study, entry, found, categories=categories)
    known = {(one.image_id, one.prediction) for one in taken}
    mistakes = zip(found.image_ids.tolist(), found.predictions.tolist(), strict=True)
    pairs = [pair for pair in mistakes if pair not in known]
    sources = Counter(one.coding for one in taken)
    if not pairs:
        raise InputError(
            f"Nothing remains to code: {count_things(len(taken), 'mistake')} of {mine.participant} under {labels.full_name} "
            f"{'is' if len(taken) == 1 else 'are'} decided already, by {' and '.join(sources)}."
        )
    kept = {
        PARTICIPANTS.name: [mine.participant],
        LABELS: labels.full_name,
        CATEGORIES.name: [[str(one.name), one.definition] for one in categories],
        N_MISTAKES: len(found),
        **({TAKEN_OVER: dict(sources)} if sources else {}),
    }
    return RemainingMistakes(pairs, kept, {TAKEN_OVER: dump_taken_over(taken)} if taken else {})


def _get_participant(study: Study, entry: TestSetEntry, settings: Mapping[str, Any]) -> PredictionsEntry:
    """The one participant who is named."""
    try:
        found = get_predictions(study, entry, participants=settings.get(PARTICIPANTS.name) or ())
    except InputError as error:
        raise FieldError(PARTICIPANTS.name, str(error)) from error
    if len(found) != 1:
        names = ", ".join(one.participant for one in found[:10]) + (", …" if len(found) > 10 else "")
        raise FieldError(
            PARTICIPANTS.name,
            f"The mistakes of one participant are coded, and {len(found):,} are meant ({names}); name one with "
            "`participants=…`.",
        )
    return found[0]


def _get_labels(study: Study, settings: Mapping[str, Any]) -> LabelSetEntry:
    """The label set under which answers are mistakes."""
    named = settings.get(LABELS)
    if not named:
        raise FieldError(
            LABELS, "What is a mistake depends on what is accepted; name the label set with `labels=NAME@VERSION`."
        )
    try:
        labels = get_label_set(study, named)
    except InputError as error:
        raise FieldError(LABELS, str(error)) from error
    mark = labels.provenance.get(SUPERSEDED)
    if mark is not None:
        by = f"use {mark['by']}, which takes its place" if mark.get("by") else "nothing takes its place"
        raise FieldError(LABELS, f"{labels.full_name} was made with answers that were erased since; {by}.")
    return labels


def _load_own_categories(settings: Mapping[str, Any]) -> tuple[DefinedCategory, ...]:
    """The list that is named, or the standard one."""
    named = settings.get(CATEGORIES.name)
    if not named:
        return STANDARD_CATEGORIES
    try:
        found = load_categories(Path(named))
    except InputError as error:
        raise FieldError(CATEGORIES.name, str(error)) from error
    for one in found:
        if len(one.name) > MAX_NAME or len(one.definition) > MAX_DEFINITION:
            raise FieldError(
                CATEGORIES.name,
                f"Coders see every category beside the image, so a name has at most {MAX_NAME} characters and a definition "
                f"{MAX_DEFINITION}; {one.name[:MAX_NAME]!r} has {len(one.name):,} and {len(one.definition):,}.",
            )
    return found


def _find(study: Study, entry: TestSetEntry, mine: PredictionsEntry, *, labels: LabelSetEntry) -> FoundMistakes:
    test_set = load_test_set(study, entry)
    label_set = keep_images(load_label_set(study, labels), set(test_set.image_ids.tolist()))
    if not len(label_set):
        raise FieldError(LABELS, f"Label set {labels.full_name} covers no image of {entry.name}.")
    applied = apply_labels(line_up(Truth(test_set, (label_set,)), n_classes=len(study.taxonomy)))
    return find_mistakes(load_predictions(study, mine, test_set=test_set, digest=entry.digest), applied)


def _take_over(
    study: Study, entry: TestSetEntry, found: FoundMistakes, *, categories: Sequence[DefinedCategory]
) -> list[TakenOver]:
    """What the codings of these images say of the mistakes, the latest version of each; of two the one that was added last.

    Codes of another list of categories hold where that has the same name. What a label set alone overturned, it overturned for
    those who believe it: coders look at it.
    """
    wanted = dict.fromkeys(zip(found.image_ids.tolist(), found.predictions.tolist(), strict=True))
    name_of = {str(one.name).casefold(): str(one.name) for one in categories}
    decided: dict[tuple[str, int], TakenOver] = {}
    for coding in _list_latest(study, entry):
        for one in _list_decided(load_coding(study, coding)):
            pair = (one.image_id, one.prediction)
            if pair in wanted and (one.reason or one.category.casefold() in name_of):
                decided[pair] = one._replace(category=name_of.get(one.category.casefold(), ""))
    return [decided[pair] for pair in wanted if pair in decided]


def _list_latest(study: Study, entry: TestSetEntry) -> list[CodingEntry]:
    """The latest version of each coding on a test set that no erasure has made void, in the order in which these were added."""
    valid = (one for one in list_codings(study) if one.test_set == entry.name and SUPERSEDED not in one.provenance)
    latest = {one.name: one for one in valid}
    return sorted(latest.values(), key=lambda one: one.id)


def _list_decided(coding: MistakeCoding) -> list[TakenOver]:
    """What a coding says of each mistake; what coders wrote stays there."""
    coded, gone = coding.coded, coding.overturned
    rows = zip(coded.image_ids.tolist(), coded.predictions.tolist(), coded.categories, coded.severities, strict=True)
    kept = [
        TakenOver(image_id, prediction, coded.category_names[category], SEVERITIES[severity], "", coding.name)
        for image_id, prediction, category, severity in rows
    ]
    pairs = zip(gone.image_ids.tolist(), gone.predictions.tolist(), gone.reasons, strict=True)
    return kept + [
        TakenOver(image_id, prediction, "", "", reason, coding.name)
        for image_id, prediction, reason in pairs
        if reason != BY_LABEL_SET
    ]
