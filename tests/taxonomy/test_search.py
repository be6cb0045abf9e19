"""Search: what a person types and which class must come first."""

from __future__ import annotations

import csv
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.formats.taxonomies import load_taxonomy, load_word_lists
from regauge.records.taxonomy import ClassIndex, ImageClass, NodeId, Taxonomy, WordLists
from regauge.stats.intervals import clopper_pearson
from regauge.taxonomy.finder_index import FinderIndex, build_finder_index, collect_finder_data, list_places
from regauge.taxonomy.search import Match, explain_match, make_match, search_classes, search_index
from regauge.taxonomy.words import simplify

IMAGENET = load_taxonomy("imagenet-1k")


def make_taxonomy(*names: str) -> Taxonomy:
    return Taxonomy("toy", tuple(ImageClass(ClassIndex(i), NodeId(f"id{i}"), (name,)) for i, name in enumerate(names)))


def make_rest(name: str) -> tuple[ImageClass]:
    return (ImageClass(ClassIndex(1), NodeId("b"), (name,)),)


@cache
def build_index(*, has_words: bool = False) -> FinderIndex:
    """The index of ImageNet, built once: most of the work of a search that builds its own."""
    return build_finder_index(collect_finder_data(IMAGENET, load_word_lists() if has_words else WordLists()))


def search(text: str, *, limit: int = 10, has_words: bool = False) -> tuple[Match, ...]:
    """What `search_classes` finds in ImageNet."""
    index = build_index(has_words=has_words)
    return tuple(make_match(IMAGENET, index, found) for found in search_index(index, text, limit=limit))


def find_first(text: str) -> tuple[int, str, str]:
    match = search(text)[0]
    return match.image_class.index, match.name, match.reason


def test_a_search_that_builds_its_index_finds_the_same() -> None:
    for text in ("crane", "207", "goldn retriever", "aquarium", "no such thing"):
        assert search_classes(IMAGENET, text, limit=5) == search(text, limit=5)
        assert search_classes(IMAGENET, text, words=load_word_lists()) == search(text, has_words=True)


def test_digits_find_the_index() -> None:
    assert find_first("207") == (207, "golden retriever", "index")


def test_an_index_past_the_end_finds_nothing() -> None:
    assert search("1000") == ()
    assert search("9" * 5000) == ()


def test_an_id_finds_its_class_and_its_start_the_classes_that_begin_so() -> None:
    assert find_first("n01440764") == (0, "tench", "id")
    found = search("n0144", limit=5)
    assert [match.image_class.id for match in found] == ["n01440764", "n01443537"]


def test_the_start_of_an_id_needs_four_letters() -> None:
    assert not [match for match in search("n01", limit=1000) if match.reason == "id"]


def test_a_name_finds_every_class_that_has_it_first() -> None:
    found = search("Crane")
    assert [(match.image_class.id, match.reason) for match in found[:2]] == [
        ("n02012849", "name"),
        ("n03126707", "name"),
    ]


def test_a_synonym_finds_its_class_and_is_shown() -> None:
    assert find_first("tinca TINCA") == (0, "Tinca tinca", "name")


def test_hyphens_apostrophes_and_underscores_make_no_difference() -> None:
    assert find_first("hen of the woods")[0] == 996
    assert find_first("golden_retriever")[0] == 207
    assert find_first("carpenters kit")[0] == IMAGENET.get_index("carpenter's kit")


def test_accents_make_no_difference() -> None:
    assert search_classes(make_taxonomy("café"), "cafe")[0].name == "café"


def test_words_are_found_in_any_order() -> None:
    assert find_first("retriever golden") == (207, "golden retriever", "words")


def test_whole_words_come_before_starts_and_parts() -> None:
    taxonomy = make_taxonomy("airship", "pirate ship", "shipyard", "ship")
    found = search_classes(taxonomy, "ship")
    assert [(match.name, match.reason) for match in found] == [
        ("ship", "name"),
        ("pirate ship", "words"),
        ("shipyard", "start"),
        ("airship", "part"),
    ]


@pytest.mark.parametrize(
    ("text", "index"),
    [("golden retreiver", 207), ("tenhc", 0), ("afgan hound", 160), ("keybord", 508), ("chihuaha", 151), ("tenhc ", 0)],
)
def test_a_misspelt_name_finds_its_class(text: str, index: int) -> None:
    match = search(text)[0]
    assert (match.image_class.index, match.reason) == (index, "similar")


def test_similar_names_are_not_offered_beside_a_real_match() -> None:
    assert "similar" not in {match.reason for match in search("crane")}


def test_nothing_like_it_finds_nothing() -> None:
    assert search("zzzzzz") == ()
    assert search("  ") == ()


def test_the_limit_cuts_the_list_and_must_be_positive() -> None:
    assert len(search("dog", limit=3)) == 3
    with pytest.raises(InputError, match="1 or more, not 0"):
        search("dog", limit=0)


def test_a_node_above_finds_its_classes_and_is_named() -> None:
    found = {match.image_class.name: match for match in search("duck")}
    assert {"drake", "red-breasted merganser"} <= found.keys()
    assert explain_match(found["drake"]) == "a kind of duck"
    assert {match.image_class.name for match in search("jumper")} == {"cardigan", "sweatshirt"}


def test_a_kind_of_a_class_finds_it_and_a_kind_of_a_node_what_is_below_the_node() -> None:
    fridge = search("fridge", has_words=True)[0]
    assert (fridge.image_class.name, explain_match(fridge)) == ("refrigerator", "includes fridge")
    lorry = {match.image_class.name: match for match in search("lorry", has_words=True)}
    assert explain_match(lorry["garbage truck"]) == "lorry is a kind of truck"


def test_a_word_of_the_gloss_finds_the_class_after_names() -> None:
    found = search("aquarium")
    assert (found[-1].image_class.name, found[-1].reason) == ("goldfish", "gloss")
    taxonomy = Taxonomy("toy", (ImageClass(ClassIndex(0), NodeId("a"), ("tern",), "no gull"), *make_rest("gull")))
    assert [(one.name, one.reason) for one in search_classes(taxonomy, "gull")] == [("gull", "name"), ("tern", "gloss")]


def test_plurals_spellings_and_words_written_together_make_no_difference() -> None:
    for one, other in (
        ("strawberries", "strawberry"),
        ("gray whale", "grey whale"),
        ("wolves", "wolf"),
        ("shitzu", "Shih-Tzu"),
    ):
        expected = search(other, has_words=True)[0].image_class
        assert search(one, has_words=True)[0].image_class == expected
    assert find_first("icecream")[0] == IMAGENET.get_index("ice cream")


def test_some_of_the_words_are_enough_where_no_class_has_all() -> None:
    match = search("somebody's broken umbrella")[0]
    assert (match.image_class.name, match.reason) == ("umbrella", "some words")


def read_hits(name: str) -> dict[str, bool]:
    """Per query of a file, whether one of the classes that may be meant by it is among the first ten."""
    with (Path(__file__).parent / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    index = build_index(has_words=True)
    return {
        row["query"]: not {IMAGENET.get_index(one) for one in row["meant"].split("|")}.isdisjoint(
            found.index for found in search_index(index, row["query"])
        )
        for row in rows
    }


def test_everyday_words_find_a_meant_class_within_the_first_ten() -> None:
    """A hundred queries, written down before the search was, with all classes that somebody may mean by each.

    Rules and lists were extended after a look at what was missed: this guards the search, it does not measure it.
    """
    hits = read_hits("everyday_queries.csv")
    assert len(hits) == 100
    assert sum(hits.values()) >= 95, hits


def test_fresh_everyday_words_find_a_meant_class_within_the_first_ten() -> None:
    """Queries in the order in which they were written, each time after the search was mended and before it was mended again.

    The last 130 are for classes drawn at random and were tried once: 126 found one. The 120 before describe things, as riddles
    do (tool for nails): 105 found one when they were tried, and some words were added after a look at what was missed.
    """
    found = list(read_hits("fresh_queries.csv").values())
    assert len(found) == 370
    assert sum(found[:120]) >= 118
    assert sum(found[120:240]) >= 112
    assert sum(found[240:]) >= 126
    assert clopper_pearson(sum(found[240:]), 130).low > 0.92


def test_words_of_somebody_who_knew_neither_search_nor_lists_find_a_meant_class_within_the_first_ten() -> None:
    """They were tried once, when the search was done: all 120 found one, of which the search before had found 112."""
    hits = read_hits("blind_queries.csv")
    assert len(hits) == 120
    assert clopper_pearson(sum(hits.values()), 120).low > 0.95, hits


@pytest.mark.parametrize(
    ("query", "first"),
    [
        # The last word of a name says what it is, and the words before it what sort.
        ("duck", "drake"),
        ("horse", "sorrel"),
        ("apple", "Granny Smith"),
        ("bear", "brown bear"),
        ("spiders", "black and gold garden spider"),
        ("piano", "grand piano"),
        ("mountain", "alp"),
    ],
)
def test_what_is_called_so_comes_before_what_only_has_the_word_in_its_name(query: str, first: str) -> None:
    index = build_index(has_words=True)
    assert IMAGENET.classes[search_index(index, query)[0].index].name == first


@pytest.mark.parametrize(
    ("query", "meant"), [("piggy", "hog"), ("doggies", "pug"), ("corn on the cob", "corn"), ("wolfhound dog", "borzoi")]
)
def test_pet_names_and_little_words_stand_in_the_way_of_nothing(query: str, meant: str) -> None:
    index = build_index(has_words=True)
    assert meant in {IMAGENET.classes[one.index].name for one in search_index(index, query)}


def test_a_word_that_no_name_has_is_looked_for_as_the_two_that_it_is_written_of() -> None:
    taxonomy = make_taxonomy("garden gnome", "tern")
    assert [one.image_class.name for one in search_classes(taxonomy, "gardengnomes")] == ["garden gnome"]
    found = search_classes(make_taxonomy("gnome of a garden", "tern"), "gardengnome")
    assert [one.image_class.name for one in found] == ["gnome of a garden"]


def test_the_gloss_says_what_a_class_is() -> None:
    classes = (
        ImageClass(ClassIndex(0), NodeId("a"), ("cock",), "an adult male chicken; crows"),
        ImageClass(ClassIndex(1), NodeId("b"), ("fox",), "eats a chicken"),
        ImageClass(ClassIndex(2), NodeId("c"), ("coop",), "farm building for a chicken"),
    )
    found = search_classes(Taxonomy("toy", classes), "chicken")
    assert found[0].image_class.name == "cock"
    assert found[0].score > 2 * found[1].score


def test_every_everyday_word_means_something_that_wordnet_has() -> None:
    """Words that no class, node or kind of ImageNet has are of use for other taxonomies; most must be of use here."""
    data = collect_finder_data(IMAGENET, load_word_lists())
    known = {simplify(name) for texts in (data.names, data.kinds, data.related) for names in texts for name in names}
    words = load_word_lists()
    unused = [word for word in (*words.everyday, *words.related) if simplify(word) not in known]
    assert len(unused) <= 5, unused


def test_a_word_for_what_a_thing_goes_with_finds_it_and_says_so() -> None:
    words = WordLists(related={"fishing": ("reel",)})
    found = search_classes(make_taxonomy("reel", "tern"), "fishing", words=words)
    assert [(one.name, explain_match(one)) for one in found] == [("fishing", "has to do with fishing")]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        # What the thing is counts more than its colour, its purpose and what nobody knows.
        ("pet cat", "tabby"),
        ("broody hen", "hen"),
        ("red lobster", "American lobster"),
        ("shoes for running", "running shoe"),
        ("giant satellite dish on a roof", "radio telescope"),
        ("vacuuming", "vacuum"),
        ("house for birds", "birdhouse"),
    ],
)
def test_the_word_that_says_what_a_thing_is_counts_most(query: str, first: str) -> None:
    index = build_index(has_words=True)
    assert IMAGENET.classes[search_index(index, query)[0].index].name == first


def test_no_everyday_word_comes_before_the_name_of_a_class() -> None:
    index = build_index(has_words=True)
    for image_class in IMAGENET.classes[::3]:
        name = simplify(image_class.name)
        first = IMAGENET.classes[search_index(index, name)[0].index]
        assert name in {simplify(one) for one in first.names}


def test_a_closed_compound_is_opened_only_where_its_gloss_has_a_part_of_it() -> None:
    classes = (
        ImageClass(ClassIndex(0), NodeId("a"), ("birdhouse",), "a shelter for birds"),
        ImageClass(ClassIndex(1), NodeId("b"), ("mushroom",), "a fleshy fungus"),
        ImageClass(ClassIndex(2), NodeId("c"), ("mush",), "porridge"),
        ImageClass(ClassIndex(3), NodeId("d"), ("bird room house",), "a room"),
    )
    index = build_finder_index(collect_finder_data(Taxonomy("toy", classes), WordLists()))
    assert [text.stems for text in index.texts if text.place < 2] == ["birdhouse", "mushroom", "bird house"]


def test_a_hierarchy_with_a_circle_can_be_searched() -> None:
    parents = {NodeId("id0"): (NodeId("a"),), NodeId("a"): (NodeId("b"),), NodeId("b"): (NodeId("a"),)}
    taxonomy = Taxonomy("toy", make_taxonomy("tern").classes, parents, {NodeId("b"): ("sea bird",)})
    assert explain_match(search_classes(taxonomy, "sea birds")[0]) == "a kind of sea bird"


def test_a_class_is_listed_once_although_several_names_match() -> None:
    found = search("shark", limit=100)
    indices = [match.image_class.index for match in found]
    assert len(set(indices)) == len(indices)
    assert 2 in indices


@given(st.sampled_from(IMAGENET.classes).flatmap(lambda c: st.tuples(st.just(c), st.sampled_from(c.names))))
def test_every_name_finds_its_class_among_the_exact_matches(case: tuple[ImageClass, str]) -> None:
    image_class, name = case
    found = search(name, limit=20)
    assert image_class.id in {match.image_class.id for match in found if match.reason == "name"}


@given(st.text(max_size=200))
def test_any_text_can_be_searched_and_scores_descend(text: str) -> None:
    scores = [match.score for match in search(text, limit=50)]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


@pytest.mark.parametrize("text", ["x" * 5000, "a " * 2500, "dog " * 1000])
def test_no_text_is_too_long_to_be_searched(text: str) -> None:
    index = build_index(has_words=True)
    assert len(search_index(index, text)) <= 10


BOTH_MEANT = {"barbecue", "chest", "maillot", "mask", "nightgown", "power shovel", "projectile"}
"""Names of several places that are all right for the words that are listed with them."""


def test_no_word_of_the_lists_goes_to_things_that_only_share_a_name() -> None:
    words = load_word_lists()
    bare = collect_finder_data(IMAGENET, replace(words, everyday={}, related={}))
    called = list_places(bare.ids, bare.names, kinds=bare.kinds)

    @cache
    def find_above(place: int) -> frozenset[int]:
        return frozenset({place}).union(*map(find_above, bare.parents[place]))

    def are_akin(one: int, other: int) -> bool:
        is_above = one in find_above(other) or other in find_above(one)
        return is_above or not set(bare.parents[one]).isdisjoint(bare.parents[other])

    targets = {name for listed in (words.everyday, words.related) for names in listed.values() for name in names}
    apart = {
        name
        for name in targets
        if not all(are_akin(one, other) for one, other in combinations(called.get(simplify(name), ()), 2))
    }
    assert apart == BOTH_MEANT


@pytest.mark.parametrize(
    ("query", "never"),
    [
        ("doggo", "hotdog"),
        ("bark", "hotdog"),
        ("farm animal", "hammer"),
        ("computer screen", "Komodo dragon"),
        ("cuppa", "acorn"),
        ("cuddly toy", "brassiere"),
        ("breakfast", "baseball"),
    ],
)
def test_words_do_not_find_what_only_shares_a_name_with_what_they_mean(query: str, never: str) -> None:
    found = {match.image_class.name for match in search(query, has_words=True)}
    assert found
    assert never not in found
