"""Who people are on their platforms: pseudonyms at the door, and a private list that stays with the manager.

A platform's id becomes a name by a keyed checksum: the same person has the same name whenever they come, and without the key
nobody can find out whose name it is, not even by trying all ids. The id itself is in one file in the study's folder that only
its owner can read. It never goes into the database, a bundle, a backup, an event, a log or a page.
"""

from __future__ import annotations

import hmac
from itertools import count
from pathlib import Path

from regauge.errors import InputError
from regauge.records.campaigns.campaign import Platform
from regauge.records.campaigns.visits import Arrival, Identity, Visit
from regauge.storage.events import add_event
from regauge.storage.files import write_whole
from regauge.storage.keys import load_key
from regauge.storage.people.annotators import find_erased_names
from regauge.storage.people.identities import (
    KEY_NAME,
    append_identity,
    load_identities,
    remove_identities,
    save_identities,
)
from regauge.storage.people.visits import forget_references
from regauge.storage.study import Study

NAME_DIGITS = 20
"""Of a name: 80 bits, so that among a million people two of the same name are not to be expected."""
MAC_DIGITS = 32


def make_pseudonym(study: Study, platform: Platform, person: str) -> str:
    """What the study calls somebody; always the same for the same person, until they are erased: then they are new here."""
    # How often they were erased is a part of it; the first name is that of earlier versions.
    parts = (("person", platform.value, person, *[str(again)] * bool(again)) for again in count())
    names = (f"{platform.value}-{_make_mac(study, *one)[:NAME_DIGITS]}" for one in parts)
    return next(name for name in names if not find_erased_names(study, [name]))


def hash_reference(study: Study, platform: Platform, reference: str) -> str:
    """The checksum under which a visit is known; it tells nobody which submission or assignment it was."""
    return _make_mac(study, "reference", platform.value, reference)[:MAC_DIGITS]


def note_identity(study: Study, arrival: Arrival) -> None:
    """Write down who came, in the private file."""
    name = make_pseudonym(study, arrival.platform, arrival.person)
    identity = Identity(arrival.platform, arrival.person, name, arrival.reference, study.around.now())
    append_identity(study.paths.folder, identity)


def list_identities(study: Study) -> tuple[Identity, ...]:
    """Who everybody is on their platforms; for the manager only."""
    return load_identities(study.paths.folder)


def write_identities(study: Study, path: Path) -> int:
    """Write the list to a file that only its owner can read; says how many lines it has. That it was taken out is on record.

    Raises:
        InputError: the file exists.
    """
    found = list_identities(study)
    with write_whole(path) as partial:
        save_identities(partial, found)
    add_event(study, "identities", {"n": len(found)})
    return len(found)


def forget_identity(study: Study, pseudonym: str) -> int:
    """Take somebody out of the private list, and off their visits what ties these to the platform.

    The file is replaced at once, whatever becomes of the transaction: what is to be forgotten does not come back.

    Args:
        study: the study, inside a transaction that may write.
        pseudonym: what the study calls them, before they are given another name.

    Returns:
        How many lines there were; 0 for somebody who came by a personal link.
    """
    forget_references(study, pseudonym)
    return remove_identities(study.paths.folder, pseudonym)


def make_receipt(study: Study, visit: Visit) -> str:
    """What somebody hands in at their platform: the number of the visit, what was done in it, and our signature."""
    return f"{visit.id}.{visit.n_done}.{_sign(study, visit.id, visit.n_done)}"


def check_receipt(study: Study, receipt: str) -> tuple[int, int]:
    """The number of a visit and the tasks done in it, from a receipt of ours.

    Raises:
        InputError: the text is not a receipt that Regauge wrote.
    """
    numbers, _, mac = receipt.rpartition(".")
    visit_id, _, n_done = numbers.partition(".")
    if not (visit_id.isdecimal() and n_done.isdecimal() and mac.isascii()):
        raise InputError("This is not a receipt of this study.")
    if not hmac.compare_digest(mac, _sign(study, int(visit_id), int(n_done))):
        raise InputError("This is not a receipt of this study.")
    return int(visit_id), int(n_done)


def _sign(study: Study, visit_id: int, n_done: int) -> str:
    return _make_mac(study, "receipt", str(visit_id), str(n_done))[:MAC_DIGITS]


def _make_mac(study: Study, *parts: str) -> str:
    key = load_key(study.paths.folder / KEY_NAME)
    # The parts are kept apart by a character that none of them has.
    return hmac.digest(key, "\0".join(parts).encode(), "sha256").hex()
