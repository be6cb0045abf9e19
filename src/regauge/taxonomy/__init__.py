"""Stage 1, taxonomy: what the classes are, how far apart they lie, which groups they form and what is doubtful about them.

`hierarchy` measures two distances that must never be mixed, `groups` turns the rules of a grouping into class indices,
`search` finds classes by index, id, name or a misspelt name, and `lint` lists what would trip a reader of the results.
All of it is pure: the taxonomy comes in as a record, read from a file elsewhere.
"""
