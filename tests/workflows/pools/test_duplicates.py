"""Near-duplicates by reviewed pairs, made up and real."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.cli.command_runner import write
from tests.storage.small_studies import make_study
from tests.workflows.pool_folders import gather, list_reasons, save_pictures

from regauge.errors import InputError
from regauge.records.testsets.pool import ExclusionRule
from regauge.storage.events import list_events
from regauge.workflows.pools.components import FoundCopies
from regauge.workflows.pools.duplicates import PairRequest, UnknownImages, exclude_near_duplicates
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import add_test_set

CHAIN = "by a chain of pairs that were reviewed or are exact copies."
HEAD = "image_a,image_b,verdict\n"


@pytest.fixture
def pool(study: Study, tmp_path: Path) -> Study:
    """Two batches, k to o and p to r, beside the test set of a to d."""
    write(tmp_path, {"one.csv": "image_id,class\n" + "".join(f"{name},cat\n" for name in "klmno")})
    write(tmp_path, {"two.csv": "image_id,class\n" + "".join(f"{name},cat\n" for name in "pqr")})
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "truth.csv")
    gather(study, tmp_path / "one.csv")
    gather(study, tmp_path / "two.csv")
    return study


def review(study: Study, folder: Path, pairs: str, **options: object) -> FoundCopies:
    write(folder, {"pairs.csv": HEAD + pairs})
    with study.begin() as begun:
        return exclude_near_duplicates(begun, [folder / "pairs.csv"], request=PairRequest(**options))  # type: ignore[arg-type]


def test_pairs_chain_across_batches_and_the_first_by_id_stays(pool: Study, tmp_path: Path) -> None:
    found = review(pool, tmp_path, "p,m,same\nl,p,same\nn,o,different\n")
    assert list_reasons(pool, "one") == {"m": f"It shows the same as image 'l', {CHAIN}"}
    assert list_reasons(pool, "two") == {"p": "It shows the same as image 'l', by a review of the pair."}
    assert [(one.pool, one.n_excluded) for one in found.changes] == [("one", 1), ("two", 1)]
    assert found.notes == ("3 reviews of pairs: 1 different, 2 same; they show 5 candidates and 0 original images.",)


def test_an_original_image_leaves_none(pool: Study, tmp_path: Path) -> None:
    review(pool, tmp_path, "k,l,same\nl,d.JPEG,same\n")
    assert list_reasons(pool, "one") == {
        "k": f"It shows the same as the original image 'd', {CHAIN}",
        "l": "It shows the same as the original image 'd', by a review of the pair.",
    }


def test_the_same_pairs_again_change_nothing(pool: Study, tmp_path: Path) -> None:
    review(pool, tmp_path, "k,l,same\n")
    again = review(pool, tmp_path, "l,k,same\n")
    assert [(one.n_excluded, one.n_new, one.n_back) for one in again.changes] == [(1, 0, 0), (0, 0, 0)]


def test_fewer_pairs_than_before_are_refused_unless_they_replace(pool: Study, tmp_path: Path) -> None:
    review(pool, tmp_path, "k,l,same\n")
    with pytest.raises(InputError, match="1 images are excluded by earlier pairs that these do not bear out"):
        review(pool, tmp_path, "m,n,same\n")
    assert list_reasons(pool, "one").keys() == {"l"}
    found = review(pool, tmp_path, "m,n,same\n", replaces=True)
    assert list_reasons(pool, "one").keys() == {"n"}
    assert (found.changes[0].n_new, found.changes[0].n_back) == (1, 1)


def test_pairs_that_nobody_is_sure_of_count_when_asked(pool: Study, tmp_path: Path) -> None:
    review(pool, tmp_path, "k,l,unsure\n")
    assert list_reasons(pool, "one") == {}
    review(pool, tmp_path, "k,l,unsure\n", is_unsure_same=True)
    assert list_reasons(pool, "one").keys() == {"l"}


def test_a_disputed_pair_counts_as_the_same_with_a_note(pool: Study, tmp_path: Path) -> None:
    found = review(pool, tmp_path, "k,l,same\nl,k,different\n")
    assert list_reasons(pool, "one").keys() == {"l"}
    assert "1 pair the same by one review and different by another, counted as the same: k and l." in found.notes[1]


def test_a_pair_is_the_same_pair_when_files_are_named(pool: Study, tmp_path: Path) -> None:
    found = review(pool, tmp_path, "k,l,same\nl.jpg,k.png,different\nm,m.png,same\n")
    assert list_reasons(pool, "one").keys() == {"l"}
    assert found.notes[1] == "1 of them pair an image with itself, which says nothing."
    assert "1 pair the same by one review and different by another, counted as the same: k and l." in found.notes[2]


def test_a_copy_of_a_near_duplicate_is_one_as_well(study: Study, tmp_path: Path) -> None:
    """The copies b and c are of one picture, which shows the same as a; of the three one is kept."""
    gather(study, save_pictures(tmp_path / "one", {"cat/b.png": 1, "cat/c.png": 1, "cat/a.png": 2}))
    review(study, tmp_path, "c,a,same\n")
    assert list_reasons(study, "one").keys() == {"b", "c"}
    # A copy that comes later, whatever its id, is out as well.
    gather(study, save_pictures(tmp_path / "two", {"cat/a0.png": 1}))
    assert list_reasons(study, "two") == {"a0": f"It shows the same as image 'a', {CHAIN}"}


def test_what_shows_the_same_as_a_copy_of_an_original_image_is_excluded(study: Study, tmp_path: Path) -> None:
    with study.begin() as begun:
        add_test_set(begun, save_pictures(tmp_path / "original", {"cat/o.png": 1}))
    gather(study, save_pictures(tmp_path / "one", {"cat/b.png": 1, "cat/a.png": 2, "cat/d.png": 3, "cat/e.png": 3}))
    review(study, tmp_path, "a,b,same\n")
    assert list_reasons(study, "one", ExclusionRule.NEAR_DUPLICATE) == {
        "a": f"It shows the same as the original image 'o', {CHAIN}",
        "b": f"It shows the same as the original image 'o', {CHAIN}",
    }


def test_the_first_by_id_stays_whichever_rule_and_batch_came_first(study: Study, tmp_path: Path) -> None:
    gather(study, save_pictures(tmp_path / "one", {"cat/k.png": 1, "cat/m.png": 2}))
    review(study, tmp_path, "k,m,same\n")
    gather(study, save_pictures(tmp_path / "two", {"cat/a.png": 2}))
    # The copy a of m shows the same as k, so it takes the place of k without another review.
    assert [sorted(list_reasons(study, name)) for name in ("one", "two")] == [["k", "m"], []]
    again = review(study, tmp_path, "k,m,same\n")
    assert [(one.n_new, one.n_back) for one in again.changes] == [(0, 0), (0, 0)]


def test_images_that_the_study_does_not_have_need_a_word(pool: Study, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match="1 image of the pairs is neither in the pool nor in a test set, the first being 'z'"
    ):
        review(pool, tmp_path, "k,z,same\nl,z,same\n")
    review(pool, tmp_path, "k,z,same\nl,z,same\n", unknown=UnknownImages.OTHER)
    assert list_reasons(pool, "one").keys() == {"l"}
    review(pool, tmp_path, "k,z,same\nl,z,same\n", unknown=UnknownImages.ORIGINAL)
    assert list_reasons(pool, "one").keys() == {"k", "l"}


def test_the_event_says_which_files(pool: Study, tmp_path: Path) -> None:
    review(pool, tmp_path, "k,l,same\n")
    with pool.read() as reading:
        event = list_events(reading)[-1]
    assert event.what == "pool duplicates"
    assert (list(event.parameters["files"]), event.parameters["n_excluded"]) == (["pairs.csv"], 1)


def test_the_released_pairs_of_imagenetv2(published: Path, tmp_path: Path) -> None:
    released = np.load(published / "recht2019_near_duplicates.npz", allow_pickle=False)
    ids, pairs = released["ids"], released["duplicate_pairs"]
    candidates = [one for one in ids.tolist() if len(one) == 12]
    pl.DataFrame({"image_id": candidates, "class": [0] * len(candidates)}).write_csv(tmp_path / "pool.csv")
    columns = {
        "image_a": ids[pairs[:, 0]].tolist(),
        "image_b": ids[pairs[:, 1]].tolist(),
        "verdict": ["true"] * len(pairs),
    }
    same = pl.DataFrame(columns)
    names = ("review_candidate", "review_reference")
    reviewed = dict(zip(("image_a", "image_b"), (ids[released[name]].tolist() for name in names), strict=True))
    reviews = pl.DataFrame({**reviewed, "verdict": [str(one) for one in released["review_is_duplicate"].tolist()]})
    pl.concat([same, reviews]).write_csv(tmp_path / "pairs.csv")
    with make_study(tmp_path) as study:
        gather(study, tmp_path / "pool.csv")
        with study.begin() as begun:
            options = PairRequest(unknown=UnknownImages.ORIGINAL)
            found = exclude_near_duplicates(begun, [tmp_path / "pairs.csv"], request=options)
        excluded = set(list_reasons(study, "pool"))
    # 4,444 components of 17,805 candidates, 106 of them with an original image: 17,805 − (4,444 − 106) are excluded.
    assert (found.changes[0].n_images, found.changes[0].n_excluded) == (20_188, 13_467)
    # No review contradicts another, or the released pairs.
    assert found.notes[1:] == ("4 of them pair an image with itself, which says nothing.",)
    drawn = np.load(published / "recht2019_imagenet_top1.npz", allow_pickle=False)["matched_frequency_ids"]
    assert excluded & {one.decode()[:12] for one in drawn.tolist()}
