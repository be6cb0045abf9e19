"""Modules whose texts are no computed sentences, with the reason, and such texts in other modules."""

from __future__ import annotations

NO_FINDINGS = {
    "errors.py": "refusals",
    "stats/counts.py": "refusals",
    "records/hits.py": "refusals",
    "responses/grouping.py": "refusals",
    "evaluation/targets.py": "refusals",
    "workflows/scoring.py": "refusals",
    "workflows/invitations.py": "refusals",
    "workflows/mturk.py": "refusals",
    "workflows/qualification.py": "refusals",
    "workflows/quizzes.py": "refusals",
    "workflows/visitors.py": "refusals",
    "formats/fingerprints.py": "refusals",
    "formats/predictions.py": "refusals",
    "formats/taxonomies.py": "refusals",
    "formats/text.py": "refusals",
    "storage/*.py": "refusals, and a comment in study.toml",
    "storage/migrations/versions/*.py": "statements of SQL",
    "server/*.py": "refusals, labels of fields, help of metrics; what pages tell is computed elsewhere",
    "cli/main.py": "help of commands, and refusals",
    "cli/campaign_terms.py": "help of options",
    "cli/export.py": "help of options",
    "cli/pool.py": "help of commands",
    "cli/testset.py": "help of commands",
    "cli/demo.py": "the name of a step in progress",
    "cli/report.py": "a line of the list of files",
    "cli/start.py": "what is said when somebody stops a command",
    "campaigns/classify.py": "instructions for annotators",
    "campaigns/contains.py": "instructions for annotators",
    "workflows/campaigns.py": "the text of consent",
    "recruitment/rules.py": "the rule of approval in words",
    "report/theme.py": "names of fonts",
    "formats/huggingface.py": "fields of a dataset card",
    "workflows/study_exports.py": "the title of an export",
}
"""Modules without computed sentences, as paths in which * stands for a name."""

REFUSALS = {
    "records/scores.py:Scores.__repr__: … and … more; see .to_frame()",
    "workflows/next_steps.py:_find_pool_steps: regauge campaign create contains NAME --test-set ……",
    "workflows/pool_rules.py:extend_rule: It is taken back.",
    "workflows/draw_inputs.py:_find_original: ; say which to imitate with --original: …",
    "workflows/study_bundles.py:_read_everything: what it holds is not understood (…).",
    "formats/mistakes.py:: Fine-grained with Multilabel Options",
    "formats/mistakes.py:: Fine-grained error with OOV",
    "formats/mistakes.py:_describe: Fine-grained with Multilabel Options",
    "formats/mistakes.py:_describe_repeated: image … with prediction … occurs a second",
    "formats/pools.py:_Reader.read: image … occurs a second time; an id",
    "formats/votes.py:_check_once: annotator … gives task … the label …",
    "formats/votes.py:_check_once: annotator … gives task … the label … #2",
    "predictions/topk.py:_explain_disorder: NaN for class … (both counted from 0);",
    "predictions/topk.py:_explain_disorder: +infinity for … classes, the first being …",
    "predictions/topk.py:_explain_disorder: no finite value (rows are counted from 0);",
}
"""Texts of what is raised or looked for, commands, representations, and what nothing can bring up, beside other sentences."""
