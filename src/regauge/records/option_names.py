"""Settings as the command line calls them.

Errors and notes name a setting as Python has it, in backquotes: `allow_missing=True`, `shared="ids"`, or `taxonomy=…` where the
value is up to the reader. The command line, and what it writes, says --allow-missing, --shared ids and --taxonomy instead.
"""

from __future__ import annotations

import ast
import csv
import io
import re
import shlex

OPTION_NAMES = {
    "codings": "--coding",
    "folder": "--study",
    "follows_links": "--follow-links",
    "from_set": "--from",
    "is_matched": "--matched",
    "keep_annotators": "--keep-annotator",
    "keep_responses": "--keep-response",
    "keeps_access": "--keep-access",
    "leaves_out": "--leave-out",
    "max_bytes": "--max-size",
    "participants": "--participant",
    "pools": "--pool",
    "quiz_classes": "--quiz-class",
    "replaces": "--replace",
    "rules": "--no-screening",
    "scales": "--scale",
    "screening": "--no-screening",
    "skips_broken": "--skip-broken",
    "skips_known": "--skip-known",
    "skips_missing": "--skip-missing",
}
"""Options that have another name than their keyword."""

SETTING = re.compile(r"`(?P<name>[a-z][a-z_]*)=(?P<value>[^`]+)`")


def name_options(text: str) -> str:
    """The text with options in place of keywords.

    >>> name_options('Score the rest with `allow_missing=True`, or say so with `shared="ids"` and `truths=["no", "yes"]`.')
    'Score the rest with --allow-missing, or say so with --shared ids and --truths no,yes.'
    """
    return SETTING.sub(lambda found: _name_option(found["name"], found["value"]), text)


def _name_option(name: str, value: str) -> str:
    option = OPTION_NAMES.get(name, f"--{name.replace('_', '-').rstrip('-')}")
    try:
        given = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        # Dots, which stand for whatever the reader has.
        return option
    if given is None or isinstance(given, bool):
        return option
    return f"{option} {shlex.quote(_join(given) if isinstance(given, list | tuple) else str(given))}"


def _join(words: list[str] | tuple[str, ...]) -> str:
    """Several words as a line of CSV, as options take them."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(words)
    return line.getvalue()
