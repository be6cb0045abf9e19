"""The coded mistakes that Vasudevan et al. (2022) released: Table 2, the chi-square tests, class pairs, ancestor levels."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scripts.draw_published import trace_released

import regauge
from regauge.formats.mistakes.coded import load_mistakes
from regauge.mistakes.summary import compare_mistakes
from regauge.records.mistakes.coded import SEVERITIES, CodedMistakes
from regauge.records.mistakes.summaries import FileSummary, Independence, MistakesComparison, MistakesSettings
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.mistakes.summaries import summarise_coded

IMAGENET_V2 = ([35, 5, 8, 5], 22)
"""Categories and majors of the 53 mistakes reviewed on ImageNetV2: the only counts with the shares of Table 2."""
GREEDY_SOUPS = ([172, 26, 32, 19], 89)
"""Those of the 249 mistakes of Greedy Soups: the only ones with the shares of Table 2."""
EARLIER = ([243, 54, 52, 31], 155)
"""Two more mistakes of ViT-3B than were released, one of them major: the only counts near the released ones that give the
printed statistics at N = 629."""


@pytest.fixture(scope="module")
def vit(published: Path) -> FileSummary:
    """The released mistakes, with the dataset labels of the validation set and the packaged hierarchy."""
    with np.load(published / "recht2019_imagenet_top1.npz", allow_pickle=False) as archive:
        ids, labels = archive["val_ids"], archive["val_labels"]
    truth = TestSet("val", np.array([f"ILSVRC2012_val_{number:08d}" for number in ids.tolist()]), labels)
    path = published / "vasudevan2022_mistakes_vit3b.json"
    (file,) = summarise_coded(path, truth, taxonomy="imagenet-1k").files
    return file


def construct(name: str, categories: Sequence[int], n_major: int) -> CodedMistakes:
    """Mistakes with those counts, on images of their own; which category the majors are in does not matter here."""
    n = sum(categories)
    return CodedMistakes(
        name,
        np.array([f"{name}{i}" for i in range(n)]),
        np.zeros(n, np.int32),
        categories=np.repeat(np.arange(4), categories).astype(np.int8),
        severities=(np.arange(n) >= n_major).astype(np.int8),
    )


def compare(first: tuple[list[int], int], second: tuple[list[int], int]) -> MistakesComparison:
    files = construct("first", *first), construct("second", *second)
    return compare_mistakes(*files, settings=MistakesSettings(), rng=np.random.default_rng(0))


def show(test: Independence) -> str:
    return f"χ²({test.dof}, N = {test.n}) = {test.chi2:.2f}, p = {test.p:.2f}"


def count(file: FileSummary) -> tuple[list[int], int]:
    return [share.k for share in file.categories], file.severities[0].k


def test_378_mistakes_were_released_154_of_them_major(vit: FileSummary) -> None:
    assert (vit.name, vit.n) == ("vit_3b", 378)
    assert count(vit) == ([242, 54, 52, 30], 154)


def test_the_shares_are_those_of_table_2(vit: FileSummary) -> None:
    shares = [100 * (share.value or 0) for share in (*vit.categories, *vit.severities)]
    assert [f"{share:.1f}" for share in shares] == ["64.0", "14.3", "13.8", "7.9", "40.7", "59.3"]
    limits = [(f"{100 * (share.low or 0):.1f}", f"{100 * (share.high or 0):.1f}") for share in vit.severities]
    assert limits == [("35.7", "45.9"), ("54.1", "64.3")]


def test_stray_spellings_are_folded_and_said(published: Path) -> None:
    assert summarise_coded(published / "vasudevan2022_mistakes_vit3b.json").notes == (
        (
            "vasudevan2022_mistakes_vit3b.json: 378 coded mistakes of vit_3b, 1 'Fine-grained with Multilabel Options' among "
            "them taken as fine-grained."
        ),
        "74 of 378 mistakes of vit_3b were entered as borderline; they count as minor.",
    )


def test_the_borderline_mistakes_survive_reading(published: Path) -> None:
    mistakes = load_mistakes(published / "vasudevan2022_mistakes_vit3b.json")
    counts = np.bincount(mistakes.severities, minlength=len(SEVERITIES))
    assert dict(zip(map(str, SEVERITIES), counts.tolist(), strict=True)) == {
        "major": 154,
        "minor": 150,
        "borderline": 74,
    }


def test_the_released_mistakes_against_the_published_counts(vit: FileSummary) -> None:
    # Printed: 0.97, p = .80 and 0.01, p = .92 at N = 434; 2.41, p = .49 and 1.61, p = .20 at N = 629. The severity test
    # on ImageNetV2 and every conclusion agree; the other statistics differ in the second digit, as do all N.
    v2, soups = compare(count(vit), IMAGENET_V2), compare(count(vit), GREEDY_SOUPS)
    assert show(v2.category) == "χ²(3, N = 431) = 1.02, p = 0.80"
    assert show(v2.severity) == "χ²(1, N = 431) = 0.01, p = 0.92"
    assert show(soups.category) == "χ²(3, N = 627) = 2.43, p = 0.49"
    assert show(soups.severity) == "χ²(1, N = 627) = 1.58, p = 0.21"


def test_the_printed_tests_are_of_380_mistakes() -> None:
    # With 243, 54, 52 and 31 mistakes, 155 of them major, every printed statistic comes out. Two things remain: the first
    # pair says N = 434 where the counts add up to 433, and p = .80 where 0.97 gives .81. The paper speaks of 155 majors
    # itself, and its overlap needs 380 as well: 341 − 170 = 171 mistakes are common, and 171 + 209 = 380.
    v2, soups = compare(EARLIER, IMAGENET_V2), compare(EARLIER, GREEDY_SOUPS)
    assert show(v2.category) == "χ²(3, N = 433) = 0.97, p = 0.81"
    assert show(v2.severity) == "χ²(1, N = 433) = 0.01, p = 0.92"
    assert show(soups.category) == "χ²(3, N = 629) = 2.41, p = 0.49"
    assert show(soups.severity) == "χ²(1, N = 629) = 1.61, p = 0.20"


def test_every_class_pair_is_among_the_released_confusions(vit: FileSummary, published: Path) -> None:
    # The released list has one pair per true label of an image, not only the dataset label: 545 confusions of 378
    # mistakes. So ours are a part of them, pair by pair, and every pair confused three times or more is the same.
    listed = json.loads((published / "vasudevan2022_class_confusions.json").read_text(encoding="utf-8"))
    released = {(first, second): n for first, second, n in listed}
    pairs = {(pair.first, pair.second): pair.n for pair in vit.class_pairs or ()}
    assert (len(released), sum(released.values())) == (481, 545)
    assert (len(pairs), sum(pairs.values())) == (323, 378)
    assert all(n <= released[pair] for pair, n in pairs.items())
    assert Counter(released[pair] - n for pair, n in pairs.items()) == {0: 315, 1: 8}
    frequent = {pair: n for pair, n in released.items() if n >= 3}
    assert frequent == {pair: n for pair, n in pairs.items() if n >= 3}
    assert Counter(pairs.values()) == {1: 292, 2: 14, 3: 12, 4: 3, 5: 2}


def test_whether_majors_are_corrected_first_is_open_as_in_the_paper(published: Path) -> None:
    # §5.2 found no evidence that stronger models solve major errors first. Under the reassessed labels, 229 of the released
    # mistakes are judged and not accepted; the best of 67 models corrects 91 of them.
    with np.load(published / "recht2019_imagenet_top1.npz", allow_pickle=False) as archive:
        ids = np.array([f"ILSVRC2012_val_{number:08d}" for number in archive["val_ids"].tolist()])
        row = archive["models"].tolist().index("pnasnet_large_tf")
        answers = regauge.Predictions("pnasnet", ids, archive["val_top1"][row].astype(np.int32))
    real = published / "real2020_labels.json"
    source = regauge.open_mistakes(regauge.TestSetAnswers([answers], [real]), taxonomy="imagenet-1k")
    found = regauge.follow_majors(source, published / "vasudevan2022_mistakes_vit3b.json")
    (one,) = found.fixes
    assert [(share.k, share.n) for share in (one.corrected, one.kept)] == [(47, 91), (62, 138)]
    assert one.n_left_out == 378 - 91 - 138
    limits = [round(100 * (value or 0), 1) for value in (one.difference.value, one.difference.low, one.difference.high)]
    assert limits == [6.7, -6.4, 19.6]
    assert one.p_exact == pytest.approx(0.3457, abs=1e-4)


def test_the_flow_of_the_released_mistakes_through_the_reassessed_labels(published: Path) -> None:
    # 85 of the 378 are correct for Beyer et al. (2020), and 64 are on images without any label there.
    flow = trace_released(published)
    first, second = flow.steps
    assert (first.n, first.left, first.n_remaining) == (378, (("correct", 85), ("not known", 64)), 229)
    assert (second.left, second.is_coding) == ((), True)
    assert dict(flow.ends) == {"major": 109, "minor": 80, "borderline": 40}
    assert str(flow.overturned.share) == "27.1% [22.2, 32.3]"


def test_near_predictions_are_fine_grained_more_often_than_far_ones(vit: FileSummary) -> None:
    # The paper prints 80.9% at level 1 and 54.3% at level 3. Its hierarchy and its choice among several true labels are not
    # in the data that we have; from WordNet 3.0 and the dataset label both are higher, and the trend is the same.
    shares = {one.level: (one.categories[0].k, one.n) for one in vit.levels or ()}
    assert [shares[level] for level in (1, 2, 3, 4)] == [(98, 109), (58, 71), (32, 47), (21, 39)]
    assert sum(n for _, n in shares.values()) == vit.n == vit.n_labelled
    values = [n / total for n, total in (shares[level] for level in range(1, 8))]
    assert values == sorted(values, reverse=True)
