"""Sentences of the readers of truths and test sets: what was found in files of every kind."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from tests.cli.command_runner import write
from tests.formats.labels.test_truth_kinds import SOLUTION, make_rows, write_dataset
from tests.sentences.entries import Always, Entries, Maker, Pair
from tests.sentences.readers import COUNTED, human_accuracy, located, shards, truth

from regauge.formats.labels.truth import load_truth

SET = json.dumps({"image_filenames": [["a", "n01440764"]]})
SEVERAL = SOLUTION + "x,n01440764 1 2 3 4 n01443537 1 2 3 4\n"
EXPORTED = "test_set,image_id,label,label_id\nt,a,0,airplane\nt,b,{},\n"
VERDICTS = "label_set,version,image_id,class,verdict\npeople,1,a,0,correct\n"
TABLE = "image_id,label{}\na,0{}\n"


def array(labels: list[int], **files: str) -> Maker:
    """What is said of an array of labels beside some files."""

    def make(folder: Path) -> list[str]:
        write(folder, {name.replace("_", "."): content for name, content in files.items()})
        np.save(folder / "labels.npy", np.array(labels))
        return list(load_truth(folder / "labels.npy").notes)

    return make


def archive(folder: Path) -> list[str]:
    np.savez(folder / "t.npz", labels=np.array([1]), image_ids=np.array(["a"]))
    return list(load_truth(folder / "t.npz").notes)


def dataset(path: str | None) -> Maker:
    def make(folder: Path) -> list[str]:
        write_dataset(folder / "d", make_rows(path), None)
        return list(load_truth(folder / "d").notes)

    return make


ENTRIES: Entries = {
    "formats/labels/truth_tables.py:describe_labels: …: dataset labels of ….": Pair(
        truth("image_id,label\na,0\n", "t.csv"), truth(EXPORTED.format(""), "t.csv")
    ),
    "formats/labels/truth_tables.py:describe_labels: … of them have a dataset label": Pair(
        truth(EXPORTED.format("").replace("airplane", ""), "t.csv"), truth(EXPORTED.format(1), "t.csv")
    ),
    "formats/labels/truth_tables.py:describe_labels: …: found …; ….": Pair(
        truth(EXPORTED.format(""), "t.csv"), truth(EXPORTED.format(1), "t.csv")
    ),
    "formats/labels/truth_tables.py:_load_boxes: …: classes of the boxes in ….": Always(
        COUNTED, truth(SOLUTION, "s.csv")
    ),
    "formats/labels/truth_tables.py:_load_boxes: …: boxes of several classes are in …": Pair(
        truth(SEVERAL, "s.csv"), truth(SOLUTION, "s.csv")
    ),
    "formats/labels/truth_tables.py:_load_verdicts: …: … on … in …, … of": Always(COUNTED, truth(VERDICTS, "l.csv")),
    "formats/labels/verdict_lines.py:load_verdict_lines: …: dataset labels of ….": Always(
        COUNTED, truth('{"image_id":"a","label":0}\n')
    ),
    "formats/labels/verdict_lines.py:_describe: The objects in … are known.": Pair(
        truth('{"image_id":"a","correct":[0,1],"objects":[[0],[1]]}\n'), truth('{"image_id":"a","correct":[0,1]}\n')
    ),
    "formats/labels/verdict_lines.py:_describe: These are ReaL labels.": Pair(
        truth('{"image_id":"a","correct":[0,1],"label_kind":"real"}\n'), truth('{"image_id":"a","correct":[0,1]}\n')
    ),
    "formats/labels/verdict_lines.py:_describe: …: … on …, … of them problematic": Always(
        COUNTED, truth('{"image_id":"a","correct":[0,1]}\n')
    ),
    "formats/labels/json_truths.py:_make_human_labels: …: a class that an image does not": Always(
        "It tells which rule is taken.", human_accuracy()
    ),
    "formats/labels/json_truths.py:_make_real: , … of them left out: no label": Pair(
        truth('{"a.jpg": [1], "b.jpg": []}', "real.json"), truth('{"a.jpg": [1]}', "real.json")
    ),
    "formats/labels/json_truths.py:_make_real: …: reassessed labels of …….": Always(
        COUNTED, truth('{"a.jpg": [1], "b.jpg": []}', "real.json")
    ),
    "formats/labels/json_truths.py:_load_set: …: a set of ImageNetV2, dataset labels of": Always(
        COUNTED, truth(SET, "set.json")
    ),
    "formats/labels/lists.py:_load_caffe: …: a list of image files, dataset labels": Pair(
        truth("a.jpg 1\n", "val.txt"), truth("1\n", "val.txt")
    ),
    "formats/labels/lists.py:_make_by_place: …: line i is taken for the image": Pair(
        truth("1\n", "imagenet_2012_validation.txt"), truth("1\n", "mine.txt")
    ),
    "formats/labels/lists.py:_make_by_place: …: dataset labels of ….": Always(COUNTED, truth("1\n", "mine.txt")),
    "formats/labels/lists.py:_find_beside: …: image ids are those of ….": Pair(
        array([1], labels_ids_txt="a\n"), array([1])
    ),
    "formats/labels/lists.py:_make_from_array: …: dataset labels of ….": Always(COUNTED, archive),
    "formats/labels/sources.py:resolve_words: …: classes are numbered as in imagenet-1k, in": Pair(
        truth("n01440764\n", "mine.txt"), truth("0\n", "mine.txt")
    ),
    "formats/labels/sources.py:describe_rows: …: the images have no names here and": Pair(
        array([1]), array([1], labels_ids_txt="a\n")
    ),
    "formats/testsets.py:_locate: …: the images themselves are not at hand.": Pair(
        located({"t.csv": TABLE.format("", "")}, "t.csv"),
        located({"t.csv": TABLE.format(",file", ",a.png"), "a.png": b"x"}, "t.csv"),
    ),
    "formats/images/folders.py:load_image_folder: …: … in …….": Always(
        COUNTED, located({"set/cat/a.jpg": b"x"}, "set")
    ),
    "formats/images/folders.py:load_image_folder: …: … beside the class folders left out.": Pair(
        located({"set/cat/a.jpg": b"x", "set/b.jpg": b"x"}, "set"), located({"set/cat/a.jpg": b"x"}, "set")
    ),
    "formats/images/folders.py:load_flat_folder: …: … without labels.": Pair(
        located({"set/a.jpg": b"x"}, "set"), located({"set/cat/a.jpg": b"x"}, "set")
    ),
    "formats/images/folders.py:load_metadata_folder: …: … … labels.": Always(
        COUNTED, located({"set/metadata.csv": "file_name,label\na.jpg,3\n", "set/a.jpg": b"x"}, "set")
    ),
    "formats/images/shards.py:load_shards: …: … in …….": Always(COUNTED, shards),
    "formats/images/huggingface.py:load_dataset: …: a dataset of … images…….": Always(COUNTED, dataset("a.png")),
    "formats/images/huggingface.py:_name_images: …: the images have no names here and": Pair(
        dataset(None), dataset("a.png")
    ),
}
