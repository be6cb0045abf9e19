"""Create slices: of major mistakes, by a rule, or from a list; each is looked at before it is frozen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from regauge.arrays import BoolArray, IdArray
from regauge.errors import InputError
from regauge.estimates import count_things, join_words
from regauge.formats.slices.lists import load_image_list
from regauge.records.names import quote_first
from regauge.records.slices.answers import MajorChoice, OpenPredictions, OpenReason
from regauge.records.slices.rules import ImageRule, MajorRule, describe_rule
from regauge.records.slices.slice import Slice, SliceEntry, SliceInputs, SliceKind
from regauge.records.studies import LabelSetEntry, TestSetEntry
from regauge.slices.conditions import choose_by_rule
from regauge.slices.majors import choose_majors
from regauge.slices.states import index_codes
from regauge.storage.events import add_event
from regauge.storage.labels.label_set import load_label_set
from regauge.storage.slices.slices import check_slice_name, insert_slice
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.slices.covering import ask_about, cover_images
from regauge.workflows.slices.material import (
    find_choosers,
    find_codings,
    find_label_entry,
    find_rule_material,
    find_voters,
)


@dataclass(frozen=True, slots=True)
class SliceRequest:
    """What slice to make.

    Attributes:
        name: what to call it.
        rule: how to choose the images; a list needs none.
        test_set: of which images; the only test set by default.
        labels: the label set that says which answers are right; of major mistakes the latest version of the one under which the
            reference's mistakes were coded, by default.
        codings: the codings whose codes hold; of major mistakes the latest of the reference and the models, by default.
        images: a file that lists images; a rule may have it as well.
        choosers: with a list, participants whose answers helped to choose the images.
        is_complete: whether complete labelling must have covered every image.
        allow_open: whether images are frozen though predictions still have to be judged or coded.
    """

    name: str
    rule: MajorRule | ImageRule | None = None
    test_set: str | None = None
    labels: str | None = None
    codings: Sequence[str] = ()
    images: Path | str | None = None
    choosers: Sequence[str] = ()
    is_complete: bool = False
    allow_open: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class PreparedSlice:
    """A slice that may be frozen, and what stands in the way.

    Attributes:
        chosen: the slice; None where no image is settled yet.
        queue: what has to be judged, coded or looked at first.
        problem: why it cannot be frozen; empty where it can.
        notes: what the reader should know, a sentence each.
    """

    chosen: Slice | None
    queue: OpenPredictions
    problem: str = ""
    notes: tuple[str, ...] = ()


def create_slice(study: Study, request: SliceRequest) -> SliceEntry:
    """Choose the images of a slice and freeze it.

    Raises:
        InputError: as for `prepare_slice`, or something has to be judged, coded or looked at first.
    """
    return store_slice(study, prepare_slice(study, request))


def prepare_slice(study: Study, request: SliceRequest) -> PreparedSlice:
    """Choose the images of a slice, and see what has to be done before it can be frozen; nothing is stored.

    Raises:
        InputError: the name is taken, no image is chosen, or what the slice is made of is not there or void.
    """
    check_slice_name(study, request.name)
    images = get_test_set(study, request.test_set)
    if isinstance(request.rule, MajorRule):
        prepared = _prepare_majors(study, request, request.rule, images)
    else:
        prepared = _prepare_listed(study, request, images)
    if request.is_complete and prepared.chosen is not None:
        prepared = _check_complete(study, prepared, images)
    return prepared


def store_slice(study: Study, prepared: PreparedSlice) -> SliceEntry:
    """Freeze what was prepared.

    Raises:
        InputError: something stands in the way.
    """
    if prepared.problem or prepared.chosen is None:
        raise InputError(prepared.problem)
    chosen = prepared.chosen
    entry = insert_slice(study, chosen)
    facts = {"slice": chosen.name, "kind": str(chosen.kind), "n_images": len(chosen), "labels": chosen.labels}
    add_event(study, "slice create", {**facts, "complete": chosen.is_complete, **describe_rule(chosen.rule)})
    return entry


def _prepare_majors(study: Study, request: SliceRequest, rule: MajorRule, images: TestSetEntry) -> PreparedSlice:
    names = (rule.reference, *rule.models)
    codings = find_codings(study, request.codings, images=images, participants=names)
    own = [one for one in codings if one.participant == rule.reference]
    if not own:
        raise InputError(
            f"No coding of the mistakes of {rule.reference} on {images.name} is "
            f"{'named' if request.codings else 'in the study'}, and a slice of major mistakes is chosen from these; "
            f"{'name it with `codings=…`' if request.codings else 'add one with: regauge mistakes add FILE'}."
        )
    codings = (*own, *(one for one in codings if one.participant != rule.reference))
    labels = find_label_entry(study, request.labels, codings=codings)
    label_set, (chosen_by, answers) = load_label_set(study, labels), find_voters(study, rule, images)
    choice = choose_majors(rule, own, label_set=label_set, codes=index_codes(codings), answers=answers)
    inputs = SliceInputs(
        participants=chosen_by,
        codings=tuple(one.name for one in codings),
        n_candidates=choice.n_candidates,
        n_open=len(choice.open_predictions),
        n_undecided=len(choice.undecided),
    )
    if not len(choice.image_ids) and not len(choice.undecided):
        raise InputError(
            f"On none of the {count_things(choice.n_candidates, 'major mistake')} of {rule.reference} do {rule.at_least:,} of "
            f"{len(names):,} models make a major mistake; lower `at_least=…`."
        )
    make = partial(Slice, request.name, SliceKind.MAJOR, images.name, labels=labels.full_name, rule=rule, inputs=inputs)
    chosen = make(image_ids=choice.image_ids) if len(choice.image_ids) else None
    problem = _tell_open(choice, labels) if inputs.n_open and not (request.allow_open and chosen) else ""
    return PreparedSlice(chosen, choice.open_predictions, problem, tuple(_describe_choice(choice, rule, labels)))


def _prepare_listed(study: Study, request: SliceRequest, images: TestSetEntry) -> PreparedSlice:
    """Images that a rule chooses, or that a file lists."""
    codings = find_codings(study, request.codings, images=images)
    labels = find_label_entry(study, request.labels)
    listed = None if request.images is None else load_image_list(request.images)
    label_set, source = load_label_set(study, labels), "" if request.images is None else Path(request.images).name
    inputs = SliceInputs(codings=tuple(one.name for one in codings), n_candidates=images.n_images, source=source)
    if isinstance(request.rule, ImageRule):
        ids = frozenset(() if listed is None else listed.image_ids)
        material = find_rule_material(study, request.rule, images=images, label_set=label_set)
        image_ids = choose_by_rule(request.rule, replace(material, codings=codings, listed=ids))
        own = replace(inputs, participants=find_choosers(study, request.rule, images, codings=codings))
        chosen = Slice(request.name, SliceKind.RULE, images.name, image_ids, labels.full_name, request.rule, own)
        return PreparedSlice(chosen, _OPEN_NOTHING)
    if listed is None:
        raise InputError("A slice without a rule needs a file that lists its images; name one with `images=…`.")
    known = load_test_set(study, images).image_ids
    wanted = np.array(listed.image_ids, np.str_)
    is_known = np.isin(wanted, known)
    if not is_known.any():
        raise InputError(
            f"No image of {source} is in {images.name}: the first is {listed.image_ids[0]!r}, and that of the test set "
            f"{str(known[0])!r}."
        )
    if not np.isin(wanted[is_known], label_set.image_ids).any():
        raise InputError(f"{labels.full_name} knows no image that {source} lists; name the label set that does.")
    choosers, _ = find_voters(study, request.choosers, images)
    own = replace(inputs, participants=choosers, n_candidates=len(wanted))
    chosen = Slice(request.name, SliceKind.LIST, images.name, wanted[is_known], labels.full_name, None, own)
    return PreparedSlice(chosen, _OPEN_NOTHING, notes=tuple(_describe_list(wanted, is_known, own, images)))


def _check_complete(study: Study, prepared: PreparedSlice, images: TestSetEntry) -> PreparedSlice:
    """The slice marked as complete, or what complete labelling has not covered."""
    chosen = prepared.chosen
    if chosen is None:
        return prepared
    label_set = load_label_set(study, find_label_entry(study, chosen.labels))
    coverage = cover_images(study, chosen.image_ids, label_set, images=images)
    problem = ""
    if coverage.missing:
        problem = (
            f"Complete labelling does not cover {count_things(len(coverage.missing), 'image')} of {len(chosen):,} "
            f"({quote_first(coverage.missing)}), so {chosen.name} is not complete; write them to a file with `queue=…`, and ask "
            f"with: regauge campaign create review NAME --mode complete --labels {chosen.labels} --pairs FILE."
        )
    elif coverage.outdated:
        problem = (
            f"{chosen.labels} has no verdict on classes that reviewers judged on "
            f"{count_things(len(coverage.outdated), 'image')} ({quote_first(coverage.outdated)}); make labels "
            f"with: regauge campaign labels {coverage.ahead[0]} --name NAME, and name these with `labels=…`."
        )
    asked = list(ask_about(study, coverage.missing, label_set, images=images))
    rows = OpenPredictions(
        np.array([one for one, _ in asked], np.str_),
        np.array([index for _, index in asked], np.int32),
        (OpenReason.LOOK,) * len(asked),
        ((),) * len(asked),
    )
    done = replace(chosen, is_complete=not problem, inputs=replace(chosen.inputs, complete_by=coverage.campaigns))
    return replace(prepared, chosen=done, queue=prepared.queue.join(rows), problem=prepared.problem or problem)


def _tell_open(choice: MajorChoice, labels: LabelSetEntry) -> str:
    """What has to be judged and coded first, and how."""
    queue = choice.open_predictions
    n_judge, n_code = (queue.count(one) for one in (OpenReason.VERDICT, OpenReason.SEVERITY))
    settled = count_things(len(choice.image_ids), "image is", many="images are")
    ask = (
        f"ask with: regauge campaign create review NAME --labels {labels.full_name} --pairs FILE, and "
        if n_judge
        else ""
    )
    freeze = "; `allow_open=True` freezes those that are settled" if len(choice.image_ids) else ""
    return (
        f"{count_things(len(queue), 'prediction')} of the models must be looked at first, {n_judge:,} to judge and {n_code:,} to "
        f"code; write them to a file with `queue=…`, {ask}code what is wrong with: regauge campaign create code NAME --labels "
        f"{labels.full_name} --pairs FILE. So far {settled} settled and {len(choice.undecided):,} undecided{freeze}."
    )


def _describe_choice(choice: MajorChoice, rule: MajorRule, labels: LabelSetEntry) -> Iterator[str]:
    yield (
        f"{count_things(len(choice.image_ids), 'image')} chosen of {count_things(choice.n_candidates, 'major mistake')} of "
        f"{rule.reference} under {labels.full_name}."
    )
    if choice.n_accepted:
        yield (
            f"{count_things(choice.n_accepted, 'major mistake')} left out: {labels.full_name} accepts the prediction by now, or "
            "leaves out the image."
        )
    if choice.n_changed:
        mistakes = count_things(choice.n_changed, "coded major mistake")
        yield f"{mistakes} left out: {rule.reference} answers otherwise in this study."
    if choice.n_uncoded:
        asked = sum(rule.reference in names for names in choice.open_predictions.participants)
        yield (
            f"{count_things(choice.n_uncoded, 'mistake')} of {rule.reference} not coded, so nobody knows whether they are major; "
            f"{asked:,} of them could be in the slice, and {'is' if asked == 1 else 'are'} in the queue."
        )


def _describe_list(wanted: IdArray, is_known: BoolArray, inputs: SliceInputs, images: TestSetEntry) -> Iterator[str]:
    n_out = int(np.count_nonzero(~is_known))
    if n_out:
        yield f"{count_things(n_out, 'image')} left out: not in {images.name} ({quote_first(wanted[~is_known].tolist())})."
    absent = [one.participant for one in inputs.participants if not one.sha256]
    if absent:
        yield f"No predictions on {images.name} here of {join_words(absent)}; whoever is scored under the name is not comparable."


_OPEN_NOTHING = OpenPredictions(np.array([], np.str_), np.array([], np.int32), (), ())
