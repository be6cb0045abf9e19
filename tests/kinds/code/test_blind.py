"""While coders work alone, a manager, who may be one of them, is sent the same bytes whether the others have coded or not."""

from __future__ import annotations

from tests.kinds.code.coded_study import LINE, MAJOR, ask, code_all, take, told
from tests.kinds.panel.test_blind import list_addresses, read
from tests.verify.verify_study import Told
from tests.workflows.conftest import database, postgres, postgres_database

__all__ = ["database", "postgres", "postgres_database", "told"]


def test_a_manager_is_shown_nothing_while_coders_work_alone(told: Told) -> None:
    ask(told, coders=3)
    third, tasks = take(told, told.panel[2])
    manager = told.enter(told.manager)
    addresses = list_addresses(told, tasks, name="codes")
    before = [read(who, addresses) for who in (manager, third)]
    code_all(told, lambda place, number: (MAJOR, LINE)[place])
    after = [read(who, addresses) for who in (manager, third)]
    assert [[one for one in addresses if old[one] != new[one]] for old, new in zip(before, after, strict=True)] == [
        [],
        [],
    ]
