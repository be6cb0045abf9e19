"""The question above a grid is grammatical, for every class of ImageNet and for odd names."""

from __future__ import annotations

import pytest

from regauge.formats.taxonomies import load_taxonomy
from regauge.kinds.contains.questions import ask_which, find_article

WITHOUT = {
    *("binoculars", "broccoli", "carbonara", "chocolate sauce", "consomme", "corn", "dough", "eggnog", "face powder"),
    *("guacamole", "hair spray", "hay", "ice cream", "lotion", "mashed potato", "pajama", "parallel bars", "perfume"),
    *(
        "rapeseed",
        "red wine",
        "sunglass",
        "sunglasses",
        "sunscreen",
        "swimming trunks",
        "thatch",
        "toilet tissue",
        "velvet",
    ),
    *("wool", "chain mail"),
}
"""The names of ImageNet that have no article, as a reader finds them in the list: what is not counted, and pairs."""
VOWELS_WITH_A = {"European fire salamander", "European gallinule", "unicycle"}
CONSONANTS_WITH_AN = {"hourglass"}


def test_every_class_of_imagenet_has_the_article_that_a_reader_expects():
    names = [one.names[0] for one in load_taxonomy("imagenet-1k").classes]
    assert {name for name in names if not find_article(name)} == WITHOUT
    counted = [name for name in names if name not in WITHOUT]
    odd = {name for name in counted if (find_article(name) == "an ") != (name[0].lower() in "aeiou")}
    assert odd == VOWELS_WITH_A | CONSONANTS_WITH_AN
    assert all(ask_which(name).before.startswith("Which of these images contain") for name in names)
    # No name of ImageNet is so odd that it must be quoted.
    assert not any("“" in ask_which(name).before for name in names)


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("cairn terrier", "Which of these images contain a cairn terrier?"),
        ("airplane", "Which of these images contain an airplane?"),
        ("scissors", "Which of these images contain scissors?"),
        ("chest of drawers", "Which of these images contain a chest of drawers?"),
        ("glasses", "Which of these images contain glasses?"),
        ("bus", "Which of these images contain a bus?"),
        ("SUV", "Which of these images contain an SUV?"),
        ("UFO", "Which of these images contain a UFO?"),
        ("X-ray", "Which of these images contain an X-ray?"),
        ("ukulele", "Which of these images contain a ukulele?"),
        ("umbrella", "Which of these images contain an umbrella?"),
        ("uninhabited island", "Which of these images contain an uninhabited island?"),
        ("one-armed bandit", "Which of these images contain a one-armed bandit?"),
        ("Éclair", "Which of these images contain an Éclair?"),
        ("class_12", "Which of these images contain “class_12”?"),
        ("0", "Which of these images contain “0”?"),
        ("cat (domestic)", "Which of these images contain “cat (domestic)”?"),
        ("<b>cat</b>", "Which of these images contain “<b>cat</b>”?"),
        ("", "Which of these images contain “”?"),
    ],
)
def test_odd_names_make_a_question_too(name, question):
    assert name.join(ask_which(name)) == question
