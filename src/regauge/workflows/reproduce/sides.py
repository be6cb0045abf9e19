"""The models of Recht et al. (2019) on two sets at a time, whichever of them the folders hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from regauge.errors import MissingDataError
from regauge.evaluation.shifts import compare_sides
from regauge.evaluation.sides import Side, judge_side
from regauge.evaluation.targets import line_up
from regauge.formats.releases.folders import DataFolders
from regauge.formats.releases.loading import load_released_set
from regauge.formats.releases.published import ReleasedSet
from regauge.records.evaluation.shifts import Shift, ShiftSettings
from regauge.records.labels.label_set import Truth


@dataclass(slots=True)
class Sides:
    """Sets and comparisons, each made once."""

    data: DataFolders
    loaded: dict[str, ReleasedSet] = field(default_factory=dict)
    judged: dict[tuple[str, tuple[str, ...]], Side] = field(default_factory=dict)
    compared: dict[tuple[str, str, tuple[str, ...]], Shift] = field(default_factory=dict)

    def load(self, name: str) -> ReleasedSet:
        """A set with the answers of the models."""
        self.loaded[name] = load_released_set(self.data, name)
        return self.loaded[name]

    def judge(self, name: str, models: tuple[str, ...] | None = None) -> Side:
        """The models on one set; those that are named, or all."""
        released = self.load(name)
        chosen = models if models is not None else released.models
        if (name, chosen) not in self.judged:
            target = line_up(Truth(released.test_set))
            answers = (released.get_predictions(model) for model in chosen)
            self.judged[name, chosen] = judge_side(answers, target, settings=ShiftSettings())
        return self.judged[name, chosen]

    def find_common(self, original: str, new: str) -> tuple[str, ...]:
        """The models with answers on both sets."""
        known = set(self.load(new).models)
        common = tuple(model for model in self.load(original).models if model in known)
        if not common:
            raise MissingDataError(f"predictions of one model on both {original} and {new}")
        return common

    def compare(self, original: str, new: str, *, fit_except: tuple[str, ...] = ()) -> Shift:
        """One set against another, over the models with answers on both."""
        key = original, new, fit_except
        if key not in self.compared:
            common = self.find_common(original, new)
            settings = ShiftSettings(fit_except=tuple(glob for glob in fit_except if _matches_any(glob, common)))
            sides = self.judge(original, common), self.judge(new, common)
            self.compared[key] = compare_sides(*sides, settings=settings)
        return self.compared[key]

    def require_all(self, original: str, new: str, *, n: int) -> None:
        """Refuse what needs every model where some are absent.

        Raises:
            MissingDataError: some models lack answers on one of the sets.
        """
        n_found = len(self.find_common(original, new))
        if n_found < n:
            raise MissingDataError(f"predictions of all {n} models on {original} and {new}; {n_found} have them there")

    @property
    def notes(self) -> tuple[str, ...]:
        """What had to be put right in the sets that were read."""
        return tuple(note for released in self.loaded.values() for note in released.notes)


def _matches_any(glob: str, models: tuple[str, ...]) -> bool:
    return any(fnmatchcase(model, glob) for model in models)
