"""Entry point: the table of commands in flow order, loaded only when called."""

from __future__ import annotations

import difflib
import gc
import importlib
import sys
from collections.abc import Callable
from typing import NamedTuple, NoReturn

import click

import regauge
from regauge.cli.printing.printable import make_printable, shorten
from regauge.cli.printing.streams import OutputError, give_up_output, prepare_output
from regauge.cli.start import STOPPED
from regauge.errors import RegaugeError
from regauge.interrupts import hold_stop
from regauge.records.option_names import name_options

CLOSED = 141
NO_OUTPUT = 74
NO_MEMORY = 71
"""Exit statuses as shells and `sysexits.h` have them: the reader of a pipe has gone, output fails, the system has no more."""


class Entry(NamedTuple):
    """Where a command lives, and what the overview says of it."""

    module: str
    summary: str


COMMANDS = {
    "demo": Entry("regauge.cli.demo", "Draw a simulated world, rebuild its test set, and compare models on all sets."),
    "score": Entry("regauge.cli.evaluation.score", "Score predictions on a truth: every metric with n and interval."),
    "shift": Entry(
        "regauge.cli.evaluation.shift", "Compare two test sets on the same models: gaps, ranks and the linear fit."
    ),
    "gap": Entry(
        "regauge.cli.evaluation.gap", "Split the gap between two test sets: what selection explains, and the remainder."
    ),
    "humans": Entry(
        "regauge.cli.evaluation.humans.humans",
        "Compare people with models: subsets, gaps, all pairs, missed images, seconds.",
    ),
    "aggregate": Entry(
        "regauge.cli.labels.aggregate", "Turn people's answers into labels: CONTAINS, CLASSIFY or single votes."
    ),
    "mistakes": Entry(
        "regauge.cli.mistakes.mistakes", "Find mistakes, compare those of two participants, and sum up coded ones."
    ),
    "reproduce": Entry("regauge.cli.reproduce", "Recompute the figures of a paper from its released data."),
    "taxonomy": Entry("regauge.cli.taxonomy", "List, search, compare and check the classes of a benchmark."),
    "plan": Entry(
        "regauge.cli.evaluation.plan",
        "Work out how many annotators and images a precise gap takes, and what they cost.",
    ),
    "init": Entry(
        "regauge.cli.studies.init", "Create a study: one folder for test sets, predictions, labels and scores."
    ),
    "status": Entry("regauge.cli.studies.status", "Show what a study holds and what comes next."),
    "testset": Entry("regauge.cli.testsets.testset", "Add, draw, review, compare and export the test sets of a study."),
    "pool": Entry("regauge.cli.pools.pool", "Gather candidates for a test set, and see which of them can be taken."),
    "predictions": Entry("regauge.cli.predictions", "Add and list what participants answered."),
    "candidates": Entry("regauge.cli.candidates", "Choose which labels to ask people about."),
    "campaign": Entry(
        "regauge.cli.campaigns.campaign", "Ask people: create campaigns, open and close them, export the answers."
    ),
    "annotators": Entry(
        "regauge.cli.campaigns.annotators",
        "See who works on a study, say what they know, renew their links, and erase them.",
    ),
    "exposure": Entry(
        "regauge.cli.exposure.exposure", "See who has seen which images, when and in what role, and what that changes."
    ),
    "guide": Entry(
        "regauge.cli.guide.guide", "Write and read the labeling guide: what classes mean, and how to tell them apart."
    ),
    "serve": Entry("regauge.cli.serve", "Serve a study to annotators in the browser."),
    "labels": Entry("regauge.cli.labels.label_sets", "Add, list, compare and export label sets."),
    "relations": Entry(
        "regauge.cli.labels.relations", "Say which classes are the same or subsets of others, and derive verdicts."
    ),
    "evaluate": Entry("regauge.cli.evaluation.evaluate", "Score a study's participants, and keep the scores."),
    "compare": Entry("regauge.cli.evaluation.compare", "Compare two test sets of a study on the same participants."),
    "slice": Entry(
        "regauge.cli.slices.slices", "Create, score and export slices: named subsets of a test set, frozen."
    ),
    "report": Entry("regauge.cli.report", "Write a report: one page about a study, its figures and its numbers."),
    "export": Entry("regauge.cli.studies.export", "Write a study, or parts of it, for other programs."),
    "import": Entry("regauge.cli.studies.imports", "Recreate a study from a bundle."),
    "backup": Entry("regauge.cli.studies.backup", "Copy a study's database while it is in use."),
    "restore": Entry("regauge.cli.studies.restore", "Recreate a study from a backup."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called, so that help is instant."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in flow order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command and take its `command`."""
        if cmd_name not in COMMANDS:
            return None
        with hold_stop():
            command: click.Command = importlib.import_module(COMMANDS[cmd_name].module).command
        if not gc.isenabled():
            # What is loaded stays until the end: no search for garbage needs to go through it, not even the last one.
            gc.freeze()
            gc.enable()
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the words begin with; of one that does not exist, those that are spelt most alike are named."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], COMMANDS, n=3)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The overview, without importing any command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(regauge.__version__, prog_name="regauge")
def cli() -> None:
    """Re-measure image-classification benchmarks.

    Every number comes with its n and its interval. Start with: regauge demo
    """


def main() -> None:
    """Run the command line; what Regauge refuses is one sentence on standard error and exit status 2."""
    prepare_output()
    try:
        # Without standalone mode click returns the status of a command that stops early, and None when it ends.
        status = cli.main(standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.ClickException as error:
        _end(error.show, error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _end(STOPPED, 130)
    except (RegaugeError, OutputError, MemoryError, UnicodeEncodeError, OSError) as error:
        _end(*_explain(error))
    sys.exit(status)


def _explain(error: Exception) -> tuple[str, int]:
    """The one sentence that tells what went wrong, and the exit status that fits it."""
    if isinstance(error, RegaugeError):
        return f"Error: {make_printable(shorten(name_options(str(error))))}", 2
    if isinstance(error, OutputError):
        give_up_output()
        return str(error), CLOSED if error.is_closed else NO_OUTPUT
    if isinstance(error, MemoryError):
        return (
            "Error: there is not enough memory for this; give it less at a time, or use a machine with more.",
            NO_MEMORY,
        )
    if isinstance(error, UnicodeEncodeError):
        # A word of the command line in another encoding, which can be neither kept nor looked up.
        return f"Error: {error.object[:80]!a} is not UTF-8 text; write it in UTF-8.", 2
    # What the system refuses where no reader has words of its own: a name too long, a full disk.
    if isinstance(error, OSError) and error.filename is not None:
        return f"Error: {make_printable(str(error.filename))}: {error.strerror}.", 2
    return f"Error: a file cannot be read or written: {getattr(error, 'strerror', None) or error}.", NO_OUTPUT


def _end(sentence: str | Callable[[], None], status: int) -> NoReturn:
    """Say the one sentence, where there is somebody to hear it, and end."""
    try:
        click.echo(sentence, err=True) if isinstance(sentence, str) else sentence()
    except OSError:
        # Python would try once more when it ends, and end with a status of its own.
        sys.stderr = None
    sys.exit(status)


if __name__ == "__main__":
    main()
