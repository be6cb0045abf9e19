"""Scripts and styles: packed, kept by browsers for good under the address of a version, and nothing beside them is served."""

from __future__ import annotations

import gzip
import re
from importlib import resources
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient
from tests.server.served_study import Served

from regauge.errors import InputError
from regauge.kinds.registry import KINDS
from regauge.server.assets import KEPT_FOR_GOOD, MEDIA_TYPES, PLACE, Asset, Assets, load_assets
from regauge.server.guard import HEADERS

ASSETS = load_assets()
OTHER = "0" * 16


@pytest.fixture(scope="module")
def client() -> TestClient:
    """Somebody who asks for files, without a study behind them."""
    return TestClient(Starlette(routes=[Mount(PLACE, ASSETS)]))


def make_assets(folder: Path, **files: str) -> Assets:
    """Files by their names without the suffix, all of them scripts."""
    folder.mkdir()
    for name, text in files.items():
        (folder / f"{name}.js").write_text(text)
    return Assets.load([("", folder)])


def test_a_page_names_its_files_by_a_version_and_browsers_keep_them_for_good(served: Served) -> None:
    page = served.nobody.get("/").text
    addresses = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert {Path(one).name for one in addresses} >= {"tokens.css", "regauge.css", "welcome.js", "icon.svg"}
    for address in addresses:
        assert address.startswith(f"{PLACE}/{ASSETS.version}/")
        reply = served.nobody.get(address)
        assert (reply.status_code, reply.headers["cache-control"]) == (200, KEPT_FOR_GOOD)
        assert {name: reply.headers[name] for name in HEADERS} == HEADERS


@pytest.mark.parametrize("path", ["regauge.css", f"{OTHER}/regauge.css"])
def test_pages_that_were_open_before_get_what_there_is_and_ask_again_each_time(client: TestClient, path: str) -> None:
    reply = client.get(f"{PLACE}/{path}")
    assert (reply.status_code, reply.headers["cache-control"]) == (200, "no-cache")
    assert reply.content == ASSETS.files["regauge.css"].content
    # Caches on the way may have made a strong tag of it.
    for tag in (reply.headers["etag"], reply.headers["etag"].removeprefix("W/")):
        again = client.get(f"{PLACE}/{path}", headers={"If-None-Match": tag})
        assert (again.status_code, again.content) == (304, b"")


def test_every_file_comes_packed_to_whoever_takes_it(client: TestClient) -> None:
    for name, asset in ASSETS.files.items():
        plain = client.get(ASSETS.locate(name), headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert plain.content == asset.content
        assert plain.headers["vary"] == "Accept-Encoding"
        packed = client.get(ASSETS.locate(name), headers={"Accept-Encoding": "gzip"})
        assert packed.content == plain.content
        assert packed.headers["content-type"] == plain.headers["content-type"]
        assert int(packed.headers["content-length"]) <= int(plain.headers["content-length"])


def test_packing_makes_the_whole_less_than_half() -> None:
    plain = sum(len(asset.content) for asset in ASSETS.files.values())
    packed = sum(len(asset.packed or asset.content) for asset in ASSETS.files.values())
    assert packed < plain / 2


def test_what_does_not_get_shorter_is_not_packed() -> None:
    assert Asset.make("dot.svg", b"<svg/>").packed is None
    long = Asset.make("long.svg", b"<svg/>" * 100)
    assert long.packed is not None
    assert gzip.decompress(long.packed) == long.content


BESIDE = (
    "../app.py",
    "..%2fapp.py",
    "%2e%2e/app.py",
    f"{OTHER}/../app.py",
    f"{OTHER}/..%2f..%2fapp.py",
    "/etc/passwd",
    f"{OTHER}//etc/passwd",
    f"{OTHER}/{OTHER}/regauge.css",
    f"{OTHER}/",
    "",
    "regauge.css/",
    "regauge.css%00",
    "..%5capp.py",
    "nothing.js",
    "x/regauge.css",
    "contains.html",
    "task.py",
    "contains/task.py",
    "kinds/contains/page/contains.js",
    "../kinds/contains/task.py",
)


def test_nothing_else_is_there(served: Served) -> None:
    for path in BESIDE:
        assert served.nobody.get(f"{PLACE}/{path}").status_code == 404, path


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_files_are_only_read(client: TestClient, method: str) -> None:
    assert client.request(method, ASSETS.locate("regauge.css")).status_code == 405


def test_whoever_asks_for_the_head_alone_gets_no_body(client: TestClient) -> None:
    reply = client.head(ASSETS.locate("regauge.css"))
    assert (reply.status_code, reply.content) == (200, b"")
    assert int(reply.headers["content-length"]) > 0


def test_whatever_is_no_script_style_or_icon_is_not_served(tmp_path: Path) -> None:
    (tmp_path / "page.py").write_text("secret = 1")
    (tmp_path / "page.js").write_text("export {};")
    (tmp_path / ".hidden").write_text("secret")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "part.css").write_text("p { margin: 0; }")
    (tmp_path / "inner" / "__init__.py").write_text("")
    assert set(Assets.load([("kind/", tmp_path)]).files) == {"kind/page.js", "kind/inner/part.css"}


def test_of_a_kind_its_page_is_served_and_nothing_else(served: Served) -> None:
    for kind in KINDS:
        for name in (f"{kind}.js", f"{kind}.css"):
            reply = served.nobody.get(ASSETS.locate(name))
            assert (reply.status_code, reply.headers["x-content-type-options"]) == (200, "nosniff")
            assert "content-security-policy" in reply.headers
    assert not [name for name in ASSETS.files if Path(name).suffix not in MEDIA_TYPES]


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
        (folder / "page.js").write_text("export {};")
    with pytest.raises(InputError, match=r"have a page\.js"):
        Assets.load(("", folder) for folder in folders)


def test_a_version_changes_with_any_file_and_with_nothing_else(tmp_path: Path) -> None:
    first = make_assets(tmp_path / "a", one="1", two="2")
    assert make_assets(tmp_path / "b", two="2", one="1").version == first.version
    assert make_assets(tmp_path / "c", one="1", two="3").version != first.version
    assert make_assets(tmp_path / "d", one="1", three="2").version != first.version


def test_modules_are_fetched_ahead_with_all_that_they_import(tmp_path: Path) -> None:
    assets = make_assets(
        tmp_path / "a",
        page='import { a } from "./a.js";\nimport "./b.js";',
        a='import {\n  c,\n} from "./c.js";',
        b="",
        c='import "./a.js";',
    )
    assert assets.list_imports("page.js") == ("a.js", "b.js", "c.js")
    assert assets.list_imports("b.js") == ()


@pytest.mark.parametrize("name", [name for name in sorted(ASSETS.files) if name.endswith(".js")])
def test_every_module_that_is_imported_is_there(name: str) -> None:
    assert set(ASSETS.list_imports(name)) <= set(ASSETS.files)


def test_a_template_cannot_name_a_file_that_is_not_there() -> None:
    with pytest.raises(KeyError):
        ASSETS.locate("nothing.js")


def test_templates_name_no_file_by_hand() -> None:
    pages = [resources.files(kind.package) / "page" for kind in KINDS.values()]
    for folder in (resources.files("regauge.server") / "templates", *pages):
        for file in folder.iterdir():
            assert '"/static/' not in file.read_text(encoding="utf-8"), file.name
