"""Label sets from the answers to a campaign: what they would be, the labels themselves, and the same anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from regauge.campaigns.reviews.final import FINAL_REVIEW, tell_final_review
from regauge.campaigns.visibility import LABELS
from regauge.candidates.split import split_images
from regauge.errors import InputError
from regauge.fields import pick
from regauge.formats.labels.frequencies import is_table, load_selection_counts
from regauge.formats.labels.splits import load_parts
from regauge.kinds.contract import KindOutput
from regauge.kinds.registry import find_kind
from regauge.labels.objects.easy import find_easy
from regauge.labels.selection import keep_images
from regauge.records.campaigns.campaign import CampaignEntry, Kind
from regauge.records.candidates import SplitPart
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.labels.results import EasySource, LabelContext, MadeLabels
from regauge.records.studies import CAMPAIGN, DERIVED_FROM, LabelSetEntry
from regauge.records.testsets.test_set import TestSet
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.campaigns.extra_tasks import N_FIRST_TASKS
from regauge.storage.guide import list_moments
from regauge.storage.labels.evidence import find_evidence, find_frequencies, has_frequencies
from regauge.storage.labels.label_set import get_label_set, list_label_sets, load_label_set
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.campaigns.responses import CampaignAnswers, load_answers, make_responses
from regauge.workflows.discussions.standing import is_discussion, load_named_standing
from regauge.workflows.labels.review_plans import find_plan
from regauge.workflows.labels.versions import store_truth

LabelRule: TypeAlias = Any
"""How answers become labels: a record of the kind of the campaign, which says whom to keep by `keep_annotators` and
`keep_responses`."""


@dataclass(frozen=True, slots=True)
class LabelPreview:
    """What the labels of a campaign would be if they were made now.

    Attributes:
        campaign: which campaign.
        kind: what its tasks ask.
        n_answers: answers that count, by `n_annotators` people.
        n_annotators: who gave them.
        n_screened_answers: those of the answers that screening drops.
        n_screened_annotators: people all of whose answers it drops.
        n_images: images asked about, and easy ones.
        n_judged: those of them that would have a verdict.
        verdicts: (image, class) pairs by verdict: correct, unclear, wrong and, for CONTAINS, unjudged.
        settings: the rule.
        n_unanswered: those of the images of whose answers none counts, and which are not easy: they have no labels.
        notes: what a reader of the labels should know, a sentence each.
        warnings: what they should beware of.
    """

    campaign: str
    kind: Kind
    n_answers: int
    n_annotators: int
    n_screened_answers: int
    n_screened_annotators: int
    n_images: int
    n_judged: int
    verdicts: Mapping[str, int]
    settings: LabelRule
    n_unanswered: int = 0
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def n_unjudged(self) -> int:
        """Images that would have no verdict."""
        return self.n_images - self.n_judged


@dataclass(frozen=True, slots=True)
class RebuiltLabels:
    """A label set, and its new version; None where no labels can be made any more, for the reason given."""

    before: LabelSetEntry
    after: LabelSetEntry | None
    problem: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class PreparedLabels:
    """The labels of a campaign, as they are stored, and what to say of them."""

    truth: Truth
    preview: LabelPreview
    provenance: Mapping[str, Any]


def preview_labels(study: Study, campaign: str | int, *, settings: LabelRule | None = None) -> LabelPreview:
    """What the answers to a campaign give by a rule; nothing is stored.

    Args:
        study: the study, inside a transaction.
        campaign: its name or number.
        settings: the rule, as `aggregate` has it for that kind of task; its defaults by default.

    Raises:
        InputError: there is no such campaign or no answer, screening leaves none, or the rule is for another kind of task.
    """
    return _make(study, campaign, settings).preview


def build_labels(study: Study, campaign: str | int, *, name: str, settings: LabelRule | None = None) -> LabelSetEntry:
    """Store what the answers to a campaign give as the next version of a label set.

    Verdicts come with the selection counts behind them (CONTAINS), or with objects and main labels (CLASSIFY). Only images of
    the test set that the campaign asks about are in it, not controls of another one. The provenance says from which answers
    it was made and how, so that it can be made anew.

    Args:
        study: the study, inside a transaction that may write.
        campaign: its name or number.
        name: what to call the label set; a name that exists gets a new version.
        settings: the rule, as `aggregate` has it for that kind of task; its defaults by default.

    Raises:
        InputError: as for `preview_labels`, or the name has an @ or is that of labels of another kind.
    """
    return store_labels(study, prepare_labels(study, campaign, settings=settings), name=name)


def prepare_labels(study: Study, campaign: str | int, *, settings: LabelRule | None = None) -> PreparedLabels:
    """What `build_labels` would store, made without keeping other writers: of a million answers it takes a while."""
    return _make(study, campaign, settings)


def store_labels(study: Study, prepared: PreparedLabels, *, name: str) -> LabelSetEntry:
    """Store what was prepared; its provenance says which answers it was made of, whatever came since."""
    return store_truth(study, prepared.truth, name=name, provenance=prepared.provenance).entry


def find_usual_labels(study: Study, found: CampaignAnswers) -> LabelSet | None:
    """The verdicts that some answers give by the usual rule, above those that the campaign began with.

    Without answers they are those that it began with; None where there were none.
    """
    context = _load_context(study, found.campaign, None)
    if not len(found):
        return context.base
    rule = found.kind.fields.make_rule({})
    return found.kind.results.make_labels(make_responses(found), rule, context=context).truth.label_sets[0]


def list_campaign_labels(study: Study, campaign: str | int) -> tuple[LabelSetEntry, ...]:
    """The label sets that were made of a campaign, every version, by name and version."""
    name = get_campaign(study, campaign).name
    return tuple(entry for entry in list_label_sets(study) if entry.provenance.get(CAMPAIGN) == name)


def list_counted_labels(study: Study) -> tuple[str, ...]:
    """The label sets that hold selection counts, which tell easy images, as NAME@VERSION, the latest version of each."""
    latest = {entry.name: entry for entry in list_label_sets(study)}
    return tuple(entry.full_name for entry in latest.values() if has_frequencies(study, entry))


def rebuild_labels(study: Study, campaign: str | int) -> tuple[RebuiltLabels, ...]:
    """Every label set of a campaign once more, by its own rule, from the answers as they are now, as a new version.

    Of each name the last version is made anew, if it came from the campaign: what was put above it by hand stays. Versions that
    hold its verdicts and what follows from them by relations do not count as put above it.
    """
    latest = {entry.name: entry for entry in list_label_sets(study) if DERIVED_FROM not in entry.provenance}
    mine = [entry for entry in list_campaign_labels(study, campaign) if latest[entry.name].id == entry.id]
    return tuple(_rebuild(study, entry) for entry in mine)


def _rebuild(study: Study, entry: LabelSetEntry) -> RebuiltLabels:
    kind = find_kind(study.around.kinds, get_campaign(study, entry.provenance[CAMPAIGN]).kind)
    settings = _keep_present(study, entry, kind.fields.parse_rule(entry.provenance["settings"]))
    try:
        new = build_labels(study, entry.provenance[CAMPAIGN], name=entry.name, settings=settings)
    except InputError as error:
        return RebuiltLabels(entry, None, str(error))
    return RebuiltLabels(entry, new)


def _keep_present(study: Study, entry: LabelSetEntry, settings: LabelRule) -> LabelRule:
    """The rule without those whom it keeps by hand and who have no answer any more."""
    if not settings.keep_annotators and not settings.keep_responses:
        return settings
    present = set(load_answers(study, entry.provenance[CAMPAIGN]).held.annotators.tolist())
    return replace(
        settings,
        keep_annotators=tuple(one for one in settings.keep_annotators if one in present),
        keep_responses=tuple(one for one in settings.keep_responses if one[1] in present),
    )


def _make(study: Study, campaign: str | int, settings: LabelRule | None) -> PreparedLabels:
    entry = get_campaign(study, campaign)
    kind = find_kind(study.around.kinds, entry.kind)
    if KindOutput.VERDICTS not in kind.gives:
        raise InputError(
            f"Campaign {entry.name} is of the kind {entry.kind}, which gives no verdicts to make labels of."
        )
    usual = kind.fields.make_rule({})
    rule, expected = usual if settings is None else settings, type(usual)
    if not isinstance(rule, expected):
        raise InputError(
            f"Campaign {entry.name} is of the kind {entry.kind}; its labels need {expected.__name__}, not "
            f"{type(rule).__name__}."
        )
    found = load_answers(study, entry.name)
    if not len(found):
        raise InputError(f"Campaign {entry.name} has no answers that count yet, so no labels can be made of it.")
    context = _load_context(study, entry, kind.fields.find_easy_source(rule))
    made = kind.results.make_labels(make_responses(found), rule, context=context)
    return PreparedLabels(made.truth, _describe(found, made, rule), _trace(found, rule))


def _load_context(study: Study, campaign: CampaignEntry, source: EasySource | None) -> LabelContext:
    """What labels depend on beside the answers: the images asked about, and which of them are easy."""
    settings = campaign.plan.settings
    names = (settings["test_set"], *settings.get("also", ()))
    sets = [load_test_set(study, get_test_set(study, name)) for name in names]
    asked = frozenset(image_id for one in sets for image_id in one.image_ids.tolist())
    easy = None if source is None else find_easy(_load_parts(study, sets[0], source), sets[0])
    planned, named = find_plan(study, campaign), settings.get(LABELS)
    sampled = frozenset[str]() if planned is None else frozenset(planned.plan.image_ids.tolist())
    context = LabelContext(campaign.name, sets[0], asked, easy, guide=list_moments(study), sampled=sampled)
    if is_discussion(study, campaign):
        context = replace(context, discussion=load_named_standing(study, campaign))
    if not named:
        return context
    entry = get_label_set(study, named)
    base = keep_images(load_label_set(study, entry), asked)
    return replace(context, base=base, base_evidence=find_evidence(study, entry).keep_images(asked))


def _load_parts(study: Study, images: TestSet, source: EasySource) -> Mapping[str, SplitPart]:
    """Where images went after CONTAINS, by a file or by the counts of a label set."""
    if source.split:
        return load_parts(source.split)
    counts = _load_counts(study, source.contains)
    return split_images(counts.keep_images(images.image_ids.tolist()), images).to_parts()


def _load_counts(study: Study, name: str) -> SelectionCounts:
    if is_table(name):
        return load_selection_counts(name, taxonomy=study.taxonomy)
    entry = get_label_set(study, name)
    counts = find_frequencies(study, entry)
    if counts is None:
        raise InputError(
            f"Label set {entry.full_name} holds no selection frequencies; name one made of a contains campaign."
        )
    return counts


def _describe(found: CampaignAnswers, made: MadeLabels, rule: LabelRule) -> LabelPreview:
    return LabelPreview(
        campaign=found.campaign.name,
        kind=found.campaign.kind,
        n_answers=len(found),
        n_annotators=len(found.held.annotators),
        n_screened_answers=made.n_screened_answers,
        n_screened_annotators=made.n_screened_annotators,
        n_images=made.n_images,
        n_judged=int(np.count_nonzero(np.diff(made.truth.label_sets[0].starts))),
        verdicts=made.verdicts,
        settings=rule,
        n_unanswered=made.n_unanswered,
        notes=(*made.notes, *tell_final_review(found.campaign.plan.settings)),
        warnings=(*made.warnings, *_warn_of_stopping(found)),
    )


def _warn_of_stopping(found: CampaignAnswers) -> tuple[str, ...]:
    """What more rounds do to raw shares, where there are any."""
    if N_FIRST_TASKS not in found.campaign.plan.settings or KindOutput.SELECTION_COUNTS not in found.kind.gives:
        return ()
    sentence = (
        f"Campaign {found.campaign.name} asked more people only where a decision was open, so raw shares of votes are biased "
        "away from it; testset sample draws by what was decided."
    )
    return (sentence,)


def _trace(found: CampaignAnswers, rule: LabelRule) -> Mapping[str, Any]:
    """From which answers labels come, and how, so that they can be made anew."""
    return {
        CAMPAIGN: found.campaign.name,
        "kind": str(found.campaign.kind),
        "generation": found.campaign.generation,
        "last_response": int(found.held.columns.ids.max()),
        "n_answers": len(found),
        "settings": asdict(rule),
        **pick(found.campaign.plan.settings, (FINAL_REVIEW.name,)),
    }
