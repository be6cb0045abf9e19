"""Make a campaign from what somebody filled in: every refusal names the field that it is about."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import polars as pl

from regauge.campaigns.fields import TOP, KindFields, QuestionSource
from regauge.campaigns.terms_fields import find_classes
from regauge.errors import FormatError, InputError
from regauge.fields import FieldError, FieldsError, in_field
from regauge.formats.pools.pairs import load_class_pairs
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import (
    DEFAULT_LEASE,
    CampaignEntry,
    CampaignPlan,
    CampaignTexts,
    Kind,
    check_consent,
)
from regauge.records.campaigns.terms import Terms
from regauge.records.candidates import SplitPart
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.taxonomy import Taxonomy
from regauge.storage.campaigns.campaign import check_campaign_name, get_campaign
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.campaigns.campaign import LEFT_OUT, Questions, create_campaign, name_participants, pick_seed
from regauge.workflows.campaigns.image_sets import open_images
from regauge.workflows.campaigns.responses import load_answers, to_contains_responses
from regauge.workflows.candidates import find_final, find_split
from regauge.workflows.labels.aggregate_contains import aggregate_contains
from regauge.workflows.study_candidates import find_potential_in_study

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class CampaignRequest:
    """A campaign as it was filled in, each field already of its type.

    Attributes:
        kind: what is asked.
        name: what to call it.
        test_set: the images.
        n_annotators: answers per task.
        source: where the questions come from.
        content: the table, where they come from a file.
        documents: files that settings name, by these, as they were sent.
        source_campaign: the campaign, where they come from one.
        is_follow_up: whether only those of its images are asked about that are neither easy nor mislabelled.
        top: how many answers of each model to take, where they come from predictions.
        also: further sets whose images stand in the same tasks.
        controls: the test set that controls come from; the same by default.
        settings: what the kind asks for besides.
        seed: decides every random choice; drawn by default.
        lease_seconds: how long a task is kept for one person.
        texts: what annotators read; an empty one has its usual words.
        terms: pay, quiz, repeats, breaks.
        quiz_classes: whose controls the quiz is about, as they were typed.
    """

    kind: Kind
    name: str
    test_set: str
    n_annotators: int
    source: QuestionSource = QuestionSource.LABELS
    content: bytes = b""
    documents: Mapping[str, bytes] = field(default_factory=dict)
    source_campaign: str = ""
    is_follow_up: bool = True
    top: int = TOP.default
    also: tuple[str, ...] = ()
    controls: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = field(default_factory=pick_seed)
    lease_seconds: int = DEFAULT_LEASE
    texts: CampaignTexts = field(default_factory=lambda: CampaignTexts("", ""))
    terms: Terms = field(default_factory=Terms)
    quiz_classes: tuple[str, ...] = ()


def make_campaign(study: Study, request: CampaignRequest) -> CampaignEntry:
    """Store the campaign that is asked for, not open yet.

    Raises:
        FieldsError: fields were filled in with something that cannot be done: all of them that can be told apart.
        FieldError: one was.
    """
    plan = _check_all(study, request)
    table = find_kind(study.around.kinds, request.kind).fields
    pairs = _in_field("source", lambda: _find_pairs(study, request, table))
    if pairs is not None:
        left_out = _find_left_out(study, request, (image_id for image_id, _ in pairs))
        plan = _count_left_out(plan, left_out)
        pairs = [pair for pair in pairs if pair[0] not in left_out]
    with _keep_documents(request.documents) as paths:
        settings = {**_settle_file(request, table), **{name: str(path) for name, path in paths.items()}}
        questions = Questions(request.test_set, pairs, request.controls or None, request.also, settings, request.seed)
        return _in_field(table.blamed, lambda: create_campaign(study, plan, questions), files=paths)


def _check_all(study: Study, request: CampaignRequest) -> CampaignPlan:
    """The plan, once all was looked at that depends on nothing else: whoever filled it in reads it at once."""
    sets = [(request.test_set, "test_set"), *((one, "also") for one in request.also), (request.controls, "controls")]
    checks: list[Callable[[], object]] = [
        lambda: _in_field("name", lambda: check_campaign_name(study, request.name)),
        lambda: _in_field("consent", lambda: check_consent(request.texts.consent, may_be_empty=True)),
        *(partial(_check_images, study, name, field_name) for name, field_name in sets if name),
    ]
    plans: list[CampaignPlan] = []
    checks.append(lambda: plans.append(_in_field("name", lambda: _make_plan(study, request))))
    mistakes: dict[str, str] = {}
    for check in checks:
        try:
            check()
        except FieldError as error:
            mistakes.setdefault(error.field_name, str(error))
    if len(mistakes) == 1:
        raise FieldError(*mistakes.popitem())
    if mistakes:
        raise FieldsError(mistakes)
    return plans[0]


def _make_plan(study: Study, request: CampaignRequest) -> CampaignPlan:
    settings = {"source": request.source.value}
    terms = _in_field("quiz_classes", lambda: _name_quiz_classes(request, study.taxonomy))
    return CampaignPlan(
        request.name, request.kind, request.n_annotators, request.lease_seconds, request.texts, settings, terms
    )


def _name_quiz_classes(request: CampaignRequest, taxonomy: Taxonomy) -> Terms:
    """The terms with the classes of the quiz by their numbers."""
    terms, quiz = request.terms, request.terms.quiz
    if quiz is None or not request.quiz_classes:
        return terms
    return replace(terms, quiz=replace(quiz, classes=find_classes(request.quiz_classes, taxonomy)))


def _find_left_out(study: Study, request: CampaignRequest, image_ids: Iterable[str]) -> frozenset[str]:
    """Which of the images a campaign on a pool leaves out; a table is asked about as it is."""
    if request.source is QuestionSource.FILE:
        return frozenset()
    return open_images(study, request.test_set).left_out.intersection(image_ids)


def _count_left_out(plan: CampaignPlan, left_out: Collection[str]) -> CampaignPlan:
    return replace(plan, settings={**plan.settings, LEFT_OUT: len(left_out)}) if left_out else plan


def _check_images(study: Study, name: str, field_name: str) -> None:
    """Refuse a test set whose images nobody could look at."""
    _in_field(field_name, lambda: open_images(study, name))


def _find_pairs(study: Study, request: CampaignRequest, table: KindFields) -> list[tuple[str, int]] | None:
    """What is asked about; None for every image with its dataset label."""
    if request.source is QuestionSource.FILE:
        with _keep_content(request.content) as path:
            return load_class_pairs(path, taxonomy=study.taxonomy)
    if request.source is QuestionSource.PREDICTIONS:
        found = find_potential_in_study(study, test_set=request.test_set, top=request.top).to_frame()
        return list(found.select("image_id", "class").iter_rows())
    if request.source is QuestionSource.CAMPAIGN:
        return list(_choose_from_campaign(study, request).select("image_id", "class").iter_rows())
    if request.source in {QuestionSource.UNJUDGED, QuestionSource.NOVEL, QuestionSource.MISTAKES}:
        # Which they are depends on the settings of the kind.
        return None
    if QuestionSource.LABELS not in table.sources:
        raise InputError(
            "An image with its dataset label alone leaves nothing to choose; say where candidates come from."
        )
    return None


def _settle_file(request: CampaignRequest, table: KindFields) -> Mapping[str, Any]:
    """The settings, with what a table of questions says besides these."""
    if request.source is not QuestionSource.FILE:
        return request.settings
    with _keep_content(request.content) as path:
        return name_participants(table, request.settings, path=path)


def _choose_from_campaign(study: Study, request: CampaignRequest) -> pl.DataFrame:
    """The candidates that the selection counts of a campaign leave, of all images or of those that need a second look."""
    counts = _count_answers(study, request.source_campaign)
    images = load_test_set(study, get_test_set(study, request.test_set))
    found = find_final(counts, images, taxonomy=study.taxonomy, skip_unknown=True).to_frame()
    ranked = found.filter(pl.col("rank").is_not_null()).sort("image_id", "rank")
    if request.is_follow_up:
        split = find_split(counts, images, taxonomy=study.taxonomy, skip_unknown=True).to_frame()
        kept = split.filter(pl.col("part") == SplitPart.FOLLOW_UP.value)["image_id"]
        ranked = ranked.filter(pl.col("image_id").is_in(kept.implode()))
    if not len(ranked):
        raise InputError(f"No image of {request.test_set} needs another look after campaign {request.source_campaign}.")
    return ranked


def _count_answers(study: Study, name: str) -> SelectionCounts:
    campaign = get_campaign(study, name)
    found = load_answers(study, campaign.name)
    if not len(found):
        raise InputError(f"Campaign {campaign.name} has no answers yet that candidates could come from.")
    return aggregate_contains(to_contains_responses(found), taxonomy=study.taxonomy).counts


@contextmanager
def _keep_content(content: bytes) -> Iterator[Path]:
    """A file with what was sent, as long as it is read."""
    if not content.strip():
        raise InputError("Choose a CSV file with the columns image_id and class.")
    with tempfile.TemporaryDirectory(prefix="regauge-") as folder:
        path = Path(folder) / "table.csv"
        path.write_bytes(content)
        yield path


@contextmanager
def _keep_documents(documents: Mapping[str, bytes]) -> Iterator[Mapping[str, Path]]:
    """Files with what was sent, by the settings that name them, as long as they are read."""
    if not documents:
        yield {}
        return
    with tempfile.TemporaryDirectory(prefix="regauge-") as folder:
        paths = {name: Path(folder) / f"{number}.json" for number, name in enumerate(documents)}
        for name, path in paths.items():
            path.write_bytes(documents[name])
        yield paths


def _in_field(
    field_name: str, work: Callable[[], _Result], *, files: Mapping[str, Path] = MappingProxyType({})
) -> _Result:
    """What the work gives; what it refuses is said of the field, or of the one that a file belongs to."""
    try:
        return in_field(field_name, work)
    except FieldError as error:
        cause = error.__cause__
        if not isinstance(cause, FormatError):
            raise
        # The name of the file is one of ours; whoever sent it knows which one they chose.
        line, problem = cause.line, cause.problem
        blamed = next((name for name, path in files.items() if path == cause.path), field_name)
        raise FieldError(blamed, problem if line is None else f"Line {line}: {problem}") from error
