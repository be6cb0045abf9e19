"""What tests of an extra kind share with those of workflows and of pages: both databases, and a browser."""

from tests.browser.conftest import browser, pytest_collection_modifyitems
from tests.workflows.conftest import database, postgres, postgres_database

__all__ = ["browser", "database", "postgres", "postgres_database", "pytest_collection_modifyitems"]
