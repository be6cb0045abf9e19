"""Tests of panels run on both databases, as those of workflows do."""

from tests.workflows.conftest import database, postgres, postgres_database

__all__ = ["database", "postgres", "postgres_database"]
