"""People and models in the same tables, from files or inside a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from regauge.errors import InputError
from regauge.evaluation.humans.together import AnswersToJudge, compare_answers
from regauge.records.evaluation.humans.report import HumanReport, HumanSettings
from regauge.records.keywords import HumanKeywords, choose_settings
from regauge.records.predictions import ParticipantKind
from regauge.records.progress import Track, track_silently
from regauge.records.studies import Selection
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set
from regauge.workflows.evaluation.material import add_digests, find_materials
from regauge.workflows.exposure.effects import tell_seen_before
from regauge.workflows.inputs import OpenedAnswers, TaxonomyLike, TestSetAnswers, open_answers, open_taxonomy


def humans(
    original: TestSetAnswers,
    new: TestSetAnswers | None = None,
    *,
    taxonomy: TaxonomyLike = None,
    settings: HumanSettings | None = None,
    track: Track = track_silently,
    **keywords: Unpack[HumanKeywords],
) -> HumanReport:
    """People and models in the same tables: accuracies, gaps, tests of all pairs, images that all miss, and seconds.

    Who is a person says the column `kind` of predictions, or `person`. With people among the participants, everybody is judged
    on the images that at least one of them answered; whoever stopped before the end is scored on what they answered.

    Args:
        original: what people and models answered on the original test set, and its truth.
        new: likewise on a new one, if there is one; participants are matched by name.
        taxonomy: the classes, by name (imagenet-1k, cifar-10), file or record; its groups of classes are subsets.
        settings: metrics, who is a person, draws and level; or each of them by its keyword, as in `level=0.9`.
        track: who is told how far it has come.
        keywords: fields of `HumanSettings`.

    Raises:
        InputError: a truth does not allow a metric, a glob matches nobody, or a family of tests has one member.

    >>> import regauge
    >>> truth = regauge.TestSet("tiny", ["a", "b", "c", "d"], [0, 1, 1, 0])
    >>> ann = regauge.Predictions("ann", ["a", "b", "c"], [0, 1, 0], seconds=[4, 9, 70], kind="person")
    >>> model = regauge.Predictions("model", ["a", "b", "c", "d"], [0, 0, 0, 0])
    >>> found = regauge.humans(regauge.TestSetAnswers([ann, model], truth))
    >>> found.get_table("missed").filter(who="everybody", group="all")["n_missed"].item()
    1
    """
    settings = choose_settings(HumanSettings, settings, keywords=keywords)
    classes = open_taxonomy(taxonomy)
    given = [original] if new is None else [original, new]
    opened = _tell_apart([open_answers(one, taxonomy=classes) for one in given])
    answers = [AnswersToJudge(one.load(track, f"Judging on {one.target.name}"), one.target) for one in opened]
    found = compare_answers(answers, taxonomy=opened[0].taxonomy, settings=settings, track=track)
    notes = dict.fromkeys(note for one in opened for note in one.notes)
    return replace(found, notes=(*notes, *found.notes))


def study_humans(
    study: Study,
    original: Selection,
    new: Selection | None = None,
    *,
    settings: HumanSettings | None = None,
    **keywords: Unpack[HumanKeywords],
) -> HumanReport:
    """People and models of a study on one of its test sets, or on two; as `humans`, and who had seen images before.

    Args:
        study: the study, inside a transaction.
        original: the original test set, its label sets, and whom.
        new: likewise for a new one.
        settings: metrics, who is a person, draws and level; or each of them by its keyword, as in `humans`.
        keywords: fields of `HumanSettings`.

    Raises:
        InputError: there is no such test set, label set or participant, or as in `humans`.
    """
    chosen = choose_settings(HumanSettings, settings, keywords=keywords)
    if new is not None and get_test_set(study, original.test_set).id == get_test_set(study, new.test_set).id:
        raise InputError(f"People and models are compared on two different test sets; {new.test_set} is named twice.")
    sides = [one for one in (original, new) if one is not None]
    found = [add_digests(study, one) for one in find_materials(study, sides)]
    answers = [TestSetAnswers(one.participants, one.truth) for one in found]
    report = humans(*answers, taxonomy=study.taxonomy, settings=chosen, track=study.around.track)
    people = {one.name for one in report.participants if one.kind is ParticipantKind.PERSON}
    seen = [note for one in sides for note in tell_seen_before(study, one.test_set, people)]
    return replace(report, notes=(*report.notes, *seen))


def _tell_apart(opened: Sequence[OpenedAnswers]) -> list[OpenedAnswers]:
    """The same with names that differ: files of truth in two folders are often called the same."""
    names = [one.target.name for one in opened]
    if len(set(names)) == len(names):
        return list(opened)
    words = ("original", "new")
    return [
        replace(one, target=replace(one.target, name=f"{one.target.name} ({word})"))
        for one, word in zip(opened, words, strict=False)
    ]
