"""Sentences of figures and of the section of benchmark and task."""

from __future__ import annotations

from pathlib import Path

from tests.report.context.small_context import make_bare, make_context
from tests.report.context.test_section import change
from tests.sentences.entries import Always, Entries, Maker, Pair

from regauge.errors import InputError
from regauge.records.evaluation.context.report import ContextReport
from regauge.report.context.figures import plot_context
from regauge.report.context.section import make_context_section
from regauge.report.findings.context import find_in_context

FIGURES = "report/context/figures.py"
COUNTED = "It tells numbers of the tables that are drawn, or how to read the figure."


def read(report: ContextReport) -> list[str]:
    try:
        figure = plot_context(report)
    except InputError as error:
        return [str(error)]
    plots = getattr(figure, "vconcat", [])
    heads = [str(one.title.text) for one in plots if hasattr(one.title, "text")]
    return [str(figure.title.text), " ".join(figure.title.subtitle), *heads]


def drawn(name: str, *, has_models: bool = True) -> Maker:
    """The title and the words of a figure, those of its parts too."""
    return lambda _: read(make_context(name, has_models=has_models))


def bare(name: str) -> Maker:
    return lambda _: read(make_bare(name))


def words(name: str) -> Maker:
    """What stands in a figure itself: names of colours and axes."""

    def make(_: Path) -> list[str]:
        return [str(plot_context(make_context(name)).to_dict())]

    return make


ALWAYS = {
    "_draw_objects: Of images with several objects, “any of several”": drawn("objects"),
    "_draw_objects: Accuracy by number of objects": drawn("objects"),
    "_draw_pairs: Share of the images of the first class": drawn("cooccurrence"),
    "_draw_disagreement: Share of the images of a class whose": drawn("disagreement"),
    "_draw_disagreement: Classes with other main labels": drawn("disagreement"),
    "_draw_validation: n = … images; with all annotators of": drawn("validation"),
    "_draw_validation: Images with other valid labels": drawn("validation"),
    "_draw_frequencies: Answers as people see them": drawn("frequencies"),
    "_draw_confusion: Percent of the images of each group (rows)": drawn("confusion"),
    "_draw_confusion: Intervals are in the table groups.": drawn("confusion"),
    "_draw_confusion: Groups taken for one another": drawn("confusion"),
}


def section() -> Maker:
    """Everything that the section tells."""

    def make(_: Path) -> list[str]:
        made = make_context_section([make_context("objects")])
        return [made.title, made.gist, *(str(block) for block in made.blocks)]

    return make


def found(**limits: float) -> Maker:
    def make(_: Path) -> list[str]:
        (one,) = find_in_context([change(**limits)], "")
        return [one.claim, one.evidence]

    return make


LESS, MORE, OPEN = (found(drop_low=low, drop_high=high) for low, high in ((0.1, 0.2), (-0.2, -0.1), (-0.1, 0.1)))

FOUND = "report/findings/context.py"
ENTRIES: Entries = {
    "report/context/section.py:make_context_section: What people say of the images of …,": Always(COUNTED, section()),
    "report/context/section.py:_tell_draws: …% intervals; those of means come from …": Always(COUNTED, section()),
    f"{FOUND}:_claim: … is right less often where images have": Pair(LESS, OPEN),
    f"{FOUND}:_claim: … is right more often where images have": Pair(MORE, LESS),
    f"{FOUND}:_claim: Whether several objects in an image matter to": Pair(OPEN, LESS),
    f"{FOUND}:_tell: Top-1 with one object: …; with several: …;": Always(COUNTED, LESS),
    **{f"{FIGURES}:{key}": Always(COUNTED, say) for key, say in ALWAYS.items()},
    f"{FIGURES}:_draw_ambiguous: Share of the answers within an ambiguous pair": Pair(
        drawn("ambiguous"), drawn("ambiguous", has_models=False)
    ),
    f"{FIGURES}:_draw_ambiguous: Dashed: chance, … on average.": Pair(
        drawn("ambiguous"), drawn("ambiguous", has_models=False)
    ),
    f"{FIGURES}:_draw_pairs_alone: How far both labels are accepted on images": Pair(
        drawn("ambiguous", has_models=False), drawn("ambiguous")
    ),
    f"{FIGURES}:_draw_frequencies: Dashed: the dataset labels themselves, ….": Always(COUNTED, drawn("frequencies")),
    f"{FIGURES}:_draw_confusion: Objects that images hold, by their names": Pair(drawn("confusion"), drawn("objects")),
    f"{FIGURES}:_draw_distance: Diamonds: people, by their votes.": Pair(drawn("distance"), drawn("objects")),
    f"{FIGURES}:_draw_distance: mean … to the dataset label": Always(COUNTED, words("distance")),
}
