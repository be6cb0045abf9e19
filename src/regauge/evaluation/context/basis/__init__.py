"""What several analyses of benchmark and task stand on: votes lined up with images, ambiguous pairs, fewer annotators, tables.

Read `selections` first, then `tables`.
"""
