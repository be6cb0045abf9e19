"""Dawid–Skene and majority against crowd-kit, agreement against the package krippendorff; labels are checked to be equal."""

from __future__ import annotations

import tracemalloc
import warnings
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from benchmarks.harness import Role, Variant, Workload, compare, find_peer, format_table
from regauge.arrays import FloatArray, IntArray
from regauge.labels.votes.dawid_skene import fit_dawid_skene
from regauge.labels.votes.majority import find_majority
from regauge.labels.votes.tables import make_vote_table
from regauge.records.labels.votes import StopRule, VoteMethod, VoteSettings
from regauge.stats.agreement.coefficients import limit_agreement, measure_agreement
from regauge.stats.agreement.tables import AnswerCounts, count_answers

N_VOTES_PER_TASK = 9
N_RESAMPLES = 2_000
N_LOOP = 10
SEED = 1979
CROWD_KIT = VoteSettings(method=VoteMethod.DAWID_SKENE, prior=0, stop=StopRule.CROWD_KIT)


class Campaign(NamedTuple):
    """Votes as columns, and how many tasks, annotators and labels there are."""

    tasks: IntArray
    annotators: IntArray
    answers: IntArray
    sizes: tuple[int, int, int]


def draw_campaign(n_tasks: int, *, n_annotators: int, n_labels: int, best: float = 0.9) -> Campaign:
    """Nine different annotators per task, each right with a probability of their own up to `best`, else any label."""
    rng = np.random.default_rng(SEED)
    truth = rng.integers(0, n_labels, n_tasks)
    tasks = np.repeat(np.arange(n_tasks, dtype=np.int32), N_VOTES_PER_TASK)
    width = n_annotators // N_VOTES_PER_TASK
    places = np.arange(N_VOTES_PER_TASK) * width + rng.integers(0, width, (n_tasks, N_VOTES_PER_TASK))
    annotators = ((rng.integers(0, n_annotators, n_tasks)[:, None] + places) % n_annotators).ravel().astype(np.int32)
    accuracy = rng.uniform(best - 0.5, best, n_annotators)
    is_right = rng.random(tasks.size) < accuracy[annotators]
    answers = np.where(is_right, truth[tasks], rng.integers(0, n_labels, tasks.size)).astype(np.int32)
    return Campaign(tasks, annotators, answers, (n_tasks, n_annotators, n_labels))


def label(campaign: Campaign) -> IntArray:
    """From columns to labels, sorting and listing included."""
    table = make_vote_table(campaign.tasks, campaign.answers, annotators=campaign.annotators, sizes=campaign.sizes)
    return fit_dawid_skene(table, CROWD_KIT).posterior.labels


def vote(campaign: Campaign) -> IntArray:
    table = make_vote_table(campaign.tasks, campaign.answers, annotators=campaign.annotators, sizes=campaign.sizes)
    return find_majority(table).labels


def run_crowd_kit(aggregation: ModuleType, model: str, votes: Any) -> IntArray:  # noqa: ANN401 - a frame of pandas
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labels = getattr(aggregation, model)().fit_predict(votes)
    return np.asarray(labels.sort_index().to_numpy(), np.int32)


def compare_dawid_skene(n_tasks: int, *, n_annotators: int, n_labels: int, n_rounds: int, best: float = 0.9) -> str:
    """How long a fit takes depends on how good annotators are: worse ones need more passes, and the start weighs less."""
    campaign = draw_campaign(n_tasks, n_annotators=n_annotators, n_labels=n_labels, best=best)
    variants = [
        Variant("fit_dawid_skene at prior 0, crowd-kit's stop", partial(label, campaign), Role.OURS, n_threads=2)
    ]
    peer = _find_crowd_kit("DawidSkene", campaign)
    if peer is not None:
        np.testing.assert_array_equal(label(campaign), peer())
        variants.append(Variant("crowd-kit DawidSkene", peer))
    heading = (
        f"Dawid–Skene, {n_labels:,} labels: {n_tasks:,} tasks × {N_VOTES_PER_TASK} votes, {n_annotators} annotators "
        f"of accuracy {best - 0.5:.1f} to {best:.1f}"
    )
    return compare(heading, variants, missing=[] if peer else ["crowd-kit"], n_rounds=n_rounds)


def compare_majority() -> str:
    campaign = draw_campaign(100_000, n_annotators=400, n_labels=10)
    variants = [Variant("find_majority, with intervals", partial(vote, campaign), Role.OURS)]
    peer = _find_crowd_kit("MajorityVote", campaign)
    if peer is not None:
        variants.append(Variant("crowd-kit MajorityVote", peer, gives="labels and shares"))
    return compare("Majority, 10 labels: 100,000 tasks × 9 votes", variants, missing=[] if peer else ["crowd-kit"])


def _find_crowd_kit(model: str, campaign: Campaign) -> Any:  # noqa: ANN401 - a function, or None
    aggregation, pandas = find_peer("crowdkit.aggregation"), find_peer("pandas")
    if aggregation is None or pandas is None:
        return None
    columns = {"task": campaign.tasks, "worker": campaign.annotators, "label": campaign.answers}
    return partial(run_crowd_kit, aggregation, model, pandas.DataFrame(columns))


def loop_over_resamples(package: ModuleType, counts: FloatArray) -> list[float]:
    """Draw tasks with NumPy, and let the package find alpha from the counts of every label."""
    rng = np.random.default_rng(SEED)
    drawn = (rng.integers(0, len(counts), len(counts)) for _ in range(N_LOOP))
    return [package.alpha(value_counts=counts[rows], level_of_measurement="nominal") for rows in drawn]


def measure_with_limits(counts: AnswerCounts) -> None:
    """The coefficients and their limits, for which nothing is drawn."""
    measure_agreement(counts)
    limit_agreement(counts)


def compare_agreement() -> str:
    campaign = draw_campaign(111_111, n_annotators=400, n_labels=10)
    counts = count_answers(campaign.tasks, campaign.answers)
    gives = "alpha, kappa, alpha per label, limits"
    variants = [Variant("limit_agreement", partial(measure_with_limits, counts), Role.OURS, gives=gives)]
    package = find_peer("krippendorff")
    if package is not None:
        dense = np.zeros((counts.n_tasks, counts.n_labels))
        np.add.at(dense, (campaign.tasks, campaign.answers), 1)
        peer = partial(loop_over_resamples, package, dense)
        variants.append(Variant("krippendorff.alpha in a loop", peer, fraction=N_LOOP / N_RESAMPLES, gives="alpha"))
    heading = f"Agreement of {campaign.tasks.size:,} votes with limits; the peer redraws tasks {N_RESAMPLES:,} times"
    return compare(heading, variants, missing=[] if package else ["krippendorff"], n_rounds=3)


def measure_memory() -> str:
    """The largest memory that a fit takes besides its votes, for one and four times as many of them."""
    rows = []
    for n_labels in (2, 10, 1_000):
        for n_tasks in (25_000, 100_000):
            campaign = draw_campaign(n_tasks, n_annotators=400, n_labels=n_labels)
            tracemalloc.start()
            label(campaign)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            n = campaign.tasks.size
            rows.append((f"{n_labels:,}", f"{n:,}", f"{peak / 2**20:,.0f} MiB", f"{peak / n:.0f}"))
    return "**Memory of fit_dawid_skene**\n\n" + format_table(("labels", "votes", "peak", "bytes per vote"), rows)


def run() -> Workload:
    return Workload(
        "Annotator models and agreement",
        "Expectation and counting are one pass over the votes; with many labels only those that a task was given are kept.",
        (
            compare_dawid_skene(100_000, n_annotators=400, n_labels=2, n_rounds=5),
            compare_dawid_skene(100_000, n_annotators=400, n_labels=10, n_rounds=5),
            compare_dawid_skene(3_000, n_annotators=60, n_labels=1_000, n_rounds=5),
            compare_dawid_skene(3_000, n_annotators=60, n_labels=1_000, n_rounds=1, best=0.8),
            measure_memory(),
            compare_majority(),
            compare_agreement(),
        ),
    )


if __name__ == "__main__":
    print(run().to_markdown())
