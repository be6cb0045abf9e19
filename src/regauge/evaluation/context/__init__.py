"""Benchmark and task (Tsipras et al. 2020): what single labels leave out, and what people and models make of the images.

An analysis is one file. It says what it is called, what it needs, which tables it gives and how they come about; command, study,
printing and files follow.
"""
