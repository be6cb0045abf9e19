"""The frozen types that cross a border between stages: read these first.

One module per noun, in flow order: `taxonomy`, `testsets`, `predictions`, `labels`, `scores`, `shifts`, `mistakes`,
`reproductions`. Beside them, `arrays` names the array types, `estimates` the interval and `scales` the scales of a fit.
Nothing here reads a file or computes a statistic; a type only refuses nonsense and answers questions about itself.
"""
