"""What pages are made of: templates of the server, and those that a kind of task brings along in its folder `page`."""

from __future__ import annotations

from functools import partial
from importlib import resources

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from regauge.kinds.contract import TaskKind
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.server.assets import load_assets
from regauge.workflows.kinds import list_kinds, list_packages
from regauge.workflows.studies.study import Study


def make_templates(study: Study) -> Environment:
    """The templates of the server and of the kinds that a study knows."""
    kinds = list_kinds(study)
    pages = [resources.files(package) / "page" for package in list_packages(kinds)]
    assets = load_assets(list_packages(kinds))
    templates = Environment(
        loader=FileSystemLoader([str(resources.files("regauge.server") / "templates"), *map(str, pages)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals |= {
        "kind_of": partial(_find_kind, study),
        "static": assets.locate,
        "list_imports": assets.list_imports,
    }
    return templates


def _find_kind(study: Study, campaign: CampaignEntry) -> TaskKind:
    return find_kind(study.around.kinds, campaign.kind)


def find_template(study: Study, campaign: CampaignEntry) -> str:
    """The name of the page on which tasks of a campaign are answered.

    Raises:
        InputError: this program does not have the kind of the campaign's tasks.
    """
    return f"{_find_kind(study, campaign).name}.html"
