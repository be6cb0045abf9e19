"""The embedded world: drawn images whose truth is known, and classifiers really trained on them.

`shapes` draws scenes and knows what is in them; `classifiers` are small models fitted with NumPy alone. Everything that
comes out of here is simulated, and says so.
"""
