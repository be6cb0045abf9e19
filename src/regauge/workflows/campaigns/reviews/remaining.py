"""What a participant still gets wrong: which mistakes coders look at, and which other codings have decided already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from regauge.campaigns.fields import PARTICIPANTS
from regauge.campaigns.reviews.coding import CATEGORIES, N_ACCEPTED, N_MISTAKES, N_NAMED, NAMED, TAKEN_OVER
from regauge.campaigns.visibility import LABELS
from regauge.errors import InputError
from regauge.estimates import count_things, join_words
from regauge.evaluation.targets import line_up
from regauge.fields import FieldError
from regauge.formats.mistakes.categories import load_categories
from regauge.formats.mistakes.coded import dump_taken_over
from regauge.formats.mistakes.named_answers import dump_named
from regauge.labels.selection import keep_images
from regauge.mistakes.coders import list_decided
from regauge.mistakes.finding import AppliedLabels, apply_labels, find_mistakes
from regauge.records.labels.label_set import Truth
from regauge.records.mistakes.coded import STANDARD_CATEGORIES, DefinedCategory
from regauge.records.mistakes.coders import NamedAnswers, TakenOver
from regauge.records.mistakes.coding import CodingEntry
from regauge.records.mistakes.found import FoundMistakes
from regauge.records.predictions import Predictions
from regauge.records.studies import SUPERSEDED, LabelSetEntry, PredictionsEntry, TestSetEntry
from regauge.records.testsets.test_set import TestSet
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


def find_remaining(
    study: Study,
    entry: TestSetEntry,
    *,
    settings: Mapping[str, Any],
    named: Sequence[tuple[str, int]] | None = None,
) -> RemainingMistakes:
    """All mistakes of one participant under a label set, judged or not, but for those that a coding of the study has decided.

    A severity belongs to an image and a prediction, whoever predicted it, so it is taken over where it is known.

    Args:
        study: the study, inside a transaction.
        entry: the test set.
        settings: what is asked for.
        named: images with the class that was answered, where these alone are coded; of several participants, if need be.

    Raises:
        FieldError: there is no such participant or label set, the label set is void, or the list of categories cannot be used.
        InputError: nothing remains to code, or a pair that is named is nobody's answer.
    """
    labels = _get_labels(study, settings)
    if named is None:
        asked = _ask_all(study, entry, _get_participant(study, entry, settings), labels=labels)
    else:
        asked = _ask_named(study, entry, named, globs=settings.get(PARTICIPANTS.name) or (), labels=labels)
    categories = _load_own_categories(settings)
    taken = _take_over(study, entry, asked.pairs, categories=categories)
    known = {(one.image_id, one.prediction) for one in taken}
    pairs = [pair for pair in asked.pairs if pair not in known]
    sources = Counter(one.coding for one in taken)
    if not pairs:
        raise InputError(
            f"Nothing remains to code: {count_things(len(taken), 'mistake')} of {join_words(asked.names)} under "
            f"{labels.full_name} {'is' if len(taken) == 1 else 'are'} decided already, by {join_words(list(sources))}."
        )
    kept = {
        PARTICIPANTS.name: asked.names,
        LABELS: labels.full_name,
        CATEGORIES.name: [[str(one.name), one.definition] for one in categories],
        N_MISTAKES: len(asked.pairs),
        **asked.counts,
        **({TAKEN_OVER: dict(sources)} if sources else {}),
    }
    documents = {
        **({TAKEN_OVER: dump_taken_over(taken)} if taken else {}),
        **({NAMED: dump_named(asked.answers)} if named is not None else {}),
    }
    return RemainingMistakes(pairs, kept, documents)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Mistakes before it is known which of them are decided already: the pairs, whose they are, and what is counted of them."""

    pairs: list[tuple[str, int]]
    answers: tuple[NamedAnswers, ...]
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Whose they are."""
        return [one.participant for one in self.answers]


def _ask_all(study: Study, entry: TestSetEntry, mine: PredictionsEntry, *, labels: LabelSetEntry) -> _Asked:
    """Every mistake of one participant."""
    images = load_test_set(study, entry)
    found = find_mistakes(_load(study, mine, entry=entry, images=images), _apply(study, images, labels))
    if not len(found):
        raise InputError(
            f"Nothing remains to code: {mine.participant} makes no mistake on {entry.name} under {labels.full_name}."
        )
    pairs = _list_pairs(found)
    return _Asked(pairs, (NamedAnswers(mine.participant, len(found), tuple(pairs)),))


def _ask_named(
    study: Study,
    entry: TestSetEntry,
    named: Sequence[tuple[str, int]],
    *,
    globs: Sequence[str],
    labels: LabelSetEntry,
) -> _Asked:
    """The pairs of a file that are mistakes of those who are meant, everybody by default, and whose they are."""
    wanted = dict.fromkeys(named)
    if not wanted:
        raise InputError("The file names no pair of an image and an answer, so there is nothing to code.")
    images = load_test_set(study, entry)
    _check_images([image_id for image_id, _ in wanted], images)
    applied = _apply(study, images, labels)
    given: set[tuple[str, int]] = set()
    answers: list[NamedAnswers] = []
    for one in _get_participants(study, entry, globs):
        predictions = _load(study, one, entry=entry, images=images)
        firsts = zip(predictions.image_ids.tolist(), predictions.classes[:, 0].tolist(), strict=True)
        given.update(pair for pair in firsts if pair in wanted)
        mistakes = _list_pairs(find_mistakes(predictions, applied))
        if mine := tuple(pair for pair in mistakes if pair in wanted):
            answers.append(NamedAnswers(one.participant, len(mistakes), mine))
    if strangers := [pair for pair in wanted if pair not in given]:
        image_id, index = strangers[0]
        raise InputError(
            f"{'Nobody who is named' if globs else 'Nobody'} answers class {index} on image {image_id!r}, so there is no "
            f"mistake to code; leave {count_things(len(strangers), 'such pair')} out, or name whose mistakes they are with "
            "`participants=…`."
        )
    mistaken = {pair for one in answers for pair in one.pairs}
    if not mistaken:
        raise InputError(f"Nothing remains to code: {labels.full_name} accepts every answer that the file names.")
    pairs = [pair for pair in wanted if pair in mistaken]
    n_accepted = len(wanted) - len(pairs)
    return _Asked(pairs, tuple(answers), {N_NAMED: len(wanted), **({N_ACCEPTED: n_accepted} if n_accepted else {})})


def _check_images(image_ids: Sequence[str], images: TestSet) -> None:
    known = set(images.image_ids.tolist())
    missing = [one for one in image_ids if one not in known]
    if missing:
        raise InputError(
            f"Test set {images.name} has no image {missing[0]!r}; leave {count_things(len(missing), 'such pair')} out."
        )


def _get_participants(study: Study, entry: TestSetEntry, globs: Sequence[str]) -> Sequence[PredictionsEntry]:
    """Everybody who is meant."""
    try:
        return get_predictions(study, entry, participants=globs)
    except InputError as error:
        raise FieldError(PARTICIPANTS.name, str(error)) from error


def _get_participant(study: Study, entry: TestSetEntry, settings: Mapping[str, Any]) -> PredictionsEntry:
    """The one participant who is named."""
    globs = settings.get(PARTICIPANTS.name)
    if not globs:
        raise FieldError(PARTICIPANTS.name, "Name the participant whose mistakes are coded with `participants=…`.")
    found = _get_participants(study, entry, globs)
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


def _apply(study: Study, images: TestSet, labels: LabelSetEntry) -> AppliedLabels:
    """The label set over the images of the test set."""
    label_set = keep_images(load_label_set(study, labels), set(images.image_ids.tolist()))
    if not len(label_set):
        raise FieldError(LABELS, f"Label set {labels.full_name} covers no image of {images.name}.")
    return apply_labels(line_up(Truth(images, (label_set,)), n_classes=len(study.taxonomy)))


def _load(study: Study, mine: PredictionsEntry, *, entry: TestSetEntry, images: TestSet) -> Predictions:
    return load_predictions(study, mine, test_set=images, digest=entry.digest)


def _list_pairs(found: FoundMistakes) -> list[tuple[str, int]]:
    return list(zip(found.image_ids.tolist(), found.predictions.tolist(), strict=True))


def _take_over(
    study: Study, entry: TestSetEntry, pairs: Sequence[tuple[str, int]], *, categories: Sequence[DefinedCategory]
) -> list[TakenOver]:
    """What the codings of these images say of the mistakes, the latest version of each; of two the one that was added last.

    Codes of another list of categories hold where that has the same name. What a label set alone overturned, it overturned for
    those who believe it: coders look at it.
    """
    wanted = dict.fromkeys(pairs)
    name_of = {str(one.name).casefold(): str(one.name) for one in categories}
    decided: dict[tuple[str, int], TakenOver] = {}
    for coding in _list_latest(study, entry):
        for one in list_decided(load_coding(study, coding)):
            pair = (one.image_id, one.prediction)
            if pair in wanted and (one.reason or one.category.casefold() in name_of):
                decided[pair] = one._replace(category=name_of.get(one.category.casefold(), ""))
    return [decided[pair] for pair in wanted if pair in decided]


def _list_latest(study: Study, entry: TestSetEntry) -> list[CodingEntry]:
    """The latest version of each coding on a test set that no erasure has made void, in the order in which these were added."""
    valid = (one for one in list_codings(study) if one.test_set == entry.name and SUPERSEDED not in one.provenance)
    latest = {one.name: one for one in valid}
    return sorted(latest.values(), key=lambda one: one.id)
