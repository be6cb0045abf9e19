"""What is left of a pool inside a study, with what people said and with keywords of the original."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command_runner import write
from tests.workflows.pool_folders import gather

from regauge.errors import InputError
from regauge.workflows.pools.filters import exclude_listed
from regauge.workflows.pools.status import PoolStatusRequest, describe_pool
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import add_test_set


@pytest.fixture
def pool(study: Study, tmp_path: Path) -> Study:
    write(tmp_path, {"p.csv": "image_id,class,keyword\nk,cat,tabby\nl,cat,tabby\nm,cat,lion\nn,dog,\n"})
    write(tmp_path, {"f.csv": "image_id,class,n_shown,n_selected\nk,cat,10,9\nl,dog,10,9\nm,cat,4,4\n"})
    write(tmp_path, {"l.csv": "image_id,reason\nl,a drawing\n"})
    gather(study, tmp_path / "p.csv")
    with study.begin() as begun:
        exclude_listed(begun, tmp_path / "l.csv")
    return study


def test_before_anybody_was_asked_nothing_is_open(pool: Study) -> None:
    with pool.read() as reading:
        found = describe_pool(reading, PoolStatusRequest(per_class=2))
    assert [(row.class_index, row.n_gathered, row.n_usable, row.n_missing) for row in found.rows] == [
        (3, 3, 2, 0),
        (5, 1, 1, 1),
    ]
    assert found.min_annotations is None
    assert "8 of 10 classes have no candidates." in found.notes


def test_a_class_of_the_original_that_nothing_was_gathered_for_lacks_all(pool: Study, tmp_path: Path) -> None:
    with pool.begin() as begun:
        # Of the classes 0 to 3.
        add_test_set(begun, tmp_path / "truth.csv")
        rows = describe_pool(begun, PoolStatusRequest(per_class=2)).rows
        named = describe_pool(begun, PoolStatusRequest(per_class=2, original="truth")).rows
    assert [(row.class_index, row.n_gathered, row.n_missing, row.n_to_gather) for row in rows] == [
        *((index, 0, 2, None) for index in range(3)),
        (3, 3, 0, 0),
        (5, 1, 1, 1),
    ]
    assert named == rows


def test_annotators_count_who_were_asked_about_the_class_of_the_image(pool: Study, tmp_path: Path) -> None:
    with pool.read() as reading:
        found = describe_pool(reading, PoolStatusRequest(per_class=2, frequencies=(str(tmp_path / "f.csv"),)))
    cats, dogs = found.rows
    assert (cats.n_annotated, cats.n_open, cats.n_usable, cats.n_to_gather) == (1, 1, 1, 0)
    assert (dogs.n_annotated, dogs.n_open, dogs.n_usable, dogs.n_missing) == (0, 1, 0, 2)
    assert found.min_annotations == 10


def test_keywords_make_quotas(pool: Study, tmp_path: Path) -> None:
    # The original has a (class 0) and d (class 3), and d is a lion.
    write(tmp_path, {"k.csv": "image_id,keyword\nd,lion\n", "c.csv": "class,keyword,n\ncat,lion,1\ncat,tabby,1\n"})
    with pool.begin() as begun:
        add_test_set(begun, tmp_path / "truth.csv")
        options = PoolStatusRequest(per_class=4, original="truth", keywords=tmp_path / "k.csv")
        rows = describe_pool(begun, options).rows
        counted = describe_pool(begun, PoolStatusRequest(per_class=4, keywords=tmp_path / "c.csv")).rows
    assert [(row.class_index, row.keyword, row.n_wanted, row.n_missing) for row in rows] == [
        (3, "lion", 4, 3),
        (3, "tabby", 0, 0),
        (5, "", 0, 0),
    ]
    assert [(row.keyword, row.n_wanted, row.n_to_gather) for row in counted[:2]] == [("lion", 2, 1), ("tabby", 2, 2)]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"per_class": 0}, "Images per class are 1 to 1,000,000"),
        ({"per_class": 10**20}, "Images per class are 1 to 1,000,000"),
        ({"min_annotations": -1}, "annotators per candidate 0 or more"),
    ],
)
def test_requests_that_make_no_sense_are_refused(options: dict[str, object], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        PoolStatusRequest(**options)  # type: ignore[arg-type]
