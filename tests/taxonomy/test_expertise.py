"""What people are experts of, in one way of writing, and whose expertise covers it."""

from __future__ import annotations

import pytest

from regauge.errors import InputError
from regauge.formats.taxonomies import load_taxonomy
from regauge.taxonomy.expertise import list_covering, name_expertise


@pytest.mark.parametrize(
    ("words", "name"),
    [("Dogs", "dog"), (" dog ", "dog"), ("beasts", "animal"), ("Vintage  Cars!", "vintage cars"), ("Vögel", "vogel")],
)
def test_a_kind_is_called_by_its_first_name_and_free_words_in_small_letters(words: str, name: str) -> None:
    assert name_expertise(load_taxonomy("cifar-10"), words) == name


def test_who_knows_a_kind_may_be_asked_about_what_is_below_it() -> None:
    taxonomy = load_taxonomy("imagenet-1k")
    found = list_covering(taxonomy, "terriers")
    assert found[0] == "terrier"
    assert {"dog", "animal"} < set(found)
    assert "cat" not in found
    assert list_covering(taxonomy, "vintage cars") == ("vintage cars",)


def test_a_name_of_two_kinds_covers_both() -> None:
    assert {"bird", "lifting device"} < set(list_covering(load_taxonomy("imagenet-1k"), "crane"))


@pytest.mark.parametrize("words", ["", "  ", "!!", "x" * 61])
def test_no_words_or_too_many_are_refused(words: str) -> None:
    with pytest.raises(InputError, match="1 to 60 characters"):
        name_expertise(load_taxonomy("cifar-10"), words)
