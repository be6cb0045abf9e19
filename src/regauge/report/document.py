"""The report as one HTML page that needs nothing else: figures, tables, pictures, styles and scripts are all inside.

Scripts are allowed by their checksum alone, and the page can load nothing: a name in the data can do no harm, even if it
got past the escaping of the template.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources

import polars as pl
from altair.utils.schemapi import debug_mode
from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from regauge.estimates import count_things
from regauge.records.canvas import Canvas
from regauge.report.content import ComparisonPart, EvaluationPart, ReportContent
from regauge.report.context.section import CONTEXT, make_context_section
from regauge.report.drawings import make_dark_style
from regauge.report.findings.comparisons import find_in_comparison
from regauge.report.findings.context import find_in_context
from regauge.report.findings.evaluations import find_in_evaluation
from regauge.report.findings.humans import find_in_humans
from regauge.report.findings.mistakes import find_in_mistakes
from regauge.report.findings.people import find_in_campaign
from regauge.report.findings.ranks import Question, ReportFinding, choose_findings
from regauge.report.sections.background import make_background
from regauge.report.sections.blocks import ReportFigure, Section, list_figures
from regauge.report.sections.comparisons import draw_shift, make_comparison
from regauge.report.sections.evaluations import make_evaluation
from regauge.report.sections.humans import HUMANS, make_humans
from regauge.report.sections.mistakes import MISTAKES, make_mistakes
from regauge.report.sections.multilabel import make_multilabel
from regauge.report.sections.people import PEOPLE, draw_frequencies, find_main, make_people
from regauge.report.slices.section import make_slices

NO_BREAK = "\u00a0"
HEADLINE_WIDTH = 520
"""Pixels of the figure beside the findings, so that its letters have their size there."""


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A report that is laid out.

    Attributes:
        content: what was measured.
        findings: what the first screen tells.
        headline: the figure beside them; None where there is nothing to draw.
        sections: the rest, in order.
    """

    content: ReportContent
    findings: tuple[ReportFinding, ...]
    headline: ReportFigure | None
    sections: tuple[Section, ...]

    @property
    def figures(self) -> tuple[ReportFigure, ...]:
        """All figures, the headline first, each once."""
        found = [] if self.headline is None else [self.headline]
        for section in self.sections:
            found += [one for one in list_figures(section.blocks) if one is not self.headline]
        return tuple(found)

    @property
    def tables(self) -> Iterator[tuple[str, pl.DataFrame]]:
        """The numbers behind the page as data frames, by the name of their file: what the commands give as CSV."""
        return (table for section in self.sections for table in section.frames)


# Altair would check every part of every figure against its schema, a quarter of the work of a report; tests do that instead.
@debug_mode(arg=False)
def lay_out(content: ReportContent) -> Document:
    """Choose the findings and the headline figure, and make the sections.

    Open as the page opens are the comparison that the findings lead with and its two test sets, or the first test set where
    nothing is compared, and the people who answered; everything else is folded.
    """
    evaluations = {f"scores-{place}": part for place, part in enumerate(content.evaluations, 1)}
    comparisons = {f"shift-{place}": part for place, part in enumerate(content.comparisons, 1)}
    leading = _find_leading(comparisons)
    findings = choose_findings(_list_candidates(content, evaluations, comparisons, leading=leading))
    headline = _draw_headline(content, comparisons.get(leading), leading)
    open_sets = _list_open(evaluations, comparisons.get(leading))
    name = "" if headline is None else headline.name
    sections = [make_evaluation(part, one, is_folded=one not in open_sets) for one, part in evaluations.items()]
    sections += [
        make_comparison(part, one, is_folded=one != leading, headline=name) for one, part in comparisons.items()
    ]
    # What the page leads with stands first; the rest keeps its order.
    sections.sort(key=lambda one: (one.is_folded, one.anchor != leading))
    sections += [] if content.humans is None else [make_humans(content.humans)]
    sections += [make_context_section(content.context)] if content.context else []
    sections += [make_multilabel(content.truths)] if content.truths else []
    sections += [make_mistakes(content.reviewed)] if content.reviewed else []
    sections += [make_slices(content.slices)] if content.slices else []
    sections += [make_people(content.campaigns, headline=name)] if content.campaigns else []
    return Document(content, findings, headline, (*sections, *make_background(content)))


def render_report(document: Document, *, pictures: Mapping[str, str]) -> str:
    """The page.

    Args:
        document: what it shows.
        pictures: by the name of a figure, its drawing as SVG.
    """
    script = _read("report.js")
    environment = Environment(
        loader=DictLoader({"report": _read("report.html")}), autoescape=True, undefined=StrictUndefined
    )
    environment.filters |= {"picture": _embed_jpeg, "together": _keep_together}
    return environment.get_template("report").render(
        content=document.content,
        document=document,
        people=PEOPLE,
        lead=_tell_lead(document.content),
        pictures={name: Markup(svg) for name, svg in pictures.items()},  # noqa: S704 - drawn by Vega, which escapes names
        style=Markup(_read_style()),  # noqa: S704 - ours
        script=Markup(script),  # noqa: S704 - ours
        hashes=f"'{_hash(script)}'",
    )


def _find_leading(comparisons: Mapping[str, ComparisonPart]) -> str:
    """The comparison that the page leads with: the most important drop; the first where there is none; "" without any."""
    drops = (one for anchor, part in comparisons.items() for one in find_in_comparison(part, {}, anchor=anchor))
    chosen = choose_findings(one for one in drops if one.question is Question.DROP)
    return chosen[0].anchor if chosen else next(iter(comparisons), "")


def _list_candidates(
    content: ReportContent,
    evaluations: Mapping[str, EvaluationPart],
    comparisons: Mapping[str, ComparisonPart],
    *,
    leading: str,
) -> Iterator[ReportFinding]:
    """All answers to all questions; of equally important ones the first is told.

    First come those of the leading comparison, and of the original set that it begins with.
    """
    details = {part.test_set.name: part.details for part in evaluations.values() if part.details is not None}
    for anchor, comparison in sorted(comparisons.items(), key=lambda item: item[0] != leading):
        yield from find_in_comparison(comparison, details, anchor=anchor)
    first = comparisons[leading].shift.original if leading else ""
    for anchor, evaluation in sorted(evaluations.items(), key=lambda item: item[1].test_set.name != first):
        yield from find_in_evaluation(evaluation, anchor)
    if content.humans is not None:
        yield from find_in_humans(content.humans, HUMANS)
    yield from find_in_context(content.context, CONTEXT)
    for review in content.reviewed:
        yield from find_in_mistakes(review, MISTAKES)
    for campaign in content.campaigns:
        yield from find_in_campaign(campaign, PEOPLE)


def _draw_headline(content: ReportContent, leading: ComparisonPart | None, anchor: str) -> ReportFigure | None:
    """The models on two sets; without a comparison, the selection frequencies, unless accuracies are drawn below anyway."""
    if leading is not None:
        return draw_shift(leading, anchor, canvas=Canvas(width=HEADLINE_WIDTH))[0]
    if content.evaluations or not content.campaigns:
        return None
    main = find_main(content.campaigns)
    return draw_frequencies(main, content.campaigns.index(main) + 1)


def _list_open(evaluations: Mapping[str, EvaluationPart], leading: ComparisonPart | None) -> set[str]:
    """The evaluations that are not folded: of both sets of the leading comparison, or the first."""
    sides = set() if leading is None else {leading.shift.original, leading.shift.new}
    compared = {anchor for anchor, part in evaluations.items() if part.test_set.name in sides}
    return compared or set(list(evaluations)[:1])


def _tell_lead(content: ReportContent) -> str:
    """What the study has, in a line."""
    status = content.status
    n_participants = len({one.participant for one in status.predictions})
    n_people = len({one.id for part in content.campaigns for one in part.annotators})
    parts = [
        count_things(len(status.test_sets), "test set"),
        *([count_things(n_participants, "participant")] if n_participants else []),
        *([count_things(n_people, "annotator")] if n_people else []),
        count_things(status.n_classes, "class", many="classes"),
    ]
    return f"{', '.join(parts)}. Made {content.made_at[:10]} by Regauge {content.code_version}."


def _read(name: str) -> str:
    return (resources.files("regauge.report") / "assets" / name).read_text(encoding="utf-8")


def _read_style() -> str:
    """What all pages share, then what is the report's, and the colours of figures on a dark page."""
    tokens = (resources.files("regauge") / "look" / "tokens.css").read_text(encoding="utf-8")
    return tokens + _read("report.css") + make_dark_style()


def _hash(script: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def _keep_together(sentence: str) -> str:
    """The sentence without line breaks inside `n = 1,000` or an interval."""
    kept = re.sub(r"(\[[^\]]*\]|n = [\d,]+)", lambda match: match[0].replace(" ", NO_BREAK), sentence)
    return kept.replace("% [", f"%{NO_BREAK}[")


def _embed_jpeg(picture: bytes) -> str:
    return f"data:image/jpeg;base64,{base64.b64encode(picture).decode()}"
