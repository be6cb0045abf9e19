"""Every sentence that the code can say: found in the syntax trees of its modules, each under a key that stays.

A sentence is a string, plain or formatted, with a space in it that ends as sentences do. Docstrings, refusals (whatever is
raised or is an exception), options and help of commands, figures' and queries' texts are not findings and are left out.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "regauge"
N_WORDS = 8
HOLE = "…"
"""What stands in a key where the code puts a value."""
ENDS = (".", "!", "?", ":")
FIELD = re.compile(r"\{\w*(?:![rs])?(?::[^{}]*)?\}")
"""Where `str.format` puts a value."""
REMARKS = frozenset({"follow-up images only", "score, over images, for these annotators"})
"""What stands in the names of figures and intervals, and says something of the data."""
STEPS = frozenset(
    {
        "Add a test set",
        f"Add predictions on {HOLE}",
        "Write the report",
        f"Open campaign {HOLE}",
        f"Evaluate {HOLE}",
        f"Evaluate {HOLE} under {HOLE}",
        f"Compare {HOLE} and {HOLE}",
    }
)
"""What comes next, in few words."""
REFUSING = re.compile(r"(Error|Exception|Warning|ClickException|UsageError|BadParameter)$")


@dataclass(frozen=True)
class Sentence:
    """A text in the code.

    Attributes:
        module: where it stands, as a path below the package.
        function: in which function, or class, or "" at the top.
        text: the text, with a mark for every value.
        line: where it stands now.
        number: which of those with the same first words it is in its function, from 1.
    """

    module: str
    function: str
    text: str
    line: int
    number: int = 1

    @property
    def key(self) -> str:
        """A name that stays while the code around it moves: module, function, first words."""
        words = " ".join(self.text.split()[:N_WORDS])
        return f"{self.module}:{self.function}: {words}" + (f" #{self.number}" if self.number > 1 else "")

    @property
    def pattern(self) -> re.Pattern[str]:
        """What the text looks like when it is said, whatever the values are."""
        parts = (re.escape(" ".join(part.split())) for part in re.split(f"{HOLE}+", self.text))
        return re.compile(r" ?.*? ?".join(parts))


def find_sentences(path: Path) -> list[Sentence]:
    """The sentences of a module, each once, in their order; equal keys are told apart by a number."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [one for one in walk(tree, path.relative_to(SOURCE).as_posix(), "") if is_sentence(one.text)]
    before: Counter[str] = Counter()
    for place, one in enumerate(found):
        before[one.key] += 1
        found[place] = replace(one, number=before[one.key])
    return found


def is_sentence(text: str) -> bool:
    """Whether a reader would take it for one, or for the better part of one.

    It has words and an end, or four words that begin with a capital, or five with a value among them.
    """
    if text in REMARKS | STEPS:
        return True
    plain = text.replace(HOLE, "").strip()
    n_words = len(re.findall(r"[A-Za-z’']{2,}", plain))
    if "<" in plain or " " not in plain:
        return False
    is_said = n_words >= (1 if text.count(HOLE) > 1 else 3) and plain.endswith(ENDS)
    is_begun = n_words >= (4 if HOLE in text else 5) and plain[:1].isupper()
    return is_said or is_begun or (n_words >= 5 and HOLE in text)


def walk(node: ast.AST, module: str, function: str = "") -> Iterator[Sentence]:
    """All texts inside, in their order."""
    for child in _list_children(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{function}.{child.name}" if function else child.name
            yield from walk(child, module, inner)
            continue
        if isinstance(child, ast.Raise) or _is_refusal(child):
            continue
        text = read_text(child)
        if text is None:
            yield from walk(child, module, function)
        else:
            assert isinstance(child, ast.expr)
            yield Sentence(module, function, text, child.lineno)
            for value in _list_values(child):
                yield from walk(value, module, function)


def _list_children(node: ast.AST) -> Iterator[ast.AST]:
    """What stands inside, without docstrings, decorators, annotations and help texts."""
    for name, value in ast.iter_fields(node):
        if name in {"decorator_list", "annotation", "returns"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST):
                continue
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                continue
            yield child


def _list_values(text: ast.AST) -> Iterator[ast.AST]:
    """What a text puts into itself, which may hold further texts."""
    if isinstance(text, ast.JoinedStr):
        yield from (part for part in text.values if isinstance(part, ast.FormattedValue))
    elif isinstance(text, ast.BinOp):
        for side in (text.left, text.right):
            if read_text(side) is None:
                # Wrapped, so that the walk, which looks at what stands inside, looks at this too.
                yield ast.Expr(side)
            else:
                yield from _list_values(side)


def _is_refusal(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    return bool(REFUSING.search(name)) or name in {"option", "argument", "Option", "Argument"}


def read_text(node: ast.AST) -> str | None:
    """The text of a string, of a formatted one and of their sums; None for anything else."""
    if isinstance(node, ast.Constant):
        return FIELD.sub(HOLE, node.value) if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else HOLE for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = [read_text(node.left), read_text(node.right)]
        if all(side is None for side in sides):
            return None
        return "".join(HOLE if side is None else side for side in sides)
    return None


@cache
def find_all() -> dict[str, Sentence]:
    """All sentences of the package by their keys."""
    return {one.key: one for path in sorted(SOURCE.rglob("*.py")) for one in find_sentences(path)}
