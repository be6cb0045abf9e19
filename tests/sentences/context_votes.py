"""Sentences of the analyses of votes: frequencies, validation, ambiguous pairs, disagreement; and of lint with votes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from tests.evaluation.context import test_ambiguous, test_disagreement, test_frequencies, test_validation
from tests.evaluation.context.frequency_material import make_material
from tests.sentences.entries import Always, Entries, Maker, Pair
from tests.taxonomy.test_lint import make_taxonomy

from regauge.evaluation.context.ambiguous import AMBIGUOUS
from regauge.evaluation.context.basis.ambiguity import find_ambiguous
from regauge.evaluation.context.contract import Analysis, ContextMaterial
from regauge.evaluation.context.disagreement import DISAGREEMENT
from regauge.evaluation.context.frequencies import FREQUENCIES
from regauge.evaluation.context.validation import VALIDATION
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.evaluation.context.report import ContextSettings
from regauge.records.labels.frequencies import AnnotatorSpread
from regauge.workflows.taxonomies import check_taxonomy


def said(analysis: Analysis, material: ContextMaterial, **settings: Any) -> Maker:
    """Title, help, titles of tables, answers and notes."""

    def say(_: Path) -> list[str]:
        found = analysis.analyse(material, ContextSettings(n_bootstrap=100, **settings))
        titles = [table.title for table in analysis.tables.values()]
        return [analysis.title, analysis.help, *titles, *found.answers, *found.notes]

    return say


def linted(material: ContextMaterial) -> Maker:
    return lambda _: [*(one.message for one in find_ambiguous(material)), "(end of findings)"]


FIRSTS = test_frequencies.FIRSTS
BARE = make_material([0, 1, 2, 3], FIRSTS)
RATED = make_material([0, 1, 2, 3], FIRSTS, votes=test_frequencies.VOTES, answers=test_frequencies.ANSWERS)
SPLIT = make_material([0, 1, 2, 3], FIRSTS, votes=test_frequencies.VOTES, answers=test_frequencies.ANSWERS, easy=[2])
assert SPLIT.counts is not None
SPREAD = replace(SPLIT, counts=replace(SPLIT.counts, spread=AnnotatorSpread(9, 9.0, 0.1)))
WRONG = make_material(
    [0, 0, 1, 1, 2, 2], {"one": [1, 1, 1, 1, 2, 2]}, votes=[(0, 0, 9, 9), (0, 1, 9, 3), (2, 1, 9, 8), (4, 2, 9, 7)]
)
VALID = make_material([0, 1, 2, 3], votes=test_validation.VOTES, answers=test_validation.ANSWERS)
FEW = make_material([0, 1], votes=[(0, 0, 3, 3), (0, 1, 3, 1), (1, 1, 3, 2)])
MIXED = make_material([0, 1], votes=[(0, 0, 9, 3), (0, 1, 3, 1), (1, 1, 3, 2)])
ASKED = make_material([0, 1], votes=[(0, 0, 9, 9), (1, 1, 9, 9)])
OFFERED = replace(
    VALID,
    responses=None
    if VALID.responses is None
    else replace(VALID.responses, candidate_starts=np.array([0, 2, 4, 6, 8]), candidates=np.tile([0, 1], 4)),
)
PAIRS = make_material(test_ambiguous.LABELS, {"one": [0, 0, 1, 1, 0, 2, 2]}, votes=test_ambiguous.VOTES)
LOW = make_material(test_ambiguous.LABELS, {"one": [1, 1, 1, 1, 0, 2, 2]}, votes=test_ambiguous.VOTES)
NAMED = replace(PAIRS, taxonomy=load_taxonomy("cifar-10"))
DIFFERING = make_material(
    test_disagreement.LABELS,
    {"model": [0, 0, 1, 1, 0]},
    votes=test_disagreement.VOTES,
    answers=test_disagreement.ANSWERS,
    easy=[4],
)
AGREEING = make_material([0, 1], answers={0: [([0], 0)], 1: [([1], 1)]})

TITLE, HELP, COUNTED = (
    "It is the title.",
    "It says what the analysis does.",
    "It tells numbers, which stand in the tables too.",
)
CONTEXT = "evaluation/context/"
BASIS = f"{CONTEXT}basis/"

ENTRIES: Entries = {
    # Answers as people see them
    f"{CONTEXT}frequencies.py:: Answers as people see them": Always(TITLE, said(FREQUENCIES, BARE)),
    f"{CONTEXT}frequencies.py:: Answers as people see them #2": Always(TITLE, said(FREQUENCIES, BARE)),
    f"{CONTEXT}frequencies.py:: Wrong answers by selection frequency": Always(TITLE, said(FREQUENCIES, BARE)),
    f"{CONTEXT}frequencies.py:: How often people select what participants answer, and": Always(
        HELP, said(FREQUENCIES, BARE)
    ),
    f"{BASIS}answer_groups.py:: Accuracy by what is known of images": Always(TITLE, said(FREQUENCIES, BARE)),
    f"{BASIS}trends.py:: Accuracy of classes against frequency": Always(TITLE, said(FREQUENCIES, BARE)),
    f"{CONTEXT}frequencies.py:_tell_frequency: People select the first answer of … …": Pair(
        said(FREQUENCIES, RATED), said(FREQUENCIES, BARE)
    ),
    f"{CONTEXT}frequencies.py:_tell_main: The first answer of … is the main": Pair(
        said(FREQUENCIES, RATED), said(FREQUENCIES, BARE)
    ),
    f"{CONTEXT}frequencies.py:_tell_wrong: Of the … wrong answers of … that": Pair(
        said(FREQUENCIES, WRONG), said(FREQUENCIES, RATED)
    ),
    f"{CONTEXT}frequencies.py:_note: Which images are easy is not known, so": Pair(
        said(FREQUENCIES, RATED), said(FREQUENCIES, SPLIT)
    ),
    f"{CONTEXT}frequencies.py:_note: Who gave which vote is not in the": Pair(
        said(FREQUENCIES, RATED), said(FREQUENCIES, SPREAD)
    ),
    f"{BASIS}trends.py:_tell: Over … classes the accuracy of … and": Pair(
        said(FREQUENCIES, WRONG), said(FREQUENCIES, BARE)
    ),
    f"{BASIS}tables.py:note_missing: Left out for want of …: ….": Pair(
        said(FREQUENCIES, BARE), said(FREQUENCIES, SPREAD)
    ),
    f"{BASIS}tables.py:tell_leaving: If the images were redrawn, … of the": Pair(
        said(FREQUENCIES, RATED), said(FREQUENCIES, BARE)
    ),
    f"{BASIS}selections.py:note_unanswered: … no answers in CLASSIFY, so that easy": Pair(
        said(FREQUENCIES, SPLIT), said(FREQUENCIES, RATED)
    ),
    # Labels that people accept
    f"{CONTEXT}validation.py:: How many labels people accept one by one,": Always(HELP, said(VALIDATION, BARE)),
    f"{BASIS}valid_labels.py:: Images by labels and objects": Always(TITLE, said(VALIDATION, BARE)),
    f"{BASIS}valid_labels.py:: Labels chosen by labels offered": Always(TITLE, said(VALIDATION, BARE)),
    f"{CONTEXT}validation.py:_tell: Asked about each label alone, people select another": Pair(
        said(VALIDATION, VALID), said(VALIDATION, BARE)
    ),
    f"{CONTEXT}validation.py:_tell_fewer: With … annotators per label these are …": Pair(
        said(VALIDATION, VALID), said(VALIDATION, FEW)
    ),
    f"{CONTEXT}validation.py:_find_fewer: Not repeated with … annotators per label, for": Pair(
        said(VALIDATION, FEW), said(VALIDATION, VALID)
    ),
    f"{CONTEXT}validation.py:_count: Left out, as nobody was asked about their": Pair(
        said(VALIDATION, VALID), said(VALIDATION, ASKED)
    ),
    f"{CONTEXT}validation.py:_count_fewer: Left out with … annotators per label, as": Pair(
        said(VALIDATION, MIXED), said(VALIDATION, VALID)
    ),
    f"{BASIS}valid_labels.py:_tell_single: On the … images on which annotators of": Pair(
        said(VALIDATION, VALID), said(VALIDATION, ASKED)
    ),
    f"{BASIS}valid_labels.py:_tell_offered: In CLASSIFY two or more annotators choose …": Pair(
        said(VALIDATION, VALID), said(VALIDATION, ASKED)
    ),
    f"{BASIS}valid_labels.py:_count_offered: Which labels were offered in CLASSIFY is not": Pair(
        said(VALIDATION, VALID), said(VALIDATION, OFFERED)
    ),
    # Ambiguous classes
    f"{CONTEXT}ambiguous.py:: Pairs of classes that people accept on images": Always(HELP, said(AMBIGUOUS, BARE)),
    f"{CONTEXT}ambiguous.py:: Pairs with high and low accuracy": Always(TITLE, said(AMBIGUOUS, BARE)),
    f"{CONTEXT}ambiguous.py:_tell_pairs: By … … ambiguous, of … whose labels": Pair(
        said(AMBIGUOUS, PAIRS), said(AMBIGUOUS, BARE)
    ),
    f"{CONTEXT}ambiguous.py:_tell_pairs: The most ambiguous pair by … is …": Pair(
        said(AMBIGUOUS, PAIRS), said(AMBIGUOUS, ASKED)
    ),
    f"{CONTEXT}ambiguous.py:_tell_set: On the … images of ambiguous pairs …": Pair(
        said(AMBIGUOUS, PAIRS), said(AMBIGUOUS, RATED)
    ),
    f"{CONTEXT}ambiguous.py:_tell_low: On pairs with low accuracy of …, …": Pair(
        said(AMBIGUOUS, LOW), said(AMBIGUOUS, PAIRS)
    ),
    f"{CONTEXT}ambiguous.py:analyse: Pairs are split by the accuracy of a": Pair(
        said(AMBIGUOUS, PAIRS), said(AMBIGUOUS, ASKED)
    ),
    f"{BASIS}ambiguity.py:_report: Annotators accept both … (…) and … (…)": Pair(
        linted(NAMED), linted(replace(RATED, taxonomy=load_taxonomy("cifar-10")))
    ),
    "workflows/taxonomies.py:check_taxonomy: …, so it is not known which pages": Pair(
        lambda _: check_taxonomy(load_taxonomy("cifar-10")).notes,
        lambda _: [*check_taxonomy(make_taxonomy([("a", ["tern"])], link="https://example.org/tern")).notes, "(end)"],
    ),
    # Main labels against dataset labels
    f"{CONTEXT}disagreement.py:: Classes with other main labels": Always(TITLE, said(DISAGREEMENT, BARE)),
    f"{CONTEXT}disagreement.py:: Main labels against dataset labels": Always(TITLE, said(DISAGREEMENT, BARE)),
    f"{CONTEXT}disagreement.py:: Classes whose main label is often another, and": Always(
        HELP, said(DISAGREEMENT, BARE)
    ),
    f"{CONTEXT}disagreement.py:analyse: People were asked about the main object of": Pair(
        said(DISAGREEMENT, DIFFERING), said(DISAGREEMENT, AGREEING)
    ),
    f"{CONTEXT}disagreement.py:_tell: The main label is another than the dataset": Pair(
        said(DISAGREEMENT, DIFFERING), said(DISAGREEMENT, BARE)
    ),
    f"{CONTEXT}disagreement.py:_tell: It differs most in …, on …, and": Pair(
        said(DISAGREEMENT, DIFFERING), said(DISAGREEMENT, AGREEING)
    ),
    f"{CONTEXT}disagreement.py:_tell_missed: Of the … classes whose label at least": Pair(
        said(DISAGREEMENT, DIFFERING), said(DISAGREEMENT, BARE)
    ),
}
