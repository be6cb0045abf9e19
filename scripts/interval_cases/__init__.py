"""How often every kind of interval that the program prints covers the truth, in worlds where the truth is known.

Each module holds one family of intervals and lists its cases as `CASES`; scripts/simulate_intervals.py finds the modules by
themselves, so to add a family, add a module. scripts/interval_cases/cases.py says what a case is.
"""
