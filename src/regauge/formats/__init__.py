"""Adapter: files ↔ records.

`text` reads text, tables and JSON and knows the line of every mistake; `classes` turns what files call a class into its
index; `truth`, `predictions`, `subsets` and `taxonomies` read those; `prediction_files` finds the files that a
command-line argument means. Readers translate and reject, they do not decide. Nothing is ever unpickled.
"""
