"""The accuracies of annotators under a model."""

from __future__ import annotations

import numpy as np
from scripts.interval_cases.cases import Case, Found, count_covered

from regauge.labels.votes.one_coin import fit_one_coin
from regauge.labels.votes.skills import find_coin_skills
from regauge.labels.votes.tables import make_vote_table
from regauge.records.labels.votes import VoteMethod, VoteSettings
from regauge.stats.intervals import Limits

N_ANNOTATORS = 12


def _skills(n_tasks: int, n_votes: int) -> Case:
    """The accuracies of twelve annotators; every annotator of every study counts."""

    def simulate(rng: np.random.Generator, n_studies: int) -> Found:
        settings, found, truths = VoteSettings(method=VoteMethod.ONE_COIN), [], []
        for _ in range(-(-n_studies // N_ANNOTATORS)):
            skills, truth = rng.uniform(0.6, 0.97, N_ANNOTATORS), rng.integers(0, 2, n_tasks)
            tasks = np.repeat(np.arange(n_tasks), n_votes)
            who = np.argsort(rng.random((n_tasks, N_ANNOTATORS)), axis=1)[:, :n_votes].ravel()
            is_right = rng.random(tasks.size) < skills[who]
            answers = np.where(is_right, truth[tasks], 1 - truth[tasks])
            sizes = (n_tasks, N_ANNOTATORS, 2)
            table = make_vote_table(
                tasks.astype(np.int32), answers.astype(np.int32), annotators=who.astype(np.int32), sizes=sizes
            )
            found.append(find_coin_skills(table, fit_one_coin(table, settings)))
            truths.append(skills)
        low, high = (np.concatenate([getattr(one.limits, side) for one in found]) for side in ("low", "high"))
        return count_covered(Limits(low, high), np.concatenate(truths))

    n = n_tasks * n_votes // N_ANNOTATORS
    return Case("accuracy of an annotator (Jeffreys)", f"{n_tasks} tasks, {n_votes} votes each; one-coin", n, simulate)


CASES = (_skills(60, 5), _skills(400, 5))
