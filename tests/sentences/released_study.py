"""Sentences of the study of released data, from small made-up parts of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

from tests.sentences.aggregation_data import printed
from tests.sentences.entries import Always, Entries, Maker, Pair
from tests.workflows.reproduce.study.released import (
    list_lines,
    make_in,
    write_answers,
    write_mistakes,
    write_released,
    write_sets,
)

from regauge.cli.reproduce import _print_study
from regauge.records.reproductions import ReleasedStudy
from regauge.records.studies import Selection
from regauge.storage.labels.evidence import find_evidence
from regauge.storage.labels.label_set import get_label_set
from regauge.workflows.evaluation.context import study_context
from regauge.workflows.studies.study import open_study

Writer = Callable[[Path], object]


@cache
def build(*writers: Writer) -> tuple[ReleasedStudy, dict[str, list[str]]]:
    """What is said of a study of released data, and what others read in it: its words, its evidence, an analysis, and that
    analysis once the answers are gone."""
    with TemporaryDirectory() as folder:
        for write in writers:
            write(Path(folder) / "data")
        made = make_in(Path(folder))
        found: dict[str, list[str]] = {}
        with open_study(made.folder) as study, study.read() as begun:
            found["about"] = [study.about]
            if (Path(made.folder) / "answers").exists():
                evidence = find_evidence(begun, get_label_set(begun, "tsipras2020"))
                found["evidence"] = [text for one in evidence.entries for text in (one.rule, one.note)]
                analyse = partial(study_context, begun, Selection("imagenet-val"), "objects", n_bootstrap=100)
                found["analysis"] = list(analyse().notes)
                rmtree(Path(made.folder) / "answers")
                found["left behind"] = list(analyse().notes)
    return made, found


def released(*writers: Writer) -> Maker:
    """What is said of a study of released data."""
    return lambda _: list_lines(build(*writers)[0])


def seen(what: str) -> Maker:
    """What is read in such a study."""
    return lambda _: build(write_released)[1][what]


RELEASED, SETS_ALONE = released(write_released), released(write_sets)
COUNTED = "It counts what is there."

ENTRIES: Entries = {
    "cli/reproduce.py:_print_study: A study of released data in …": Always(
        "It names the folder.", lambda _: printed(_print_study, build(write_sets)[0], Path("study"), "table")
    ),
    "cli/reproduce.py:_print_study: Next: regauge status --study …": Always(
        "It can be asked of every study.", lambda _: printed(_print_study, build(write_sets)[0], Path("study"), "table")
    ),
    "cli/reproduce.py:_tell_left_out: Left out: … …: …": Always(
        "Another taxonomy is always left out.",
        lambda _: printed(_print_study, build(write_released)[0], Path("study"), "table"),
    ),
    "workflows/evaluation/kept_answers.py:find_kept: The answers behind … are not in …,": Pair(
        seen("left behind"), seen("analysis")
    ),
    "workflows/evaluation/kept_answers.py:find_kept: Answers to CLASSIFY are those behind ….": Pair(
        seen("analysis"), seen("left behind")
    ),
    "workflows/reproduce/study/building.py:: What Recht et al. (2019), Shankar et al.": Always(
        "It says what the study is, as far as the data were there.", seen("about")
    ),
    "workflows/reproduce/study/labels.py:: CLASSIFY: the name of an object": Always(
        "It is the rule by which objects are right.", seen("evidence")
    ),
    "workflows/reproduce/study/labels.py:_explain_objects: selected in … of … answers, as the": Always(
        COUNTED, seen("evidence")
    ),
    "workflows/reproduce/study/labels.py:_add_classify: with objects, main labels and …": Pair(RELEASED, SETS_ALONE),
    "workflows/reproduce/study/labels.py:_tell_easy: … has answers on … of … follow-up": Pair(
        released(write_sets, partial(write_answers, n_known=30)), RELEASED
    ),
    "workflows/reproduce/study/mistakes.py:_add_coded: … coded under …, … more overturned; …": Pair(
        RELEASED, released(write_sets, write_mistakes)
    ),
    "workflows/reproduce/study/mistakes.py:_add_split: … by part: …; right answers are those": Pair(
        RELEASED, SETS_ALONE
    ),
    "workflows/reproduce/study/sets.py:_add_set: … images of … classes, without pictures": Always(COUNTED, RELEASED),
    "workflows/reproduce/study/sets.py:_add_answers: … participants, … answers to each image": Always(
        COUNTED, RELEASED
    ),
}
