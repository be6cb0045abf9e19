"""Small data behind the sentences of `draws`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
import polars as pl
from tests.cli.command_runner import write
from tests.sentences.entries import Maker
from tests.sentences.studies import END, ask
from tests.storage.small_studies import make_study
from tests.workflows.pool_folders import gather, list_reasons, save_pictures
from tests.workflows.pool_studies import Pooled, make_pooled
from tests.workflows.pools.test_duplicates import review
from tests.workflows.pools.test_filters import TABLE, YEAR, keep
from tests.workflows.testsets.test_draw_rounds import PLAN, later, make_extended

import regauge
from regauge.cli.pools.tables import _print_table, print_images
from regauge.formats.labels.frequencies import load_selection_counts
from regauge.records.evaluation.gaps import GapMethod, GapSettings
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.labels.contains import ContainsSettings
from regauge.records.studies import Selection
from regauge.records.testsets.pool import DrawAnnotators, DrawSources, Exclusion, ExclusionRule
from regauge.records.testsets.sampling import SamplingPlan, Strategy
from regauge.storage.testsets.pool import insert_exclusions, list_exclusions
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.evaluation.evaluations import measure_strategies
from regauge.workflows.evaluation.gaps import study_gap
from regauge.workflows.exports.draw_exports import export_draw
from regauge.workflows.labels.campaign_labels import preview_labels
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.pools.filters import RestoreRequest, Windows, exclude_listed, restore_images
from regauge.workflows.pools.status import PoolStatusRequest, describe_pool
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.draw_reviews import remove_from_draw
from regauge.workflows.testsets.draws import draw_test_set, revise_test_set
from regauge.workflows.testsets.test_set import add_test_set

Batch = dict[str, int]


def batches(*pictures: Batch, originals: Batch | None = None, again: bool = False, **options: object) -> Maker:
    """What is said when batches of pictures are gathered one after the other, and why images are excluded."""

    def make(folder: Path) -> list[str]:
        with make_study(folder) as study:
            if originals is not None:
                with study.begin() as begun:
                    add_test_set(begun, save_pictures(folder / "original", originals))
            for place, one in enumerate(pictures):
                path = save_pictures(folder / f"batch{place}", one)
                for _ in range(1 + again):
                    added = gather(study, path, **(options if place == 0 else {}))
            reasons = [text for place in range(len(pictures)) for text in list_reasons(study, f"batch{place}").values()]
        return [*added.notes, *reasons, END]

    return make


def gives_way(*, is_late: bool = True) -> Maker:
    """Of twins the first stays, or the second once the first is too late; said when a third one comes."""

    def make(folder: Path) -> list[str]:
        with make_study(folder) as study:
            gather(study, save_pictures(folder / "one", TWINS))
            if is_late:
                with study.begin() as begun:
                    late = Exclusion("a", ExclusionRule.WINDOW, is_excluded=True, reason="late")
                    insert_exclusions(begun, get_test_set(begun, "one"), [late])
            added = gather(study, save_pictures(folder / "two", {"cat/c.png": 1}))
            with study.read() as reading:
                kept = [one.reason for one in list_exclusions(reading, get_test_set(reading, "one"))]
        return [*added.notes, *kept, END]

    return make


def copies_of_original(*originals: str) -> Maker:
    """A second copy of an original image comes when only these test sets are told to be original."""

    def make(folder: Path) -> list[str]:
        with make_study(folder) as study:
            for name, pictures in (("original", {"cat/o.png": 1}), ("elsewhere", {"cat/p.png": 2})):
                with study.begin() as begun:
                    add_test_set(begun, save_pictures(folder / name, pictures))
            gather(study, save_pictures(folder / "one", {"cat/a.png": 1}))
            gather(study, save_pictures(folder / "two", {"cat/b.png": 1}), originals=originals)
            return [*list_reasons(study, "two").values(), END]

    return make


def undecodable(folder: Path) -> list[str]:
    with make_study(folder) as study:
        save_pictures(folder / "more", {"cat/a.png": 1})
        (folder / "more" / "cat" / "b.png").write_bytes(b"no picture")
        return list(gather(study, folder / "more").notes)


def undecodable_original(folder: Path) -> list[str]:
    with make_study(folder) as study:
        save_pictures(folder / "original", {"cat/o.png": 1, "cat/p.png": 3})
        with study.begin() as begun:
            add_test_set(begun, folder / "original")
        # It was whole when it was added.
        (folder / "original" / "cat" / "p.png").write_bytes(b"no picture")
        return list(gather(study, save_pictures(folder / "more", {"cat/x.png": 2})).notes)


def without_files(folder: Path) -> list[str]:
    """A batch beside a test set that has no image files."""
    with make_study(folder) as study:
        with study.begin() as begun:
            add_test_set(begun, folder / "truth.csv")
        return list(gather(study, save_pictures(folder / "more", {"cat/x.png": 1})).notes)


def same_name(folder: Path) -> list[str]:
    """A candidate without a file that is called as an original image is."""
    with make_study(folder) as study:
        with study.begin() as begun:
            add_test_set(begun, folder / "truth.csv")
        write(folder, {"p.csv": "image_id,class\na,cat\nx,cat\n"})
        added = gather(study, folder / "p.csv")
        return [*added.notes, *list_reasons(study, "p").values()]


def fetched(folder: Path) -> list[str]:
    """A table whose images come later."""
    with make_study(folder) as study:
        write(folder, {"p.csv": "image_id,class\na,cat\nb,cat\n"})
        gather(study, folder / "p.csv")
        save_pictures(folder / "got", {"a.png": 1})
        return list(gather(study, folder / "p.csv", images=folder / "got", skips_missing=True).notes)


def known(*, n_known: int) -> Maker:
    """A second batch of two images, of which so many are in the first one."""

    def make(folder: Path) -> list[str]:
        with make_study(folder) as study:
            write(folder, {"one.csv": "image_id,class\na,cat\nb,cat\n"})
            gather(study, folder / "one.csv")
            names = ["b", "c"] if n_known else ["c", "d"]
            write(folder, {"two.csv": "image_id,class\n" + "".join(f"{name},cat\n" for name in names)})
            return [*gather(study, folder / "two.csv", skips_known=True).notes, END]

    return make


def filtered(windows: Windows, *, twice: Windows | None = None) -> Maker:
    """What is said of images outside a window, and the reasons that are kept."""

    def make(folder: Path) -> list[str]:
        with make_study(folder) as study:
            write(folder, {"one.csv": TABLE})
            gather(study, folder / "one.csv")
            found = keep(study, windows)
            if twice is not None:
                found = keep(study, twice)
            with study.read() as reading:
                kept = [one.reason for one in list_exclusions(reading, get_test_set(reading, "one"))]
        return [*found.notes, *kept, END]

    return make


def restored(*image_ids: str) -> Maker:
    def make(folder: Path) -> list[str]:
        with make_study(folder) as study:
            write(folder, {"one.csv": TABLE, "l.csv": "image_id,reason\nlate,a drawing\n"})
            gather(study, folder / "one.csv")
            with study.begin() as begun:
                exclude_listed(begun, folder / "l.csv")
                return [*restore_images(begun, RestoreRequest(image_ids, reason="fine")).notes, END]

    return make


def reviewed(pairs: str, *, then: str = "", only: str = "") -> Maker:
    """What is said of reviewed pairs of k, l, m and the original a, and the reasons that are kept, of one image or of all."""

    def make(folder: Path) -> list[str]:
        with make_study(folder) as study:
            write(folder, {"one.csv": "image_id,class\n" + "".join(f"{name},cat\n" for name in "klm")})
            with study.begin() as begun:
                add_test_set(begun, folder / "truth.csv")
            gather(study, folder / "one.csv")
            found = review(study, folder, pairs)
            if then:
                found = review(study, folder, then, replaces=True)
            with study.read() as reading:
                kept = list_exclusions(reading, get_test_set(reading, "one"))
            reasons = [one.reason for one in kept if only in ("", one.image_id)]
        return [*found.notes, *reasons, END]

    return make


def pool_status(*, is_asked: bool = False, all_classes: bool = False) -> Maker:
    def make(folder: Path) -> list[str]:
        classes = range(10) if all_classes else (3,)
        with make_study(folder) as study:
            write(folder, {"p.csv": "image_id,class\n" + "".join(f"k{one},{one}\n" for one in classes)})
            write(folder, {"f.csv": "image_id,class,n_shown,n_selected\nk3,3,10,9\n"})
            gather(study, folder / "p.csv")
            frequencies = (str(folder / "f.csv"),) if is_asked else ()
            with study.read() as reading:
                found = describe_pool(reading, PoolStatusRequest(per_class=2, frequencies=frequencies))
            out = StringIO()
            with redirect_stdout(out), patch.dict("os.environ", {"COLUMNS": "300"}):
                names = {int(one.index): (str(one.id), one.name) for one in study.taxonomy.classes}
                _print_table(found, list(found.rows), names)
        return [*found.notes, *out.getvalue().splitlines()]

    return make


def pool_images(n: int) -> Maker:
    def make(_: Path) -> list[str]:
        rows = {
            "image_id": [f"i{one}" for one in range(n)],
            "class": ["cat"] * n,
            "pool": ["p"] * n,
            "keyword": ["k"] * n,
        }
        out = StringIO()
        with redirect_stdout(out), patch.dict("os.environ", {"COLUMNS": "300"}):
            print_images(pl.DataFrame(rows), "table", is_excluded=False)
        return out.getvalue().splitlines()

    return make


# Draws


def in_pooled(action: Callable[[Pooled, Study], list[str]]) -> Maker:
    def make(folder: Path) -> list[str]:
        with make_pooled(folder) as pooled, pooled.study.begin() as begun:
            return [*action(pooled, begun), END]

    return make


def draw_from(*, n_tables: int) -> Maker:
    """A draw by one table of frequencies, or by two that tell of the same images."""

    def draw(pooled: Pooled, begun: Study) -> list[str]:
        (pooled.folder / "copy.csv").write_bytes(pooled.table.read_bytes())
        tables = (str(pooled.table), str(pooled.folder / "copy.csv"))[:n_tables]
        plan = SamplingPlan(Strategy.TOP_IMAGES)
        return list(draw_test_set(begun, plan, name="drawn", sources=DrawSources(frequencies=tables)).notes)

    return in_pooled(draw)


def respond(begun: Study, *names: str) -> None:
    for name in names:
        test_set = load_test_set(begun, get_test_set(begun, name))
        for model in ("first", "second"):
            answers = regauge.Predictions(model, test_set.image_ids, np.roll(test_set.labels, 1))
            add_predictions(begun, PredictionSource(answers), test_set=name)


def rounds(labels: str) -> Maker:
    """A draw by the votes of the first round, or of all rounds of a campaign that asked where a decision was open."""
    return lambda _: say_of_rounds(labels)


@cache
def say_of_rounds(labels: str) -> list[str]:
    with TemporaryDirectory() as folder, make_extended(Path(folder)) as pooled, later(pooled.study, 3).begin() as begun:
        sources = DrawSources(frequencies=(labels,))
        made = draw_test_set(begun, PLAN, name="one", sources=sources, allow_short=True)
        draw_test_set(begun, replace(PLAN, seed=2), name="two", sources=sources, allow_short=True)
        counts = load_selection_counts(pooled.table)
        known = regauge.LabelSet.from_lists("people", counts.image_ids, correct=[[0]] * len(counts.image_ids))
        add_labels(begun, regauge.Truth(label_sets=(known,), frequencies=(counts,)))
        respond(begun, "original", "one", "two")
        names = (Selection("original"), [Selection("one"), Selection("two")])
        compared = measure_strategies(begun, *names, settings=ShiftSettings(n_bootstrap=100)).found
        gap = study_gap(begun, Selection("original", ("people",)), Selection("one"), settings=QUICK)
        swapped = study_gap(begun, Selection("one", ("people", "crowd")), Selection("two"), settings=QUICK)
        built = preview_labels(begun, "grids", settings=ContainsSettings(rules=None))
    return [*made.notes, *compared.notes, *gap.notes, *swapped.warnings, *built.warnings, END]


def one_round(folder: Path) -> list[str]:
    """Labels of a campaign that asked everybody about everything."""
    with make_pooled(folder, with_files=True) as pooled:
        ask(pooled.study)
        with pooled.study.begin() as begun:
            built = preview_labels(begun, "grids", settings=ContainsSettings(rules=None))
    return [*built.warnings, END]


def plain_gap(folder: Path) -> list[str]:
    """A gap between a set that was added and one that was drawn from it."""
    with make_pooled(folder) as pooled, pooled.study.begin() as begun:
        plan = SamplingPlan(Strategy.TOP_IMAGES)
        draw_test_set(begun, plan, name="drawn", sources=pooled.sources)
        respond(begun, "original", "drawn")
        found = study_gap(begun, Selection("original"), Selection("drawn"), settings=QUICK)
    return [*found.notes, *found.warnings, END]


# Cards of exported sets

STRATEGIES = {
    "matched": SamplingPlan(Strategy.MATCHED_FREQUENCY, seed=7),
    "top": SamplingPlan(Strategy.TOP_IMAGES),
    "threshold": SamplingPlan(Strategy.THRESHOLD, threshold=0.7, class_thresholds={0: 0.6}),
    "keywords": SamplingPlan(Strategy.KEYWORDS, per_class=3, min_annotations=0),
}


def card(name: str, *changes: str) -> Maker:
    """The card of a set drawn by a strategy, after changes."""
    return lambda _: read_card(name, *changes)


@cache
def read_card(name: str, *changes: str) -> list[str]:
    with TemporaryDirectory() as folder, make_pooled(Path(folder), with_files=True) as pooled:
        study, sources = pooled.study, pooled.sources
        if "half" in changes:
            ask(study, 4)
            sources = DrawSources(frequencies=("crowd",), annotators=DrawAnnotators.FIRST_HALF)
        if name == "keywords":
            known = sources.frequencies if "known" in changes else ()
            sources = DrawSources(frequencies=known, keywords=tuple((index, "one", 1) for index in (0, 3)))
        plan = replace(STRATEGIES[name], min_annotations=1) if "half" in changes else STRATEGIES[name]
        with study.begin() as begun:
            if "excluded" in changes:
                gone = Exclusion("c0-37", ExclusionRule.REVIEW, is_excluded=True, reason="wrong")
                insert_exclusions(begun, get_test_set(begun, "batch"), [gone])
            made = draw_test_set(begun, plan, name="drawn", sources=sources, allow_short=True)
            if "revised" in changes:
                remove_from_draw(begun, "drawn", image_id=str(made.draw.image_ids[0]), reason="a drawing")
                revise_test_set(begun, "drawn")
        with study.read() as reading:
            export_draw(reading, "drawn-2" if "second" in changes else "drawn", folder=Path(folder) / "out")
        return (Path(folder) / "out" / "README.md").read_text().splitlines()


@cache
def read_settled_card() -> list[str]:
    with TemporaryDirectory() as folder, make_extended(Path(folder)) as pooled:
        with later(pooled.study, 3).begin() as begun:
            draw_test_set(begun, PLAN, name="drawn", sources=DrawSources(), allow_short=True)
            export_draw(begun, "drawn", folder=Path(folder) / "out")
        return (Path(folder) / "out" / "README.md").read_text().splitlines()


QUICK = GapSettings((GapMethod.NAIVE, GapMethod.DECONVOLUTION), n_bootstrap=100)
ALONE: Batch = {"cat/a.png": 1, "cat/b.png": 2}
TWINS: Batch = {"cat/a.png": 1, "cat/b.png": 1}
KEEPING = Windows(YEAR, YEAR)
STRICT = Windows(YEAR, YEAR, keeps_undated=False)
