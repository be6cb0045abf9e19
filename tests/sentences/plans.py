"""Sentences of plans and estimates, and what is odd about a taxonomy."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from tests.sentences.comparisons_data import titles
from tests.sentences.entries import Always, Entries, Maker, Pair
from tests.taxonomy.test_lint import make_taxonomy
from tests.workflows.campaign_studies import add_contains, add_people, answer, make_answer, make_pictured, take
from tests.workflows.evaluation.test_planning import DESIGN, TINY, make_counts

from regauge.campaigns.estimates import MIN_TIMED
from regauge.cli.evaluation.plan import describe_cheapest
from regauge.records.campaigns.terms import Pay, Terms
from regauge.records.evaluation.gaps import GapMethod
from regauge.records.evaluation.planning import StudyDesign, StudyPlan, Workforce
from regauge.records.taxonomy import Grouping, GroupRule, NodeId, Taxonomy
from regauge.report.plan_figures import plot_plan
from regauge.storage.campaigns.campaign import set_terms
from regauge.taxonomy.lint import lint_taxonomy
from regauge.workflows.campaigns.estimates import estimate_campaign
from regauge.workflows.evaluation.planning import Expectations, WorkSettings, make_plan, measure_design


@cache
def plan(*, n_classes: int = 10, original_per_class: int = 20, annotators: int = 10, **settings: Any) -> StudyPlan:
    design = StudyDesign(n_classes=n_classes, original_per_class=original_per_class, n_candidates=50)
    return make_plan(design, replace(TINY, annotators=(annotators,), **settings))


def notes(**options: Any) -> Maker:
    return lambda _: list(plan(**options).notes)


def cheapest(target: float) -> Maker:
    return lambda _: describe_cheapest(plan(target=target), is_adjusted=False)


def measured(*, slope: float | None) -> Maker:
    """What a plan says of 300 original images on which accuracy goes with frequency so, or whose frequencies are unknown."""

    def make(folder: Path) -> list[str]:
        counts = make_counts(300, n_votes=40)
        frequency = counts.n_selected / counts.n_shown
        right = np.random.default_rng(4).random(300) < 1 / (1 + np.exp(-(slope or 0) * (frequency - 0.6)))
        (folder / "truth.csv").write_text("image_id,label\n" + "".join(f"i{n},0\n" for n in range(300)))
        answers = "".join(f"i{n},{int(not one)}\n" for n, one in enumerate(right.tolist()))
        (folder / "answers.csv").write_text("image_id,class\n" + answers)
        known = None if slope is None else counts
        return list(measure_design(DESIGN, Expectations(known, None, folder / "truth.csv", folder / "answers.csv"))[1])

    return make


def estimated(*, n_timed: int = 0, quota: int = 10, minimum: float | None = None) -> Maker:
    """What is said of a campaign's time and pay after so many answers."""

    def make(folder: Path) -> list[str]:
        with make_pictured(folder) as study:
            entry = add_contains(study, quota=quota)
            if minimum is not None:
                with study.begin() as begun:
                    set_terms(begun, entry, Terms(pay=Pay(0.1, "EUR", minimum_hourly=minimum)))
            for person in add_people(study, entry, -(-n_timed // 8)):
                answer(study, *map(make_answer, take(study, entry, person, n=8)))
            with study.read() as reading:
                return list(estimate_campaign(reading, "grids", force=Workforce(1, 1.0)).sources)

    return make


def lint(taxonomy: Taxonomy) -> Maker:
    return lambda _: [*(finding.message for finding in lint_taxonomy(taxonomy)), "(end of findings)"]


def group(*nodes: str) -> Taxonomy:
    """Two birds, and a group of what lies below these nodes."""
    rule = GroupRule("some", within=tuple(map(NodeId, nodes)))
    parents = {"a": ("bird",), "b": ("bird",), "bird": (), "fish": ()}
    return make_taxonomy([("a", ["tern"]), ("b", ["gull"])], parents, groupings=(Grouping("all", (rule,)),))


SOUND = make_taxonomy([("a", ["tern"]), ("b", ["gull"])], {"a": ("bird",), "b": ("bird",), "bird": ()})

ENTRIES: Entries = {
    # Plans
    "workflows/evaluation/planning.py:WorkSettings.time: A grid takes … s, ….": Always(
        "It names the time that is taken.", notes()
    ),
    "workflows/evaluation/planning.py:WorkSettings.time: a default of ours, … s per image": Pair(
        notes(), lambda _: list(make_plan(DESIGN, TINY, work=WorkSettings(seconds=60.0)).notes)
    ),
    "workflows/evaluation/planning.py:_explain: drawn by matched frequency and split by the": Always(
        "What a plan does.", notes()
    ),
    "workflows/evaluation/planning.py:_fit: Frequencies of … are spread like those of": Pair(
        lambda _: [*measure_design(DESIGN, Expectations(make_counts()))[1]], measured(slope=None)
    ),
    "workflows/evaluation/planning.py:_measure_accuracy: The accuracy on original images is …%, measured": Pair(
        measured(slope=3.0), lambda _: [*measure_design(DESIGN, Expectations(make_counts()))[1]]
    ),
    "workflows/evaluation/planning.py:_measure_accuracy: How accuracy goes with frequency is assumed: a": Pair(
        measured(slope=None), measured(slope=3.0)
    ),
    "workflows/evaluation/planning.py:_measure_accuracy: Accuracy … with frequency by … on the": Pair(
        measured(slope=-6.0), measured(slope=None)
    ),
    "workflows/evaluation/planning.py:_explain: Candidates are as many as let at most": Always(
        "What a plan does.", notes()
    ),
    "workflows/evaluation/planning.py:_explain: Every combination was simulated … times, …. …": Always(
        "What a plan does.", notes()
    ),
    "workflows/evaluation/planning.py:_explain: … of the … classes were simulated; half-widths": Pair(
        notes(n_classes=60), notes(n_classes=50)
    ),
    "workflows/evaluation/planning.py:_explain: The naive split is biased, see naive_bias: an": Pair(
        notes(method=GapMethod.NAIVE), notes()
    ),
    "workflows/evaluation/planning.py:_explain: A draw asks for … annotators per candidate;": Pair(
        notes(annotators=5), notes()
    ),
    "workflows/evaluation/planning.py:_explain: A draw asks for … annotated original images": Pair(
        notes(original_per_class=19), notes()
    ),
    "workflows/evaluation/planning.py:_explain: Original images and candidates are in the same": Always(
        "What a plan does.", notes()
    ),
    "workflows/evaluation/planning.py:_explain: Gathering, near-duplicates, training, quizzes and dropped answers are": Always(
        "None of them is in the figures.", notes()
    ),
    "cli/evaluation/plan.py:describe_cheapest: No combination that was tried reaches … in": Pair(
        cheapest(0.001), cheapest(0.5)
    ),
    "cli/evaluation/plan.py:describe_cheapest: For … the cheapest is … annotators on": Pair(
        cheapest(0.5), cheapest(0.001)
    ),
    # Estimates
    "campaigns/estimates.py:admit_default: …… is a default of ours: ….": Pair(
        estimated(), estimated(n_timed=MIN_TIMED + 8)
    ),
    "campaigns/estimates.py:admit_default: fewer than … answers of the kind were": Pair(
        estimated(), estimated(n_timed=MIN_TIMED + 8)
    ),
    "kinds/contains/making.py:assume_time: … s per image of a grid of": Pair(
        estimated(), estimated(n_timed=MIN_TIMED + 8)
    ),
    "kinds/contains/making.py:tell_scale: , brought to grids of … images": Pair(
        estimated(n_timed=MIN_TIMED + 8), estimated()
    ),
    "workflows/campaigns/estimates.py:find_task_time: the median of … answers to … campaigns": Pair(
        estimated(n_timed=MIN_TIMED + 8), estimated()
    ),
    "campaigns/estimates.py:_list_limits: Training, quizzes, surplus answers and those of people": Pair(
        estimated(), estimated(quota=1)
    ),
    "campaigns/estimates.py:_list_limits: The pay per hour is … the …": Pair(estimated(minimum=12.0), estimated()),
    "workflows/campaigns/estimates.py:find_task_time: A task takes … s, …….": Pair(
        estimated(n_timed=MIN_TIMED + 8), estimated()
    ),
    # Taxonomies
    "taxonomy/lint.py:_report_shared_name: …; write an id to say which is": Pair(
        lint(make_taxonomy([("a", ["crane"]), ("b", ["crane"])])), lint(SOUND)
    ),
    "taxonomy/lint.py:_report_shared_name: The name … means … classes: …": Pair(
        lint(make_taxonomy([("a", ["crane"]), ("b", ["crane"])])),
        lint(make_taxonomy([("a", ["crane"]), ("b", ["Crane"])])),
    ),
    "taxonomy/lint.py:_report_shared_name: The names … differ only in capitals: …": Pair(
        lint(make_taxonomy([("a", ["crane"]), ("b", ["Crane"])])),
        lint(make_taxonomy([("a", ["crane"]), ("b", ["crane"])])),
    ),
    "taxonomy/lint.py:_find_shared_links: … classes have the same link …: ….": Pair(
        lint(make_taxonomy([("a", ["tern"]), ("b", ["gull"])], link="https://example.org")), lint(SOUND)
    ),
    "taxonomy/lint.py:_find_classes_below_classes: Class … lies below class …, so an": Pair(
        lint(make_taxonomy([("a", ["tern"]), ("b", ["gull"])], {"a": ("b",), "b": ()})), lint(SOUND)
    ),
    "taxonomy/lint.py:_find_numbers: Class … is called …, but digits alone": Pair(
        lint(make_taxonomy([("a", ["7"]), ("b", ["gull"])])), lint(SOUND)
    ),
    "taxonomy/lint.py:_find_unknown_nodes: … names the node …, which the taxonomy": Pair(
        lint(group("bird", "cow")), lint(group("bird"))
    ),
    "taxonomy/lint.py:_find_empty_groups: Group … of grouping … has no class.": Pair(
        lint(group("fish")), lint(group("bird"))
    ),
    "taxonomy/lint.py:_find_cycles: The hierarchy runs in a circle: ….": Pair(
        lint(make_taxonomy([("a", ["tern"])], {"a": ("bird",), "bird": ("a",)})), lint(SOUND)
    ),
    # The figure of a plan
    "report/plan_figures.py:plot_plan: How precise, at what price": Always(
        "The title.", lambda _: titles(plot_plan(plan()))
    ),
    "report/plan_figures.py:_explain: Frequency-adjusted gap, …% intervals by …; numbers: annotators": Always(
        "What it draws.", lambda _: titles(plot_plan(plan()))
    ),
    "report/plan_figures.py:_explain: Points: median of … simulated studies; bars: 80%": Always(
        "What it draws.", lambda _: titles(plot_plan(plan()))
    ),
    "report/plan_figures.py:_explain: Enough is what reaches it in …% of": Always(
        "What it draws.", lambda _: titles(plot_plan(plan()))
    ),
}
