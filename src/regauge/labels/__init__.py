"""Stage 7: answers → labels (frequencies, objects, votes by annotator models); label sets, their versions and changes."""
