"""Make a campaign from what somebody filled in: every refusal names the field that it is about."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

import polars as pl

from regauge.campaigns.packing import GridShape
from regauge.errors import FormatError, InputError
from regauge.records.campaigns import CampaignEntry, CampaignPlan, CampaignTexts, Kind
from regauge.records.candidates import Part
from regauge.records.frequencies import SelectionCounts
from regauge.records.taxonomy import Taxonomy
from regauge.records.terms import Quiz, Terms
from regauge.storage.campaigns import check_campaign_name, get_campaign
from regauge.storage.study import Study
from regauge.storage.testsets import get_test_set, load_test_set
from regauge.workflows.aggregate_contains import aggregate_contains
from regauge.workflows.campaign_inputs import load_candidates, load_pairs
from regauge.workflows.campaign_questions import LEFT_OUT, open_images
from regauge.workflows.campaign_responses import load_answers, to_contains_responses
from regauge.workflows.campaign_texts import check_consent
from regauge.workflows.candidates import find_final, find_split
from regauge.workflows.demo_campaigns import ClassifyQuestions, ContainsQuestions, create_classify, create_contains
from regauge.workflows.study_candidates import find_potential_in_study

_Result = TypeVar("_Result")


class FieldError(InputError):
    """What somebody filled in cannot be used, and in which field it stands."""

    def __init__(self, field_name: str, problem: str) -> None:
        super().__init__(problem)
        self.field_name = field_name


class Source(StrEnum):
    """Where the questions come from."""

    LABELS = "labels"
    """Every image with its dataset label; of a pool, like below, those that can be taken."""
    PREDICTIONS = "predictions"
    """Every image with its dataset label and the first answers of the models."""
    CAMPAIGN = "campaign"
    """Every image with the candidates that a CONTAINS campaign left (METHODS, candidate labels)."""
    FILE = "file"
    """A table of images and classes."""


@dataclass(frozen=True, slots=True)
class CampaignWish:
    """A campaign as it was filled in, each field already of its type.

    Attributes:
        kind: what is asked.
        name: what to call it.
        test_set: the images.
        n_annotators: answers per task.
        source: where the questions come from.
        content: the table, where they come from a file.
        source_campaign: the CONTAINS campaign, where they come from one.
        is_follow_up: whether only those of its images are asked about that are neither easy nor mislabelled.
        top: how many answers of each model to take, where they come from predictions.
        also: a further set whose images stand in the same grids; none unless given.
        controls: the test set that controls come from; the same unless given.
        shape: size and controls of a grid.
        seed: decides every random choice.
        lease_seconds: how long a task is kept for one person.
        texts: what annotators read; an empty one has its usual words.
        terms: pay, quiz, repeats, breaks.
        quiz_classes: whose controls the quiz is about, as they were typed.
    """

    kind: Kind
    name: str
    test_set: str
    n_annotators: int
    source: Source = Source.LABELS
    content: bytes = b""
    source_campaign: str = ""
    is_follow_up: bool = True
    top: int = 5
    also: str = ""
    controls: str = ""
    shape: GridShape = field(default_factory=GridShape)
    seed: int = 0
    lease_seconds: int = 1_800
    texts: CampaignTexts = field(default_factory=lambda: CampaignTexts("", ""))
    terms: Terms = field(default_factory=Terms)
    quiz_classes: tuple[str, ...] = ()


def make_campaign(study: Study, wish: CampaignWish) -> CampaignEntry:
    """Store the campaign that was wished for, not open yet.

    Raises:
        FieldError: something cannot be done as it was filled in.
    """
    _in_field("name", lambda: check_campaign_name(study, wish.name))
    _in_field("consent", lambda: check_consent(wish.texts.consent, may_be_empty=True))
    plan = _in_field("name", lambda: _make_plan(study, wish))
    _check_images(study, wish.test_set, "test_set")
    if wish.kind is Kind("classify"):
        candidates = _in_field("source", lambda: _find_candidates(study, wish))
        left_out = _find_left_out(study, wish, candidates)
        plan = _count_left_out(plan, left_out)
        kept = {image_id: classes for image_id, classes in candidates.items() if image_id not in left_out}
        return _in_field("source", lambda: _ask_classify(study, plan, wish, kept))
    for name, field_name in ((wish.also, "also"), (wish.controls, "controls")):
        if name:
            _check_images(study, name, field_name)
    pairs = _in_field("source", lambda: _find_pairs(study, wish))
    if pairs is not None:
        left_out = _find_left_out(study, wish, (image_id for image_id, _ in pairs))
        plan = _count_left_out(plan, left_out)
        pairs = [pair for pair in pairs if pair[0] not in left_out]
    also = (wish.also,) if wish.also else ()
    questions = ContainsQuestions(wish.test_set, pairs, wish.controls or None, wish.shape, wish.seed, also)
    return _in_field("controls", lambda: create_contains(study, plan, questions))


def _make_plan(study: Study, wish: CampaignWish) -> CampaignPlan:
    settings = {"source": wish.source.value}
    terms = _in_field("quiz_classes", lambda: _name_quiz_classes(wish, study.taxonomy))
    return CampaignPlan(wish.name, wish.kind, wish.n_annotators, wish.lease_seconds, wish.texts, settings, terms)


def _name_quiz_classes(wish: CampaignWish, taxonomy: Taxonomy) -> Terms:
    """The terms with the classes of the quiz by their numbers."""
    terms, quiz = wish.terms, wish.terms.quiz
    if quiz is None or not wish.quiz_classes:
        return terms
    classes = tuple(sorted({int(taxonomy.get_index(name)) for name in wish.quiz_classes}))
    found = Quiz(quiz.n_questions, quiz.pass_mark, quiz.max_attempts, classes)
    return Terms(terms.pay, terms.newness, found, terms.repeats, terms.break_minutes, terms.prolific, terms.mturk_tasks)


def _ask_classify(
    study: Study, plan: CampaignPlan, wish: CampaignWish, candidates: Mapping[str, list[int]]
) -> CampaignEntry:
    return create_classify(study, plan, ClassifyQuestions(candidates, wish.test_set, wish.seed, wish.controls or None))


def _find_left_out(study: Study, wish: CampaignWish, image_ids: Iterable[str]) -> frozenset[str]:
    """Which of the images a campaign on a pool leaves out; a table is asked about as it is."""
    if wish.source is Source.FILE:
        return frozenset()
    return open_images(study, wish.test_set).left_out.intersection(image_ids)


def _count_left_out(plan: CampaignPlan, left_out: Collection[str]) -> CampaignPlan:
    return replace(plan, settings={**plan.settings, LEFT_OUT: len(left_out)}) if left_out else plan


def _check_images(study: Study, name: str, field_name: str) -> None:
    """Refuse a test set whose images nobody could look at."""
    _in_field(field_name, lambda: open_images(study, name))


def _find_pairs(study: Study, wish: CampaignWish) -> list[tuple[str, int]] | None:
    if wish.source is Source.FILE:
        with _keep_content(wish.content) as path:
            return load_pairs(path, taxonomy=study.taxonomy)
    if wish.source is Source.PREDICTIONS:
        found = find_potential_in_study(study, test_set=wish.test_set, top=wish.top).to_frame()
        return list(found.select("image_id", "class").iter_rows())
    return None


def _find_candidates(study: Study, wish: CampaignWish) -> Mapping[str, list[int]]:
    if wish.source is Source.FILE:
        with _keep_content(wish.content) as path:
            return load_candidates(path, taxonomy=study.taxonomy)
    if wish.source is Source.PREDICTIONS:
        found = find_potential_in_study(study, test_set=wish.test_set, top=wish.top).to_frame()
        return _group(found)
    if wish.source is Source.CAMPAIGN:
        return _choose_from_campaign(study, wish)
    raise InputError("An image with its dataset label alone leaves nothing to choose; say where candidates come from.")


def _choose_from_campaign(study: Study, wish: CampaignWish) -> Mapping[str, list[int]]:
    """The candidates that the answers to a CONTAINS campaign leave, of all images or of those that need a second look."""
    counts = _count_answers(study, wish.source_campaign)
    images = load_test_set(study, get_test_set(study, wish.test_set))
    found = find_final(counts, images, taxonomy=study.taxonomy, skip_unknown=True).to_frame()
    ranked = found.filter(pl.col("rank").is_not_null()).sort("image_id", "rank")
    if wish.is_follow_up:
        split = find_split(counts, images, taxonomy=study.taxonomy, skip_unknown=True).to_frame()
        kept = split.filter(pl.col("part") == Part.FOLLOW_UP.value)["image_id"]
        ranked = ranked.filter(pl.col("image_id").is_in(kept.implode()))
    if not len(ranked):
        raise InputError(f"No image of {wish.test_set} needs another look after campaign {wish.source_campaign}.")
    return _group(ranked)


def _count_answers(study: Study, name: str) -> SelectionCounts:
    campaign = get_campaign(study, name)
    found = load_answers(study, campaign.name)
    if not len(found):
        raise InputError(f"Campaign {campaign.name} has no answers yet that candidates could come from.")
    return aggregate_contains(to_contains_responses(found), taxonomy=study.taxonomy).counts


def _group(frame: pl.DataFrame) -> Mapping[str, list[int]]:
    return dict(frame.group_by("image_id", maintain_order=True).agg("class").iter_rows())


@contextmanager
def _keep_content(content: bytes) -> Iterator[Path]:
    """A file with what was sent, as long as it is read."""
    if not content.strip():
        raise InputError("Choose a CSV file with the columns image_id and class.")
    with tempfile.TemporaryDirectory(prefix="regauge-") as folder:
        path = Path(folder) / "table.csv"
        path.write_bytes(content)
        yield path


def _in_field(field_name: str, work: Callable[[], _Result]) -> _Result:
    """What the work gives; what it refuses is said of the field."""
    try:
        return work()
    except FieldError:
        raise
    except FormatError as error:
        # The name of the file is one of ours; whoever sent it knows which one they chose.
        where = "" if error.line is None else f"Line {error.line}: "
        raise FieldError(field_name, f"{where}{error.problem}") from error
    except InputError as error:
        raise FieldError(field_name, str(error)) from error
