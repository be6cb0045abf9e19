"""Files of coded mistakes: ours, the released one, every spelling and every defect."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from regauge.errors import FormatError, InputError
from regauge.formats.mistakes.coded import load_coded_file, load_mistakes, parse_argument
from regauge.formats.mistakes.spellings import RELEASED_CATEGORIES, RELEASED_SEVERITIES, parse_category, parse_severity
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.mistakes.coded import CATEGORIES, SEVERITIES, Category, CodedMistakes, Severity

HEADER = "image_id,prediction,category,severity\n"
PAGE = Path(__file__).resolve().parents[3] / "docs" / "formats.md"
ENTRY = {"image_id": "a", "prediction": 1, "category": "fine-grained", "severity": "major"}


def load(
    folder: Path, content: str, name: str = "m.csv", *, model: str = "", taxonomy: str | None = None
) -> CodedMistakes:
    (folder / name).write_text(content, encoding="utf-8")
    return load_mistakes(f"{folder / name}{model}", taxonomy=None if taxonomy is None else load_taxonomy(taxonomy))


def show(mistakes: CodedMistakes) -> list[tuple[str, int, str, str]]:
    categories = [str(CATEGORIES[code]) for code in mistakes.categories]
    severities = [str(SEVERITIES[code]) for code in mistakes.severities]
    rows = zip(mistakes.image_ids.tolist(), mistakes.predictions.tolist(), categories, severities, strict=True)
    return list(rows)


def test_a_table_gives_one_mistake_per_line(tmp_path: Path) -> None:
    mistakes = load(tmp_path, HEADER + "a,3,fine-grained,major\nb, 4 ,non-prototypical,minor\na,4,Spurious,Minor\n")
    assert mistakes.name == "m"
    assert show(mistakes) == [
        ("a", 3, "fine-grained", "major"),
        ("b", 4, "non-prototypical", "minor"),
        ("a", 4, "spurious-correlation", "minor"),
    ]
    assert mistakes.notes == ("m.csv: 3 coded mistakes of m.",)


def test_tabs_and_further_columns_are_fine(tmp_path: Path) -> None:
    content = "severity\tnote\timage_id\tprediction\tcategory\nmajor\tx\ta\t3\tFG\n"
    assert show(load(tmp_path, content, "m.tsv")) == [("a", 3, "fine-grained", "major")]


MORE = "image_id,prediction,category,severity,overturned,note\n"


def test_what_was_overturned_has_a_reason_in_place_of_codes(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(MORE + "a,3,FG,major,,odd\nb,4,,,missed object,behind it\n", encoding="utf-8")
    entries = [{**ENTRY, "note": "odd"}, {"image_id": "b", "prediction": 4, "overturned": "label set"}]
    (tmp_path / "m.json").write_text(json.dumps(entries), encoding="utf-8")
    table, listed = (load_coded_file(tmp_path / name) for name in ("m.csv", "m.json"))
    assert (table.remarks, listed.remarks) == (("odd",), ("odd",))
    assert (table.overturned.reasons, table.overturned.notes) == (("missed object",), ("behind it",))
    assert (listed.overturned.reasons, listed.overturned.notes) == (("label set",), ("",))
    assert table.overturned.image_ids.tolist() == listed.overturned.image_ids.tolist() == ["b"]
    assert load_mistakes(tmp_path / "m.csv").notes[-1] == "m: 1 overturned mistake left out."


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("a,3,FG,major,,\nb,4,FG,,missed object,\n", "line 3: a mistake that was overturned has no category"),
        ("a,3,FG,major,,\nb,4,,major,no,\n", "line 3: a mistake that was overturned has no severity"),
        ("a,3,,major,,\nb,4,,,missed object,\n", "line 2: a category is one of"),
        ("a,3,,,missed object,\n", "every mistake in it was overturned"),
    ],
)
def test_codes_and_a_reason_do_not_go_together(tmp_path: Path, content: str, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        load(tmp_path, MORE + content)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"overturned": "no"}, "neither a category nor a severity"),
        ({"overturned": 1}, "'overturned' is a text, not 1"),
        ({"note": ["x"]}, "'note' is a text"),
    ],
)
def test_an_entry_of_json_is_coded_or_overturned(tmp_path: Path, more: dict[str, Any], problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        load(tmp_path, json.dumps([{**ENTRY, **more}]), "m.json")


def test_predictions_are_given_by_index_id_or_name(tmp_path: Path) -> None:
    content = HEADER + "a,5,FG,major\nb,n02084071,FG,major\nc,dog,FG,major\n"
    assert load(tmp_path, content, taxonomy="cifar-10").predictions.tolist() == [5, 5, 5]


def test_the_released_json_numbers_validation_images(tmp_path: Path) -> None:
    entry = {"image": 282, "prediction": 918, "category": "Fine-grained error with OOV", "severity": "Borderline"}
    mistakes = load(tmp_path, json.dumps({"vit_3b": [entry]}), "r.json")
    assert mistakes.name == "vit_3b"
    assert show(mistakes) == [("ILSVRC2012_val_00000282", 918, "fine-grained-oov", "borderline")]
    assert mistakes.notes == ("r.json: 1 coded mistakes of vit_3b.",)


@pytest.mark.parametrize(
    ("entry", "image_id"),
    [
        ({"image_id": " a.b "}, "a.b"),
        ({"image_id": 7}, "7"),
        ({"image": "val/ILSVRC2012_val_00000282.JPEG"}, "ILSVRC2012_val_00000282"),
        ({"image": 50000}, "ILSVRC2012_val_00050000"),
    ],
)
def test_an_image_is_an_id_a_file_name_or_a_number(tmp_path: Path, entry: dict[str, Any], image_id: str) -> None:
    rest = {name: value for name, value in ENTRY.items() if name != "image_id"}
    assert load(tmp_path, json.dumps([entry | rest]), "m.json").image_ids.tolist() == [image_id]


def test_one_of_several_models_is_chosen_by_name(tmp_path: Path) -> None:
    content = json.dumps({"vit": [ENTRY], "so#up": [ENTRY | {"prediction": 2}]})
    chosen = load(tmp_path, content, "m.json", model="#so#up")
    assert (chosen.name, chosen.predictions.tolist()) == ("so#up", [2])
    named = load_mistakes(f"x={tmp_path / 'm.json'}#vit")
    assert (named.name, named.predictions.tolist()) == ("x", [1])
    with pytest.raises(FormatError, match=r"there are 2 models; choose one with PATH#MODEL: 'vit', 'so#up'\."):
        load_mistakes(tmp_path / "m.json")
    with pytest.raises(FormatError, match=r"there is no model 'soup'; there are: 'vit', 'so#up'\."):
        load_mistakes(f"{tmp_path / 'm.json'}#soup")


def test_an_existing_file_is_taken_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a=b#c.csv", "x#y.json"):
        Path(name).touch()
        assert parse_argument(name).path == Path(name)
    file = parse_argument("n=x#y.json#m")
    assert (file.path, file.name, file.model) == (Path("x#y.json"), "n", "m")
    assert parse_argument("in/a=b.csv").path == Path("in/a=b.csv")
    assert parse_argument("gone.json#m").model == "m"


@pytest.mark.parametrize(
    ("spelling", "category"),
    [
        *RELEASED_CATEGORIES.items(),
        *((category.value, category) for category in Category),
        ("FINE GRAINED", Category.FINE_GRAINED),
        ("fine_grained errors", Category.FINE_GRAINED),
        ("Fine–grained", Category.FINE_GRAINED),
        ("FG w/ OOV", Category.FINE_GRAINED_OOV),
        ("Fine-grained with out-of-vocabulary", Category.FINE_GRAINED_OOV),
        ("fine grained (OOV)", Category.FINE_GRAINED_OOV),
        ("Spurious correlations", Category.SPURIOUS_CORRELATION),
        ("spurious", Category.SPURIOUS_CORRELATION),
        ("Non-prototypical labels", Category.NON_PROTOTYPICAL),
        ("nonprototypical example", Category.NON_PROTOTYPICAL),
    ],
)
def test_spellings_of_a_category_are_understood(spelling: str, category: Category) -> None:
    assert parse_category(spelling) is category


@pytest.mark.parametrize("spelling", ["", "error", "OOV", "grained", "prototypical", "fine-grained spurious", 0, None])
def test_no_other_category_is_guessed(spelling: object) -> None:
    with pytest.raises(InputError, match=r"fine-grained-oov \('Fine-grained error with OOV'\)"):
        parse_category(spelling)


def test_borderline_stays_borderline_and_nothing_else_is_a_severity() -> None:
    assert {name: parse_severity(name.upper()) for name in RELEASED_SEVERITIES} == RELEASED_SEVERITIES
    assert parse_severity("Major mistake") is Severity.MAJOR
    with pytest.raises(InputError, match=r"a severity is major, minor or borderline, not 'fatal'"):
        parse_severity("fatal")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            "image_id,prediction,category\na,1,FG\n",
            "m.csv, line 1: a table of coded mistakes needs the columns image_id",
        ),
        (HEADER, "m.csv, line 1: the file has a header and no rows."),
        ("", "m.csv: the file is empty."),
        (
            HEADER + "a,1,FG,major\nb,1,Fatal,major\n",
            "m.csv, line 3: a category is one of fine-grained ('Fine-grained err",
        ),
        (HEADER + "a,1,FG,major\n\nb,1,FG,bad\n", "m.csv, line 4: a severity is major, minor or borderline"),
        (HEADER + "a,1,FG,\n", "m.csv, line 2: the column 'severity' is empty."),
        (HEADER + "a,dog,FG,major\n", "m.csv, line 2: 'dog' is not a class index; to use ids or names"),
        (HEADER + "a,-1,FG,major\n", "m.csv, line 2: '-1' is not a class index"),
        (
            HEADER + "a,1,FG,major\nb,1,FG,major\na,01,FG,minor\n",
            "m.csv, line 4: image 'a' with prediction 1 occurs a sec",
        ),
        (HEADER + f"a,1,{'x' * 5000},major\n", f"not '{'x' * 59}…."),
    ],
)
def test_a_defect_of_a_table_is_named_with_its_line(tmp_path: Path, content: str, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(tmp_path, content)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("3", "coded mistakes in JSON are a list of entries, or an object {model: entries} or {file name: entry}."),
        ("{}", "coded mistakes in JSON are a list"),
        (ENTRY, "coded mistakes in JSON are a list"),
        ([], "the list of mistakes is empty; there is nothing to summarise."),
        ({"m": []}, "the list of mistakes is empty"),
        ([ENTRY, 3], "entry 2: a mistake is an object with image_id, prediction, category, severity, not 3."),
        ([{"image_id": "a"}], "entry 1: the field 'prediction' is missing"),
        ({"m": [ENTRY, ENTRY]}, "entry 2 of 'm': image 'a' with prediction 1 occurs a second time"),
        ([ENTRY | {"category": ["FG"]}], "entry 1: a category is one of"),
        ([ENTRY | {"severity": None}], "entry 1: a severity is major, minor or borderline"),
        ([ENTRY | {"prediction": 1.0}], "entry 1: a class must be an index, an id or a name, not 1.0."),
        ([ENTRY | {"prediction": -1}], "entry 1: '-1' is not a class index"),
        ([ENTRY | {"image_id": ""}], "entry 1: a mistake needs an image_id"),
        ([ENTRY | {"image_id": True}], "entry 1: a mistake needs an image_id"),
        ({"\ud800": [ENTRY]}, "mistakes need a name of characters that can be written"),
        ('{"m": [}', "this is not JSON"),
        ('{"m": [], "m": []}', "an object has the key 'm' twice."),
    ],
)
def test_a_defect_of_a_json_file_is_named_with_its_entry(tmp_path: Path, content: Any, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(tmp_path, content if isinstance(content, str) else json.dumps(content), "m.json")
    assert problem in caught.value.problem


@pytest.mark.parametrize("image", [0, -3, 10**8, True, "", ".", None, 1.5])
def test_an_image_number_starts_at_1(tmp_path: Path, image: object) -> None:
    entry = {"image": image, "prediction": 1, "category": "FG", "severity": "major"}
    with pytest.raises(FormatError, match="a validation number from 1 up"):
        load(tmp_path, json.dumps([entry]), "m.json")


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("m.csv", HEADER + "a,1,FG,major\n", "only a JSON file has models to choose from with #x."),
        ("m.json", json.dumps([ENTRY]), "this is one list of mistakes; leave #x away."),
    ],
)
def test_a_model_is_chosen_only_where_there_are_models(tmp_path: Path, name: str, content: str, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(tmp_path, content, name, model="#x")
    assert caught.value.problem == problem


@pytest.mark.parametrize(("name", "problem"), [("gone", "there is no such file."), ("m.txt", "not .txt.")])
def test_other_files_are_refused(tmp_path: Path, name: str, problem: str) -> None:
    (tmp_path / "m.txt").touch()
    with pytest.raises(FormatError, match=re.escape(problem)):
        load_mistakes(tmp_path / name)


def test_the_examples_of_the_formats_page_are_read(tmp_path: Path) -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Coded mistakes")[2].partition("\n## ")[0]
    table, released = (re.search(rf"^```{kind}\n(.*?)^```$", section, re.M | re.S) for kind in ("csv", "json"))
    assert table is not None
    assert released is not None
    assert sorted(load(tmp_path, table[1]).categories.tolist()) == [0, 1, 2, 3]
    assert load(tmp_path, released[1], "r.json").name == "vit_3b"
    for spelling in (*RELEASED_CATEGORIES, *(category.value for category in Category)):
        assert spelling in section
