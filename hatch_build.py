"""The package's long description: the README, as a page outside of the repository can show it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(?P<picture>!?)\[(?P<words>[^\]]*)\]\((?!https?://|mailto:|#)(?P<target>[^)\s]+)\)")
"""A link or a picture in Markdown that names a file of the repository."""


def make_description(readme: str, source: str | None) -> str:
    """The README with every link into the repository made absolute, or plain text where the project has no address.

    Without an address, pictures are left out. An address is that of a repository on a host that shows files under
    `blob/HEAD` and gives them under `raw/HEAD`, as GitHub and its like do.
    """

    def replace(found: re.Match[str]) -> str:
        is_picture = bool(found["picture"])
        if not source:
            return "" if is_picture else found["words"]
        address = f"{source.rstrip('/')}/{'raw' if is_picture else 'blob'}/HEAD/{found['target']}"
        return f"{found['picture']}[{found['words']}]({address})"

    return re.sub(r"\n{3,}", "\n\n", _LINK.sub(replace, readme))


class Description(MetadataHookInterface):
    """Hands the description over when the package is built."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the readme of the package."""
        readme = Path(self.root, "README.md").read_text(encoding="utf-8")
        source = metadata.get("urls", {}).get("Source")
        metadata["readme"] = {"content-type": "text/markdown", "text": make_description(readme, source)}
