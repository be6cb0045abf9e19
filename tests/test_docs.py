"""The docs tell the truth: every command, option and column is there, every link leads somewhere; see also test_examples."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path

import click
import pytest
from scripts.write_settings import make_page

import regauge
from regauge.cli.main import COMMANDS, cli
from regauge.evaluation.context.registry import ANALYSES
from regauge.evaluation.metrics import METRICS
from regauge.evaluation.outcomes import Metric
from regauge.formats.exports.drawn_folders import MANIFEST_COLUMNS
from regauge.formats.labels.verdict_lines import TFDS_NAMES, VERDICT_FIELDS
from regauge.formats.predictions.arguments import SUFFIXES
from regauge.records.evaluation.class_changes import CLASS_CHANGE_COLUMNS
from regauge.records.evaluation.humans.tables import HUMAN_TABLES
from regauge.records.evaluation.scores import COMPARISON_COLUMNS, SCORE_COLUMNS
from regauge.records.evaluation.strategies import STRATEGY_COLUMNS, VARIANCE_COLUMNS
from regauge.records.evaluation.two_sample import LIKENESS_COLUMNS, TWO_SAMPLE_COLUMNS
from regauge.records.labels.votes import ANNOTATOR_COLUMNS, CLASS_COLUMNS, CONFUSION_COLUMNS, LABEL_COLUMNS
from regauge.records.slices.scores import SLICE_COLUMNS
from regauge.records.testsets.draws import CHANGE_COLUMNS
from regauge.workflows.exports import EXPORTS

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
STAGES_IN_ORDER = (
    "taxonomy → test set → predictions → candidates → campaign → responses → labels → "
    "evaluation → mistakes → slices → report"
)


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def find_commands(command: click.Command, name: str = "") -> list[tuple[str, click.Command]]:
    """A command and all below it, with the words that call them."""
    found = [(name, command)]
    if isinstance(command, click.Group):
        context = click.Context(command)
        for word in command.list_commands(context):
            below = command.get_command(context, word)
            assert below is not None
            found += find_commands(below, f"{name} {word}".strip())
    return found


def find_section(command: str) -> str:
    """The section of the command-line page about a command."""
    page = read("docs/command-line.md")
    found = re.search(rf"^## {command.split(maxsplit=1)[0]}$(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found, f"docs/command-line.md has no section on {command}"
    return found[1]


COMMAND_LIST = [(name, command) for name, command in find_commands(cli) if name]


@pytest.mark.parametrize(("name", "command"), COMMAND_LIST, ids=[name for name, _ in COMMAND_LIST])
def test_every_command_and_option_is_documented(name, command):
    section = find_section(name)
    assert f"`{name.split()[-1]}" in section or f"regauge {name}" in section
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert any(f"`{option}`" in section for option in parameter.opts), f"{name} {parameter.opts[0]}"
    assert command.help


def test_the_command_line_page_names_no_option_that_does_not_exist():
    known = {option for _, command in COMMAND_LIST for p in command.params for option in p.opts} | {
        "--help",
        "--version",
    }
    assert set(re.findall(r"--[a-z][a-z-]+", read("docs/command-line.md"))) <= known


def test_the_overview_of_commands_is_in_flow_order():
    assert list(COMMANDS) == re.findall(r"^## (\w+)$", read("docs/command-line.md"), re.MULTILINE)


def test_the_order_of_the_stages_is_the_same_everywhere():
    assert STAGES_IN_ORDER in (regauge.__doc__ or "")
    assert STAGES_IN_ORDER in read("docs/data-flow.md")


def test_every_format_field_and_column_is_documented():
    page = read("docs/formats.md")
    words = [*SCORE_COLUMNS, *COMPARISON_COLUMNS, *VERDICT_FIELDS, *TFDS_NAMES, "file_name", *SUFFIXES[-1:]]
    words += [*LABEL_COLUMNS, *ANNOTATOR_COLUMNS, *CLASS_COLUMNS, *CONFUSION_COLUMNS]
    words += [*CLASS_CHANGE_COLUMNS, *STRATEGY_COLUMNS, *VARIANCE_COLUMNS, *TWO_SAMPLE_COLUMNS, *LIKENESS_COLUMNS]
    words += [*CHANGE_COLUMNS, *MANIFEST_COLUMNS, *SLICE_COLUMNS]
    words += [*HUMAN_TABLES, *(column for columns in HUMAN_TABLES.values() for column in columns)]
    for word in words:
        assert f"`{word}" in page, word


@pytest.mark.parametrize("analysis", ANALYSES.values(), ids=list(ANALYSES))
def test_every_analysis_of_benchmark_and_task_has_a_section_with_its_tables_and_columns(analysis):
    found = re.search(rf"^## {analysis.name}$(.*?)(?=^## |\Z)", read("docs/context.md"), re.MULTILINE | re.DOTALL)
    assert found, analysis.name
    for name, table in analysis.tables.items():
        assert f"| `{name}`" in found[1], name
        for column in table.columns:
            # The limits of a number go without saying.
            words = {f"`{column}`", f"`{re.sub('_(low|high)$', '', column)}`"}
            assert any(word in found[1] for word in words), f"{name}: {column}"


def test_the_page_of_settings_is_what_the_tables_say():
    assert read("docs/settings.md") == make_page(), "write it anew: python -m scripts.write_settings"


def describe_metric(metric: Metric) -> str:
    """The row of a metric in the table of docs/formats.md."""
    needs = ", ".join(metric.needs)
    return f"| `{metric.name}` | {metric.title} | {metric.meaning} | {needs} | {metric.n_answers} |"


def test_every_metric_is_documented():
    for metric in METRICS:
        assert describe_metric(metric) in read("docs/formats.md")


def test_every_export_format_is_documented():
    for one in EXPORTS:
        assert f"`{one.name}`" in read("docs/exports.md").replace("`export ", "`")
        assert re.search(rf"regauge export \S*\b{one.name}\b", read("docs/command-line.md"))


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_links_inside_the_project_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)]+)\)", path.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            file, _, anchor = target.partition("#")
            linked = (path.parent / file).resolve() if file else path
            assert linked.exists(), target
            if anchor:
                headings = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
                assert anchor in {heading.lower().replace(" ", "-") for heading in headings}, target


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_python_examples_give_what_they_show(path):
    parser = doctest.DocTestParser()
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    example = parser.get_doctest(text, {}, path.name, str(path), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    output: list[str] = []
    runner.run(example, out=output.append)
    assert runner.failures == 0, "".join(output)


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_json_examples_are_json(path):
    for block in re.findall(r"^```json\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        try:
            json.loads(block)
        except json.JSONDecodeError:
            for line in block.splitlines():
                json.loads(line)


def find_pages_linked_from(path: Path) -> set[Path]:
    """The pages of the docs that a page links to."""
    targets = re.findall(r"\]\(([^)#]+\.md)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    return {(path.parent / target).resolve() for target in targets if not target.startswith("http")}


def test_the_index_leads_to_every_page_and_the_readme_to_the_index():
    index = ROOT / "docs" / "index.md"
    pages = set((ROOT / "docs").rglob("*.md")) - {index}
    assert find_pages_linked_from(index) == pages
    assert index in find_pages_linked_from(ROOT / "README.md")


def test_every_picture_of_the_docs_is_shown_somewhere():
    shown = "".join(path.read_text(encoding="utf-8") for path in PAGES)
    for picture in (ROOT / "docs" / "images").iterdir():
        assert f"images/{picture.name})" in shown, picture.name


def test_the_readme_shows_the_two_commands_and_its_pictures():
    readme = read("README.md")
    assert len(readme.splitlines()) <= 120
    assert "make demo" in readme
    assert "make test" in readme
