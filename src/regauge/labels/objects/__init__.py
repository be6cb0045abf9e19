"""CLASSIFY answers → main label, number of objects, and which labels mean which object.

`tallies` counts and divides (its loop is compiled), `naming` says which object is the main one and which holds the dataset
label, and `aggregation` puts them together.
"""
