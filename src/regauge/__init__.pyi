"""The public names, for type checkers; `__init__.py` loads them lazily."""

from regauge.errors import AmbiguousClassError as AmbiguousClassError
from regauge.errors import DrawingError as DrawingError
from regauge.errors import FormatError as FormatError
from regauge.errors import InputError as InputError
from regauge.errors import MissingImagesError as MissingImagesError
from regauge.errors import RegaugeError as RegaugeError
from regauge.errors import StorageError as StorageError
from regauge.errors import UnknownClassError as UnknownClassError
from regauge.formats.taxonomies import load_taxonomy as load_taxonomy
from regauge.records.arrays import NO_CLASS as NO_CLASS
from regauge.records.labels import LabelKind as LabelKind
from regauge.records.labels import LabelSet as LabelSet
from regauge.records.labels import Truth as Truth
from regauge.records.labels import Unlisted as Unlisted
from regauge.records.labels import Verdict as Verdict
from regauge.records.predictions import Logits as Logits
from regauge.records.predictions import Predictions as Predictions
from regauge.records.scales import Scale as Scale
from regauge.records.scores import Score as Score
from regauge.records.scores import Scores as Scores
from regauge.records.scores import ScoreSettings as ScoreSettings
from regauge.records.shifts import Resample as Resample
from regauge.records.shifts import Shift as Shift
from regauge.records.shifts import ShiftSettings as ShiftSettings
from regauge.records.taxonomy import ImageClass as ImageClass
from regauge.records.taxonomy import Taxonomy as Taxonomy
from regauge.records.testsets import TestSet as TestSet
from regauge.workflows.figures import draw_scores as draw_scores
from regauge.workflows.figures import draw_shift as draw_shift
from regauge.workflows.figures import save_figure as save_figure
from regauge.workflows.inputs import load_predictions as load_predictions
from regauge.workflows.inputs import load_truth as load_truth
from regauge.workflows.scoring import score as score
from regauge.workflows.shifts import TestSetAnswers as TestSetAnswers
from regauge.workflows.shifts import shift as shift

__version__: str
__all__: list[str]
