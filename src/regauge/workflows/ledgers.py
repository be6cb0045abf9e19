"""The ledger of a campaign from its tables: the one way in which answers are read, for pages, files and label sets."""

from __future__ import annotations

import numpy as np

from regauge.kinds.registry import find_kind
from regauge.records.campaigns import CampaignEntry
from regauge.responses.ledger import Ledger
from regauge.storage.ledgers import load_answer_columns, load_task_texts
from regauge.storage.study import Study


def load_ledger(study: Study, campaign: CampaignEntry) -> Ledger:
    """All answers to a campaign that hold."""
    ledger = Ledger(find_kind(study.around.kinds, campaign.kind).answers)
    learn_tasks(study, campaign, ledger=ledger)
    learn_answers(study, campaign, ledger=ledger)
    return ledger


def learn_tasks(study: Study, campaign: CampaignEntry, *, ledger: Ledger, after: int = 0) -> None:
    """Add the tasks above a number."""
    found = load_task_texts(study, campaign, after=after)
    ids, sources = (np.array(column, np.int64) for column in (found.ids, found.sources))
    ledger.add_tasks(found.texts, ids=ids, sources=sources)


def learn_answers(study: Study, campaign: CampaignEntry, *, ledger: Ledger, after: int = 0) -> None:
    """Add the answers above a number."""
    for answers in load_answer_columns(study, campaign, after=after):
        ledger.add_answers(answers)
