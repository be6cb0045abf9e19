"""Score any predictions on any truth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack, overload

import numpy as np

from regauge.arrays import NO_CLASS, AnyArray, find_repeated
from regauge.errors import InputError
from regauge.evaluation.metrics import find_metric
from regauge.evaluation.outcomes import MeanValue
from regauge.evaluation.scoring import score_participants
from regauge.evaluation.subsets import Subset, find_image_subsets
from regauge.evaluation.targets import Target
from regauge.formats.predictions.in_memory import Ids
from regauge.formats.predictions.participants import Participant
from regauge.formats.subsets import load_subsets
from regauge.records.evaluation.scores import WHOLE, Scores, ScoreSettings
from regauge.records.keywords import ScoreKeywords, choose_settings, choose_word
from regauge.records.labels.label_set import Unlisted
from regauge.records.predictions import ParticipantChoice, ParticipantKind, Predictions
from regauge.records.progress import Track, track_silently
from regauge.records.taxonomy import Taxonomy
from regauge.taxonomy.groups import find_groups
from regauge.workflows.evaluation.beside import BesideLike, score_beside
from regauge.workflows.inputs import (
    ArrayPredictions,
    PredictionsLike,
    RelationsLike,
    TaxonomyLike,
    TestSetAnswers,
    TruthLike,
    open_answers,
    open_taxonomy,
)

BY_CLASS = "class"


class AnswerKeywords(ScoreKeywords, total=False):
    """What `score` takes by name beside the settings."""

    ids: Ids
    columns: Mapping[str, str] | None
    unlisted: Unlisted | str | None
    relations: RelationsLike | None
    beside: BesideLike | None
    kind: ParticipantKind | str | None
    family: str | Sequence[str]
    track: Track


_KEYWORDS = ("taxonomy", "by", "settings", *AnswerKeywords.__annotations__)


@overload
def score(
    predictions: PredictionsLike,
    truth: TruthLike,
    *,
    taxonomy: TaxonomyLike = None,
    by: str | Path | Sequence[str | Path] = (),
    settings: ScoreSettings | None = None,
    **keywords: Unpack[AnswerKeywords],
) -> Scores: ...


@overload
def score(
    predictions: PredictionsLike | ArrayPredictions,
    truth: TruthLike | AnyArray,
    *,
    taxonomy: TaxonomyLike = None,
    by: str | Path | Sequence[str | Path] = (),
    settings: ScoreSettings | None = None,
    **keywords: Unpack[AnswerKeywords],
) -> Scores: ...


def score(
    predictions: PredictionsLike | ArrayPredictions,
    truth: TruthLike | AnyArray,
    *,
    taxonomy: TaxonomyLike = None,
    by: str | Path | Sequence[str | Path] = (),
    settings: ScoreSettings | None = None,
    **keywords: Unpack[AnswerKeywords],
) -> Scores:
    """Every metric that the truth allows, for every participant, with n and interval.

    Args:
        predictions: an array of logits, of classes [n] or of the best classes [n, k]; a dictionary with one array per model;
            or files, folders, globs or records, see `find_participants`.
        truth: an array of labels; or files, folders or records, see `load_truth`.
        taxonomy: the classes, by name (imagenet-1k, cifar-10), file or record.
        by: parts to score as well: a grouping of the taxonomy (superclass, object-organism, dogs), `class`, or a file.
        settings: all settings at once, instead of the keywords.
        keywords: `against`, the participant that the others are compared with; `allow_missing`; `level`, `seed` and
            `n_bootstrap` of the intervals; `ids`, the image ids of arrays; `columns`, what tables call
            ours, such as {"image_id": "ImageId", "label": "Class"}; `unlisted`, what a class in no list means;
            `relations`, relations between classes to apply to the label sets, as a file or records;
            `beside`, published models to see these beside: a packaged table (recht2019), a file of accuracies or a `Beside`;
            `kind` and `family`, only models or only people, and globs on families;
            `track`, who is told how many participants are done.

    Arrays without `ids` are paired row by row, and join nothing that is keyed by image id.

    >>> import regauge
    >>> print(regauge.score([[2.0, 0.5], [0.1, 0.9], [0.7, 0.3]], [0, 1, 1]).get("model", "top1"))
    model, top1: 66.7% [9.4, 99.2] (n = 3)
    >>> truth = regauge.TestSet("tiny", ["a", "b", "c", "d"], [0, 1, 1, 0])
    >>> predictions = regauge.Predictions("model", ["d", "c", "b", "a"], [0, 1, 0, 0])
    >>> print(regauge.score(predictions, truth).get("model", "top1"))
    model, top1: 75.0% [19.4, 99.4] (n = 4)
    """
    named: dict[str, Any] = dict(keywords)
    names = ("ids", "columns", "unlisted", "relations", "beside", "track", "kind")
    ids, columns, unlisted, relations, beside, track, kind = (named.pop(name, None) for name in names)
    means = None if unlisted is None else choose_word(Unlisted, unlisted, name="unlisted")
    of_kind = None if kind is None else choose_word(ParticipantKind, kind, name="kind")
    whom = ParticipantChoice(of_kind, named.pop("family", ()))
    answers = TestSetAnswers(
        predictions, truth, ids=ids, unlisted=means, columns=columns, relations=relations, chosen=whom
    )
    chosen = choose_settings(ScoreSettings, settings, keywords=named, also=_KEYWORDS)
    scores = score_answers(answers, taxonomy=taxonomy, by=by, settings=chosen, track=track or track_silently)
    return scores if beside is None else score_beside(scores, beside)


def score_answers(
    answers: TestSetAnswers,
    *,
    taxonomy: TaxonomyLike = None,
    by: str | Path | Sequence[str | Path] = (),
    settings: ScoreSettings | None = None,
    track: Track = track_silently,
) -> Scores:
    """As `score`, of answers and a truth that may need more to be read, such as the ids of logits."""
    settings = settings or ScoreSettings()
    classes = open_taxonomy(taxonomy)
    opened = open_answers(answers, taxonomy=classes)
    scores = score_participants(
        opened.load(track, "Scoring"),
        opened.target,
        subsets=find_subsets(by, opened.target, opened.taxonomy),
        reference=_load_reference(opened.participants, settings),
        settings=settings,
    )
    return replace(scores, notes=(*opened.notes, *scores.notes))


def find_subsets(
    by: str | Path | Sequence[str | Path], target: Target, taxonomy: Taxonomy | None
) -> tuple[Subset, ...]:
    """The subsets that `by` stands for: groupings of the taxonomy, single classes, or lists in files."""
    parts = [by] if isinstance(by, str | Path) else list(by)
    subsets = tuple(subset for part in parts for subset in _find_part(part, target, taxonomy))
    repeated = find_repeated([WHOLE, *(subset.name for subset in subsets)])
    if repeated is not None:
        raise InputError(f"Two subsets are called {repeated!r}; rename one.")
    return subsets


def find_caption(metric: str) -> str:
    """What stands below a table in which the metric leaves unjudged predictions out; empty of one that is not known."""
    known = find_metric(metric)
    return known.outcome.caption if known is not None and isinstance(known.outcome, MeanValue) else ""


def _find_part(part: str | Path, target: Target, taxonomy: Taxonomy | None) -> tuple[Subset, ...]:
    if taxonomy is not None and any(grouping.name == part for grouping in taxonomy.groupings):
        groups = find_groups(taxonomy, str(part))
        subsets = tuple(Subset(name, classes=members) for name, members in groups.items())
    elif part == BY_CLASS:
        subsets = tuple(_find_classes(target, taxonomy))
    elif Path(part).is_file():
        lists = load_subsets(part, taxonomy=taxonomy)
        if lists.images and not target.has_ids:
            raise InputError(
                f"{part} lists images by id, and the labels are an array without ids; say which image each label is of with "
                "`ids=…`."
            )
        by_class = (Subset(name, classes=np.array(members, np.int32)) for name, members in lists.classes.items())
        subsets = (*by_class, *find_image_subsets(lists.images, target))
    else:
        raise InputError(_describe_unknown(part, taxonomy))
    needs_labels = part == BY_CLASS or any(subset.classes is not None for subset in subsets)
    if needs_labels and not target.has_dataset_labels:
        raise InputError(
            f"Scoring by {part} needs dataset labels, and the truth has none; add a truth file that has them."
        )
    return subsets


def _find_classes(target: Target, taxonomy: Taxonomy | None) -> Iterable[Subset]:
    """One subset per class, named by index and id."""
    if taxonomy is not None:
        for image_class in taxonomy.classes:
            yield Subset(f"{image_class.index} {image_class.id}", classes=np.array([image_class.index], np.int32))
        return
    for index in np.unique(target.dataset_labels[target.dataset_labels != NO_CLASS]):
        yield Subset(str(index), classes=np.array([index], np.int32))


def _describe_unknown(part: str | Path, taxonomy: Taxonomy | None) -> str:
    groupings = [grouping.name for grouping in taxonomy.groupings] if taxonomy is not None else []
    known = ", ".join([*groupings, BY_CLASS])
    hint = "" if taxonomy is not None else " Groupings come with a taxonomy: name one with `taxonomy=…`."
    others = f"one of {known}" if "," in known else known
    return f"Cannot score by {str(part)!r}: it is neither a file nor {others}.{hint}"


def _load_reference(participants: Sequence[Participant], settings: ScoreSettings) -> Predictions | None:
    if settings.against is None:
        return None
    for participant in participants:
        if participant.name == settings.against:
            return participant.load()
    names = ", ".join(participant.name for participant in participants[:10]) + (", …" if len(participants) > 10 else "")
    raise InputError(f"There is no participant {settings.against!r} to compare with; there are: {names}.")
