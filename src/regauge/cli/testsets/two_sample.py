"""`regauge testset two-sample`."""

from __future__ import annotations

from pathlib import Path

import click

import regauge
from regauge.cli.printing.output import format_option, print_json, print_notes, print_parts, print_rows, print_sentences
from regauge.cli.printing.progress import show_life
from regauge.cli.printing.tables import IN_JSON, make_table
from regauge.cli.printing.written import tell_written
from regauge.cli.studies.study import open_for_reading, open_for_writing, study_option
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL
from regauge.records.evaluation.two_sample import TwoSample, TwoSampleSettings
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.evaluation.two_sample import (
    FeatureSet,
    compare_features,
    find_feature_set,
    save_likenesses,
    store_two_sample,
)

_DEFAULTS = TwoSampleSettings()


def _check_free(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a file that could not be written before anything is computed for it."""
    if path is not None and (path.exists() or not path.parent.is_dir()):
        raise InputError(f"{option.opts[0]} names a new file in a folder that is there, not {path}.")
    return tell_written(context, option, path)


@click.command("two-sample")
@click.argument("sets", metavar="[A B]", nargs=-1)
@click.option(
    "--features-a", type=click.Path(path_type=Path), required=True, metavar="FILE", help="Features of A, .npy."
)
@click.option(
    "--features-b", type=click.Path(path_type=Path), required=True, metavar="FILE", help="Features of B, .npy."
)
@click.option("--ids-a", type=click.Path(path_type=Path), metavar="FILE", help="Image ids of the features of A.")
@click.option("--ids-b", type=click.Path(path_type=Path), metavar="FILE", help="Image ids of the features of B.")
@click.option("--by-class", is_flag=True, help="Compare within classes; their proportions then do not count.")
@click.option("--taxonomy", metavar="NAME|FILE", help="The classes, where A and B are files that name them.")
@click.option(
    "--n-components", type=int, default=_DEFAULTS.n_components, show_default=True, help="Principal components."
)
@click.option("--n-folds", type=int, default=_DEFAULTS.n_folds, show_default=True, help="Folds of the cross-fitting.")
@click.option(
    "--n-permutations", type=int, default=_DEFAULTS.n_permutations, show_default=True, help="For the p-value."
)
@click.option("--show", "n_shown", type=int, default=10, show_default=True, help="Images to name in the table.")
@click.option(
    "--images-out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    callback=_check_free,
    help="A new CSV of all images, by likeness.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Start of the pairs, the folds and the swaps.")
@click.option(
    "--level", type=float, default=DEFAULT_LEVEL, show_default=True, help="Confidence level of every interval."
)
@study_option
@format_option
def command(
    sets: tuple[str, ...],
    features_a: Path,
    features_b: Path,
    ids_a: Path | None,
    ids_b: Path | None,
    by_class: bool,
    taxonomy: str | None,
    n_components: int,
    n_folds: int,
    n_permutations: int,
    n_shown: int,
    images_out: Path | None,
    seed: int,
    level: float,
    folder: Path | None,
    output_format: str,
) -> None:
    """Say whether images of A and of B can be told apart by their features, and which look most like the other set.

    A and B are test sets of the study, or truth files (folders with a slash); without them, all images with features take
    part. A test of two test sets of the study is kept.
    """
    if len(sets) not in {0, 2}:
        raise InputError(f"Two sets are compared, or none is named; {len(sets)} came.")
    settings = TwoSampleSettings(by_class, n_components, n_folds, n_permutations, seed, level)
    files = ((features_a, ids_a, "ids_a"), (features_b, ids_b, "ids_b"))
    sides = [
        _find_side(name, features=features, ids=ids, option=option, folder=folder)
        for name, (features, ids, option) in zip(sets or (None, None), files, strict=True)
    ]
    with show_life("Telling the sets apart"):
        found = compare_features(sides[0], sides[1], taxonomy=taxonomy, settings=settings)
    if images_out is not None:
        save_likenesses(found, images_out)
    kept = _keep(found, (sides[0], sides[1]), folder)
    _print(found, output_format, n_shown)
    print_notes(kept)


def _find_side(name: str | None, *, features: Path, ids: Path | None, option: str, folder: Path | None) -> FeatureSet:
    # A folder may well be called like the test set whose images it holds; as a truth it is written with a slash.
    if name is None or Path(name).is_file() or "/" in name:
        return FeatureSet(features, name, ids, option)
    with open_for_reading(folder) as study:
        return find_feature_set(study, name, features=features, ids=ids, option=option)


def _keep(found: TwoSample, sides: tuple[FeatureSet, FeatureSet], folder: Path | None) -> list[str]:
    """Keep a test of two test sets of the study, and say so."""
    if not all(isinstance(side.truth, TestSet) for side in sides):
        return []
    with open_for_writing(folder) as study:
        number = store_two_sample(study, found, sets=sides)
    return [f"This is two-sample test {number} of the study."]


def _print(found: TwoSample, output_format: str, n_shown: int) -> None:
    if output_format == "table":
        print_sentences(found.describe())
        if n_shown > 0:
            table = make_table("set", "image", "class", title="Images that look most like the other set", whole=IN_JSON)
            table.add_column("probability of\nthe other set", rank=0)
            for one in found.likenesses[:n_shown]:
                number = "–" if one.class_index is None else str(one.class_index)
                table.add_row(one.test_set, one.image_id, number, f"{100 * one.other_probability:.1f}%")
            print_parts([table])
    elif output_format == "json":
        images = found.to_likeness_frame().to_dicts()
        test = found.to_frame().to_dicts()[0]
        extra = {"sentence": found.describe(), "images": images, "notes": list(found.notes)}
        print_json(
            {
                **test,
                **extra,
                "seed": found.settings.seed,
                "level": found.settings.level,
                "version": regauge.__version__,
            }
        )
    else:
        print_rows(found.to_frame(), output_format)
    print_notes(found.notes)
