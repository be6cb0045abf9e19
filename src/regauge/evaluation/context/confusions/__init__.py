"""What is taken for what: cells, groups, people's predictions, and how far two confusion matrices are alike."""
