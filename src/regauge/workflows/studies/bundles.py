"""A whole study to one file, and back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from regauge.errors import FormatError, InputError, RegaugeError
from regauge.formats.classes import check_indices
from regauge.formats.images.contents import is_outside
from regauge.formats.taxonomies import PACKAGED
from regauge.guide.markdown import check_text
from regauge.records.guide.entries import MAX_TEXT
from regauge.records.guide.images import GUIDE_HIDES
from regauge.records.studies import TestSetEntry, TestSetRole, compute_digest
from regauge.storage.bundles.bundle import (
    IMPORT,
    check_revision,
    check_space,
    copy_arrays,
    find_arrays,
    load_tables,
    name_study,
    read_settings,
    write_bundle,
)
from regauge.storage.bundles.files import Bundle, open_bundle
from regauge.storage.campaigns.attempts import list_own_attempts
from regauge.storage.campaigns.campaign import list_campaigns
from regauge.storage.campaigns.credits import check_free_times
from regauge.storage.database.engine import parse_url
from regauge.storage.database.schema import metadata
from regauge.storage.evaluation.comparison_entries import list_comparisons
from regauge.storage.evaluation.comparisons import load_class_changes
from regauge.storage.evaluation.evaluations import list_evaluations, load_scores
from regauge.storage.evaluation.two_samples import list_two_samples, load_two_sample
from regauge.storage.events import add_event, list_events
from regauge.storage.exposure.exposures import list_exposures
from regauge.storage.exposure.people import list_declared, list_same_people
from regauge.storage.files import make_private
from regauge.storage.guide import count_cases, list_cases, list_versions
from regauge.storage.labels.label_set import list_label_sets, load_label_set
from regauge.storage.labels.relations import list_relations
from regauge.storage.mistakes.codings import list_codings, load_coding
from regauge.storage.people.annotators import list_annotators
from regauge.storage.people.visits import list_visits
from regauge.storage.predictions import list_predictions, load_predictions
from regauge.storage.settings import StudySettings, announce_settings, find_announced, write_settings
from regauge.storage.slices.slices import list_slices, load_slice
from regauge.storage.study import Circumstances, Study, StudyPaths, closing_on_failure, make_database_file, make_engine
from regauge.storage.testsets.draws import find_draw, load_draw, load_pool_rows
from regauge.storage.testsets.pool import count_exclusions, list_exclusions, list_pools, load_facts
from regauge.storage.testsets.test_set import get_test_set, list_image_sets, load_places, load_test_set
from regauge.workflows.labels.review_plans import find_plan
from regauge.workflows.studies.copies import (
    ImportedStudy,
    find_absent_images,
    list_voided,
    name_copy,
    void_access,
)
from regauge.workflows.studies.folders import (
    TAXONOMY_FILE,
    find_topmost_missing,
    leaving_nothing,
    load_study_taxonomy,
    make_folder,
)
from regauge.workflows.studies.payload_checks import check_payloads


def export_bundle(study: Study, path: str | Path) -> Path:
    """Write everything that the study holds, except for the images, to one file that `import_study` reads.

    Args:
        study: the study, inside a transaction.
        path: the new file.

    Raises:
        InputError: the file exists.
        StorageError: the bundle cannot be written, or an array of the study is gone or damaged.
    """
    write_bundle(study.connection, study.paths.folder, path=Path(path), track=study.around.track)
    return Path(path)


def import_study(
    path: str | Path, folder: str | Path, *, database: str = "", keeps_access: bool = False, around: Circumstances
) -> ImportedStudy:
    """Make the study again that a bundle holds, in a folder that is new or empty, and open it.

    All of the bundle is checked before anything is made, and all that was made is read once before it becomes a study. Who could
    come into the original, or was put into the bundle by whoever made it, cannot come into this one unless that is asked for;
    then it is the same study, and else a copy with an id of its own.

    Args:
        path: the bundle.
        folder: where; made if it is not there.
        database: the address of an empty PostgreSQL database; by default a SQLite file in the folder.
        keeps_access: whether links, roles and the id of the original go on working here.
        around: clock, random generator and who is at work.

    Raises:
        FormatError: the file is not a bundle, was changed, or was written by a newer Regauge.
        InputError: the folder holds something, or the address is not a database.
        StorageError: the folder or the database cannot be written.
    """
    paths = StudyPaths(Path(folder).resolve())
    if database:
        parse_url(database)
    with open_bundle(Path(path)) as bundle:
        settings = _check(bundle, database, around)
        missing = find_topmost_missing(paths.folder)
        make_folder(paths)
        with leaving_nothing(missing, paths.folder):
            return _make_study(bundle, paths, settings=settings, keeps_access=keeps_access, around=around)


def _check(bundle: Bundle, database: str, around: Circumstances) -> StudySettings:
    """Everything that can be known before anything is made."""
    settings = read_settings(bundle)
    has_own = TAXONOMY_FILE in bundle.manifest.members
    if settings.taxonomy not in ({TAXONOMY_FILE} if has_own else set(PACKAGED)):
        raise FormatError(
            bundle.path, f"this Regauge has no taxonomy {settings.taxonomy!r:.80}, and the bundle has none."
        )
    check_revision(bundle)
    bundle.check_contents(track=around.track)
    return replace(settings, database=database)


def _make_study(
    bundle: Bundle, paths: StudyPaths, *, settings: StudySettings, keeps_access: bool, around: Circumstances
) -> ImportedStudy:
    check_space(bundle, paths.folder)
    stopped = find_announced(paths.folder)
    was_stopped = stopped is not None and replace(stopped, study_id=settings.study_id) == settings
    if not keeps_access:
        # Browsers keep answers and cookies under the id of a study: those of the original must not be taken for this one's.
        has_own = stopped is not None and was_stopped and stopped.study_id != settings.study_id
        settings = stopped if stopped is not None and has_own else name_copy(settings, around)
    announce_settings(settings, paths.folder)
    if settings.taxonomy == TAXONOMY_FILE:
        make_private(paths.folder / TAXONOMY_FILE)
        (paths.folder / TAXONOMY_FILE).write_bytes(bundle.read_small(TAXONOMY_FILE))
    taxonomy = load_study_taxonomy(paths, settings)
    arrays = copy_arrays(bundle, paths.predictions)
    make_database_file(paths, settings)
    with closing_on_failure(make_engine(paths, settings)) as engine:
        study = Study(paths, engine, taxonomy, around, settings.about, settings.study_id)
        with study.begin() as begun:
            load_tables(begun.connection, bundle, anew=was_stopped)
            _read_everything(begun, bundle, arrays)
            name_study(begun.connection, settings.study_id)
            voided = None if keeps_access else void_access(begun)
            notes = (*list_voided(voided), *find_absent_images(begun))
            parameters = {"bundle": bundle.path.name, "sha256": bundle.sha256, "keeps_access": keeps_access}
            parameters |= {"study_id": bundle.manifest.study_id}
            add_event(begun, IMPORT, parameters)
        try:
            # Only now is the folder a study.
            write_settings(settings, paths.folder)
        except BaseException:
            metadata.drop_all(engine)
            raise
        return ImportedStudy(study, bundle.sha256, notes, voided)


def _read_everything(study: Study, bundle: Bundle, arrays: set[str]) -> None:
    """Refuse tables and arrays that fit the database but are not what Regauge writes: no later command shall meet them."""
    if set(find_arrays(study.connection)) != arrays:
        raise FormatError(bundle.path, "its prediction arrays are not those that its tables refer to.")
    try:
        for entry in list_image_sets(study):
            _read_test_set(study, entry)
            _read_draw(study, entry)
        for labels in list_label_sets(study):
            label_set = load_label_set(study, labels)
            check_indices(label_set.classes, study.taxonomy)
            check_indices(label_set.main_labels, study.taxonomy)
        _read_relations(study)
        _read_codings(study)
        _read_slices(study)
        _read_results(study)
        _read_guide(study)
        _read_exposures(study)
    except (RegaugeError, ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
        problem = str(error) if isinstance(error, RegaugeError) else f"what it holds is not understood ({error})."
        raise FormatError(bundle.path, problem) from error


def _read_test_set(study: Study, entry: TestSetEntry) -> None:
    test_set = load_test_set(study, entry)
    check_indices(test_set.labels, study.taxonomy)
    if (compute_digest(test_set), len(test_set)) != (entry.digest, entry.n_images):
        raise InputError(f"the images of test set {entry.name!r} are not those that its digest stands for.")
    for place in load_places(study, entry):
        if is_outside(place.path):
            raise InputError(f"the image file {place.path!r} of {entry.name} is not below the root of its test set.")
    if entry.role is TestSetRole.POOL:
        _read_pool(study, entry)
    for predictions in list_predictions(study, entry):
        answers = load_predictions(study, predictions, test_set=test_set, digest=entry.digest)
        check_indices(answers.classes, study.taxonomy)


def _read_pool(study: Study, entry: TestSetEntry) -> None:
    if len(load_facts(study, entry)) != entry.n_images:
        raise InputError(f"the images of the pool {entry.name!r} do not all say where they come from.")
    if len(list_exclusions(study, entry)) != count_exclusions(study, entry):
        raise InputError(f"an image that is excluded is not in the pool {entry.name!r}.")


def _read_draw(study: Study, entry: TestSetEntry) -> None:
    if entry.parent_id is not None and entry.parent_id >= entry.id:
        raise InputError(f"test set {entry.name!r} revises one that came after it.")
    found = find_draw(study, entry)
    if found is None:
        return
    draw, (pool_ids, rows) = load_draw(study, entry), load_pool_rows(study, entry)
    check_indices(np.array([one.class_index for one in found.shortfalls], np.int32), study.taxonomy)
    pools = {pool.id: load_test_set(study, pool) for pool in list_pools(study) if pool.id in set(pool_ids.tolist())}
    drawn = list(zip(draw.image_ids.tolist(), draw.classes.tolist(), strict=True))
    of_pools = [
        (str(pools[pool].image_ids[row]), int(pools[pool].labels[row]))
        for pool, row in zip(pool_ids.tolist(), rows.tolist(), strict=True)
    ]
    if len(drawn) != entry.n_images or drawn != of_pools:
        raise InputError(f"the images of {entry.name!r} are not those of the pool that it was drawn from.")


def _read_relations(study: Study) -> None:
    related = [index for entry in list_relations(study) for index in (entry.relation.first, entry.relation.second)]
    check_indices(np.array(related, np.int64), study.taxonomy)


def _read_codings(study: Study) -> None:
    for entry in list_codings(study):
        coding = load_coding(study, entry)
        known = load_test_set(study, get_test_set(study, entry.test_set)).image_ids
        for mistakes in (coding.coded, coding.overturned):
            check_indices(mistakes.predictions, study.taxonomy)
            if not np.isin(mistakes.image_ids, known).all():
                raise InputError(
                    f"coding {entry.full_name!r} has a mistake on an image that is not in {entry.test_set!r}."
                )


def _read_slices(study: Study) -> None:
    for entry in list_slices(study):
        chosen = load_slice(study, entry)
        known = load_test_set(study, get_test_set(study, entry.test_set)).image_ids
        if not np.isin(chosen.image_ids, known).all():
            raise InputError(f"slice {entry.name!r} has an image that is not in {entry.test_set!r}.")


def _read_results(study: Study) -> None:
    for evaluation in list_evaluations(study):
        load_scores(study, evaluation.id)
    for comparison in list_comparisons(study):
        load_class_changes(study, comparison.id)
    for two_sample in list_two_samples(study):
        load_two_sample(study, two_sample.id)
    list_events(study)
    for person in list_annotators(study):
        list_own_attempts(study, person.id)
    check_free_times(study)
    for campaign in list_campaigns(study):
        check_payloads(study, campaign)
        list_visits(study, campaign)
        find_plan(study, campaign)


def _read_exposures(study: Study) -> None:
    sizes = {entry.id: entry.n_images for entry in list_image_sets(study)}
    wrong = next((one for one in list_exposures(study) if not 0 <= one.row < sizes[one.test_set_id]), None)
    if wrong is not None:
        raise InputError(f"somebody was shown image {wrong.row} of a set that has only {sizes[wrong.test_set_id]:,}.")
    for name in [*(one.person for one in list_declared(study)), *(person for _, person in list_same_people(study))]:
        if not isinstance(name.name, str):
            raise InputError("what is said of somebody names neither an annotator nor a participant.")


def _read_guide(study: Study) -> None:
    versions, cases = list_versions(study), list_cases(study)
    numbers = [*(one.version for one in versions), *(one.version for one in cases)]
    if len(set(numbers)) < len(numbers) or min(numbers, default=1) < 1:
        raise InputError("the versions of its guide are not counted from 1, each once.")
    # A name that was erased gave way to a longer one.
    wrong = next((one.version for one in versions if check_text(one.text, max_length=4 * MAX_TEXT) != one.text), None)
    if wrong is not None:
        raise InputError(f"version {wrong} of its guide is not text that Regauge writes.")
    # Asks each whether its classes are two.
    n_topics = sum(bool(case.topics) for case in cases)
    if n_topics != count_cases(study):
        raise InputError("a case of its guide is about an image that is not there.")
    for campaign in list_campaigns(study):
        hidden = campaign.plan.settings.get(GUIDE_HIDES, [])
        if not isinstance(hidden, list) or not all(isinstance(one, str) for one in hidden):
            raise InputError(f"what the guide hides from campaign {campaign.name!r} is not a list of names.")
