"""The frozen types that cross a border between stages: read these first.

In flow order: `taxonomy`, `testsets`, `predictions`, `candidates`, `campaigns`, `responses`, `labels`, `evaluation`, `mistakes`;
docs/vocabulary.md lists every type with its module. Arrays and estimates stand beside this folder, for everybody needs them.
Nothing here reads a file or computes a statistic; a type only refuses nonsense and answers questions about itself.
"""
