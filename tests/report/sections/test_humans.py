"""People beside models in a report: one folded section with a figure, both tables, tests, exposure and what all miss."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from tests.evaluation.humans.answers import MODELS, PEOPLE, keep, make_set, run, stop_early
from tests.report.small_reports import HOSTILE, make_content, make_scores, render_drawn
from tests.report.test_document import make_mistakes

from regauge.estimates import Estimate, Share, count_things
from regauge.records.evaluation.humans.report import HumanReport
from regauge.records.evaluation.humans.tables import GAPS
from regauge.records.exposure.effects import (
    ExposedLabeler,
    ExposedScore,
    ExposureDifference,
    ExposureEffect,
    ExposureSplit,
)
from regauge.report.content import HumanPart, MissedPictures, Misser
from regauge.report.document import lay_out
from regauge.report.findings.humans import count_told_apart, find_in_humans
from regauge.report.findings.ranks import Question
from regauge.report.sections.blocks import Fold, Pictures, ReportTable, Section, Text, list_figures
from regauge.report.sections.humans import make_humans

EVERYBODY = (*PEOPLE, *MODELS)


@cache
def report(names: tuple[str, ...] = EVERYBODY, *, n_sets: int = 2, drop: float = 0.0, stops: int = 0) -> HumanReport:
    """Tables of three people and three models, who lose so much on the new set."""
    sets = [
        keep(make_set(name, seed=seed, drop=drop * seed), names) for seed, name in enumerate(("old", "new")[:n_sets])
    ]
    for who in PEOPLE[:stops]:
        sets = [stop_early(one, who, 20) for one in sets]
    return run(*sets)


def place(*apart: float) -> HumanReport:
    """The tables of people who are so far from the line through the models, each by limits of one point."""
    found = report()
    shift = found.shifts["all"]
    far = dict(zip(PEOPLE, apart, strict=True))
    models = [
        replace(one, effective_robustness=Estimate(far[one.name], far[one.name] - 0.01, far[one.name] + 0.01))
        if one.name in far
        else one
        for one in shift.models
    ]
    return replace(found, shifts={"all": replace(shift, models=tuple(models))})


def make_part(found: HumanReport | None = None, **changes: Any) -> HumanPart:
    found = report() if found is None else found
    measures = tuple((name, "top1", "dataset") for name in found.test_sets)
    return HumanPart(**{"found": found, "measures": measures, "pictures": (), **changes})


def make_effect(*n_exposed: int, known: int | None = None) -> ExposureEffect:
    """People who had seen so many of 20 images each; nobody is known of those after the known ones."""
    share: Share[float | None] = Share(0.5, 0.3, 0.7, n=20, k=10, method="")
    known = len(n_exposed) if known is None else known
    labelers = tuple(
        ExposedLabeler(f"p{place}", f"p{place}" if place < known else "", "", 20, n, "", "", share)
        for place, n in enumerate(n_exposed)
    )
    scores = [
        ExposedScore(split, "", is_exposed, 1, replace(share, n=20 + is_exposed))
        for split in (ExposureSplit.LABELERS, ExposureSplit.IMAGES)
        for is_exposed in (False, True)
    ]
    differences = [
        ExposureDifference(split, "", Estimate(0.1, -0.05, 0.25), 21, 20)
        for split in (ExposureSplit.LABELERS, ExposureSplit.IMAGES)
    ]
    return ExposureEffect("old", "top1", "dataset", labelers, tuple(scores), tuple(differences))


def read(section: Section) -> str:
    """Its paragraphs, folded ones too."""

    def walk(blocks: Any) -> Any:
        for block in blocks:
            if isinstance(block, Text):
                yield block.words
            elif isinstance(block, Fold):
                yield from walk(block.blocks)

    return "\n".join(walk(section.blocks))


def list_tables(section: Section) -> dict[str, ReportTable]:
    found: dict[str, ReportTable] = {}
    for block in section.blocks:
        inside = block.blocks if isinstance(block, Fold) else (block,)
        found |= {one.id: one for one in inside if isinstance(one, ReportTable)}
    return found


def test_the_section_is_folded_and_has_the_figure_both_tables_and_all_numbers_in_files():
    section = make_humans(make_part())
    assert section.is_folded
    assert [one.name for one in list_figures(section.blocks)] == ["humans-sets"]
    tables = list_tables(section)
    assert set(tables) == {
        "humans-gaps",
        "humans-seconds",
        "humans-subsets-1",
        "humans-subsets-2",
        "humans-missed",
    }
    missed = dict(tables["humans-missed"].content.rows)
    assert {"all 3 people on old", "all 3 people on old, objects", "everybody on new, objects"} <= set(missed)
    # Only both kinds together can be independent of each other.
    assert [missed[f"{who} on old"][3].value is None for who in ("all 3 people", "everybody")] == [True, False]
    rows = dict(tables["humans-gaps"].content.rows)
    assert set(rows) == {*EVERYBODY, "mean of 3 people", "mean of 3 models"}
    gap = report().get_table(GAPS).filter(participant="ann", subset="all", metric="top1")["gap"].item()
    assert rows["ann"][2].value == gap
    assert {"humans-accuracies", "humans-pairs", "humans-gaps"} <= {name for name, _ in section.frames}


def test_it_names_the_labels_and_the_images_beside_the_accuracies():
    part = make_part(measures=(("old", "top1", "people@3"), ("new", "top1", "dataset")), others=("third",))
    told = read(make_humans(part))
    assert "3 people and 3 models on old and new: top-1 accuracy under labels people@3 on 80 images of old and" in told
    assert "dataset labels on 80 images of new" in told
    assert "People also answered third, which regauge humans shows." in told


def test_whoever_stopped_early_has_an_n_of_their_own():
    rows = dict(list_tables(make_humans(make_part(report(stops=1))))["humans-subsets-1"].content.rows)
    assert rows["ann"][0].note.startswith("n = 20")
    assert rows["bob"][0].note.startswith("n = 80")


def test_one_set_has_no_figure_of_two_and_finds_who_can_be_told_apart():
    part = make_part(report(n_sets=1))
    section = make_humans(part)
    assert not list(list_figures(section.blocks))
    assert "humans-gaps" not in list_tables(section)
    (finding,) = find_in_humans(part, "humans")
    n_people, n_models, n = count_told_apart(report(n_sets=1), "old")
    assert n == 9
    assert finding.is_clear == bool(n_people or n_models)
    assert "9 pairs of a person and a model" in finding.evidence


@pytest.mark.parametrize(
    ("apart", "claim", "is_clear"),
    [
        ((0.1, 0.05, 0.0), "On new, 2 of 3 people do clearly better than models that match them on old.", True),
        ((-0.1, 0.005, 0.0), "On new, 1 of 3 people does clearly worse than models that match them on old.", True),
        (
            (0.1, -0.1, 0.0),
            "On new, 1 of 3 people do clearly better and 1 clearly worse than models that match them on old.",
            True,
        ),
        (
            (0.005, 0.0, -0.009),
            "On new, none of 3 people does clearly better or worse than models that match them on old.",
            False,
        ),
    ],
)
def test_people_beside_the_line_through_the_models_are_counted_by_their_limits(
    apart: tuple[float, ...], claim: str, is_clear: bool
):
    (finding,) = find_in_humans(make_part(place(*apart)), "humans")
    assert (finding.question, finding.claim, finding.is_clear) == (Question.PEOPLE, claim, is_clear)
    assert (
        "from the line through 3 models, each with limits of its own; top-1 accuracy on 80 and 80" in finding.evidence
    )


def test_a_person_who_is_more_accurate_than_any_model_is_said_to_be_beyond_the_line():
    assert "more accurate than any model" not in next(find_in_humans(make_part(), "humans")).evidence
    # Models that are wrong on half of both sets leave all three people beyond them.
    poor = run(*(make_set(name, seed=seed, drop=0.5) for seed, name in enumerate(("old", "new"))))
    (finding,) = find_in_humans(make_part(poor), "humans")
    assert finding.evidence.endswith("3 of them are more accurate than any model, so the line is extrapolated there.")


def test_people_alone_have_a_section_and_no_finding():
    part = make_part(report(PEOPLE))
    assert list(find_in_humans(part, "humans")) == []
    assert "mean of 3 people" in dict(list_tables(make_humans(part))["humans-gaps"].content.rows)


@pytest.mark.parametrize(
    ("effect", "said"),
    [
        (make_effect(0, 0), "None of 2 people had been shown an image of old before."),
        (make_effect(0), "The only person had not been shown an image of old before."),
        (
            make_effect(0, 0, known=1),
            "None of the others had been shown an image of old before. Of 1 of 2 people it is not known what they had",
        ),
        (make_effect(0, 0, known=0), "Whether these people had been shown images of old before is not known."),
        (
            make_effect(5, 0),
            "50.0% [30.0, 70.0] of their answers are right (n = 21), of the others’ 50.0% [30.0, 70.0] (n = 20); difference",
        ),
        (
            make_effect(5, 5),
            "2 of 2 people had been shown images of old before: 50.0% [30.0, 70.0] of answers to images that",
        ),
    ],
)
def test_exposure_is_told_with_n_and_interval_and_nobody_is_unexposed_without_being_known(
    effect: ExposureEffect, said: str
):
    assert said in read(make_humans(make_part(exposures=(effect,))))


def test_missed_images_are_shown_with_how_many_there_are():
    images = make_mistakes().images
    pictures = (
        MissedPictures("old", Misser.BOTH, 9, images, 1),
        MissedPictures("new", Misser.MODELS, len(images), images),
    )
    section = make_humans(make_part(pictures=pictures))
    told = read(section)
    assert (
        f"9 images of old missed by all people and all models, {len(images)} shown (1 file could not be read):" in told
    )
    assert f"{count_things(len(images), 'image')} of new missed by all models, but not by all people:" in told
    (fold,) = [one for one in section.blocks if isinstance(one, Fold) and "models or both miss" in one.title]
    assert sum(isinstance(one, Pictures) for one in fold.blocks) == 2
    assert "The image files are not at hand" in read(make_humans(make_part(pictures=None)))


def test_tables_that_cannot_be_made_are_told_of():
    part = HumanPart(None, "There is a reason.")
    assert list(find_in_humans(part, "humans")) == []
    assert "cannot be put into the same tables: There is a reason." in read(make_humans(part))


def test_a_report_has_the_section_only_with_people_and_keeps_names_names():
    scores = make_scores({"alpha": 30})
    assert "humans" not in {one.anchor for one in lay_out(make_content([scores])).sections}
    part = make_part(measures=(("old", "top1", HOSTILE[0]), ("new", "top1", HOSTILE[1])), others=(HOSTILE[2],))
    page = render_drawn(make_content([scores], humans=part))
    assert 'id="humans"' in page
    assert HOSTILE[0] not in page
    assert "<img src=x" not in page
