"""Cards of classes: which images are on them, which never, and what classes are confused with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workflows.campaign_studies import N_CLASSES, N_IMAGES, add_contains, make_pictured, write_pictures

from regauge.campaigns.visibility import CARDS
from regauge.errors import InputError
from regauge.records.guide.images import GUIDE_HIDES, HiddenImages, WithheldImages
from regauge.storage.campaigns.campaign import set_settings
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, list_pictured
from regauge.workflows.annotation.class_cards import (
    CardImages,
    CardList,
    CardMemory,
    CardPicture,
    find_card_places,
    find_node_image,
    find_source,
    keep_known_sets,
    list_card_images,
    make_card,
    suggest_source,
)
from regauge.workflows.campaigns.campaign import get_campaign
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.testsets.test_set import add_test_set

SOURCE = CardImages(tested="pictures", reference="more")
N_MORE = 120 * N_CLASSES


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    """The pictures; many more, of which the first are the same; and two models that answer class 9 for class 0."""
    folder = tmp_path_factory.mktemp("cards")
    with make_pictured(folder) as made:
        with made.begin() as begun:
            more = write_pictures(folder / "more", n_images=N_MORE, prefix="m")
            add_test_set(begun, more, name="more", checksums=True)
            first = write_pictures(folder / "first", prefix="i")
            add_test_set(begun, first, name="first", checksums=True)
            for name, wrong in (("one", 9), ("two", 8)):
                rows = [
                    f"i{number},{wrong if number % N_CLASSES == 0 else number % N_CLASSES}"
                    for number in range(N_IMAGES)
                ]
                (folder / f"{name}.csv").write_text("\n".join(["image_id,class", *rows[1:]]) + "\n")
            files = [folder / "one.csv", folder / "two.csv"]
            add_predictions(begun, PredictionSource(files), test_set="pictures", allow_missing=True)
        yield made


def find_ids(study: Study, images: object, name: str) -> set[str]:
    with study.read() as reading:
        known = {one.row: one.image_id for one in list_pictured(reading, get_test_set(reading, name), range(N_CLASSES))}
    return {known[one.image.row] for one in images}  # type: ignore[attr-defined]


def test_a_card_has_all_images_of_the_test_set_and_a_hundred_of_the_reference_set(study: Study) -> None:
    with study.read() as reading:
        card = make_card(reading, 1, source=SOURCE)
    expected = {f"i{number}" for number in range(N_IMAGES) if number % N_CLASSES == 1}
    assert find_ids(study, card.tested, "pictures") == expected
    assert len(card.tested) == len(expected)
    assert len(card.references) == len(set(card.references)) == 100
    assert {int(one[1:]) % N_CLASSES for one in find_ids(study, card.references, "more")} == {1}


def test_the_seed_draws_and_the_same_seed_draws_the_same(study: Study) -> None:
    with study.read() as reading:
        drawn = [
            list_card_images(reading, 1, which=CardList.REFERENCE, source=CardImages("", "more", seed=seed))
            for seed in (0, 0, 1)
        ]
    assert drawn[0] == drawn[1]
    assert set(drawn[0]) != set(drawn[2])
    assert [one.image.row for one in drawn[0]] != sorted(one.image.row for one in drawn[0])


def test_hidden_images_and_exact_copies_of_them_are_on_no_card(study: Study) -> None:
    """The first pictures of both sets have the same bytes under other ids; all of them are in the set that is hidden."""
    with study.read() as reading:
        off = CardMemory().get(reading, ("first",))
        card = make_card(reading, 1, source=CardImages("pictures", "more", seed=3), off=off)
        everything = list_card_images(reading, 1, which=CardList.TESTED, source=CardImages("more"), off=off)
    assert card.tested == ()
    assert len(everything) == (N_MORE - N_IMAGES) // N_CLASSES
    assert find_ids(study, everything, "more").isdisjoint({f"m{number}" for number in range(N_IMAGES)})
    assert card.n_unchecked == 0


def test_what_may_be_a_copy_of_a_hidden_image_is_on_no_card_and_is_counted(study: Study) -> None:
    """The set of pictures was added without checksums: nobody can tell whether they are copies of others, or others of them."""
    with study.read() as reading:
        unknown = make_card(reading, 1, source=CardImages("more"), off=CardMemory().get(reading, ("pictures",)))
        off = CardMemory().get(reading, ("more",))
        undigested = make_card(reading, 1, source=CardImages("pictures"), off=off)
        compared = make_card(reading, 1, source=CardImages("first"), off=off)
    assert (unknown.tested, unknown.n_unchecked) == ((), N_MORE // N_CLASSES)
    assert (undigested.tested, undigested.n_unchecked) == ((), N_IMAGES // N_CLASSES)
    assert (compared.tested, compared.n_unchecked) == ((), 0)


def test_a_set_can_be_hidden_whole_and_then_confusions_and_pictures_of_nodes_are_gone_too(study: Study) -> None:
    with study.read() as reading:
        memory = CardMemory()
        off = memory.get(reading, ("first",))
        assert memory.get(reading, ("first",)).hidden is off.hidden
        assert memory.get(reading, ()) == WithheldImages()
        card = make_card(reading, 0, source=CardImages("pictures", "more"), off=off)
        assert (card.tested, card.confused) == ((), ())
        node = reading.taxonomy.classes[0].id
        shown = find_node_image(reading, node, source=SOURCE, off=off)
        assert shown is not None
        assert find_ids(study, [CardPicture(0, shown)], "more").isdisjoint({f"m{number}" for number in range(N_IMAGES)})
        with pytest.raises(InputError, match="no test set 'gone'"):
            memory.get(reading, ("gone",))


def test_what_somebody_has_still_to_judge_keeps_its_place_and_is_not_shown(study: Study) -> None:
    with study.read() as reading:
        whole = make_card(reading, 1, source=SOURCE)
        known = {one.row: one.image_id for one in list_pictured(reading, get_test_set(reading, "pictures"), [1])}
        open_image = known[whole.tested[2].image.row]
        off = WithheldImages(unfinished=HiddenImages(frozenset({open_image})))
        card = make_card(reading, 1, source=SOURCE, off=off)
        places = find_card_places(reading, [1], which=CardList.TESTED, source=SOURCE, off=off)
    assert card.tested == (*whole.tested[:2], *whole.tested[3:])
    assert places == {1: [one.place for one in card.tested]}
    assert (card.n_unfinished, card.references) == (1, whole.references)
    assert card.confused == whole.confused


def test_sets_that_are_gone_are_left_out_and_where_a_hidden_one_is_gone_nothing_is_shown(study: Study) -> None:
    with study.read() as reading:
        assert keep_known_sets(reading, CardImages("pictures", "gone", ("more",), 3)) == CardImages(
            "pictures", "", ("more",), 3
        )
        assert keep_known_sets(reading, CardImages("pictures", "more", ("more", "gone"))) == CardImages()


def test_classes_are_confused_with_what_participants_answer_together(study: Study) -> None:
    """Of class 0 one image has no answer. The others are answered 9 by one and 8 by the other: each has half."""
    with study.read() as reading:
        card = make_card(reading, 0, source=SOURCE)
        clean = make_card(reading, 1, source=SOURCE)
    assert [(one.index, one.share) for one in card.confused] == [(8, 0.5), (9, 0.5)]
    assert clean.confused == ()


def test_siblings_are_the_other_classes_below_the_nearest_node_that_has_some(study: Study) -> None:
    with study.read() as reading:
        card = make_card(reading, reading.taxonomy.get_index("cat"), source=CardImages())
    assert card.siblings
    assert reading.taxonomy.get_index("cat") not in card.siblings
    assert (card.references, card.tested, card.confused, card.guide) == ((), (), (), None)


def test_images_of_several_classes_have_the_places_that_cards_list(study: Study) -> None:
    with study.read() as reading:
        for which in CardList:
            places = find_card_places(reading, range(3), which=which, source=SOURCE)
            assert [places[index] for index in range(3)] == [
                [one.place for one in list_card_images(reading, index, which=which, source=SOURCE)]
                for index in range(3)
            ]


def test_a_node_shows_an_image_of_a_class_below_it_and_none_where_there_is_none(study: Study) -> None:
    with study.read() as reading:
        classes = reading.taxonomy.classes
        for node in (classes[2].id, "n00001740"):
            image = find_node_image(reading, node, source=SOURCE)
            assert image is not None
        assert image is not None
        assert int(next(iter(find_ids(study, [CardPicture(0, image)], "pictures")))[1:]) >= 0
        assert find_node_image(reading, classes[-1].id, source=SOURCE) is None
        assert find_node_image(reading, "no such node", source=SOURCE) is None
        assert find_node_image(reading, classes[2].id, source=CardImages()) is None


def test_a_class_or_a_set_that_is_not_there_is_refused(study: Study) -> None:
    with study.read() as reading:
        with pytest.raises(InputError, match="run from 0 to 9"):
            make_card(reading, 10, source=SOURCE)
        with pytest.raises(InputError, match="no test set 'gone'"):
            make_card(reading, 1, source=CardImages(tested="gone"))


def test_annotators_see_the_sets_that_their_campaign_names_and_by_default_none(tmp_path: Path) -> None:
    with make_pictured(tmp_path) as made:
        campaign = add_contains(made)
        assert find_source(campaign) == CardImages()
        with made.begin() as begun:
            named = {CARDS: {"tested": "pictures", "hidden": ["x"]}, GUIDE_HIDES: ["y", "x"]}
            set_settings(begun, campaign, {**campaign.plan.settings, **named})
            assert find_source(get_campaign(begun, campaign.id)) == CardImages("pictures", "", ("x", "y"))
            assert suggest_source(begun) == CardImages("pictures", "")
