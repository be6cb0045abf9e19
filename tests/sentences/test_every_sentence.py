"""Every sentence that the code computes has data that print it and data that must not.

To add one, put its key, which the first failing test names, into the module of its area with two functions of a folder that
give what the program says: one for data that print the sentence, one for data that must not. A sentence that is true of any
data is `Always`, with the reason.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.sentences import (
    aggregation,
    campaign_commands,
    code_kind,
    codings,
    commands,
    comparisons,
    context_confusion,
    context_figures,
    context_objects,
    context_votes,
    demo_mistakes,
    discussions,
    draws,
    exposures,
    fixes,
    guides,
    humans,
    label_kind,
    mistakes,
    multilabel,
    people,
    plans,
    published,
    readers,
    relations,
    released_study,
    reports,
    reproductions,
    review_kind,
    reviews,
    scores,
    site,
    slices,
    studies,
    truths,
    unseen_images,
)
from tests.sentences.elsewhere import NO_FINDINGS, REFUSALS
from tests.sentences.entries import Always, Entries, Maker, read_lines
from tests.sentences.scan import SOURCE, Sentence, find_all

AREAS = (
    *(comparisons, scores, aggregation, draws, plans, reviews, commands),
    *(
        published,
        readers,
        truths,
        reports,
        studies,
        reproductions,
        released_study,
        campaign_commands,
        people,
        unseen_images,
    ),
    *(relations, review_kind, label_kind, guides, exposures, multilabel, humans, mistakes, codings, discussions),
    fixes,
    *(code_kind, slices, demo_mistakes, site),
    *(context_objects, context_confusion, context_votes, context_figures),
)
ENTRIES: Entries = {key: entry for area in AREAS for key, entry in area.ENTRIES.items()}


def belongs(module: str, patterns: object) -> bool:
    assert isinstance(patterns, dict | set | frozenset)
    return any(re.fullmatch(pattern.replace("*", "[^/]*"), module) for pattern in patterns)


def say(maker: Maker, folder: Path) -> list[str]:
    return read_lines(maker(folder))


def is_said(sentence: Sentence, lines: list[str]) -> bool:
    return any(sentence.pattern.search(line) for line in lines)


def test_every_sentence_of_the_code_is_registered() -> None:
    missing = [
        key
        for key, one in find_all().items()
        if key not in ENTRIES and key not in REFUSALS and not belongs(one.module, NO_FINDINGS)
    ]
    assert not missing, "register: " + "; ".join(missing)


def test_every_entry_has_a_sentence_in_the_code() -> None:
    assert set(ENTRIES) <= set(find_all()), f"no longer in the code: {sorted(set(ENTRIES) - set(find_all()))}"
    assert sum(len(area.ENTRIES) for area in AREAS) == len(ENTRIES)


def test_what_is_left_out_is_there_and_not_registered_as_well() -> None:
    modules = {one.module for one in find_all().values()}
    for pattern in NO_FINDINGS:
        assert any(belongs(module, {pattern}) for module in modules), pattern
    assert not {find_all()[key].module for key in ENTRIES if belongs(find_all()[key].module, NO_FINDINGS)}
    assert set(REFUSALS) <= set(find_all()) - set(ENTRIES)
    assert all((SOURCE / pattern).parent.is_dir() for pattern in NO_FINDINGS)


@pytest.mark.parametrize("key", ENTRIES)
def test_a_sentence_is_said_of_data_that_make_it_true(key: str, tmp_path: Path) -> None:
    lines = say(ENTRIES[key].says, tmp_path)
    assert is_said(find_all()[key], lines), "\n".join(lines)


@pytest.mark.parametrize("key", [key for key, entry in ENTRIES.items() if not isinstance(entry, Always)])
def test_a_sentence_is_not_said_of_other_data(key: str, tmp_path: Path) -> None:
    entry = ENTRIES[key]
    assert not isinstance(entry, Always)
    lines = say(entry.silent, tmp_path)
    assert lines, "nothing was said at all, so that silence proves nothing"
    assert not is_said(find_all()[key], lines), "\n".join(lines)
