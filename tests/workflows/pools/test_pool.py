"""Batches come into a study once, with their exact duplicates found, whatever is interrupted or given again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from tests.cli.command_runner import write
from tests.workflows.pool_folders import gather, list_reasons, save_pictures

from regauge.errors import FormatError, InputError
from regauge.records.testsets.pool import Exclusion, ExclusionRule, FieldNames
from regauge.storage.events import list_events
from regauge.storage.testsets.pool import insert_exclusions, load_facts
from regauge.storage.testsets.test_set import get_test_set, load_places
from regauge.workflows.pools.copies import read_all_fingerprints, store_copies
from regauge.workflows.pools.pool import BatchRequest, add_batch, list_batches, prepare_batch
from regauge.workflows.studies.study import Study, describe_status
from regauge.workflows.testsets.test_set import add_test_set

T = TypeVar("T")

EXACT = ExclusionRule.EXACT_DUPLICATE


def add_original(study: Study, folder: Path, pictures: dict[str, int]) -> None:
    with study.begin() as begun:
        add_test_set(begun, save_pictures(folder / "original", pictures))


def test_duplicates_are_found_within_a_batch_between_batches_and_in_test_sets(study: Study, tmp_path: Path) -> None:
    add_original(study, tmp_path, {"cat/o.png": 1})
    first = save_pictures(tmp_path / "first", {"cat/b.png": 1, "cat/c.png": 2, "cat/d.bmp": 2, "dog/e.png": 3})
    added = gather(study, first)
    assert list_reasons(study, "first") == {
        "b": "It has the same bytes as image 'o' of the test set original.",
        "d": "It has the same pixels as image 'c' of the pool first.",
    }
    assert added.entry.n_excluded == 2
    assert "original: checksums of 1 image, 1 of them read now." in added.notes
    second = gather(study, save_pictures(tmp_path / "second", {"cat/f.png": 2, "dog/a.png": 3, "dog/g.png": 4}))
    assert "original: checksums of 1 image, 0 of them read now." in second.notes
    assert list_reasons(study, "second") == {"f": "It has the same bytes as image 'c' of the pool first."}
    # The first by id stays, whichever batch came first.
    assert list_reasons(study, "first", EXACT)["e"] == "It has the same bytes as image 'a' of the pool second."


def test_the_same_batch_again_changes_nothing(study: Study, tmp_path: Path) -> None:
    folder = save_pictures(tmp_path / "more", {"cat/a.png": 1, "cat/b.png": 1})
    gather(study, folder)
    with study.read() as reading:
        before = list_events(reading)
    again = gather(study, folder)
    assert again.notes[-1] == "more is already there with the same candidates."
    assert again.entry.n_excluded == 1
    with study.read() as reading:
        assert list_events(reading) == before


def test_a_batch_that_was_moved_is_told_how_to_follow(study: Study, tmp_path: Path) -> None:
    gather(study, save_pictures(tmp_path / "more", {"cat/a.png": 1}))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "more").rename(tmp_path / "elsewhere" / "more")
    with pytest.raises(InputError, match="if they were moved: regauge testset relocate more DIR"):
        gather(study, tmp_path / "elsewhere" / "more")


def test_another_batch_of_that_name_is_refused(study: Study, tmp_path: Path) -> None:
    write(tmp_path, {"p.csv": "image_id,class,keyword\nx,cat,tabby\n"})
    gather(study, tmp_path / "p.csv")
    write(tmp_path, {"p.csv": "image_id,class,keyword\nx,cat,lion\n"})
    with pytest.raises(InputError, match="already has another set of images 'p'"):
        gather(study, tmp_path / "p.csv")
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "truth.csv")
    write(tmp_path, {"p.csv": "image_id,class,keyword\ny,cat,lion\n"})
    with pytest.raises(InputError, match="already has another set of images 'truth'"):
        gather(study, tmp_path / "p.csv", name="truth")


def test_an_image_of_another_batch_is_refused_or_left_out(study: Study, tmp_path: Path) -> None:
    write(tmp_path, {"p.csv": "image_id,class\nx,cat\ny,cat\n", "q.csv": "image_id,class\ny,cat\nz,cat\n"})
    gather(study, tmp_path / "p.csv")
    with pytest.raises(InputError, match="1 of 2 images are in the pool already, the first being 'y' in p"):
        gather(study, tmp_path / "q.csv")
    added = gather(study, tmp_path / "q.csv", skips_known=True)
    assert added.entry.batch.n_images == 1
    assert any("1 image left out: in the pool already" in note for note in added.notes)
    again = gather(study, tmp_path / "q.csv", skips_known=True)
    assert again.notes[-1] == "q is already there with the same candidates."
    with pytest.raises(InputError, match="All 2 images are in the pool already"):
        gather(study, tmp_path / "p.csv", skips_known=True, name="r")


def test_an_image_with_the_id_of_an_original_one_is_excluded(study: Study, tmp_path: Path) -> None:
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "truth.csv")
    write(tmp_path, {"p.csv": "image_id,class\na,cat\nx,cat\n"})
    added = gather(study, tmp_path / "p.csv")
    assert list_reasons(study, "p") == {"a": "It is the same as image 'a' of the test set truth."}
    assert "truth has no image files, so it was compared by image id alone." in added.notes


def test_only_the_test_sets_that_are_named_are_original(study: Study, tmp_path: Path) -> None:
    add_original(study, tmp_path, {"cat/o.png": 1})
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "truth.csv")
    gather(study, save_pictures(tmp_path / "more", {"cat/x.png": 1}), originals=("truth",))
    assert list_reasons(study, "more") == {}
    with pytest.raises(InputError, match="'more' is a pool of candidates; the original data are a test set"):
        gather(study, save_pictures(tmp_path / "next", {"cat/y.png": 1}), originals=("more",))


def test_an_image_that_cannot_be_decoded_is_excluded(study: Study, tmp_path: Path) -> None:
    write(tmp_path, {"more/cat/a.jpg": b"no image"})
    added = gather(study, save_pictures(tmp_path / "more", {"cat/b.png": 1}))
    assert list_reasons(study, "more", ExclusionRule.UNREADABLE) == {
        "a": "It is not an image of a format that is known."
    }
    assert "1 image of more excluded: cannot be decoded." in added.notes


def test_facts_and_checksums_are_stored(study: Study, tmp_path: Path) -> None:
    save_pictures(tmp_path, {"x.png": 1})
    write(tmp_path, {"p.csv": "file,class,query,uploaded\nx.png,dog,puppy,1357095845\n"})
    gather(study, tmp_path / "p.csv", names=FieldNames(constants={"licence": "CC0"}))
    with study.read() as reading:
        entry = get_test_set(reading, "p")
        facts = load_facts(reading, entry)
        (place,) = load_places(reading, entry)
    assert (facts.keywords[0], facts.uploaded_at[0], facts.licences[0]) == ("puppy", "2013-01-02T03:04:05.000Z", "CC0")
    assert len(facts.pixels_sha256[0]) == len(place.sha256 or "") == 64


def test_without_looking_for_duplicates_no_image_is_read(study: Study, tmp_path: Path) -> None:
    save_pictures(tmp_path, {"p/cat/x.png": 1, "p/cat/y.png": 1})
    (tmp_path / "p/cat/x.png").chmod(0)
    added = gather(study, tmp_path / "p", is_compared=False)
    assert added.entry.n_excluded == 0
    (tmp_path / "p/cat/x.png").chmod(0o644)
    later = gather(study, save_pictures(tmp_path / "q", {"cat/z.png": 1}))
    assert "p has no checksums, so it was not compared; regauge pool duplicates reads it." in later.notes
    with study.read() as reading:
        prints, notes = read_all_fingerprints(reading)
    assert "p: checksums of 2 images, 2 of them read now." in notes
    with study.begin() as begun:
        changes = store_copies(begun, prints).changes
    assert {change.pool: change.n_new for change in changes} == {"p": 1, "q": 1}
    # What was read is kept, so that the next batch is compared with it.
    last = gather(study, save_pictures(tmp_path / "r", {"cat/w.png": 2}))
    assert not any("has no checksums" in note for note in last.notes)


def test_an_image_that_cannot_be_decoded_is_excluded_when_it_is_read_later(study: Study, tmp_path: Path) -> None:
    gather(study, save_pictures(tmp_path / "p", {"cat/a.png": 1}), is_compared=False)
    write(tmp_path, {"p/cat/a.png": b"no image"})
    with study.read() as reading:
        prints, _ = read_all_fingerprints(reading)
    with study.begin() as begun:
        changes = store_copies(begun, prints).changes
    assert [(one.rule, one.n_new) for one in changes] == [(ExclusionRule.UNREADABLE, 1)]


def test_a_batch_without_files_is_not_said_to_be_unread(study: Study, tmp_path: Path) -> None:
    write(tmp_path, {"p.csv": "image_id,class\nx,cat\n"})
    gather(study, tmp_path / "p.csv")
    added = gather(study, save_pictures(tmp_path / "more", {"cat/y.png": 1}))
    assert not any("has no checksums" in note for note in added.notes)


def test_a_copy_of_what_a_reviewer_removed_cannot_be_taken_under_another_id(study: Study, tmp_path: Path) -> None:
    gather(study, save_pictures(tmp_path / "first", {"cat/m.png": 1}))
    with study.begin() as begun:
        removed = Exclusion("m", ExclusionRule.REVIEW, is_excluded=True, reason="a drawing")
        insert_exclusions(begun, get_test_set(begun, "first"), [removed])
    gather(study, save_pictures(tmp_path / "second", {"cat/a.png": 1}))
    assert list_reasons(study, "second") == {"a": "It has the same bytes as image 'm' of the pool first."}


def test_two_commands_at_once_never_store_an_image_twice(study: Study, tmp_path: Path) -> None:
    write(tmp_path, {"p.csv": "image_id,class\nx,cat\n", "q.csv": "image_id,class\nx,cat\ny,cat\n"})
    with study.read() as reading:
        prepared = prepare_batch(reading, tmp_path / "q.csv", request=BatchRequest())
    gather(study, tmp_path / "p.csv")
    with study.begin() as begun, pytest.raises(InputError, match="1 of 2 images are in the pool already"):
        add_batch(begun, prepared)


def test_a_test_set_that_came_later_is_compared_when_asked(study: Study, tmp_path: Path) -> None:
    gather(study, save_pictures(tmp_path / "more", {"cat/x.png": 1}))
    add_original(study, tmp_path, {"cat/o.png": 1})
    with study.read() as reading:
        prints, _ = read_all_fingerprints(reading)
    with study.begin() as begun:
        store_copies(begun, prints)
        assert list_events(begun)[-1].what == "pool duplicates"
    assert list_reasons(study, "more") == {"x": "It has the same bytes as image 'o' of the test set original."}


def test_a_command_that_was_stopped_goes_on_where_it_was(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("regauge.formats.images.fingerprints", "regauge.workflows.pools.fingerprints"):
        monkeypatch.setattr(f"{module}.CHUNK", 2)
    folder = save_pictures(tmp_path / "more", {f"cat/{name}.png": ord(name) for name in "abcdef"})

    def stop(items: Iterable[T], description: str, *, total: int | None = None) -> Iterator[T]:
        assert (description.startswith("Reading images"), total) == (True, 3)
        for number, item in enumerate(items):
            if number == 2:
                raise KeyboardInterrupt
            yield item

    with pytest.raises(KeyboardInterrupt):
        gather(replace(study, around=replace(study.around, track=stop)), folder)
    with study.read() as reading:
        assert list_batches(reading) == ()
    assert "more: checksums of 6 images, 2 of them read now." in gather(study, folder).notes


def test_a_file_that_is_gone_stops_the_batch(study: Study, tmp_path: Path) -> None:
    add_original(study, tmp_path, {"cat/o.png": 1})
    (tmp_path / "original/cat/o.png").unlink()
    with pytest.raises(FormatError, match="there is no such file; if the images were moved: regauge testset relocate"):
        gather(study, save_pictures(tmp_path / "more", {"cat/x.png": 1}))
    with study.read() as reading:
        assert list_batches(reading) == ()


def test_the_status_of_a_study_tells_of_its_pools(study: Study, tmp_path: Path) -> None:
    add_original(study, tmp_path, {"cat/o.png": 1})
    gather(study, save_pictures(tmp_path / "more", {"cat/x.png": 2}))
    with study.read() as reading:
        status = describe_status(reading)
        events = list_events(reading)
    assert [entry.name for entry in status.pools] == ["more"]
    assert [entry.name for entry in status.test_sets] == ["original"]
    step = "Ask people about the candidates of more: regauge campaign create contains NAME --test-set more --controls original"
    assert step in map(str, status.next_steps)
    assert (events[-1].what, events[-1].parameters["n_images"]) == ("pool add", 1)


def test_nobody_is_told_to_ask_about_candidates_without_files(study: Study, tmp_path: Path) -> None:
    add_original(study, tmp_path, {"cat/o.png": 1})
    write(tmp_path, {"p.csv": "image_id,class\nx,cat\n"})
    gather(study, tmp_path / "p.csv")
    with study.read() as reading:
        steps = describe_status(reading).next_steps
    assert not any("Ask people" in step.what for step in steps)
