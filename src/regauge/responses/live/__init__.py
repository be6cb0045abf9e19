"""What is known of a campaign while its answers come in.

- `ledger`: the answers that hold, one row per task and annotator, kept up to date answer by answer.
- `figures`: every annotator's counts on controls, agreement with the others, consistency and speed.
- `oddities`: what is odd about somebody, in sentences with the figures.
- `images`: what was answered about each image.
- `shares`: counts as shares with their limits.
- `pace`: answers per hour, and when the last one will come.
"""
