"""Tables, JSON and text from files: every mistake with its line."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import FormatError
from regauge.formats.text import name_from_file, read_json, read_json_lines, read_table, read_text, require_columns


def write(folder: Path, content: str | bytes, name: str = "x.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refuse_table(folder: Path, content: str | bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read_table(write(folder, content))
    return caught.value


def test_a_missing_file_a_folder_and_an_empty_file_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"nope\.csv: there is no such file\.$"):
        read_text(tmp_path / "nope.csv")
    with pytest.raises(FormatError, match=r": this is a folder, not a file\.$"):
        read_text(tmp_path)
    with pytest.raises(FormatError, match=r"x\.csv: the file is empty\.$"):
        read_text(write(tmp_path, " \n\t\n"))


def test_a_file_that_the_system_refuses_says_why(tmp_path: Path) -> None:
    file = write(tmp_path, "a")
    with pytest.raises(FormatError, match="the file cannot be read: Not a directory"):
        read_text(file / "inside.csv")


def test_invalid_utf_8_is_named_by_its_line(tmp_path: Path) -> None:
    assert refuse_table(tmp_path, b"a,b\n1,2\n\xff,4\n").line == 3


def test_a_byte_order_mark_and_windows_line_ends_do_not_matter(tmp_path: Path) -> None:
    table = read_table(write(tmp_path, "\ufeffa,b\r\n1,2\r\n3,4\r\n"))
    assert table.frame.to_dict(as_series=False) == {"a": ["1", "3"], "b": ["2", "4"]}


def test_a_tsv_file_is_split_at_tabs(tmp_path: Path) -> None:
    table = read_table(write(tmp_path, "a\tb\n1,5\t2\n", "x.tsv"))
    assert table.frame.rows() == [("1,5", "2")]


def test_spaces_around_column_names_and_cells_are_dropped(tmp_path: Path) -> None:
    table = read_table(write(tmp_path, " a , b\n 1 ,2\n"))
    assert table.get_column("a").to_list() == ["1"]


@pytest.mark.parametrize("content", ["a,b\n", "a,b", "a,b\n\n\n", "\n\na,b\n\n"])
def test_a_header_without_rows_is_refused(tmp_path: Path, content: str) -> None:
    assert refuse_table(tmp_path, content).problem == "the file has a header and no rows."


@pytest.mark.parametrize("content", ["a,b,a\n1,2,3\n", "a,b, a\n1,2,3\n", "a,a\n1,2\n"])
def test_a_column_that_occurs_twice_is_refused(tmp_path: Path, content: str) -> None:
    error = refuse_table(tmp_path, content)
    assert (error.line, error.problem) == (1, "the column 'a' occurs twice.")


def test_columns_without_a_name_may_occur_often(tmp_path: Path) -> None:
    assert read_table(write(tmp_path, "a,b,,\n1,2,,\n")).get_column("b").to_list() == ["2"]


def test_a_line_with_too_many_cells_is_named_also_after_cells_with_line_breaks(tmp_path: Path) -> None:
    error = refuse_table(tmp_path, 'a,b\n"1\n1",2\n3,4,5\n')
    assert (error.line, error.problem) == (4, "the line has 3 cells, the header 2.")


def test_a_line_with_too_few_cells_lacks_a_column(tmp_path: Path) -> None:
    table = read_table(write(tmp_path, "a,b\n1,2\n3\n"))
    with pytest.raises(FormatError, match=r"line 3: the column 'b' is empty\.$"):
        table.get_column("b")


@pytest.mark.parametrize("blank", ["", '""', "  "])
def test_an_empty_cell_is_named_by_its_line(tmp_path: Path, blank: str) -> None:
    table = read_table(write(tmp_path, f"a,b\n1,2\n{blank},4\n"))
    with pytest.raises(FormatError, match=r"line 3: the column 'a' is empty\.$"):
        table.get_column("a")


def test_blank_lines_are_passed_over_and_counted(tmp_path: Path) -> None:
    table = read_table(write(tmp_path, "\n\na,b\n\n1,2\n\n3,4\n\n\n"))
    assert table.frame.rows() == [("1", "2"), ("3", "4")]
    assert [table.make_error(row, "").line for row in (0, 1)] == [5, 7]


def test_a_cell_with_line_breaks_moves_the_lines_after_it(tmp_path: Path) -> None:
    table = read_table(write(tmp_path, 'a,b\n"1\n\n1",2\n3,4\n'))
    assert [table.make_error(row, "").line for row in (0, 1)] == [2, 5]


def test_an_open_quotation_mark_is_named_by_its_line(tmp_path: Path) -> None:
    error = refuse_table(tmp_path, 'a,b\n1,2\n"3,4\n5,6\n')
    assert error.line == 3
    assert "quotation mark" in error.problem


def test_a_quotation_mark_inside_a_cell_is_refused_in_words(tmp_path: Path) -> None:
    assert "quotation mark" in refuse_table(tmp_path, 'a,b\n1"x,2\n3,4\n').problem


def test_a_cell_longer_than_the_csv_module_reads_is_still_an_error_of_the_file(tmp_path: Path) -> None:
    refuse_table(tmp_path, "a,b\n" + "1" * 200_000 + ",2\n3,4,5\n")


def test_a_value_that_occurs_twice_is_named_by_its_second_line(tmp_path: Path) -> None:
    table = read_table(write(tmp_path, "a\nx\ny\nx\ny\n"))
    with pytest.raises(FormatError, match=r"line 4: image 'x' occurs a second time\.$"):
        table.check_distinct(table.get_column("a"), "image")


def test_missing_columns_are_named_with_those_that_are_there(tmp_path: Path) -> None:
    table = read_table(write(tmp_path, "a,b\n1,2\n"))
    with pytest.raises(FormatError, match=r"line 1: a truth needs the columns a, c; this file has: a, b\.$"):
        require_columns(table, ("a", "c"), purpose="a truth")
    require_columns(table, ("b", "a"), purpose="a truth")


CELLS = st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters='"\n,'), min_size=1).filter(
    lambda text: bool(text.strip())
)


@given(rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5))
def test_what_the_csv_module_writes_is_read_back_with_the_line_of_every_row(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(("a", "b"))
    lines = []
    for row in rows:
        lines.append(stream.getvalue().count("\n") + 1)
        writer.writerow(row)
    table = read_table(write(tmp_path_factory.mktemp("csv"), stream.getvalue()))
    assert table.frame.rows() == rows
    assert [table.make_error(row, "").line for row in range(len(rows))] == lines


@given(content=st.binary(max_size=60))
def test_any_bytes_are_a_table_or_a_refusal(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = write(tmp_path_factory.mktemp("any"), b"a,b\n" + content)
    with contextlib.suppress(FormatError):
        assert read_table(path).frame.height > 0


# JSON


def refuse_json(folder: Path, content: str) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read_json(write(folder, content, "x.json"))
    return caught.value


def refuse_lines(folder: Path, content: str) -> FormatError:
    with pytest.raises(FormatError) as caught:
        list(read_json_lines(write(folder, content, "x.jsonl")))
    return caught.value


def test_json_that_breaks_off_is_named_by_its_line(tmp_path: Path) -> None:
    error = refuse_json(tmp_path, '{"a": 1,\n "b": nope}')
    assert error.line == 2
    assert error.problem.startswith("this is not JSON: ")


def test_json_nested_beyond_all_reason_is_refused(tmp_path: Path) -> None:
    deep = "[" * 100_000 + "]" * 100_000
    assert refuse_json(tmp_path, deep).problem == "the JSON is nested too deeply."
    assert refuse_lines(tmp_path, f'{{"a": 1}}\n{{"a": {deep}}}').line == 2


def test_a_number_of_thousands_of_digits_is_refused(tmp_path: Path) -> None:
    assert refuse_json(tmp_path, f"[{'9' * 5000}]").problem == "a number has thousands of digits."
    assert refuse_lines(tmp_path, f'{{"a": {"9" * 5000}}}').line == 1


def test_an_object_with_a_key_twice_is_refused_instead_of_taking_the_last(tmp_path: Path) -> None:
    assert refuse_json(tmp_path, '{"b": [0], "a": [0], "a": [1]}').problem == "an object has the key 'a' twice."
    assert refuse_lines(tmp_path, '{"b": 1}\n{"a": 1, "a": 1}').line == 2


@pytest.mark.parametrize("line", ["[1, 2]", "3", "null", '"text"'])
def test_a_line_that_is_no_object_is_refused(tmp_path: Path, line: str) -> None:
    error = refuse_lines(tmp_path, f'{{"a": 1}}\n\n{line}\n')
    assert (error.line, error.problem) == (3, "every line must be a JSON object.")


def test_blank_lines_of_json_lines_are_passed_over_and_counted(tmp_path: Path) -> None:
    path = write(tmp_path, '\n{"a": 1}\r\n\n  \n{"a": 2}', "x.jsonl")
    assert list(read_json_lines(path)) == [(2, {"a": 1}), (5, {"a": 2})]


@given(texts=st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=4))
def test_json_lines_hold_any_text_also_unicode_line_separators(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    content = "\n".join(json.dumps({"text": text}, ensure_ascii=False) for text in texts)
    path = write(tmp_path_factory.mktemp("lines"), content, "x.jsonl")
    assert [row["text"] for _, row in read_json_lines(path)] == texts


@pytest.mark.parametrize(
    ("file_name", "image_id"),
    [
        ("ILSVRC2012_val_00000001.JPEG", "ILSVRC2012_val_00000001"),
        ("val/n01440764/a.b.png", "a.b"),
        ("C:\\images\\cat.jpg", "cat"),
        ("no-extension", "no-extension"),
        (".hidden", ".hidden"),
        ("/", ""),
    ],
)
def test_a_file_name_stands_for_its_base_name_without_extension(file_name: str, image_id: str) -> None:
    assert name_from_file(file_name) == image_id
