"""The report as one HTML page that needs nothing else: figures, tables, pictures, styles and scripts are all inside.

Scripts are allowed by their checksum alone, and the page can load nothing: a name in the data can do no harm, even if it
got past the escaping of the template.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from regauge.evaluation.metrics import list_metrics
from regauge.evaluation.outcomes import Metric
from regauge.records.evaluation.scales import Scale
from regauge.records.evaluation.scores import BALANCED_SUFFIX, WHOLE
from regauge.records.evaluation.shifts import Shift
from regauge.records.rules import say_old_rules
from regauge.report.content import ComparisonPart, EvaluationPart, ReportContent
from regauge.report.figures import plot_scores
from regauge.report.gap_figures import plot_gap
from regauge.report.gap_parts import describe_gap, make_gap_table
from regauge.report.sentences import describe_shift, list_findings, list_measures, rank
from regauge.report.shift_figures import plot_shift
from regauge.report.subset_figures import choose_spread, plot_subsets
from regauge.report.tables import DocumentTable, make_participants_table, make_shift_table, make_subsets_table
from regauge.report.theme import DARK

GAP = "gap"
NO_BREAK = "\u00a0"
N_NAMED = 8
"""With more models than this, a scatter names only the first, the last and some between."""


@dataclass(frozen=True, slots=True, eq=False)
class ReportFigure:
    """A figure of a report: the name of its files, what a reader who cannot see it is told, and its Vega-Lite drawing.

    Where it stands under a heading of its own, `part` says which.
    """

    name: str
    text: str
    spec: Mapping[str, Any]
    part: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """What the page shows of one evaluation or comparison."""

    anchor: str
    part: EvaluationPart | ComparisonPart
    figures: tuple[ReportFigure, ...]
    tables: Mapping[str, DocumentTable]
    sentences: tuple[str, ...] = ()


def make_sections(content: ReportContent) -> tuple[Section, ...]:
    """One section per evaluation, then one per comparison, with their figures drawn."""
    parts = [_make_evaluation(part, f"scores-{place}") for place, part in enumerate(content.evaluations, 1)]
    parts += [_make_comparison(part, f"shift-{place}") for place, part in enumerate(content.comparisons, 1)]
    return tuple(parts)


def render_report(
    content: ReportContent, sections: Sequence[Section], *, pictures: Mapping[str, str], vega: str
) -> str:
    """The page.

    Args:
        content: what was measured.
        sections: as `make_sections` gives them.
        pictures: by the name of a figure, its drawing as SVG, for print and for readers without scripts.
        vega: the Vega scripts, once for all figures.
    """
    scripts = {"vega": vega, "report": _read("report.js")}
    specs = {figure.name: figure.spec for section in sections for figure in section.figures}
    environment = Environment(
        loader=DictLoader({"report": _read("report.html")}), autoescape=True, undefined=StrictUndefined
    )
    environment.filters |= {"counted": _count_things, "picture": _embed_jpeg, "together": _keep_together}
    return environment.get_template("report").render(
        content=content,
        sections=sections,
        findings=[*list_findings(content), *_list_gap_findings(content)],
        explain=describe_gap,
        say_old_rules=say_old_rules,
        metrics=find_metrics(content),
        commands=list_commands(content),
        pictures={name: Markup(svg) for name, svg in pictures.items()},  # noqa: S704 - drawn by Vega, which escapes names
        style=Markup(_read_style()),  # noqa: S704 - ours
        scripts={name: Markup(text) for name, text in scripts.items()},  # noqa: S704 - ours and Vega's
        hashes=" ".join(f"'{_hash(text)}'" for text in scripts.values()),
        data=Markup(_dump({"specs": specs, "dark": DARK})),  # noqa: S704 - JSON without the letter that could end it
    )


def _list_gap_findings(content: ReportContent) -> Iterator[str]:
    """What selection explains of each gap; the rest stands in the sections."""
    for part in content.comparisons:
        if part.gap is not None:
            yield next(describe_gap(part.gap))


def list_commands(content: ReportContent) -> list[str]:
    """The commands that make the report again, each once, in order; earlier reports are no part of it."""
    typed = [event.command for event in content.events if event.command and event.what != "report"]
    return list(dict.fromkeys([*typed, *([content.command] if content.command else [])]))


def find_metrics(content: ReportContent) -> dict[str, Metric]:
    """The metrics in the report by name, in the order of all metrics."""
    used = {metric for part in content.evaluations for metric, _ in list_measures(part.scores)}
    used |= {
        metric for part in content.comparisons for metric in (part.shift.settings.metric, *part.shift.mean_changes)
    }
    plain = {metric.removesuffix(BALANCED_SUFFIX) for metric in used}
    return {metric.name: metric for metric in list_metrics() if metric.name in plain}


def _make_evaluation(part: EvaluationPart, anchor: str) -> Section:
    scores = part.scores
    text = f"Accuracies on {part.test_set.name} with their intervals."
    figures = [ReportFigure(anchor, text, plot_scores(scores).to_dict())]
    tables = {
        "participants": make_participants_table(scores),
        "balanced": make_participants_table(scores, balanced=True),
    }
    measure = list_measures(scores)[0]
    names = choose_spread([one.participant for one in rank(scores, measure[0], labels=measure[1])])
    if any(one.subset != WHOLE for one in scores) and names:
        text = f"Accuracies on parts of {part.test_set.name} with their intervals."
        figures.append(ReportFigure(f"{anchor}-parts", text, plot_subsets(scores, names, measure=measure).to_dict()))
        tables["parts"] = make_subsets_table(scores, names, measure=measure)
    return Section(anchor, part, tuple(figures), tables)


def _make_comparison(part: ComparisonPart, anchor: str) -> Section:
    shift = part.shift
    names = [model.name for model in shift.models]
    labels = [_as_glob(name) for name in choose_spread(names, N_NAMED)]
    figures = tuple(
        ReportFigure(
            f"{anchor}-{scale}", _tell_shift(shift, scale), plot_shift(shift, label=labels, scale=scale).to_dict()
        )
        for scale in shift.settings.scales
    )
    tables = {"models": make_shift_table(shift)}
    if part.gap is not None:
        text = f"The gap from {shift.original} to {shift.new}: explained by selection, and left at equal frequency; with limits."
        figures += (ReportFigure(f"{anchor}-gap", text, plot_gap(part.gap).to_dict(), GAP),)
        tables[GAP] = make_gap_table(part.gap)
    return Section(anchor, part, figures, tables, tuple(describe_shift(shift)))


def _tell_shift(shift: Shift, scale: Scale) -> str:
    """What the figure of a comparison shows: a line only where there is one on its scale."""
    models = "one model" if len(shift.models) == 1 else f"{len(shift.models)} models"
    line = " and fitted line" if any(fit.scale is scale for fit in shift.fits) else ""
    return f"Accuracy of {models} on {shift.new} against {shift.original}, with intervals{line}."


def _as_glob(name: str) -> str:
    """A pattern that matches the name alone."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def _read(name: str) -> str:
    return (resources.files("regauge.report") / "assets" / name).read_text(encoding="utf-8")


def _read_style() -> str:
    """What all pages share, then what is the report's."""
    tokens = (resources.files("regauge") / "look" / "tokens.css").read_text(encoding="utf-8")
    return tokens + _read("report.css")


def _hash(script: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def _dump(value: Any) -> str:  # noqa: ANN401 - whatever JSON can hold
    """JSON that no HTML parser can take for markup."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _keep_together(sentence: str) -> str:
    """The sentence without line breaks inside `n = 1,000` or an interval."""
    kept = re.sub(r"(\[[^\]]*\]|n = [\d,]+)", lambda match: match[0].replace(" ", NO_BREAK), sentence)
    return kept.replace("% [", f"%{NO_BREAK}[")


def _count_things(n: int, one: str, many: str = "") -> str:
    """How many of what.

    >>> _count_things(1, "class", "classes"), _count_things(1000, "class", "classes")
    ('1 class', '1,000 classes')
    """
    return f"{n:,} {one if n == 1 else many or f'{one}s'}"


def _embed_jpeg(picture: bytes) -> str:
    return f"data:image/jpeg;base64,{base64.b64encode(picture).decode()}"


def list_tables(sections: Sequence[Section]) -> Iterator[tuple[str, Any]]:
    """The numbers behind the page as data frames, by the name of their file: what the commands give as CSV."""
    for section in sections:
        result = section.part.scores if isinstance(section.part, EvaluationPart) else section.part.shift
        yield section.anchor, result.to_frame()
        if isinstance(section.part, ComparisonPart) and section.part.gap is not None:
            yield f"{section.anchor}-{GAP}", section.part.gap.to_frame()
