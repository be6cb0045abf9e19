"""Test sets in the tables."""

from __future__ import annotations

from pathlib import Path

from tests.storage.small_studies import make_study

from regauge.storage.testsets.test_set import load_digests
from regauge.workflows.testsets.test_set import add_test_set


def test_digests_come_back_in_row_order_and_are_empty_where_they_are_not_known(tmp_path: Path) -> None:
    digest = "0123456789abcdef" * 4
    (tmp_path / "known.csv").write_text(f"image_id,label,sha256\na,0,\nb,1,{digest}\n")
    with make_study(tmp_path) as study, study.begin() as begun:
        known, unknown = (add_test_set(begun, tmp_path / name).entry for name in ("known.csv", "truth.csv"))
        digests = load_digests(begun, known)
        assert digests is not None
        assert digests.tolist() == ["", digest]
        assert load_digests(begun, unknown) is None
