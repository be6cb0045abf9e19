"""What can be set of CONTAINS campaigns: their grids, and how selection frequencies become labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from regauge.campaigns.fields import ALSO, KEPT, LEVEL, SCREENING, KindFields, QuestionSource
from regauge.errors import InputError
from regauge.fields import Choice, Field, in_field, pick
from regauge.kinds.contains.texts import TEXTS
from regauge.ranges import SHARE, Range
from regauge.records.campaigns.campaign import N_ANNOTATORS, CampaignPlan, Kind
from regauge.records.labels.contains import ContainsSettings, FrequencyMethod
from regauge.records.labels.frequencies import FREQUENCY_RULE, POSTERIOR_RULE, FrequencyRule
from regauge.records.responses.answers import MAX_CELLS, N_CELLS, GridShape
from regauge.records.responses.screening import POOR_TASKS, ScreeningRules

_SHAPE, _SETTINGS, _VERDICTS, _SCREENING = GridShape(), ContainsSettings(), FrequencyRule(), ScreeningRules()
"""Records that are as they are unless told otherwise: defaults come from them."""


@dataclass(frozen=True, slots=True)
class Preset:
    """The grid and the number of annotators that a published study used."""

    shape: GridShape
    n_annotators: int


PRESETS: Mapping[str, Preset] = {
    "recht2019": Preset(GridShape(48, n_positive=3, n_negative=3), 10),
    "tsipras2020": Preset(GridShape(48, n_positive=5, n_negative=0), 9),
}
USUAL = "recht2019"

ASKED = (ALSO,)
_N_CONTROLS = Range(0, MAX_CELLS - 1, is_whole=True)
HOW = (
    Field(
        "preset",
        "As in",
        Choice(
            {"recht2019": "Recht et al. 2019", "tsipras2020": "Tsipras et al. 2020"},
            brings={
                name: {**asdict(preset.shape), "n_annotators": preset.n_annotators} for name, preset in PRESETS.items()
            },
        ),
        "Grid and number of annotators of a paper; change them as you like.",
        USUAL,
        option="--preset",
    ),
    Field(
        "n_cells",
        "Images per grid",
        N_CELLS,
        "How many images a grid shows, controls included.",
        _SHAPE.n_cells,
        option="--cells",
        metavar="N",
    ),
    Field(
        "n_positive",
        "Positive controls",
        _N_CONTROLS,
        "Every grid has at least this many positive controls.",
        _SHAPE.n_positive,
        option="--positive",
        metavar="N",
    ),
    Field(
        "n_negative",
        "Negative controls",
        _N_CONTROLS,
        "Every grid has at least this many negative controls.",
        _SHAPE.n_negative,
        option="--negative",
        metavar="N",
    ),
)

VERDICTS = (
    Field(
        "correct",
        "Correct from",
        SHARE,
        "At this selection frequency or above, a class is correct.",
        _VERDICTS.correct,
        option="--correct",
    ),
    Field(
        "unclear",
        "Unclear from",
        SHARE,
        "At this selection frequency or above, a class is unclear; below it, wrong.",
        _VERDICTS.unclear,
        option="--unclear",
    ),
    Field(
        "min_shown",
        "Judged from",
        Range(1, N_ANNOTATORS.high, is_whole=True),
        "With fewer answers a class stays unjudged.",
        _VERDICTS.min_shown,
        option="--min-shown",
    ),
    Field(
        "verdicts_by",
        "Verdicts by",
        Choice({FREQUENCY_RULE: "the selection frequency", POSTERIOR_RULE: "the probability of the method"}),
        "Which number correct and unclear are judged by.",
        _VERDICTS.name,
        option="--verdicts-by",
        in_form=False,
    ),
)
SCREENED = (
    Field(
        "annotator_controls",
        "Controls of an annotator",
        SHARE,
        "A task with a smaller share of positive controls selected speaks against its annotator.",
        _SCREENING.annotator_controls,
        option="--min-annotator-controls",
        in_form=False,
    ),
    Field(
        "poor_tasks",
        "Poor tasks",
        POOR_TASKS,
        "An annotator with this share of such tasks or more is dropped.",
        _SCREENING.poor_tasks,
        option="--max-poor-tasks",
        in_form=False,
    ),
    Field(
        "task_controls",
        "Controls of a task",
        SHARE,
        "A response with a smaller share of positive controls selected is dropped.",
        _SCREENING.task_controls,
        option="--min-task-controls",
        in_form=False,
    ),
)
METHOD = (
    Field(
        "method",
        "Method",
        Choice({one: one.value for one in FrequencyMethod}),
        "How limits are computed, and whether the majority or a model of the annotators gives probabilities.",
        _SETTINGS.method,
        option="--method",
        in_form=False,
    ),
    Field(
        "prior",
        "Prior",
        Range(0),
        "Strength of the priors of dawid-skene and one-coin, in votes.",
        _SETTINGS.prior,
        option="--prior",
        in_form=False,
    ),
)
RULE = (
    *VERDICTS,
    *METHOD,
    *SCREENED,
    replace(
        SCREENING, help="Without screening every answer counts, even those of people who missed positive controls."
    ),
    KEPT,
    LEVEL,
)


def settle(values: Mapping[str, Any]) -> dict[str, Any]:
    """Size and controls of the grids.

    Raises:
        FieldError: a grid has no room for a question.
    """
    shape = in_field("n_cells", lambda: GridShape(values["n_cells"], values["n_positive"], values["n_negative"]))
    return asdict(shape)


def propose(class_sizes: Sequence[int]) -> dict[str, Any]:
    """Size and controls of grids that work where controls come from the images that are asked about.

    What a grid asks about cannot be its control, so that of the smallest class at most half stands in one grid. Nothing where the
    usual grid works.
    """
    least = min(class_sizes, default=0)
    if not least or least >= _SHAPE.n_pairs + _SHAPE.n_positive:
        return {}
    n_pairs = max(1, min(_SHAPE.n_pairs, least // 2))
    n_positive, n_negative = min(_SHAPE.n_positive, least - n_pairs), min(_SHAPE.n_negative, least)
    return asdict(GridShape(n_pairs + n_positive + n_negative, n_positive, n_negative))


def suggest_rule(plan: CampaignPlan) -> dict[str, Any]:
    """Nobody waits for more answers than a task takes."""
    return {"min_shown": min(_VERDICTS.min_shown, plan.n_annotators)}


def make_rule(given: Mapping[str, Any]) -> ContainsSettings:
    """The rule with what is given in the place of the defaults.

    Raises:
        InputError: a setting of the rule cannot be used.
    """
    is_screened = given.get("screening", SCREENING.default)
    if not is_screened and (given.get("keep_annotators") or given.get("keep_responses")):
        raise InputError("Without screening nobody is dropped, so there is nobody to keep; leave out one of the two.")
    verdicts = pick(given, ("correct", "unclear", "min_shown"))
    by = {"name": given["verdicts_by"]} if "verdicts_by" in given else {}
    return ContainsSettings(
        rules=ScreeningRules(**pick(given, [one.name for one in SCREENED])) if is_screened else None,
        verdicts=FrequencyRule(**verdicts, **by),
        **pick(given, ("method", "prior", "keep_annotators", "keep_responses", "level")),
    )


def parse_rule(stored: Mapping[str, Any]) -> ContainsSettings:
    """The rule from how the provenance of a label set has it."""
    rules = stored["rules"]
    nested = {
        "rules": None if rules is None else ScreeningRules(**rules),
        "verdicts": FrequencyRule(**stored["verdicts"]),
        "keep_annotators": tuple(stored["keep_annotators"]),
        "keep_responses": tuple((task, annotator) for task, annotator in stored["keep_responses"]),
    }
    return ContainsSettings(**{**stored, **nested})


FIELDS = KindFields(
    kind=Kind("contains"),
    about=TEXTS.summary,
    sources=(QuestionSource.LABELS, QuestionSource.PREDICTIONS, QuestionSource.FILE),
    n_annotators=PRESETS[USUAL].n_annotators,
    asked=ASKED,
    how=HOW,
    settle=settle,
    rule=RULE,
    about_rule="",
    suggest_rule=suggest_rule,
    make_rule=make_rule,
    parse_rule=parse_rule,
    blamed="controls",
    propose=propose,
    about_labels=(
        f"Labels need them: a class of an image gets a verdict once it has {_VERDICTS.min_shown} accepted answers, or as "
        "many as a task takes, if that is fewer."
    ),
)
