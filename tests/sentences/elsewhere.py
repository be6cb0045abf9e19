"""Modules whose texts are no computed sentences, with the reason; and modules that are not covered yet, by name."""

from __future__ import annotations

NO_FINDINGS = {
    "errors.py": "refusals",
    "stats/counts.py": "refusals",
    "records/scores.py": "a line of a representation",
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
}
"""Texts of what is raised or looked for, commands, and what nothing can bring up, in modules that say other things too."""

NOT_YET = {
    # What a command did, in the words of the command; their own tests read them.
    "cli/annotators.py",
    "cli/campaign.py",
    "cli/campaign_mturk.py",
    "cli/campaign_people.py",
    "cli/campaign_recruit.py",
    "cli/campaign_rounds.py",
    "cli/imports.py",
    "cli/reproduce.py",
    "cli/restore.py",
    "cli/testset_draws.py",
    "cli/testset_two_sample.py",
    # Notes.
    "workflows/demo.py",
    "workflows/demo_crowd.py",
    "workflows/reproduce/checks.py",
    "workflows/reproduce/recht2019.py",
    "workflows/reproduce/shankar2020.py",
    "workflows/reproduce/tsipras2020.py",
    "workflows/reproduce/tsipras2020_networks.py",
    "workflows/reproduce/tsipras2020_objects.py",
    "workflows/reproduce/vasudevan2022.py",
}
"""Modules whose sentences have no entries yet. A new module is in neither list, so that its sentences must be registered."""
