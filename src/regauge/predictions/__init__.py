"""Stage 3: participants' answers by image id.

`topk` turns a model's outputs for all classes into its best answers; `order` looks for answers stored in the wrong order.
"""
