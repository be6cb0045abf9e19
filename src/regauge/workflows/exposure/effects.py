"""Whether people of a study answer better what they have seen before: accuracies with and without exposure, by set."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from regauge.arrays import BoolArray
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, count_things
from regauge.evaluation.exposure_effects import LabelerOutcomes, count_outcomes, find_accuracy, measure_effect
from regauge.evaluation.metrics import find_measures
from regauge.evaluation.outcomes import Measure, Outcome
from regauge.evaluation.targets import Target, line_up, line_up_answers
from regauge.labels.selection import keep_images
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.campaigns.evaluations import PARTICIPANTS_OF
from regauge.records.exposure.effects import ExposedLabeler, ExposureEffect
from regauge.records.exposure.exposures import ExposureRole
from regauge.records.labels.label_set import Truth
from regauge.records.predictions import ParticipantKind
from regauge.records.studies import CAMPAIGN, PredictionsEntry, TestSetEntry
from regauge.storage.campaigns.campaign import get_campaign, list_campaigns
from regauge.storage.exposure.image_keys import load_keys
from regauge.storage.labels.label_set import get_label_set, list_label_sets, load_label_set
from regauge.storage.participants import load_participants
from regauge.storage.people.pseudonyms import find_pseudonyms
from regauge.storage.predictions import get_predictions, list_predictions, load_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.exposure.seen import NamesOfPeople, SeenImage, find_seen, load_names, write_end

_ASKED = (ExposureRole.LABELER, ExposureRole.ANNOTATOR)
"""As what people are shown what they are asked about, in an evaluation and in any other campaign."""
PREFERRED = ("multilabel_strict", "multilabel_lenient", "top1")
"""By which metric answers are judged unless one is named: the first that the labels allow."""


@dataclass(frozen=True, slots=True)
class EffectOrder:
    """Of whom the effect of exposure is wanted, by which labels, and from when on they were measured.

    Attributes:
        test_set: on which set; the only one by default.
        participants: globs on names; everybody who is a person by default.
        metric: when an answer is right; by default the strictest that the labels allow.
        labels: by which label set, NAME or NAME@VERSION; dataset for the dataset labels. By default the latest that has any.
        campaign: in which they were measured, so that what it showed is no exposure; by default the one that their answers name,
            or else the last evaluation that they took part in.
        before: the moment or day before which exposure counts; by default when their evaluation first showed them an image, or
            else when their answers were added.
        level: the level of every interval.
    """

    test_set: str | None = None
    participants: tuple[str, ...] = ()
    metric: str | None = None
    labels: str | None = None
    campaign: str | None = None
    before: str | None = None
    level: float = DEFAULT_LEVEL


class _Seen(NamedTuple):
    """What somebody had seen before they began: which images, and how."""

    began_at: str
    is_seen: BoolArray
    before: list[SeenImage]


def measure_exposure_effect(study: Study, order: EffectOrder | None = None) -> ExposureEffect:
    """Accuracy of people with and without exposure: by labeler, by image, and within each, with the differences.

    Call `learn_exposures` before: what was answered without a server is not known else.

    Args:
        study: the study, which may be only read.
        order: of whom, on what, by which labels.

    Raises:
        InputError: there is no such set, participant, label set or campaign, nobody is a person, or the labels do not allow the
            metric.
    """
    wanted = order or EffectOrder()
    entry, names = get_test_set(study, wanted.test_set), load_names(study)
    predictions = _choose_people(study, entry, wanted)
    target = _open_target(study, entry, wanted)
    measure = _choose_measure(target, wanted)
    keys = load_keys(study, [entry.id]).get(entry.id, ())
    everything, call = list(find_seen(study, keys, names=names)), find_pseudonyms(study).call
    test_set = load_test_set(study, entry)
    outcomes, labelers = [], []
    for one in predictions:
        answers = line_up_answers(
            load_predictions(study, one, test_set=test_set, digest=entry.digest), target, allow_missing=True
        )
        own = [found for found in everything if found.person == names.find_first(one.participant)]
        seen = _find_before(study, one, own, wanted, n_images=entry.n_images)
        judged = LabelerOutcomes(one.participant, measure.judge(answers), seen.is_seen)
        outcomes.append(judged)
        labeler = _describe(judged, seen, names=names, level=wanted.level)
        labelers.append(replace(labeler, person=call(labeler.person)))
    scores, differences = measure_effect(outcomes, level=wanted.level)
    notes = tuple(_note(labelers))
    return ExposureEffect(entry.name, measure.metric, measure.labels, tuple(labelers), scores, differences, notes)


class ParticipantSeen(NamedTuple):
    """How many images a participant answered, how many of them they had seen before and as what, and whether that is known."""

    participant: str
    n_answered: int
    n_seen: int
    roles: tuple[str, ...]
    is_known: bool


def tell_seen_before(study: Study, test_set: str | None, people: Collection[str]) -> tuple[str, ...]:
    """Who of some people had seen which of the images that they answered, who had seen none, and of whom nobody knows.

    Call `learn_exposures` before, as for `measure_exposure_effect`.

    Args:
        study: the study, which may be only read.
        test_set: on which set; the only one by default.
        people: the names of participants.
    """
    entry, names = get_test_set(study, test_set), load_names(study)
    answers = [one for one in list_predictions(study, entry) if one.participant in people]
    if not answers:
        return ()
    everything = list(find_seen(study, load_keys(study, [entry.id]).get(entry.id, ()), names=names))
    known = {names.find_first(name) for name in names.annotators.values()}
    stored, found = load_test_set(study, entry), []
    for one in answers:
        first = names.find_first(one.participant)
        own = [seen for seen in everything if seen.person == first]
        seen = _find_before(study, one, own, EffectOrder(), n_images=entry.n_images)
        given = load_predictions(study, one, test_set=stored, digest=entry.digest)
        is_answered = np.isin(stored.image_ids, given.image_ids)
        roles = sorted({before.role.value for before in seen.before if is_answered[before.place]})
        n_seen = int((seen.is_seen & is_answered).sum())
        is_known = bool(own) or first in known
        found.append(ParticipantSeen(one.participant, int(is_answered.sum()), n_seen, tuple(roles), is_known))
    return tuple(describe_seen_before(entry.name, found))


def describe_seen_before(test_set: str, found: Sequence[ParticipantSeen]) -> Iterator[str]:
    """The same in sentences."""
    for one in found:
        if one.n_seen:
            yield (
                f"{one.participant} had already seen {one.n_seen:,} of the {count_things(one.n_answered, 'image')} of {test_set} "
                f"that they answered, as {' and '.join(one.roles)}; regauge exposure effect tells them apart."
            )
    new = [one.participant for one in found if one.is_known and not one.n_seen]
    if new:
        yield f"No image of {test_set} that they answered was shown before by this study to: {', '.join(new)}."
    unknown = [one.participant for one in found if not one.is_known]
    if unknown:
        yield f"Nobody knows which images of {test_set} were shown before to: {', '.join(unknown)}."


def _choose_people(study: Study, entry: TestSetEntry, wanted: EffectOrder) -> tuple[PredictionsEntry, ...]:
    """The answers of those who are meant."""
    found = get_predictions(study, entry, participants=wanted.participants)
    if wanted.participants:
        return found
    known = load_participants(study)
    people = {name for name, one in known.items() if one.kind is ParticipantKind.PERSON}
    chosen = tuple(one for one in found if one.participant in people)
    if not chosen:
        raise InputError(
            f"No participant on {entry.name} is a person; say who is with: regauge predictions add FILE --kind person, or name "
            "them with `participants=…`."
        )
    return chosen


def _open_target(study: Study, entry: TestSetEntry, wanted: EffectOrder) -> Target:
    """The truth by which answers are judged."""
    test_set = load_test_set(study, entry)
    if wanted.labels == "dataset":
        return line_up(Truth(test_set), n_classes=len(study.taxonomy))
    latest = {one.name: one for one in list_label_sets(study)}.values()
    chosen = [get_label_set(study, wanted.labels)] if wanted.labels else list(latest)
    images = set(test_set.image_ids.tolist())
    label_sets = [keep_images(load_label_set(study, one), images) for one in chosen]
    if wanted.labels and not len(label_sets[0]):
        raise InputError(f"Label set {wanted.labels} covers no image of {entry.name}.")
    return line_up(Truth(test_set, tuple(one for one in label_sets if len(one))), n_classes=len(study.taxonomy))


def _choose_measure(target: Target, wanted: EffectOrder) -> Measure:
    """When an answer is right: by the metric that is named, or the first of those preferred, and the latest labels."""
    measures = [one for one in find_measures(target) if one.n_answers == 1]
    for name in (wanted.metric,) if wanted.metric else PREFERRED:
        found = [one for one in measures if one.metric == name]
        if found:
            return found[-1]
    allowed = ", ".join(dict.fromkeys(one.metric for one in measures)) or "none"
    raise InputError(
        f"The labels of {target.name} do not allow {wanted.metric or PREFERRED[-1]}; they allow: {allowed}."
    )


def _find_before(
    study: Study, entry: PredictionsEntry, own: Sequence[SeenImage], wanted: EffectOrder, *, n_images: int
) -> _Seen:
    """What somebody had seen before they began."""
    campaign_id = _find_evaluation(study, entry, own, wanted)
    shown = [one for one in own if one.campaign_id == campaign_id and one.role in _ASKED]
    began_at = wanted.before or min((one.first_at for one in shown), default=entry.added_at)
    rest = [one for one in own if one.campaign_id != campaign_id or one.role not in _ASKED]
    before = [one for one in rest if one.first_at < began_at]
    is_seen = np.zeros(n_images, bool)
    is_seen[[one.place for one in before]] = True
    return _Seen(began_at, is_seen, before)


def _find_evaluation(
    study: Study, entry: PredictionsEntry, own: Sequence[SeenImage], wanted: EffectOrder
) -> int | None:
    """In which campaign somebody was measured; None where nothing tells."""
    if wanted.campaign is not None:
        return get_campaign(study, wanted.campaign).id
    named = entry.provenance.get(CAMPAIGN)
    campaigns = list_campaigns(study)
    numbers = {one.name: one.id for one in campaigns}
    if named in numbers:
        return numbers[named]
    made = [one.id for one in campaigns if entry.participant in _list_made(one)]
    if made:
        return max(made)
    return max((one.campaign_id for one in own if one.role is ExposureRole.LABELER), default=None)


def _list_made(campaign: CampaignEntry) -> set[str]:
    """The participants that were made of answers to a campaign."""
    made: Mapping[str, Sequence[str]] = campaign.plan.settings.get(PARTICIPANTS_OF, {})
    return {name for names in made.values() for name in names}


def _describe(judged: LabelerOutcomes, seen: _Seen, *, names: NamesOfPeople, level: float) -> ExposedLabeler:
    is_answered = judged.outcomes != Outcome.NOT_COUNTED
    counted = [one for one in seen.before if is_answered[one.place]]
    first = names.find_first(judged.labeler)
    is_known = first in {names.find_first(name) for name in names.annotators.values()} or bool(seen.before)
    last = max((min(one.last_at, seen.began_at) for one in counted), default="")
    return ExposedLabeler(
        judged.labeler,
        first if is_known else "",
        seen.began_at,
        int(is_answered.sum()),
        int((judged.is_seen & is_answered).sum()),
        min((one.first_at for one in counted), default=""),
        write_end(last),
        find_accuracy(count_outcomes(judged.outcomes), level=level),
        tuple(sorted({one.role.value for one in counted})),
        tuple(sorted({one.why for one in counted if one.why})),
    )


def _note(labelers: Sequence[ExposedLabeler]) -> Iterator[str]:
    for one in labelers:
        for why in one.why:
            yield f"{one.labeler} knows images from outside the study: {why}"
    unknown = [one.labeler for one in labelers if not one.person]
    if unknown:
        yield (
            f"{count_things(len(unknown), 'participant is', many='participants are')} no annotator of the study, so nothing is "
            f"known of what they were shown: {', '.join(unknown)}. Say who they are with: regauge exposure alias."
        )
    sides = {one.is_exposed for one in labelers}
    if sides == {False}:
        yield "None of them had seen an image before, so there is nothing to compare."
    if sides == {True}:
        yield "All of them had seen images before, so only images can be compared, not people."
