"""Pictures of the study in the guide, and that images of a named set and their exact copies can be kept out of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workflows.guide.guide_studies import CAT, TOPIC, make_guided, save

from regauge.errors import InputError
from regauge.guide.markdown import UNSHOWN
from regauge.records.guide.entries import GuideCase, ShownEntry
from regauge.records.guide.images import NOTHING_HIDDEN, HiddenImages, StudyImage, WithheldImages
from regauge.records.labels.verdicts import Verdict
from regauge.workflows.guide.cases import Citation, cite_verdict
from regauge.workflows.guide.entries import get_entry
from regauge.workflows.guide.pictures import find_hidden, get_image, show_entry
from regauge.workflows.studies.study import Study


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with make_guided(tmp_path) as made:
        yield made


def find_address(image: StudyImage, place: int | GuideCase) -> str:
    return f"/{image.test_set}/{image.image_id}/{place if isinstance(place, int) else f'case-{place.version}'}"


def show(study: Study, *hidden: str, unfinished: HiddenImages = NOTHING_HIDDEN) -> ShownEntry:
    with study.read() as reading:
        withheld = WithheldImages(find_hidden(reading, hidden), unfinished)
        return show_entry(
            reading,
            get_entry(reading, TOPIC),
            find_address=find_address,
            withheld=withheld,
        )


def test_pictures_are_found_by_id_and_where_two_sets_have_it_by_the_set(study):
    save(study, "![](image:a) ![](image:c@held-out) ![](image:a)")
    html = show(study).html
    assert [f'src="{one}"' in html for one in ("/val/a/0", "/held-out/c/1")] == [True, True]
    with study.read() as reading, pytest.raises(InputError, match="Say which one is meant with ID@SET"):
        get_image(reading, "c")


def test_an_image_of_a_hidden_set_and_its_exact_copies_are_hidden_and_others_are_not(study):
    # b of val has the bytes of x, and c the id of another image, both of the set that is hidden.
    save(study, "![](image:a) ![](image:b) ![](image:c@val)")
    with study.begin() as begun:
        for image in ("a", "b"):
            cite_verdict(begun, Citation(image, CAT), verdict=Verdict.CORRECT)
    everything, shown = show(study), show(study, "held-out")
    assert (len(everything.cases), everything.n_hidden) == (2, 0)
    assert "/val/a/0" in shown.html
    assert shown.html.count(UNSHOWN) == 2
    assert [one.case.image.image_id for one in shown.cases] == ["a"]
    assert shown.n_hidden == 3


def test_images_that_are_still_to_be_judged_are_left_out_and_counted_once_whether_texts_or_cases_show_them(study):
    save(study, "![](image:a) ![](image:a) ![](image:b) ![](image:p)")
    with study.begin() as begun:
        for image in ("a", "b", "p"):
            cite_verdict(begun, Citation(image, CAT), verdict=Verdict.CORRECT)
    # Nobody knows whether p is a copy of one of them; that alone keeps nothing from who judges.
    shown = show(study, unfinished=HiddenImages(frozenset({"a"}), is_known=False))
    assert shown.html.count(UNSHOWN) == 2
    assert [one.case.image.image_id for one in shown.cases] == ["b", "p"]
    assert (shown.n_hidden, shown.n_unfinished) == (0, 1)
    # What is hidden as well is not told of twice.
    both = show(study, "val", unfinished=HiddenImages(frozenset({"a"})))
    assert (both.cases, both.n_unfinished) == ((), 0)


def test_where_checksums_are_missing_nothing_is_shown_that_might_be_a_copy(study):
    save(study, "![](image:a) ![](image:p)")
    # Nobody knows whether p is in the set, nor whether a is in one without checksums.
    assert show(study, "held-out").html.count(UNSHOWN) == 1
    assert show(study, "plain").html.count(UNSHOWN) == 2


def test_a_set_that_does_not_exist_hides_nothing_by_mistake(study):
    with study.read() as reading, pytest.raises(InputError, match="no test set 'nowhere'"):
        find_hidden(reading, ["nowhere"])
