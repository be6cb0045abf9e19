"""Entries are found by words of their text, of their cases, and of what their classes are called."""

from __future__ import annotations

from regauge.formats.taxonomies import load_taxonomy
from regauge.guide.search import search_entries
from regauge.records.campaigns.campaign import CampaignImage
from regauge.records.guide.entries import GuideCase, GuideEntry, GuideTopic, GuideVersion
from regauge.records.guide.images import StudyImage
from regauge.records.labels.verdicts import Verdict

TAXONOMY = load_taxonomy("cifar-10")
CASE = GuideCase(4, 3, StudyImage(CampaignImage(1, 0), "a", "val"), Verdict.CORRECT, note="only whiskers to be seen")


def write(*classes: int, text: str) -> GuideEntry:
    topic = GuideTopic(*classes)
    return GuideEntry(topic, GuideVersion(1, topic, text), n_versions=1)


ENTRIES = (
    write(3, text="Pointed ears.\nThin whiskers."),
    write(3, 5, text="Cats have Thin whiskers, dogs do not."),
    GuideEntry(GuideTopic(7), cases=(CASE,)),
    write(99, text="whiskers of a class that is gone"),
)


def search(words: str) -> list[tuple[str, str]]:
    return [(hit.entry.topic.key, hit.line) for hit in search_entries(ENTRIES, words, taxonomy=TAXONOMY)]


def test_every_word_must_be_there_whatever_its_case():
    assert search("THIN whisk") == [("3", "Thin whiskers."), ("3-5", "Cats have Thin whiskers, dogs do not.")]
    assert search("thin elephant") == []


def test_notes_of_cases_are_searched_and_a_class_that_is_gone_has_no_name():
    assert search("seen") == [("7", "only whiskers to be seen")]
    assert search("gone") == [("99", "whiskers of a class that is gone")]


def test_entries_whose_class_is_called_so_come_first():
    assert [key for key, _ in search("dog")] == ["3-5"]
    assert search("cat ears") == [("3", "Pointed ears.")]


def test_without_words_there_is_nothing_to_find():
    assert search("  ") == []
