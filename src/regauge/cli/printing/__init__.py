"""How all commands print: tables, machine formats, progress, names that a terminal may show."""
