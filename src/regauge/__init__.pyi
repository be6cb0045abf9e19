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
from regauge.workflows.studies import Circumstances as Circumstances
from regauge.workflows.studies import Study as Study
from regauge.workflows.studies import describe_status as describe_status
from regauge.workflows.studies import find_study as find_study
from regauge.workflows.studies import init_study as init_study
from regauge.workflows.studies import open_study as open_study
from regauge.workflows.study_backups import back_up as back_up
from regauge.workflows.study_evaluations import Selection as Selection
from regauge.workflows.study_evaluations import compare as compare
from regauge.workflows.study_evaluations import evaluate as evaluate
from regauge.workflows.study_evaluations import load_scores as load_scores
from regauge.workflows.study_evaluations import load_shift as load_shift
from regauge.workflows.study_labels import add_labels as add_labels
from regauge.workflows.study_labels import diff_labels as diff_labels
from regauge.workflows.study_labels import export_labels as export_labels
from regauge.workflows.study_predictions import PredictionSource as PredictionSource
from regauge.workflows.study_predictions import add_predictions as add_predictions
from regauge.workflows.study_testsets import add_test_set as add_test_set

__version__: str
__all__: list[str]
