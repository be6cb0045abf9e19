"""The one page of a website and its one script."""

from __future__ import annotations

import re

import pytest

from regauge.errors import InputError
from regauge.formats.site import page
from regauge.formats.site.page import IN_FOLDER, bundle_scripts, make_page, make_policy, read_static


def test_the_script_is_classic_and_asks_for_nothing():
    script = bundle_scripts()
    assert not re.search(r"^(?:import|export)\b", script, re.MULTILINE)
    assert "eval(" not in script
    assert "new Function" not in script
    assert "innerHTML" not in script


def test_modules_stand_before_those_that_import_them():
    script = bundle_scripts()
    made = [(found.start(), found[1]) for found in re.finditer(r'^modules\["([^"]+)"\] = ', script, re.MULTILINE)]
    first = {name: at for at, name in made}
    assert len(first) == len(made)
    for found in re.finditer(r'^const \{.*\} = modules\["([^"]+)"\];', script, re.MULTILINE):
        assert first[found[1]] < found.start()


@pytest.mark.parametrize(
    "source", ['import x from "./dom.js";\n', "export default 1;\n", "export { a };\n", "export let a = 1;\n"]
)
def test_a_module_that_cannot_be_put_into_a_script_is_named(source):
    with pytest.raises(InputError, match=r"The script a\.js has"):
        page._wrap("a.js", source)


def test_the_page_has_a_strict_policy_and_no_inline_script_or_style():
    text = make_page(IN_FOLDER, title='<b>"study"</b>', policy=make_policy())
    assert "script-src &#x27;self&#x27;" in text
    assert "unsafe" not in text
    assert "<style" not in text
    assert not re.search(r"<script(?! src=)", text)
    assert "<b>" not in text
    assert not re.search(r"\son\w+=", text)
    assert set(re.findall(r'(?:src|href)="([^"]+)"', text)) <= set(read_static())


@pytest.mark.parametrize("address", ["https://a b.test/", "https://a.test;x/", "https://'self'/"])
def test_an_address_of_pictures_cannot_widen_the_policy(address):
    with pytest.raises(InputError, match="web address"):
        make_policy(address)


def test_scripts_and_styles_leave_room_for_data_on_the_first_view():
    assert sum(map(len, read_static().values())) < 200_000
