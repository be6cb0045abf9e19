"""Score files of logits one after another and print the peak memory: run by the memory benchmark in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from benchmarks.harness import read_peak_memory
from benchmarks.scoring import draw_truth, score_file

if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        score_file(path, draw_truth(len(np.load(path, mmap_mode="r"))))
    print(read_peak_memory())
