"""The reader of sentences finds what the program may say, and leaves out what it does not say of data."""

from __future__ import annotations

import ast
import re

from tests.sentences.scan import HOLE, Sentence, find_all, is_sentence, walk

CODE = '''
"""A module is not a sentence of the program."""

NOTE = "Fixed texts are sentences as well."


@click.option("--x", help="What an option does is help.")
def describe(n, name):
    """A docstring is none either."""
    if n < 0:
        raise InputError(f"There is no such number as {n}.")
    problem = FormatError(name, "This is refused, wherever it is made.")
    text = f"{name} has {n:,} images that nobody saw."
    text += " They are left out." if n else ""
    return text + (f" The first is {name} of them." if n else "")
'''


def test_sentences_are_found_and_help_docstrings_and_refusals_are_not() -> None:
    found = [one for one in walk(ast.parse(CODE), "m.py") if is_sentence(one.text)]
    assert [(one.function, one.text) for one in found] == [
        ("", "Fixed texts are sentences as well."),
        ("describe", f"{HOLE} has {HOLE} images that nobody saw."),
        ("describe", " They are left out."),
        ("describe", f" The first is {HOLE} of them."),
    ]


def test_a_key_names_module_function_and_first_words() -> None:
    one = Sentence("m.py", "describe", f"{HOLE} has {HOLE} images that nobody saw, whatever was asked.", 1)
    assert one.key == f"m.py:describe: {HOLE} has {HOLE} images that nobody saw, whatever"
    assert Sentence("m.py", "f", one.text, 1, number=2).key.endswith(" #2")


def test_a_pattern_takes_any_value_and_no_other_words() -> None:
    pattern = Sentence("m.py", "f", f"{HOLE} of {HOLE} images (n = {HOLE}) are left out.", 1).pattern
    assert pattern.search("1,000 of 2,000 images (n = 3) are left out.")
    assert not pattern.search("1,000 of 2,000 images (n = 3) are taken in.")


def test_words_in_braces_are_values_of_a_text_that_is_formatted_later() -> None:
    (one,) = walk(ast.parse('TEXT = "The votes on {0} chose its images, see {!r} too."'), "m.py")
    assert one.text == f"The votes on {HOLE} chose its images, see {HOLE} too."


def test_every_key_is_one_of_the_code_and_has_its_words() -> None:
    found = find_all()
    assert len(found) > 400
    for key, one in found.items():
        assert key.startswith(f"{one.module}:{one.function}: ")
        assert re.search(r"[A-Za-z]", one.text)
