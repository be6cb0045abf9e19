"""What pages are made of: templates, scripts and styles of the server, and those that a kind of task brings along.

A kind keeps them in its folder `page`. Nothing else of its folder is served, and of `page` no template.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

from fastapi import Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.staticfiles import StaticFiles

from regauge.errors import InputError
from regauge.kinds.contract import Kinds
from regauge.workflows.kinds import get_kind, list_kinds
from regauge.workflows.studies import Study

SERVED = frozenset({".css", ".js", ".svg"})
"""Endings of what browsers may ask for."""


class Assets(StaticFiles):
    """Scripts and styles of the server and of kinds, by their names: kept by browsers, who ask each time whether they changed."""

    def __init__(self, kinds: Kinds) -> None:
        own = Path(str(resources.files("regauge.server") / "static"))
        folders = [own, *find_pages(kinds)]
        _check_names(folders)
        super().__init__(directory=own)
        self.all_directories = list(folders)

    def lookup_path(self, path: str) -> tuple[str, Any]:
        """The file of that name; nothing where it is none that is served."""
        return super().lookup_path(path) if Path(path).suffix in SERVED else ("", None)

    def file_response(self, *args: Any, **kwargs: Any) -> Response:  # noqa: ANN401 - as in the class above
        """One file."""
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "no-cache"
        return response


def make_templates(study: Study) -> Environment:
    """The templates of the server and of the kinds that a study knows."""
    own = resources.files("regauge.server") / "templates"
    templates = Environment(
        loader=FileSystemLoader([str(own), *map(str, find_pages(list_kinds(study)))]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals["kind_of"] = lambda campaign: get_kind(study, campaign.kind)
    templates.globals["kinds"] = list_kinds(study)
    return templates


def find_pages(kinds: Kinds) -> list[Path]:
    """Per kind, the folder with what its pages are made of."""
    return [Path(str(resources.files(kind.package) / "page")) for kind in kinds.values()]


def _check_names(folders: list[Path]) -> None:
    """Refuse two files of one name: which of them is served would be chance."""
    known: dict[str, Path] = {}
    for folder in folders:
        for file in sorted(folder.iterdir()):
            if file.name in known:
                raise InputError(
                    f"Both {known[file.name]} and {folder} have a {file.name}; call one of them otherwise."
                )
            known[file.name] = folder
