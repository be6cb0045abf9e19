"""Small data behind the sentences of `aggregation`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from tests.candidates.selection_counts import make_counts, make_labels
from tests.candidates.test_final import IMAGENET, LAPTOP, NOTEBOOK
from tests.labels.objects.classify_answers import Answer, make_responses, one_image
from tests.labels.simulated_votes import draw_votes
from tests.mistakes.test_summary import code
from tests.responses.live import test_oddities as odd
from tests.responses.live.small_ledgers import book, make_choices, make_grids
from tests.sentences.comparisons_data import texts
from tests.sentences.entries import Maker
from tests.workflows.labels.test_aggregate_contains import write as write_answers
from tests.workflows.labels.test_aggregate_votes import UNSURE, know, make_votes, record

import regauge
from regauge.arrays import NO_CLASS
from regauge.candidates.final import find_candidates
from regauge.candidates.potential import find_potential_labels
from regauge.cli.labels import aggregate_classify as classify_tables
from regauge.cli.labels import aggregate_contains as contains_tables
from regauge.cli.labels import aggregate_votes as vote_tables
from regauge.cli.mistakes import summary as mistake_tables
from regauge.labels.votes import confusions
from regauge.mistakes.summary import summarise_mistakes
from regauge.records.candidates import Candidates
from regauge.records.labels.classify import ClassifySettings
from regauge.records.labels.contains import ContainsSettings, FrequencyMethod
from regauge.records.labels.votes import VoteMethod, VoteSettings
from regauge.records.mistakes.coded import CodedMistakes
from regauge.records.mistakes.summaries import MistakesSettings
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.labels.aggregate_contains import aggregate_contains, describe_verdicts
from regauge.workflows.labels.aggregate_panel import aggregate_panel

GOOD = {"u": "11111", "v": "11110", "w": "11101", "x": "11110"}
SHRUNK = ContainsSettings(rules=None, method=FrequencyMethod.BETA_BINOMIAL)

# CONTAINS


def said(result: Any) -> list[str]:
    return [*result.notes, *result.warnings, "(end of notes)"]


def contains(votes: dict[str, str], **settings: Any) -> Maker:
    """Answers to three positive controls and two images, by annotator."""
    return lambda folder: said(
        aggregate_contains(write_answers(folder / "answers.csv", votes), settings=ContainsSettings(**settings))
    )


def contains_rows(rows: Sequence[str], settings: ContainsSettings | None = None) -> Maker:
    def make(folder: Path) -> list[str]:
        path = folder / "answers.csv"
        path.write_text("task_id,annotator_id,class,image_id,control,selected\n" + "".join(f"{row}\n" for row in rows))
        return said(aggregate_contains(path, settings=settings))

    return make


def contains_table(votes: dict[str, str], *, n_images: int = 2, **settings: Any) -> Maker:
    def make(folder: Path) -> list[str]:
        path = folder / "answers.csv"
        rows = [
            f"t,{who},2,i{image},,{vote[image % len(vote)]}\n"
            for who, vote in votes.items()
            for image in range(n_images)
        ]
        controls = [f"t,{who},2,p{place},positive,{vote[place]}\n" for who, vote in votes.items() for place in range(3)]
        path.write_text("task_id,annotator_id,class,image_id,control,selected\n" + "".join(rows + controls))
        labels = aggregate_contains(path, settings=ContainsSettings(**settings))
        parts = list(contains_tables._make_parts(labels, None))
        cells = [str(cell) for part in parts for column in getattr(part, "columns", []) for cell in column.cells]
        return [*texts(parts), *cells, describe_verdicts(labels)]

    return make


EVEN = [f"t{image},w{who},0,i{image},,{int(who < image % 10)}" for image in range(20) for who in range(9)]
ONE_CONTROL = [f"t,{who},0,{image},{mark},1" for who in "uv" for image, mark in (("p", "positive"), ("a", ""))]
TWO_CONTROLS = [*ONE_CONTROL, *(f"t,{who},0,q,positive,1" for who in "uv")]
REPEATED = [*TWO_CONTROLS, "s,u,0,a,,1", "s,u,0,p,positive,1", "s,u,0,q,positive,1"]


# CLASSIFY

ANSWERS: list[Answer] = [("i", "a", [5, 7], 5), ("i", "b", [5, 8], 5), ("j", "a", [3], 3), ("j", "b", [3], 3)]
FLAWED: list[Answer] = [*ANSWERS, ("i", "bad", [], NO_CLASS), ("j", "bad", [3], 3)]
ONCE: list[Answer] = [*ANSWERS, *(("k", who, [3], 3) for who in "ab"), ("l", "a", [3], 3), ("l", "b", [], NO_CLASS)]
NOBODY: list[Answer] = [*ANSWERS, ("k", "c", [], NO_CLASS)]


def classify(answers: list[Answer], truth: TestSet | None = None) -> Maker:
    return lambda _: [*regauge.aggregate_classify(make_responses(answers), truth).notes, "(end of notes)"]


def classify_easy(*easy: str) -> Maker:
    """What is said where a split names the easy images."""

    def make(folder: Path) -> list[str]:
        path = folder / "split.csv"
        path.write_text("image_id,part\ni,follow-up\n" + "".join(f"{name},easy\n" for name in easy))
        truth = TestSet("t", np.array(["i", "j", "other"]), np.array([8, 3, 1]))
        settings = ClassifySettings(split=str(path))
        return list(regauge.aggregate_classify(make_responses(ANSWERS), truth, settings=settings).notes)

    return make


def classify_table(*lists: Sequence[int], n_images: int = 1) -> Maker:
    """One image with these answers, or so many plain ones."""

    def make(_: Path) -> list[str]:
        many = make_responses([(f"i{image:02d}", who, [1], 1) for image in range(n_images) for who in "ab"])
        result = regauge.aggregate_classify(one_image(*lists) if lists else many)
        return texts(classify_tables._make_parts(result, None))

    return make


def classify_rows(truth: TestSet | None) -> Maker:
    """The names of the rows of the summary."""

    def make(_: Path) -> list[str]:
        first = next(classify_tables._make_parts(regauge.aggregate_classify(make_responses(ANSWERS), truth), None))
        return [str(cell) for column in getattr(first, "columns", []) for cell in column.cells]

    return make


def classify_people(answers: list[Answer]) -> Maker:
    def make(_: Path) -> list[str]:
        found = regauge.aggregate_classify(make_responses(answers)).annotators.to_frame()
        return [*found["reason"].to_list(), "(end of reasons)"]

    return make


def dropped(votes: dict[str, str]) -> Maker:
    """Why responses are dropped."""
    return lambda folder: [
        *aggregate_contains(write_answers(folder / "answers.csv", votes)).list_dropped()["reason"].to_list(),
        "(end of reasons)",
    ]


# Votes


@cache
def turned_votes() -> Any:
    drawn = draw_votes(np.random.default_rng(3), n_tasks=300, n_votes=5, skills=np.full((8, 2), 0.2))
    gold = know([f"t{i}" for i in range(150)], [f"l{one}" for one in drawn.truth[:150]])
    settings = VoteSettings(method=VoteMethod.DAWID_SKENE)
    return regauge.aggregate_votes(make_votes(drawn), gold=gold, settings=settings)


@cache
def good_votes(**settings: Any) -> Any:
    drawn = draw_votes(np.random.default_rng(3), n_tasks=60, n_votes=5, skills=np.full((8, 2), 0.9))
    return regauge.aggregate_votes(make_votes(drawn), settings=VoteSettings(method=VoteMethod.DAWID_SKENE, **settings))


def sparse_votes(_: Path) -> list[str]:
    """A model for which tables of all labels are taken to be too large."""
    drawn = draw_votes(np.random.default_rng(3), n_tasks=100, n_votes=15, skills=np.full((20, 50), 0.9))
    with patch.object(confusions, "MIN_CELLS", 0), patch.object(confusions, "MAX_CELLS_PER_VOTE", 0):
        return said(regauge.aggregate_votes(make_votes(drawn), settings=VoteSettings(method=VoteMethod.DAWID_SKENE)))


def votes(*answers: tuple[int, int, int], gold: Any = None, **settings: Any) -> Maker:
    """Tasks a and b, annotators u, v, w, labels x and y: task, annotator, label."""
    tasks, annotators, labels = zip(*answers, strict=True)
    columns = (["a", "b"], ["u", "v", "w"], ["x", "y"], list(tasks), list(annotators), list(labels))
    return lambda _: said(regauge.aggregate_votes(record(*columns), gold=gold, settings=VoteSettings(**settings)))


THREE_EACH = tuple((task, who, task) for task in (0, 1) for who in (0, 1, 2))
ONE_LESS = THREE_EACH[:-1]
TIED = ((0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1))


def unsure(**settings: Any) -> Maker:
    """Votes of which some are maybe."""
    return lambda _: said(regauge.aggregate_votes(UNSURE, settings=VoteSettings(**settings)))


def vote_table(n_tasks: int = 3, n_annotators: int = 3, n_labels: int = 2) -> Maker:
    def make(_: Path) -> list[str]:
        tasks = np.repeat(np.arange(n_tasks), n_annotators)
        annotators = np.tile(np.arange(n_annotators), n_tasks)
        sizes = {"t": n_tasks, "w": n_annotators, "l": n_labels}
        names = ([f"{letter}{one}" for one in range(n)] for letter, n in sizes.items())
        table = record(*names, tasks, annotators, tasks % n_labels)
        return texts(vote_tables._make_parts(regauge.aggregate_votes(table)))

    return make


def panel(_: Path) -> list[str]:
    path = _ / "votes.csv"
    path.write_text("image_id,class,panelist,verdict\na,0,p,correct\na,0,q,wrong\n")
    return list(aggregate_panel(path, name="panel").notes)


# Candidates


def candidates(counts: dict[int, tuple[int, int]], *, taxonomy: Taxonomy = IMAGENET, n_more: int = 0) -> Candidates:
    names = {"a": LAPTOP, **{f"m{one:02d}": LAPTOP for one in range(n_more)}}
    asked = {name: counts for name in names if name != "m00" or n_more > 1}
    return find_candidates(make_counts(asked), make_labels(**names), taxonomy=taxonomy)


def note(*args: Any, **options: Any) -> Maker:
    return lambda _: [*candidates(*args, **options).notes, "(end of notes)"]


def printed(show: Any, *arguments: Any) -> list[str]:
    out = StringIO()
    with redirect_stdout(out), patch.dict("os.environ", {"COLUMNS": "400"}):
        show(*arguments)
    return out.getvalue().splitlines()


def potential(n_answers: int, n_images: int = 2) -> Any:
    ids = np.array([f"i{one}" for one in range(n_images)])
    model = regauge.Predictions("model", ids[:n_answers], np.zeros(n_answers, np.int32))
    return find_potential_labels([model], TestSet("t", ids, np.zeros(n_images, np.int32)))


ASKED = {LAPTOP: (8, 9), NOTEBOOK: (2, 9)}
UNKNOWN = {LAPTOP: (8, 9), NOTEBOOK: (0, 0)}


# Mistakes

QUICK = MistakesSettings(n_permutations=1_000)
BALANCED = [[20, 20], [20, 20], [20, 20], [20, 20]]
SMALL = [[2, 1], [1, 2], [1, 1], [1, 1]]
ALL_ALIKE = [[3, 0], [0, 0], [0, 0], [0, 0]]


def mistakes(*files: CodedMistakes, truth: TestSet | None = None, taxonomy: Taxonomy | None = None) -> Maker:
    def make(_: Path) -> list[str]:
        found = summarise_mistakes(files, QUICK, rng=np.random.default_rng(0), test_set=truth, taxonomy=taxonomy)
        return [*found.notes, *texts(mistake_tables._make_parts(found, taxonomy, width=1_000))]

    return make


def coded(*rows: tuple[str, int], name: str = "first", severity: int = 0) -> CodedMistakes:
    return code([(image, prediction, 0, severity) for image, prediction in rows], name)


TRUTH = TestSet("val", np.array(["a", "b"]), np.array([0, 1]))


# Oddities


def flags(ledger: Any) -> Maker:
    return lambda _: [*(text for own in odd.find(ledger()) for text in own.values()), "(end of flags)"]


def honest() -> Any:
    return odd.make_crowd(None)


def alike(n_alike: int) -> Any:
    ledger = make_grids(*[odd.WIDE] * 60)
    for who in range(1, 6):
        noise = np.random.default_rng(7 if who > 5 - n_alike else who).integers(0, 2**12, 60)
        book(ledger, *((task, who, int(noise[task - 1])) for task in range(1, 61)), first=60 * who)
    return ledger


def choices(*, everything: bool = False, fast: bool = False) -> Any:
    ledger = make_choices(*[[1, 2, 3]] * 4)
    rows = [(task, who, [1 + (task + who) % 3]) for who in (1, 2) for task in range(1, 5)]
    rows += [(task, 3, [1, 2, 3] if everything else [1 + task % 3]) for task in range(1, 5)]
    return book(ledger, *rows, seconds=[9.0] * 8 + [2.0 if fast else 9.0] * 4)


def negatives(mask: int) -> Any:
    return book(make_grids([(0, 0), (1, 1), *((image, 2) for image in range(2, 8))]), (1, 7, mask))


RUNS = (0b000000111111, 0b111111000000, 0b000001111111, 0b001111111000)
PATTERN = (0b000010010101, 0b000010010101, 0b010101011011)
