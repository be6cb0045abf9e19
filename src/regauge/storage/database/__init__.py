"""SQLite or PostgreSQL: connections, tables, migrations, and what all rows share."""
