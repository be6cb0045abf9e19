"""What is known of images beside their truth and what participants answer: from files, or from a study."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TypeAlias, TypeVar

from regauge.errors import InputError
from regauge.evaluation.context.material import KnownOfImages
from regauge.formats.classes import check_indices
from regauge.formats.labels.asked import load_candidates, load_potential_labels
from regauge.formats.labels.frequencies import load_selection_counts
from regauge.formats.labels.splits import load_parts
from regauge.formats.responses.classify import load_classify_responses
from regauge.kinds.contract import KindOutput
from regauge.kinds.registry import find_kind
from regauge.records.candidates import Candidates, PotentialLabels, SplitPart
from regauge.records.labels.classify import ClassifySettings
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.predictions import EVERYBODY, ParticipantChoice
from regauge.records.responses.answers import ClassifyResponses
from regauge.records.studies import CAMPAIGN, LabelSetEntry, TestSetEntry
from regauge.records.taxonomy import Taxonomy
from regauge.storage.campaigns.campaign import get_campaign, list_campaigns
from regauge.storage.study import Study
from regauge.workflows.campaigns.responses import load_answers, make_responses
from regauge.workflows.evaluation.kept_answers import find_kept
from regauge.workflows.inputs import CountsLike, PredictionsLike, TruthLike

ClassifyLike: TypeAlias = ClassifyResponses | str | Path | Sequence[str | Path]
_Record = TypeVar("_Record", PotentialLabels, Candidates)
SplitLike: TypeAlias = Mapping[str, SplitPart | str] | str | Path


@dataclass(frozen=True, slots=True)
class ContextInputs:
    """What is known of the images of a test set; everything but the truth may be missing.

    Attributes:
        truth: files, folders or records, see `load_truth`; None in a study, which has it.
        predictions: files, folders, globs or records, see `find_participants`; none in a study.
        classify: answers to CLASSIFY: files, or a record.
        frequencies: selection counts of CONTAINS: a table of image_id, class, n_shown and n_selected, or a record.
        split: where images went after CONTAINS: a table printed by `candidates split`, or image id → part; found by the
            selection counts where these are there.
        potential: labels that people were asked about: a table printed by `candidates potential`, or a record.
        candidates: labels that CLASSIFY offered: a table printed by `candidates final`, or a record.
        screening: whether flawed answers to CLASSIFY are left out.
        columns: what tables of truth and predictions call our columns.
        chosen: the kind and the families of the participants who are meant.
    """

    truth: TruthLike | None = None
    predictions: PredictionsLike = ()
    classify: ClassifyLike | None = None
    frequencies: CountsLike | None = None
    split: SplitLike | None = None
    potential: PotentialLabels | str | Path | None = None
    candidates: Candidates | str | Path | None = None
    screening: bool = True
    columns: Mapping[str, str] | None = None
    chosen: ParticipantChoice = EVERYBODY


def load_known(inputs: ContextInputs, taxonomy: Taxonomy | None) -> KnownOfImages:
    """What the inputs hold beside truth and predictions."""
    responses, notes = _load_responses(inputs.classify, taxonomy)
    return KnownOfImages(
        responses=responses,
        rule=ClassifySettings(screening=inputs.screening) if responses is not None else None,
        counts=_load_counts(inputs.frequencies, taxonomy),
        parts=_load_split(inputs.split),
        potential=_load_table(inputs.potential, load_potential_labels, taxonomy),
        candidates=_load_table(inputs.candidates, load_candidates, taxonomy),
        notes=notes,
    )


def add_known(given: KnownOfImages, found: KnownOfImages) -> KnownOfImages:
    """What was given, and of what was not, what is found."""
    names = [field.name for field in fields(KnownOfImages) if field.name != "notes"]
    lacking = {name: getattr(found, name) for name in names if getattr(given, name) is None}
    is_used = "responses" in lacking
    return replace(given, **lacking, notes=(*given.notes, *(found.notes if is_used else ())))


def find_known(study: Study, test_set: TestSetEntry, *, label_sets: Sequence[LabelSetEntry]) -> KnownOfImages:
    """The answers to CLASSIFY behind the label sets of a study, or of a campaign on the test set without labels so far.

    Those that came with labels from elsewhere are taken where no campaign has any. They are screened as the labels were. Which
    images are easy, the rule of the labels says.
    """
    for name, stored in _list_sources(study, test_set, label_sets):
        campaign = get_campaign(study, name)
        kind = find_kind(study.around.kinds, campaign.kind)
        if KindOutput.OBJECTS not in kind.gives:
            continue
        found = load_answers(study, name)
        if not len(found):
            continue
        rule: ClassifySettings = kind.fields.make_rule({}) if stored is None else kind.fields.parse_rule(stored)
        parts = load_parts(rule.split) if rule.split and Path(rule.split).is_file() else None
        note = f"Answers to CLASSIFY are those of campaign {name}."
        return KnownOfImages(responses=make_responses(found), rule=rule, parts=parts, notes=(note,))
    return find_kept(study, label_sets)


def _list_sources(
    study: Study, test_set: TestSetEntry, label_sets: Sequence[LabelSetEntry]
) -> Iterator[tuple[str, Mapping[str, object] | None]]:
    """Campaigns with the settings of the labels made of them, the newest labels first; then those without labels."""
    for entry in sorted(label_sets, key=lambda one: -one.id):
        if entry.provenance.get(CAMPAIGN):
            yield entry.provenance[CAMPAIGN], entry.provenance.get("settings")
    for campaign in reversed(list_campaigns(study)):
        if campaign.plan.settings.get("test_set") == test_set.name:
            yield campaign.name, None


def _load_responses(
    classify: ClassifyLike | None, taxonomy: Taxonomy | None
) -> tuple[ClassifyResponses | None, tuple[str, ...]]:
    if classify is None or isinstance(classify, ClassifyResponses):
        return classify, ()
    paths = [classify] if isinstance(classify, str | Path) else list(classify)
    return load_classify_responses(paths, taxonomy=taxonomy) if paths else (None, ())


def _load_counts(counts: CountsLike | None, taxonomy: Taxonomy | None) -> SelectionCounts | None:
    if isinstance(counts, SelectionCounts):
        check_indices(counts.classes, taxonomy)
        return counts
    return None if counts is None else load_selection_counts(counts, taxonomy=taxonomy)


def _load_split(split: SplitLike | None) -> dict[str, SplitPart] | None:
    if split is None:
        return None
    if isinstance(split, str | Path):
        return load_parts(split)
    unknown = [part for part in split.values() if part not in set(SplitPart)]
    if unknown:
        raise InputError(f"A part of a split is {', '.join(SplitPart)}, not {unknown[0]!r}.")
    return {image_id: SplitPart(part) for image_id, part in split.items()}


def _load_table(
    given: _Record | str | Path | None, load: Callable[..., _Record], taxonomy: Taxonomy | None
) -> _Record | None:
    return load(given, taxonomy=taxonomy) if isinstance(given, str | Path) else given
