"""What `shift` and `compare` share: the options of a fit, the figure, and how the comparison is printed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeAlias

import click

import regauge
from regauge.cli.evaluation.beside import describe_published_models, print_beside
from regauge.cli.evaluation.class_tables import make_class_tables
from regauge.cli.evaluation.shift_tables import make_shift_tables
from regauge.cli.printing.figures import FigureFile, figure_option
from regauge.cli.printing.output import print_json, print_notes, print_parts, print_rows
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL
from regauge.records.evaluation.class_changes import ClassChanges
from regauge.records.evaluation.fits import Resample, Scale
from regauge.records.evaluation.shifts import N_IMAGE_SAMPLES, N_MODEL_SAMPLES, Shift, ShiftSettings
from regauge.records.option_names import name_options
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.shared_images import SharedBy

ALL_SCALES = "all"

_Command: TypeAlias = Callable[..., None]

_OPTIONS = (
    click.option("--metric", default="top1", show_default=True, help="Which accuracy to compare and fit."),
    click.option(
        "--scale",
        type=click.Choice([*(scale.value for scale in Scale), ALL_SCALES]),
        default=Scale.LINEAR.value,
        show_default=True,
        help="Scale on which to fit a straight line.",
    ),
    click.option("--fit-models", multiple=True, metavar="GLOB", help="Fit only through models that match. Repeatable."),
    click.option("--fit-except", multiple=True, metavar="GLOB", help="Fit without models that match. Repeatable."),
    click.option(
        "--baseline", multiple=True, metavar="GLOB", help="Effective robustness against the line through these models."
    ),
    click.option(
        "--resample",
        type=click.Choice([choice.value for choice in Resample]),
        help="What to resample; by default models for the fit and images for mean changes.",
    ),
    click.option(
        "--families", type=click.Path(path_type=Path), metavar="FILE", help="CSV model,family for --resample families."
    ),
    click.option(
        "--n-bootstrap",
        type=int,
        help=f"Bootstrap samples of a fit; {N_MODEL_SAMPLES:,} by default, {N_IMAGE_SAMPLES:,} where images are drawn.",
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Random seed of every bootstrap."),
    click.option(
        "--level", type=float, default=DEFAULT_LEVEL, show_default=True, help="Confidence level of every interval."
    ),
    click.option(
        "--shared",
        type=click.Choice([choice.value for choice in SharedBy]),
        default=SharedBy.DIGESTS.value,
        show_default=True,
        help="How to recognise images that are in both sets.",
    ),
    click.option(
        "--allow-missing", is_flag=True, help="Compare on the other images when a model has not answered some."
    ),
)
_NAMES = {field.name for field in fields(ShiftSettings)} - {"scales"} | {"scale"}


def fit_options(command: _Command) -> _Command:
    """The options of a fit, which the command gets as one argument `settings`; and --figure with --label."""

    @functools.wraps(command)
    def with_settings(*, figure: FigureFile | None, label: Sequence[str], **options: Any) -> None:  # noqa: ANN401 - click's
        if label and figure is None:
            raise InputError("--label prints names in a figure; say where to with --figure.")
        settings = make_settings(**{name: options.pop(name) for name in _NAMES})
        command(settings=settings, figure=figure, label=label, **options)

    labelled = click.option(
        "--label", multiple=True, metavar="GLOB", help="Print the names of matching models in the figure. Repeatable."
    )
    for option in reversed((*_OPTIONS, figure_option, labelled)):
        with_settings = option(with_settings)
    return with_settings


def make_settings(*, scale: str, resample: str | None, families: Path | None, **others: Any) -> ShiftSettings:  # noqa: ANN401
    """The settings that the options of a fit stand for.

    Raises:
        InputError: a file of families comes with another way of drawing.
    """
    if families is not None and not (resample and Resample(resample).has_families):
        raise InputError("--families is of use only with --resample families; add it or leave out the file.")
    return ShiftSettings(
        scales=tuple(Scale) if scale == ALL_SCALES else (Scale(scale),),
        resample=None if resample is None else Resample(resample),
        shared=SharedBy(others.pop("shared")),
        families={} if families is None else regauge.load_families(families),
        fit_models=others.pop("fit_models") or ("*",),
        **others,
    )


def plot(result: Shift, figure: FigureFile | None, label: Sequence[str]) -> None:
    """The comparison as a figure, where one is asked for."""
    if figure is not None:
        figure.save(regauge.plot_shift(result, label=label, canvas=figure.canvas))


def print_shift(
    result: Shift,
    output_format: str,
    classes: ClassChanges | None = None,
    *,
    taxonomy: Taxonomy | None = None,
) -> None:
    """The comparison on standard output, and the classes where asked for; notes and warnings on standard error."""
    if output_format == "table":
        print_parts(make_shift_tables(result))
        print_parts(print_beside(result))
        print_parts(() if classes is None else make_class_tables(classes, taxonomy))
    elif output_format == "json":
        by_class = {} if classes is None else {"classes": classes.to_frame().to_dicts(), "by_class": classes.describe()}
        print_json({**describe(result), **by_class})
    else:
        print_rows((result if classes is None else classes).to_frame(), output_format)
    print_notes((*result.notes, *(classes.notes if classes is not None else ())), result.warnings)


def describe_baseline(result: Shift) -> dict[str, object] | None:
    """What effective robustness is measured against and what its limits hold; None without it."""
    if result.baseline is None:
        return None
    return {**asdict(result.baseline), "n_models": result.baseline.n_models}


def describe(result: Shift) -> dict[str, object]:
    """The comparison as docs/formats.md has it; fractions, not percentages."""
    fits = [
        {
            "scale": fit.scale,
            **fit.to_line(),
            "n_models": fit.n_models,
            "n_bootstrap": fit.n_bootstrap,
            "n_dropped": fit.n_dropped,
            "resample": fit.resample,
            "models": fit.models,
        }
        for fit in result.fits
    ]
    changes = result.mean_changes
    return {
        "original": result.original,
        "new": result.new,
        "metric": result.settings.metric,
        "n_shared_images": result.n_shared,
        "gap_interval": _name_gap_interval(result),
        "models": [model.to_dict() for model in result.models],
        "robustness": describe_baseline(result),
        "fit": fits[0] if fits else None,
        "fits": fits,
        **describe_published_models(result),
        **({"only_counts": list(result.only_counts)} if result.only_counts else {}),
        "conclusion": name_options(regauge.conclude(result)) or None,
        "mean_change": {metric: changes[metric].value if metric in changes else None for metric in ("top1", "top5")},
        "mean_change_intervals": {name: [change.low, change.high] for name, change in changes.items()},
        "mean_changes": {name: change.to_dict() for name, change in changes.items()},
        "notes": list(result.notes),
        "warnings": list(result.warnings),
        "seed": result.settings.seed,
        "level": result.settings.level,
        "version": regauge.__version__,
    }


def _name_gap_interval(result: Shift) -> str:
    if result.settings.is_balanced:
        return "limits of both balanced means"
    return "newcombe, shared images once" if result.n_shared else "newcombe"
