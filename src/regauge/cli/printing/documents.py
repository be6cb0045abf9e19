"""Tables for papers: LaTeX with booktabs, and Markdown, whole and with every special character written out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from regauge.cli.printing.tables import Column, FittedTable, Holds

LATEX = {
    **{one: f"\\{one}" for one in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "“": "``",
    "”": "''",
    "−": "$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "→": r"$\to$",
    "≥": r"$\ge$",
    "≤": r"$\le$",
    "≈": r"$\approx$",
    "Δ": r"$\Delta$",
    "χ": r"$\chi$",
    "²": "$^2$",
}
"""Characters that LaTeX takes for something else, or has not in every font."""

MARKDOWN = {**{one: f"\\{one}" for one in "\\`*_|~#"}, "&": "&amp;", "<": "&lt;", ">": "&gt;"}
"""Characters that Markdown takes for something else; of brackets only those of a link are."""


def to_latex(table: FittedTable) -> str:
    """The table as a tabular with the rules of booktabs; the title is a comment, as captions are the author's."""
    columns = table.columns
    sides = "".join("r" if one.holds is Holds.NUMBERS else "l" for one in columns)
    lines = [comment_latex(table.title)] if table.title else []
    lines += [f"\\begin{{tabular}}{{{sides}}}", r"\toprule"]
    if any(one.header for one in columns):
        lines += [_join_latex(one.header for one in columns), r"\midrule"]
    for row in range(table.n_rows):
        lines.append(_join_latex(one.cells[row].plain for one in columns))
        if row in table.sections and row < table.n_rows - 1:
            lines.append(r"\addlinespace")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def comment_latex(text: str) -> str:
    """A sentence that LaTeX passes over: what stands beside a table belongs to the author's caption."""
    return "\n".join(f"% {line}".rstrip() for line in text.splitlines())


def to_markdown(table: FittedTable) -> str:
    """The table as GitHub and most others read it; the title is a paragraph above it."""
    columns = table.columns
    lines = [f"**{escape_markdown(table.title)}**", ""] if table.title else []
    lines.append(_join_markdown(one.header for one in columns))
    lines.append("|" + "|".join(_rule(one) for one in columns) + "|")
    lines += [_join_markdown(one.cells[row].plain for one in columns) for row in range(table.n_rows)]
    return "\n".join([*lines, ""])


def escape_markdown(text: str) -> str:
    r"""The text as Markdown shows it.

    >>> escape_markdown("n_images | [a](b) <i>")
    'n\\_images \\| \\[a\\](b) &lt;i&gt;'
    """
    text = _replace(text, MARKDOWN)
    return text.replace("[", "\\[").replace("]", "\\]") if "](" in text or "]:" in text or "][" in text else text


def escape_latex(text: str) -> str:
    r"""The text as LaTeX shows it.

    >>> escape_latex("50% of n_images"), escape_latex("[0.1, 0.2)")
    ('50\\% of n\\_images', '{}[0.1, 0.2)')
    """
    text = _replace(" ".join(text.split()), LATEX)
    # Behind the end of a row, a bracket would be how far down the next one starts.
    return f"{{}}{text}" if text[:1] in {"[", "*"} else text


def _join_latex(cells: Iterable[str]) -> str:
    return " & ".join(map(escape_latex, cells)) + r" \\"


def _join_markdown(cells: Iterable[str]) -> str:
    return "| " + " | ".join(escape_markdown(" ".join(one.split())) for one in cells) + " |"


def _rule(column: Column) -> str:
    return "---:" if column.holds is Holds.NUMBERS else "---"


def _replace(text: str, table: Mapping[str, str]) -> str:
    return "".join(table.get(one, one) for one in text)
