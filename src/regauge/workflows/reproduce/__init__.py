"""Recompute the figures of the five papers from their released data.

`checks` compares what was printed with what the data give; one module per paper lists its figures in the order of the paper;
`papers` finds the module of a paper.
"""
