"""The embedded world: drawn images whose truth is known, models really trained on them, annotators who look at them.

A thing is a form with continuous parameters, and forms run into each other, so that some things are two classes at once to
a degree.

- `surfaces`, `forms`, `discs`, `vessels`, `spheres`, `flats`, `plants`, `animals` draw things; `objects` registers the classes.
- `grounds`, `scenes` put things together and know what is in the picture.
- `sampling`, `copies`, `collections` make a training set, a test set and a candidate pool, with mislabeled images, duplicates
  and a subtle shift between them.
- `features`, `models` are classifiers fitted with NumPy; `annotators` are simulated people.

Everything that comes out of here is simulated, and says so.
"""
