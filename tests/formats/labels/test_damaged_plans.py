"""Plans and audits whose files are damaged: one sentence that names the file, whatever is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.formats.labels.damaged_fields import damage
from tests.workflows.labels.review_studies import make_plan

from regauge.errors import FormatError
from regauge.formats.labels.audits import dump_audit, load_audit
from regauge.formats.labels.review_plans import dump_review_plan, load_review_plan
from regauge.records.evaluation.audits import AuditSample

PLAN_TAKES = frozenset(
    {
        "test_set = 'x'",
        "labels = 'x'",
        "participants.0 = 'x'",
        "image_ids.0 = 'x'",
        "terms.seed = 10000000000000000000",
        "trust_dataset_labels = True",
        "forecast.0.low = 0.5",
        "terms.level = 0.5",
        "predictor.other = 0.5",
        "predictor.label = 0.5",
        "predictor.problematic = 0.5",
        "weights.0 = 0.5",
        "chances.0.0 = 0.5",
        "answers.0.0 = -1",
        "known.0 = -1",
    }
)
"""What is as good as what stood there, as far as a file can tell; of the study it is refused when the plan is followed."""


def test_a_plan_with_any_field_damaged_is_refused_by_its_name(tmp_path: Path) -> None:
    whole = json.loads(dump_review_plan(make_plan(tmp_path, ("strong", "weak", "twin")).planned))
    path = tmp_path / "plan.json"
    taken = set()
    for what, text in damage(whole):
        path.write_text(text)
        try:
            load_review_plan(path)
        except FormatError as error:
            _check_sentence(error, path)
        else:
            taken.add(what)
    assert taken == PLAN_TAKES


def test_an_audit_with_any_field_damaged_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "audit.json"
    sample = AuditSample(["i0", "i1"], ["i1", "i0", "i2"], "t", ("a", "b"))  # type: ignore[arg-type]
    taken = set()
    for what, text in damage(json.loads(dump_audit(sample))):
        path.write_text(text)
        try:
            load_audit(path)
        except FormatError as error:
            _check_sentence(error, path)
        else:
            taken.add(what)
    harmless = {"image_ids one short", "image_ids.0 removed", "participants one short", "participants.0 removed"}
    assert taken == {"test_set = 'x'", "participants.0 = 'x'", "agreed_ids one short", *harmless}


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "null", "[]", "1", '"x"', '{"format": [1]}', "\ud800"])
def test_what_is_no_plan_at_all_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(text.encode(errors="surrogatepass"))
    for load in (load_review_plan, load_audit):
        with pytest.raises(FormatError) as error:
            load(path)
        _check_sentence(error.value, path)


def _check_sentence(error: FormatError, path: Path) -> None:
    said = str(error)
    assert said.startswith(str(path))
    assert said.endswith(".")
    assert "\n" not in said
    assert len(said) < 400 + len(str(path)) * 2
