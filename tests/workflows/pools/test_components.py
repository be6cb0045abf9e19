"""Copies and near-duplicates together: one of all that are the same stays, whatever was done in which order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.cli.command_runner import write
from tests.storage.small_studies import make_study
from tests.workflows.pool_folders import gather, list_reasons, save_pictures
from tests.workflows.pool_studies import make_pooled

from regauge.records.testsets.fingerprints import Fingerprints
from regauge.records.testsets.pool import DrawSources, Exclusion, ExclusionRule
from regauge.records.testsets.sampling import SamplingPlan, Strategy
from regauge.storage.database.migrate import MIGRATIONS
from regauge.storage.testsets.draws import load_draw
from regauge.storage.testsets.pool import find_excluded, insert_exclusions, list_exclusions
from regauge.storage.testsets.test_set import get_test_set
from regauge.workflows.pools.components import FoundCopies
from regauge.workflows.pools.copies import read_all_fingerprints, store_copies
from regauge.workflows.pools.duplicates import PairRequest, exclude_near_duplicates
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.draws import draw_test_set, revise_test_set
from regauge.workflows.testsets.test_set import add_test_set

EXACT, NEAR = ExclusionRule.EXACT_DUPLICATE, ExclusionRule.NEAR_DUPLICATE
HEAD = "image_a,image_b,verdict\n"
IDS = "efghijkl"
"""Candidates; a to d are original."""


def compare(study: Study, **options: object) -> FoundCopies:
    """Look for exact duplicates again."""
    with study.read() as reading:
        prints, _ = read_all_fingerprints(reading)
    with study.begin() as begun:
        return store_copies(begun, prints, **options)  # type: ignore[arg-type]


def review(study: Study, folder: Path, pairs: str, **options: object) -> FoundCopies:
    write(folder, {"pairs.csv": HEAD + pairs})
    with study.begin() as begun:
        return exclude_near_duplicates(begun, [folder / "pairs.csv"], request=PairRequest(**options))  # type: ignore[arg-type]


def bar(study: Study, image_id: str, rule: ExclusionRule, *, pool: str = "one", is_excluded: bool = True) -> None:
    with study.begin() as begun:
        one = Exclusion(image_id, rule, is_excluded=is_excluded, reason="by hand")
        insert_exclusions(begun, get_test_set(begun, pool), [one])


def count_changes(found: FoundCopies) -> int:
    return sum(one.n_new + one.n_back for one in found.changes)


def test_exact_copies_that_were_reviewed_as_the_same_keep_one(study: Study, tmp_path: Path) -> None:
    gather(study, save_pictures(tmp_path / "one", {"cat/b.png": 1, "cat/c.png": 1}))
    review(study, tmp_path, "b,c,same\n")
    assert count_changes(compare(study)) == 0
    assert list_reasons(study, "one").keys() == {"c"}
    assert count_changes(review(study, tmp_path, "c,b,same\n")) == 0


def test_a_study_in_which_two_rules_excluded_each_others_choice_gets_the_image_back(
    study: Study, tmp_path: Path
) -> None:
    gather(study, save_pictures(tmp_path / "one", {"cat/b.png": 1, "cat/c.png": 1}))
    with study.begin() as begun:
        pool = get_test_set(begun, "one")
        insert_exclusions(begun, pool, [Exclusion("c", NEAR, is_excluded=True, reason="near", same_as="b")])
        insert_exclusions(begun, pool, [Exclusion("b", EXACT, is_excluded=True, reason="exact", same_as="c")])
    found = compare(study)
    assert [(one.rule, one.n_excluded, one.n_new, one.n_back) for one in found.changes] == [(EXACT, 1, 0, 1)]
    assert list_reasons(study, "one").keys() == {"c"}


def test_what_a_list_excludes_is_not_the_one_that_stays(study: Study, tmp_path: Path) -> None:
    gather(study, save_pictures(tmp_path / "one", {"cat/a.png": 1, "cat/b.png": 2, "cat/c.png": 3}))
    review(study, tmp_path, "a,b,same\nb,c,same\n")
    bar(study, "a", ExclusionRule.LIST)
    assert list_reasons(study, "one").keys() == {"a", "b", "c"}
    compare(study)
    assert list_reasons(study, "one").keys() == {"a", "c"}
    # Off the list, the first by id is excluded still, until somebody asks again.
    bar(study, "a", ExclusionRule.LIST, is_excluded=False)
    assert list_reasons(study, "one").keys() == {"a", "c"}
    review(study, tmp_path, "a,b,same\nb,c,same\n")
    assert list_reasons(study, "one").keys() == {"b", "c"}


def test_a_copy_outside_the_window_gives_way_and_stays_excluded_when_the_window_is_widened(
    study: Study, tmp_path: Path
) -> None:
    gather(study, save_pictures(tmp_path / "one", {"cat/a.png": 1, "cat/b.png": 1}))
    bar(study, "a", ExclusionRule.WINDOW)
    compare(study)
    assert list_reasons(study, "one").keys() == {"a"}
    bar(study, "a", ExclusionRule.WINDOW, is_excluded=False)
    assert list_reasons(study, "one") == {"a": "It has the same bytes as image 'b' of the pool one."}


def test_copies_of_what_a_reviewer_removed_are_not_taken_but_near_duplicates_are(study: Study, tmp_path: Path) -> None:
    gather(study, save_pictures(tmp_path / "one", {"cat/a.png": 1, "cat/b.png": 1, "cat/c.png": 2}))
    bar(study, "b", ExclusionRule.REVIEW)
    compare(study)
    assert list_reasons(study, "one", EXACT) == {"a": "It has the same bytes as image 'b' of the pool one."}
    review(study, tmp_path, "a,c,same\n")
    assert list_reasons(study, "one").keys() == {"a", "b"}


def test_the_scarcest_class_then_the_highest_frequency_then_the_id_decide(tmp_path: Path) -> None:
    """Aeroplanes (0) and cats (3) have 15 candidates each at 7 of 10 or more; c3-37 is one of them no more."""
    with make_pooled(tmp_path) as pooled:
        pooled.exclude("c3-37", ExclusionRule.WINDOW, "too late")
        table = (str(pooled.table),)
        # c0-26 and c0-27 were selected by 8 and 9 of 10, c3-26 by 8, c3-00 by none.
        review(pooled.study, tmp_path, "c0-27,c3-26,same\nc0-28,c0-29,same\nc0-00,c3-01,same\n", frequencies=table)
        # Cats are scarcer; of two aeroplanes the one with 10 of 10 stays, and below 7 of 10 the frequency alone decides.
        assert set(list_reasons(pooled.study, "batch", NEAR)) == {"c0-27", "c0-29", "c0-00"}
        pooled.table.write_text(pooled.table.read_text().replace("c3-01,3,10,1", "c3-01,3,10,0"))
        again = review(
            pooled.study, tmp_path, "c0-27,c3-26,same\nc0-28,c0-29,same\nc0-00,c3-01,same\n", frequencies=table
        )
        # None selected either now: the first id.
        assert (again.changes[0].n_new, again.changes[0].n_back) == (1, 1)
        assert set(list_reasons(pooled.study, "batch", NEAR)) == {"c0-27", "c0-29", "c3-01"}


def test_sets_that_were_drawn_never_change_and_a_revision_keeps_their_images(tmp_path: Path) -> None:
    with make_pooled(tmp_path) as pooled:
        plan = SamplingPlan(Strategy.TOP_IMAGES, 10, min_annotations=10)
        sources = DrawSources(frequencies=(str(pooled.table),))
        with pooled.study.begin() as begun:
            drawn = draw_test_set(begun, plan, name="top", sources=sources).draw
        taken = [one for one in drawn.image_ids.tolist() if one.startswith("c0")]
        # Beside each image that was drawn, one that was not and that comes first by id.
        pairs = "".join(f"{one},c0-{number:02d},same\n" for number, one in enumerate(taken))
        review(pooled.study, tmp_path, pairs, frequencies=sources.frequencies)
        assert not set(taken) & set(list_reasons(pooled.study, "batch"))
        bar(pooled.study, taken[0], ExclusionRule.REVIEW, pool="batch")
        with pooled.study.begin() as begun:
            assert load_draw(begun, get_test_set(begun, "top")).image_ids.tolist() == drawn.image_ids.tolist()
            revised = revise_test_set(begun, "top").draw
        assert set(drawn.image_ids.tolist()) - set(revised.image_ids.tolist()) == {taken[0]}


def test_the_image_that_stands_for_a_duplicate_is_written_down_once(study: Study, tmp_path: Path) -> None:
    gather(study, save_pictures(tmp_path / "one", {"cat/a.png": 1, "cat/b.png": 1, "cat/c.png": 2}))
    for _ in range(2):
        review(study, tmp_path, "a,c,same\n")
        compare(study)
    with study.read() as reading:
        written = list_exclusions(reading, get_test_set(reading, "one"))
    assert [(one.image_id, one.rule, one.same_as) for one in written] == [
        ("b", EXACT, "a"),
        ("b", NEAR, "a"),
        ("c", NEAR, "a"),
    ]


def test_a_duplicate_of_what_the_study_does_not_know_stays_excluded(study: Study, tmp_path: Path) -> None:
    """As somebody wrote it down who did not say what it is the same as: no copy of it is taken either."""
    gather(study, save_pictures(tmp_path / "one", {"cat/a.png": 1, "cat/b.png": 1}))
    bar(study, "b", NEAR)
    compare(study)
    assert list_reasons(study, "one").keys() == {"a", "b"}


@pytest.mark.parametrize(
    ("reason", "named"),
    [
        ("It has the same bytes as image 'o' of the test set original.", "o"),
        ('It has the same pixels as image "it\'s of the pool x" of the pool of the year.', "it's of the pool x"),
        ("It is the same as image 'a' of the test set truth.", "a"),
        ("It shows the same as the original image 'd', by a review of pairs.", "d"),
        ("It shows the same as image 'n\\n', by a review of pairs.", "n\n"),
        ("It shows the same as image d, by a review of pairs.", ""),
        ("a copy", ""),
    ],
)
def test_studies_of_earlier_versions_tell_by_their_reasons_what_is_the_same(reason: str, named: str) -> None:
    script = MIGRATIONS / "versions" / "0007_same_images.py"
    scope: dict[str, object] = {}
    exec(compile(script.read_text(), str(script), "exec"), scope)  # noqa: S102
    assert scope["find_named"](reason) == named  # type: ignore[operator]


def find_parts(pairs: Sequence[tuple[str, str]]) -> list[set[str]]:
    """Connected components by merging sets, independently of the program."""
    parts = [{one} for one in "abcd" + IDS]
    for first, second in pairs:
        joined = set().union(*(part for part in parts if first in part or second in part))
        parts = [part for part in parts if not part & joined] + [joined]
    return parts


COMMANDS = st.one_of(
    st.just(("exact", "")),
    st.just(("near", "")),
    st.tuples(st.sampled_from(["bar", "free"]), st.sampled_from(IDS)),
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from("pqrstuvwxyz"), min_size=12, max_size=12),
    st.lists(st.tuples(st.sampled_from("abcd" + IDS), st.sampled_from(IDS)), min_size=1, max_size=7),
    st.lists(COMMANDS, max_size=8),
    st.sampled_from(["exact", "near"]),
)
def test_after_any_commands_one_usable_image_of_every_component_without_an_original_stays(
    tmp_path_factory: pytest.TempPathFactory,
    pictures: list[str],
    pairs: list[tuple[str, str]],
    commands: list[tuple[str, str]],
    last: str,
) -> None:
    columns = {"truth": pictures[:4], "pool": pictures[4:]}
    prints = {name: Fingerprints(np.array(mine), np.full(len(mine), "")) for name, mine in columns.items()}
    copies = [
        (one, two)
        for one, p in zip("abcd" + IDS, pictures, strict=True)
        for two, q in zip("abcd" + IDS, pictures, strict=True)
        if p == q
    ]
    barred: set[str] = set()
    folder = tmp_path_factory.mktemp("study")
    with make_study(folder) as study:
        write(folder, {"pool.csv": "image_id,class\n" + "".join(f"{one},cat\n" for one in IDS)})
        with study.begin() as begun:
            add_test_set(begun, folder / "truth.csv")
        gather(study, folder / "pool.csv")
        lines = "".join(f"{one},{two},same\n" for one, two in pairs)

        def run(command: str, image_id: str = "") -> FoundCopies | None:
            if command in {"bar", "free"}:
                bar(study, image_id, ExclusionRule.WINDOW, pool="pool", is_excluded=command == "bar")
                (barred.add if command == "bar" else barred.discard)(image_id)
                return None
            if command == "near":
                return review(study, folder, lines)
            with study.begin() as begun:
                return store_copies(begun, prints)

        # Checksums are known from the first comparison on; the pairs from the first review on.
        run("exact")
        run("near")
        for command, image_id in commands:
            run(command, image_id)
        run(last)
        with study.read() as reading:
            excluded = set(find_excluded(reading, get_test_set(reading, "pool")))
        for part in find_parts([*copies, *pairs]):
            can_stay = set() if part & set("abcd") else (part & set(IDS)) - barred
            assert part & set(IDS) - excluded == ({min(can_stay)} if can_stay else set())
        for command in ("exact", "near"):
            again = run(command)
            assert again is not None
            assert count_changes(again) == 0
