"""A study of the released data of all papers: test sets, predictions, labels, answers and coded mistakes."""
