"""The sections of a report as data: what each shows, and whether it is folded as the page opens."""
