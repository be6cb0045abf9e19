"""What people are taught and asked before the first task is kept beside what the campaign is there for."""

from __future__ import annotations

from regauge.campaigns.quizzes import LessonTasks
from regauge.records.campaigns import CampaignEntry, TaskRole
from regauge.storage.extra_tasks import insert_extra_tasks
from regauge.storage.study import Study


def store_lessons(study: Study, campaign: CampaignEntry, tasks: LessonTasks) -> None:
    """Keep the tasks of training and quiz."""
    insert_extra_tasks(study, campaign, role=TaskRole.EXAMPLE, payloads=tasks.examples)
    insert_extra_tasks(study, campaign, role=TaskRole.QUESTION, payloads=tasks.questions)
