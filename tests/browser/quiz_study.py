"""A served study whose campaigns have training, a quiz, a warning, repeats and breaks."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Frame, Keyboard, Page, expect
from tests.browser.browser_visitor import SETTLED
from tests.browser.server_process import HOSTILE, N_ANSWERS, NAMES, Served, make_served_study, open_served

from regauge.records.campaigns.campaign import CampaignPlan, CampaignTexts, Kind
from regauge.records.campaigns.terms import Quiz, Terms
from regauge.records.responses.answers import GridShape
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.demo.campaigns import ClassifyQuestions, ContainsQuestions, create_classify, create_contains
from regauge.workflows.studies.study import Study

GRIDS, LABELS, BREAKS, TRAINED = 5, 6, 7, 8
"""The campaigns: grids and labels with a quiz of four questions, grids with breaks and a warning, and labels with training."""
TRAINING = f"Look at the colour.\n\nNothing else counts, and {HOSTILE} is text."
WARNING = f"Some squares are bright. {HOSTILE}"
N_QUESTIONS = 4
N_ATTEMPTS = 2


@contextmanager
def serve_quizzes(folder: Path) -> Iterator[Served]:
    """A server on such a study; stopped afterwards."""
    served = Served(make_served_study(folder))
    with open_served(served.folder) as study, study.begin() as begun:
        add_quizzes(begun)
    served.start()
    try:
        yield served
    finally:
        served.end(signal.SIGKILL)


def add_quizzes(study: Study) -> None:
    """The campaigns, besides those that are there."""
    shape = GridShape(8, n_positive=2, n_negative=1)
    grids = ContainsQuestions("new", controls="original", shape=shape, seed=0)
    quiz = Quiz(N_QUESTIONS, pass_mark=0.75, max_attempts=N_ATTEMPTS, classes=(2, 3, 4))
    texts = CampaignTexts("", "", training=TRAINING)
    few = {f"new-{label}-0": [label, (label + 1) % 12, (label + 2) % 12] for label in (2, 3, 4)}
    labels = ClassifyQuestions(few, "new", controls="original", seed=0)
    plans: list[tuple[CampaignPlan, ContainsQuestions | ClassifyQuestions]] = [
        (CampaignPlan("Quizzed grids", Kind("contains"), N_ANSWERS, texts=texts, terms=Terms(quiz=quiz)), grids),
        (CampaignPlan("Quizzed labels", Kind("classify"), N_ANSWERS, texts=texts, terms=Terms(quiz=quiz)), labels),
        (
            CampaignPlan(
                "Breaks",
                Kind("contains"),
                N_ANSWERS,
                texts=CampaignTexts("", "", warning=WARNING),
                terms=Terms(break_minutes=1),
            ),
            grids,
        ),
        (CampaignPlan("Trained", Kind("classify"), N_ANSWERS, texts=texts), labels),
    ]
    for plan, questions in plans:
        if isinstance(questions, ContainsQuestions):
            create_contains(study, plan, questions)
        else:
            create_classify(study, plan, questions)
        open_campaign(study, plan.name)


def find_shown(page: Page | Frame) -> str:
    """The class that a picture shows, by the colour of its square: somebody who looks can tell."""
    hue: float = page.evaluate(
        """async () => {
          const picture = document.querySelector('#quiz-picture img');
          await picture.decode();
          const canvas = document.createElement('canvas');
          canvas.width = picture.naturalWidth; canvas.height = picture.naturalHeight;
          const context = canvas.getContext('2d');
          context.drawImage(picture, 0, 0);
          const [x, y] = [picture.naturalWidth * 0.3, picture.naturalHeight * 0.3];
          const [r, g, b] = [...context.getImageData(x, y, 1, 1).data].map((v) => v / 255);
          const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
          const d = most - least || 1;
          const sixth = most === r ? ((g - b) / d + 6) % 6 : most === g ? (b - r) / d + 2 : (r - g) / d + 4;
          return 60 * sixth;
        }"""
    )
    return NAMES[round(hue / 30) % 12]


def find_keyboard(page: Page | Frame) -> Keyboard:
    """The keyboard in front of a page or of a frame in one."""
    return page.page.keyboard if isinstance(page, Frame) else page.keyboard


def answer_question(page: Page | Frame, *, is_right: bool = True) -> None:
    """Answer the question at hand by keyboard, and read the feedback."""
    keyboard = find_keyboard(page)
    page.wait_for_timeout(SETTLED)
    shown = find_shown(page)
    choices = page.locator("#quiz-choices .name")
    if choices.count():
        names = [name.inner_text() for name in choices.all()]
        wanted = names.index(shown) if is_right else (names.index(shown) + 1) % len(names)
        keyboard.press(str(wanted + 1))
        keyboard.press("Enter")
    else:
        contains = page.locator("#quiz-title").inner_text() == shown
        keyboard.press("y" if contains is is_right else "n")
    expect(page.locator(".verdict")).to_have_text("✓ Right" if is_right else "✗ Not quite")
    keyboard.press("Enter")


def take_quiz(page: Page | Frame, *, is_right: bool = True) -> None:
    """From the training through all questions to the result, by keyboard alone."""
    keyboard = find_keyboard(page)
    expect(page.locator("#training-done")).to_be_focused()
    keyboard.press("Enter")
    for number in range(N_QUESTIONS):
        expect(page.locator("#quiz-number")).to_have_text(f"Question {number + 1} of {N_QUESTIONS}")
        answer_question(page, is_right=is_right)
    expect(page.locator("#result-title")).to_be_visible()
