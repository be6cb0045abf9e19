"""What is known of a campaign while its answers come in, from the ledger that its label sets are made of, too.

- `kinds`: what a kind of task tells about it.
- `figures`: every annotator's counts on controls, agreement with the others, consistency and speed.
- `oddities`: what is odd about somebody, in sentences with the figures.
- `images`: which tasks show an image.
- `shares`: counts as shares with their limits.
- `pace`: answers per hour, and when the last one will come.
"""
