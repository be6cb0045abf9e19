"""Audits that are drawn and reported in a study, on both databases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.workflows.labels.review_studies import LABELS, fill_study, judge_audit, review_images

from regauge.errors import FormatError, InputError
from regauge.formats.labels.audits import load_audit
from regauge.workflows.labels.audits import draw_study_audit, report_study_audit
from regauge.workflows.labels.review_plans import ReviewRequest
from regauge.workflows.studies.study import Study


def test_an_audit_is_drawn_before_a_review_and_corrects_accuracies_after_it(study: Study, tmp_path: Path) -> None:
    fill_study(study)
    path = tmp_path / "audit.json"
    with study.read() as begun:
        sample = draw_study_audit(begun, ReviewRequest(), path=path, n=40)
    assert (len(sample), sample.test_set, set(sample.participants)) == (40, "t", {"strong", "weak", "twin"})
    kept = load_audit(path)
    assert (kept.image_ids.tolist(), kept.agreed_ids.tolist()) == (
        sample.image_ids.tolist(),
        sample.agreed_ids.tolist(),
    )
    judge_audit(study, sample.image_ids.tolist(), n_wrong=2)
    with study.read() as begun:
        found = report_study_audit(begun, path, labels="A")
        with pytest.raises(InputError, match=r"audit\.json exists"):
            draw_study_audit(begun, ReviewRequest(), path=path)
    assert (found.report.n_judged, found.report.errors.k, found.report.n_agreed) == (40, 2, len(sample.agreed_ids))
    for one in found.report.accuracies:
        assert one.raw is not None
        assert one.corrected.value is not None
        assert one.corrected.value < one.raw
    assert "Of 40 audited images, 2 have a dataset label that is not accepted: 5.0%" in found.sentences[0]


def test_what_a_label_set_has_judged_is_left_out_and_one_participant_is_enough(study: Study, tmp_path: Path) -> None:
    fill_study(study)
    review_images(study, [f"i{one:03d}" for one in range(150)])
    with study.read() as begun:
        rest = draw_study_audit(begun, ReviewRequest(("strong",), "R"), path=tmp_path / "rest.json")
    assert {int(one[1:]) for one in rest.agreed_ids.tolist()} <= set(range(150, len(LABELS)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "x"}, "this is not an audit"),
        ({"version": 9}, "this audit is of version 9, and version 1 is read"),
        ({"image_ids": ["elsewhere"]}, "not among those agreed on"),
        ({"image_ids": []}, "the field image_ids is not a list of texts"),
        ({"participants": None}, "this audit is damaged"),
    ],
)
def test_other_files_are_refused(change, said, tmp_path: Path) -> None:
    whole = {"format": "regauge audit sample", "version": 1, "test_set": "t", "participants": ["a"]}
    ids = {"image_ids": ["i000"], "agreed_ids": ["i000", "i001"]}
    (tmp_path / "audit.json").write_text(json.dumps({**whole, **ids, **change}))
    with pytest.raises(FormatError, match=said):
        load_audit(tmp_path / "audit.json")
