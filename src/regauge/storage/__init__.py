"""Studies ↔ records: tables in SQLite or PostgreSQL, and prediction arrays beside them.

`study` has the handle that everything starts from, `database.schema` the tables; the other modules have one noun each and
translate rows into records and back. Nothing is decided here.
"""
