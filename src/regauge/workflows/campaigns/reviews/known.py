"""What tasks of reviews may show or rest on besides what they ask: scores, similar classes and verdicts that are believed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from regauge.campaigns.fields import GOLD, PARTICIPANTS, SHOW_SCORE, SIMILAR
from regauge.campaigns.sources import AnswerScores, check_scores
from regauge.fields import FieldError
from regauge.formats.releases.similar_classes import dump_similar, load_similar
from regauge.records.labels.label_set import LabelSet
from regauge.records.studies import TestSetEntry
from regauge.storage.labels.label_set import get_label_set, load_label_set
from regauge.storage.predictions import get_predictions, open_scored
from regauge.storage.study import Study


def load_answer_scores(study: Study, entry: TestSetEntry, asked: Mapping[str, Any]) -> AnswerScores:
    """The answers of the chosen participants with their scores.

    Raises:
        FieldError: somebody's answers have no scores, or scores that are not shares.
    """
    opened = []
    for one in get_predictions(study, entry, participants=asked.get(PARTICIPANTS.name, ())):
        if not one.has_scores:
            raise FieldError(
                SHOW_SCORE.name,
                f"The answers of {one.participant} have no scores, as those of people have none, so a label without a score "
                "would tell whose it is; show no scores, or name others with `participants=…`.",
            )
        classes, scores = open_scored(study, one, test_set=entry)
        opened.append((classes, check_scores(one.participant, classes, scores=scores)))
    return AnswerScores(tuple(classes for classes, _ in opened), tuple(scores for _, scores in opened))


def load_similar_lists(study: Study, settings: Mapping[str, Any]) -> dict[str, str]:
    """The lists of similar classes as they are kept with the campaign; nothing where it names none."""
    named = settings.get(SIMILAR.name)
    return {SIMILAR.name: dump_similar(load_similar(Path(named), taxonomy=study.taxonomy))} if named else {}


def load_gold_labels(study: Study, settings: Mapping[str, Any]) -> LabelSet | None:
    """The label set whose verdicts are believed; None where a campaign names none."""
    named = settings.get(GOLD.name)
    return load_label_set(study, get_label_set(study, named)) if named else None
