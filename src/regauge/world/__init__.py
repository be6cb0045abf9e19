"""The embedded world: drawn images whose truth is known, models really trained on them, annotators who look at them.

A thing is a form with continuous parameters, and forms run into each other, so that some things are two classes at once to
a degree. `surfaces`, `forms`, `rounds`, `vessels`, `spheres`, `flats`, `plants` and `animals` draw them; `objects` is the
registry of classes; `grounds` and `scenes` put things together and know what is in the picture; `sampling`, `copies` and `collections` make a
training set, a test set and a candidate pool with mislabeled images, duplicates and a subtle shift. `features` and `models` are
classifiers fitted with NumPy, `annotators` simulated people. `shapes`, `classifiers` and `example` are the small benchmark of
`regauge demo`. Everything that comes out of here is simulated, and says so.
"""
