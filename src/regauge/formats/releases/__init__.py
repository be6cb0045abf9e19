"""The papers' data as their authors published them: five public repositories as they are cloned, and two single files.

`folders` looks for files in the folders that somebody gave; one module per repository reads what it holds; `loading` gives the
same records whether the data come from a clone or from the compact files that `regauge.formats.releases.published` reads.
"""
