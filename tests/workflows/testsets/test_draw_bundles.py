"""Drawn test sets, revisions and what reviewers did go into a bundle and come back, from either database to either."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.storage.small_studies import make_circumstances
from tests.storage.tampered_bundles import edit_rows, meddle
from tests.workflows.conftest import make_database
from tests.workflows.pool_studies import PLAN, Pooled, make_pooled
from tests.workflows.studies.test_bundles import read_rows

from regauge.errors import FormatError
from regauge.records.testsets.pool import ExclusionRule
from regauge.workflows.studies.bundles import export_bundle, import_study
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.draw_descriptions import describe_draw, diff_draws, get_draw
from regauge.workflows.testsets.draw_reviews import mark_reviewed, open_review, remove_from_draw, restore_to_draw
from regauge.workflows.testsets.draws import draw_test_set, revise_test_set


@pytest.fixture
def pooled(tmp_path: Path, database: str) -> Iterator[Pooled]:
    """A drawn set that lacks images, one removed and one taken back, a revision of it, and a reviewed class."""
    with make_pooled(tmp_path, database=database) as made:
        for number in range(8):
            made.exclude(f"c3-{number:02d}", ExclusionRule.NEAR_DUPLICATE, "shows the same as Ärger")
        for number in range(26, 35):
            made.exclude(f"c0-{number:02d}", ExclusionRule.LIST, "not wanted")
        with made.study.begin() as begun:
            drawn = draw_test_set(begun, PLAN, name="gezogen", sources=made.sources, allow_short=True).draw
            first, second = drawn.image_ids[:2].tolist()
            remove_from_draw(begun, "gezogen", image_id=first, reason="a drawing, <b>not</b> a photo")
            remove_from_draw(begun, "gezogen", image_id=second, reason="blurred")
            restore_to_draw(begun, "gezogen", image_id=second)
            mark_reviewed(begun, "gezogen", class_index=3)
            revise_test_set(begun, "gezogen", allow_short=True)
        yield made


def export(pooled: Pooled, folder: Path) -> Path:
    with pooled.study.read() as reading:
        return export_bundle(reading, folder / "x.zip")


def read_draws(study: Study) -> list[Any]:
    """All that pages and commands say of both sets."""
    with study.begin() as begun:
        found: list[Any] = [diff_draws(begun, "gezogen", "gezogen-2")]
        for name in ("gezogen", "gezogen-2"):
            review = open_review(begun, name)
            found += [get_draw(begun, name), describe_draw(begun, name), review.classes, review.removed]
            found += [review.draw.to_frame().rows(), review.pool_ids.tolist(), review.pool_rows.tolist()]
        return found


@pytest.mark.parametrize("target", ["sqlite", "postgresql"])
def test_draws_and_revisions_come_back_as_they_were(
    pooled: Pooled, tmp_path: Path, postgres: Path, target: str
) -> None:
    address = make_database(postgres) if target == "postgresql" else ""
    imported = import_study(export(pooled, tmp_path), tmp_path / "again", database=address, around=make_circumstances())
    try:
        before, after = read_rows(pooled.study), read_rows(imported.study)
        for table in ("test_sets", "images", "pool_images", "exclusions", "draws", "drawn_images"):
            assert after[table] == before[table]
            assert before[table]
        assert read_draws(imported.study) == read_draws(pooled.study)
        with pooled.study.begin() as here, imported.study.begin() as there:
            image_id = read_first(here)
            made = []
            for study in (here, there):
                remove_from_draw(study, "gezogen-2", image_id=image_id, reason="wrong class")
                made.append(revise_test_set(study, "gezogen-2", allow_short=True))
        # The revision of a revision is drawn alike on both sides.
        assert made[0].entry.digest == made[1].entry.digest
        assert made[0].draw.to_frame().equals(made[1].draw.to_frame())
    finally:
        imported.study.close()


def read_first(study: Study) -> str:
    return str(open_review(study, "gezogen-2").draw.image_ids[0])


@pytest.mark.parametrize(
    ("table", "changes", "problem"),
    [
        ("drawn_images", {"pool_row": 3}, "are not those of the pool that it was drawn from"),
        ("drawn_images", {"pool_row": 9_999}, "what it holds is not understood"),
        ("drawn_images", {"pool_id": 1}, "what it holds is not understood"),
        ("draws", {"plan": {"strategy": "whim"}}, "what it holds is not understood"),
        ("draws", {"shortfalls": [{"class_index": 99, "where": "", "n_missing": 1, "n_to_gather": 1}]}, "99"),
        ("test_sets", {"parent_id": 4}, "revises one that came after it"),
    ],
)
def test_draws_that_were_meddled_with_are_refused(
    tmp_path: Path, table: str, changes: dict[str, Any], problem: str
) -> None:
    with make_pooled(tmp_path) as pooled:
        with pooled.study.begin() as begun:
            draw_test_set(begun, PLAN, name="drawn", sources=pooled.sources)
        bundle = export(pooled, tmp_path)
    forged = meddle(
        bundle,
        tmp_path / "forged.zip",
        lambda members, _: edit_rows(members, table, lambda rows: rows[-1].update(changes)),
    )
    with pytest.raises(FormatError, match=problem):
        import_study(forged, tmp_path / "again", around=make_circumstances())
