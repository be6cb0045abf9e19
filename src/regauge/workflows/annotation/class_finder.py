"""What the browser needs to find classes: all names, nodes and words in one file, which it may keep."""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import dataclass

from regauge.formats.taxonomies import load_word_lists
from regauge.records.taxonomy import Taxonomy
from regauge.taxonomy.finder_index import collect_finder_data


@dataclass(frozen=True, slots=True)
class FinderFile:
    """The file as it is and packed, and the digest under which browsers keep it."""

    digest: str
    content: bytes
    packed: bytes


def make_finder_file(taxonomy: Taxonomy) -> FinderFile:
    """The file of a taxonomy; the same taxonomy and lists of words give the same bytes."""
    data = collect_finder_data(taxonomy, load_word_lists()).to_json()
    content = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    # A time in the packed file would make two processes disagree.
    return FinderFile(hashlib.sha256(content).hexdigest()[:16], content, gzip.compress(content, mtime=0))
