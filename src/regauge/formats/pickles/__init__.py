"""Pickled arrays and frames, read without unpickling.

A pickle is a program, and loading one runs it. Some of the field's data exist in no other form, so its opcodes are listed with
`pickletools` and followed by a small machine of our own (`machine`) that knows text, numbers and containers, and a handful of
NumPy's and pandas' constructors by name (`constructors`). None of them is imported or called: arrays are made from bytes whose
length was checked, everything of pandas becomes an inert record, and any other name is refused. `frames` finds the columns of
a frame among those records; `files` reads `.pkl` files and `.npy` files of objects.
"""
