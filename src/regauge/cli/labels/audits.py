"""`regauge labels draw-audit` and `regauge labels audit`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from regauge.cli.printing.output import format_option, print_json, print_notes, print_parts, print_rows, print_sentences
from regauge.cli.printing.tables import FittedTable, Holds
from regauge.cli.printing.written import tell_written
from regauge.cli.studies.study import open_for_reading, print_entries, study_option, which_test_set_option
from regauge.errors import InputError
from regauge.estimates import Share, format_estimate, format_percent, to_fields
from regauge.records.evaluation.audits import DEFAULT_AUDITED
from regauge.records.evaluation.reviews import ReviewMetric, ReviewTerms
from regauge.workflows.campaigns.campaign import get_campaign
from regauge.workflows.labels.audits import ReportedAudit, draw_study_audit, report_study_audit
from regauge.workflows.labels.review_plans import ReviewRequest


@click.command("draw-audit")
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path), callback=tell_written)
@click.option("--n", default=DEFAULT_AUDITED, show_default=True, help="How many images.")
@click.option(
    "--participant",
    multiple=True,
    metavar="GLOB",
    help="Participants who must agree on an image; everybody by default. Repeatable.",
)
@click.option(
    "--labels",
    metavar="NAME[@VERSION]",
    help="Leave out images whose dataset label this label set has judged; none by default.",
)
@which_test_set_option
@click.option("--seed", default=0, show_default=True, help="Random seed of the draw.")
@study_option
@format_option
def draw_command(
    path: Path,
    n: int,
    participant: tuple[str, ...],
    labels: str | None,
    test_set: str | None,
    seed: int,
    folder: Path | None,
    output_format: str,
) -> None:
    """Draw images on which everybody answers the dataset label into FILE, to be judged in a review as well."""
    request = ReviewRequest(participant, labels, test_set, terms=ReviewTerms(seed=seed))
    with open_for_reading(folder) as study:
        sample = draw_study_audit(study, request, path=path, n=n)
    row = {"test_set": sample.test_set, "n_agreed": len(sample.agreed_ids), "n_audited": len(sample), "file": str(path)}
    print_entries([row], output_format, name="audits")


@click.command("audit")
@click.argument("path", metavar="[FILE]", required=False, type=click.Path(path_type=Path))
@click.option("--campaign", metavar="NAME", help="The campaign whose images include the audit, in place of FILE.")
@click.option("--labels", required=True, metavar="NAME[@VERSION]", help="The label set with the verdicts.")
@click.option(
    "--metric",
    type=click.Choice([one.value for one in ReviewMetric]),
    default=ReviewMetric.STRICT.value,
    show_default=True,
    help="Whether unclear answers count as right (lenient) or wrong (strict).",
)
@click.option("--level", default=0.95, show_default=True, help="Confidence level of every interval.")
@study_option
@format_option
def audit_command(
    path: Path | None,
    campaign: str | None,
    labels: str,
    metric: str,
    level: float,
    folder: Path | None,
    output_format: str,
) -> None:
    """Show how often a dataset label that everybody gives is wrong, and accuracies corrected for that."""
    if (path is None) is (campaign is None):
        raise InputError("Name the audit by its file or by its campaign: FILE or --campaign NAME.")
    with open_for_reading(folder) as study:
        source = get_campaign(study, campaign or "") if path is None else path
        found = report_study_audit(study, source, labels=labels, terms=ReviewTerms(ReviewMetric(metric), level))
    _print_audit(found, output_format)


def _print_audit(found: ReportedAudit, output_format: str) -> None:
    report = found.report
    rows = report.to_frame()
    if output_format == "json":
        counts = {"n_agreed": report.n_agreed, "n_audited": report.n_audited, "n_judged": report.n_judged}
        shares = {"errors": _describe(report.errors), "problematic": _describe(report.problematic)}
        participants = list(rows.iter_rows(named=True))
        print_json(
            {**counts, "level": report.level, **shares, "participants": participants, "notes": list(found.notes)}
        )
        return
    if output_format != "table":
        print_rows(rows, output_format)
    else:
        table = FittedTable("Accuracy")
        table.add_column("participant", Holds.NAMES, rank=0)
        for rank, name in enumerate(("raw", "corrected", "n")):
            table.add_column(name, rank=rank)
        for one in report.accuracies:
            table.add_row(one.participant, format_percent(one.raw), format_estimate(one.corrected), f"{one.n:,}")
        print_parts([table])
        print_sentences(*found.sentences)
    print_notes(found.notes)


def _describe(share: Share[float | None]) -> dict[str, Any]:
    return {"k": share.k, "n": share.n, **to_fields(share)}
