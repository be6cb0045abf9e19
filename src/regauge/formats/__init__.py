"""Adapter: files ↔ records.

`text` reads text, tables and JSON and knows the line of every mistake; `classes` turns what files call a class into its
index; `taxonomies` reads classes; what else there is to read and write lies in a room of its own. Readers translate and reject,
they do not decide. Nothing is ever unpickled.
"""
