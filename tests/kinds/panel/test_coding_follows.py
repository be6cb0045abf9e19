"""From a panel's outcome the manager's page makes the campaign that codes what remains."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.kinds.panel.panel_study import NAME, serve_panel

from regauge.campaigns.eligibility import PANEL
from regauge.errors import InputError
from regauge.records.campaigns.discussions import CHAIRS
from regauge.workflows.campaigns.assigning import drop_annotator
from regauge.workflows.discussions.coding import create_coding, offer_coding

VOTES = {6: "correct", 7: "wrong", 8: "wrong"}


def test_what_a_panel_decided_leads_to_a_campaign_of_coders(tmp_path: Path) -> None:
    with serve_panel(tmp_path) as panelled:
        manager, panel = panelled.enter(panelled.manager), panelled.get(NAME)
        page, api = f"/manage/campaigns/{panel.id}/labels", f"/api/manage/campaigns/{panel.id}/coding"
        # While round 1 goes on, nothing of the campaign is told or made.
        assert manager.post(api, {"participant": "top"}).status_code == 409
        for place in range(3):
            panelled.cast(place, VOTES)
        panelled.enter_act(0, "close")
        panelled.lock_all()
        assert "Build a label set of what the panel decided" in manager.get(page).text
        refused = manager.post(api, {"participant": "top"})
        assert (refused.status_code, "build one first" in refused.json()["detail"]) == (409, True)
        panelled.run("campaign", "labels", NAME, "--name", "known")
        names = [one.annotator.name for one in panelled.panel]
        text = manager.get(page).text
        assert "does not accept: what kind of mistake is it" in text
        assert f"The panelists code: {', '.join(names)}." in text
        assert "not of &#39;nobody&#39;" in manager.post(api, {"participant": "nobody"}).text.replace("'", "&#39;")
        made = manager.post(api, {"participant": "top"})
        assert made.status_code == 201, made.text
        # Of four mistakes one was correct; the judged one is looked at again, too.
        assert made.json() == {"id": panel.id + 1, "name": "panel-codes", "n_tasks": 3}
        coding = panelled.get("panel-codes").plan.settings
        assert (coding["participants"], coding["labels"]) == (["top"], "known@2")
        assert (coding[PANEL], coding[CHAIRS]) == (panel.plan.settings[PANEL], panel.plan.settings[CHAIRS])
        assert "coding-form" not in manager.get(f"/manage/campaigns/{made.json()['id']}/labels").text
        # Without a chair another one chairs; without a second panelist anybody codes.
        with panelled.study.begin() as begun:
            drop_annotator(begun, NAME, annotator=names[0], reason="left")
            second = create_coding(begun, NAME, "top")
            assert (second.name, second.plan.settings[CHAIRS]) == ("panel-codes-2", [panelled.panel[1].annotator.id])
            drop_annotator(begun, NAME, annotator=names[1], reason="left")
            third = create_coding(begun, NAME, "top")
            assert (CHAIRS in third.plan.settings, third.plan.n_annotators) == (False, 2)
            assert offer_coding(begun, third.id) is None
            with pytest.raises(InputError, match="is no panel on mistakes of participants"):
                create_coding(begun, third.id, "top")
        assert "Anybody can code" in manager.get(page).text
