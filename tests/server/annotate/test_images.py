"""Images: for whom they are shown only, and all alike, so that nothing but what is in them tells where they are from."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from sqlalchemy import select
from starlette.testclient import TestClient
from tests.server.served_study import Served, Visitor, serve_pictured
from tests.workflows.campaign_studies import SHAPE, add_contains, add_people, draw_picture, make_pictured

from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.records.responses.answers import Control
from regauge.server.app import create_app
from regauge.storage.database.schema import assignments, tasks
from regauge.workflows.annotation.renditions import RenditionSide
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.demo.campaigns import ContainsQuestions, create_contains
from regauge.workflows.testsets.test_set import add_test_set


def find_controls(served: Served, assignment_id: str) -> list[int]:
    """Per cell of a task, what it is; no page is told."""
    query = select(tasks.c.payload).join(assignments, assignments.c.task_id == tasks.c.id)
    with served.study.read() as reading:
        payload = reading.connection.scalars(query.where(assignments.c.id == assignment_id)).one()
    return [control for _, control in payload["cells"]]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Controls from another set, with larger pictures in another format, full of metadata."""
    folder = tmp_path_factory.mktemp("mixed")
    known = folder / "known"
    known.mkdir()
    rows = ["image_id,label,file"]
    for number in range(24):
        picture = Image.open(io.BytesIO(draw_picture(number, size=(700, 460))))
        exif = Image.Exif()
        exif[0x010E] = "SECRET description"
        exif[0x0112] = 1
        picture.save(known / f"k{number}.jpg", "JPEG", exif=exif, comment=b"SECRET comment", dpi=(300, 300))
        rows.append(f"k{number},{number % 4},k{number}.jpg")
    (known / "set.csv").write_text("\n".join(rows))
    with make_pictured(folder) as study:
        with study.begin() as begun:
            add_test_set(begun, known / "set.csv", name="known")
            plan = CampaignPlan("mixed", Kind("contains"), 3)
            create_contains(begun, plan, ContainsQuestions("pictures", controls="known", shape=SHAPE, seed=0))
            campaign = open_campaign(begun, "mixed")
        people = add_people(study, campaign, 2)
        app = create_app(study)
        with TestClient(app, raise_server_exceptions=False) as client:
            yield Served(study, app, client, campaign, people, people[0])


def test_only_the_owner_of_an_assignment_sees_its_images(served: Served, annotator: Visitor) -> None:
    (task,) = annotator.take(served.campaign)
    (path, *_) = task["images"]
    assert annotator.get(path).status_code == 200
    others = [served.enter(served.people[1]), served.enter_as_guest(), served.enter(served.manager)]
    assert [other.get(path).status_code for other in others] == [404] * 3
    assert served.nobody.get(path).status_code == 401


def test_a_guest_and_a_manager_who_look_at_a_campaign_both_see_what_they_were_given(served: Served) -> None:
    looking = (served.enter_as_guest(), served.enter(served.manager))
    shown = [(who, task["images"][0]) for who in looking for task in who.take(served.campaign)]
    assert len({path for _, path in shown}) == 4
    assert {who.get(path).status_code for who, path in shown} == {200}
    guest, manager = looking
    assert {(manager if who is guest else guest).get(path).status_code for who, path in shown} == {404}


def test_a_manager_tries_a_campaign_that_is_not_open_yet_to_the_end(served: Served) -> None:
    draft = add_contains(served.study, "draft", is_open=False)
    manager = served.enter(served.manager)
    for task in manager.take(draft):
        assert {manager.get(path).status_code for path in task["images"]} == {200}
        sent = {"client_id": f"client-{task['id']}", "assignment_id": task["id"], "answer": {"mask": "1"}}
        assert manager.post("/api/answers", sent).json() == {"status": "guest"}
        forged = task["id"][:-1] + ("1" if task["id"].endswith("0") else "0")
        assert manager.post("/api/answers", {**sent, "assignment_id": forged}).status_code == 404
        assert manager.get(f"/images/{forged}/0").status_code == 404
    assert manager.get(f"/api/campaigns/{draft.id}/previous").json() is None
    page = manager.get(f"/campaigns/{draft.id}/thanks")
    assert page.status_code == 200
    assert "That is what the tasks are like." in page.text
    assert "There may be more later" not in page.text


def test_the_owner_sees_them_after_a_restart_and_others_still_do_not(served: Served, annotator: Visitor) -> None:
    (task,) = annotator.take(served.campaign)
    served.app.state.regauge.shown.clear()
    assert served.enter(served.people[1]).get(task["images"][0]).status_code == 404
    assert annotator.get(task["images"][0]).status_code == 200
    assert served.enter(served.people[1]).get(task["images"][0]).status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/images/{id}/99",
        "/images/{id}/-1",
        "/images/{id}/8",
        "/images/%00%00%00%00%00%00%00%00/0",
        "/images/..%2f..%2fetc%2fpasswd/0",
        "/images/{id}/../../../../etc/passwd",
        "/images/guest-" + "9" * 5000 + "-x/0",
        "/images/%ff%fe%fd%fc%fb%fa%f9%f8/0",
        "/images/'%20OR%201=1--/0",
    ],
)
def test_addresses_that_lead_nowhere_give_404(served: Served, annotator: Visitor, path: str) -> None:
    (task,) = annotator.take(served.campaign)
    for visitor in (annotator, served.enter_as_guest()):
        assert visitor.get(path.format(id=task["id"])).status_code == 404


@pytest.mark.parametrize("cell", ["x", "1e3", "9" * 5000, "0x1", "1.5", "%20"])
def test_a_cell_that_is_no_number_is_refused(served: Served, annotator: Visitor, cell: str) -> None:
    (task,) = annotator.take(served.campaign)
    assert annotator.get(f"/images/{task['id']}/{cell}").status_code in {404, 422}


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static//etc/passwd"]
)
def test_nothing_beside_the_static_files_is_served(served: Served, path: str) -> None:
    assert served.nobody.get(path).status_code == 404


def test_controls_and_candidates_come_with_the_same_headers(mixed: Served) -> None:
    visitor = mixed.enter(mixed.people[0])
    seen: dict[int, set[tuple[tuple[str, str], ...]]] = {}
    for task in visitor.take(mixed.campaign, 5):
        for path, control in zip(task["images"], find_controls(mixed, task["id"]), strict=True):
            reply = visitor.get(path)
            assert reply.status_code == 200
            fixed = [(name, value) for name, value in reply.headers.items() if name != "content-length"]
            seen.setdefault(control, set()).add(tuple(fixed))
    assert set(seen) == {Control.NONE, Control.POSITIVE, Control.NEGATIVE}
    assert len(set.union(*seen.values())) == 1
    names = {name for name, _ in next(iter(seen[Control.NONE]))}
    assert not names & {"etag", "last-modified", "content-disposition", "age", "x-cache"}


@pytest.mark.parametrize(
    ("asked", "side"),
    [("", RenditionSide.USUAL), ("?side=1024", RenditionSide.LARGE), ("?again=2", RenditionSide.USUAL)],
)
def test_controls_and_candidates_have_the_same_side_mode_and_tables(
    mixed: Served, asked: str, side: RenditionSide
) -> None:
    visitor = mixed.enter(mixed.people[0])
    shapes = set()
    for task in visitor.take(mixed.campaign, 3):
        for path in task["images"]:
            with Image.open(io.BytesIO(visitor.get(path + asked).content)) as picture:
                tables = tuple(tuple(table) for table in picture.quantization.values())  # type: ignore[attr-defined]
                shapes.add((max(picture.size), picture.mode, picture.format, tables, tuple(sorted(picture.info))))
    assert len(shapes) == 1
    assert next(iter(shapes))[0] == side


def test_a_larger_copy_is_for_the_same_person_only_and_of_one_size(served: Served, annotator: Visitor) -> None:
    (task,) = annotator.take(served.campaign)
    path = f"{task['images'][0]}?side={RenditionSide.LARGE.value}"
    assert annotator.get(path).status_code == 200
    assert served.enter(served.people[1]).get(path).status_code == 404
    assert served.nobody.get(path).status_code == 401
    for side in ("1025", "100000", "0", "-1", "large", "", "1024.5"):
        assert annotator.get(f"{task['images'][0]}?side={side}").status_code == 422
    guest = served.enter_as_guest()
    with Image.open(io.BytesIO(guest.get(f"{guest.take(served.campaign)[0]['images'][0]}?side=1024").content)) as drawn:
        assert max(drawn.size) == RenditionSide.LARGE


def test_metadata_are_taken_off(mixed: Served) -> None:
    visitor = mixed.enter(mixed.people[0])
    for task in visitor.take(mixed.campaign, 2):
        for path in task["images"]:
            content = visitor.get(path).content
            assert b"SECRET" not in content
            with Image.open(io.BytesIO(content)) as picture:
                assert not picture.getexif()
                assert "comment" not in picture.info


def test_addresses_tell_nothing(mixed: Served) -> None:
    visitor = mixed.enter(mixed.people[0])
    for task in visitor.take(mixed.campaign, 5):
        assert task["images"] == [f"/images/{task['id']}/{cell}" for cell in range(SHAPE.n_cells)]
        assert set(task["view"]) == {"target", "ask", "n_cells"}
        assert set(task) == {
            *("id", "kind", "images", "view"),
            *("answer", "revision", "returned", "shown_seconds", "seconds"),
        }


def test_the_same_image_has_another_address_in_every_task(served: Served, annotator: Visitor) -> None:
    paths = [path for task in annotator.take(served.campaign, 5) for path in task["images"]]
    other = [path for task in served.enter(served.people[1]).take(served.campaign, 5) for path in task["images"]]
    assert len({*paths, *other}) == len(paths) + len(other)


@cache
def draw_bomb() -> bytes:
    """A small file of very many pixels, which takes a while to make."""
    buffer = io.BytesIO()
    Image.new("1", (20_000, 20_000)).save(buffer, "PNG")
    return buffer.getvalue()


def write_bomb(path: Path) -> None:
    path.write_bytes(draw_bomb())


def write_cut(path: Path) -> None:
    path.write_bytes(draw_picture(1)[:80])


def write_text_file(path: Path) -> None:
    path.write_text("<svg onload=alert(1)>")


def remove(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("spoil", [write_bomb, write_cut, write_text_file, remove])
def test_images_that_cannot_be_shown_give_404_and_the_rest_goes_on(tmp_path: Path, spoil) -> None:
    with serve_pictured(tmp_path) as served:
        for path in (tmp_path / "pictures").glob("*.png"):
            if int(path.stem[1:]) % 2:
                spoil(path)
        visitor = served.enter(served.people[0])
        replies = [visitor.get(path) for task in visitor.take(served.campaign, 5) for path in task["images"]]
    assert {reply.status_code for reply in replies} == {200, 404}
    assert {reply.json()["detail"] for reply in replies if reply.status_code == 404} == {"There is no such image."}


def test_a_text_chunk_of_a_png_is_taken_off(tmp_path: Path) -> None:
    with serve_pictured(tmp_path) as served:
        notes = PngInfo()
        notes.add_text("comment", "SECRET")
        for path in (tmp_path / "pictures").glob("*.png"):
            with Image.open(path) as picture:
                picture.load()
            picture.save(path, "PNG", pnginfo=notes)
        visitor = served.enter(served.people[0])
        (task,) = visitor.take(served.campaign)
        assert all(b"SECRET" not in visitor.get(path).content for path in task["images"])


def test_a_kept_rendition_that_a_power_cut_left_empty_is_made_again(served: Served, annotator: Visitor) -> None:
    (task,) = annotator.take(served.campaign)
    whole = annotator.get(task["images"][0]).content
    for path in (served.study.paths.cache / "renditions").rglob("*.jpg"):
        path.write_bytes(b"")
    assert annotator.get(task["images"][0]).content == whole
