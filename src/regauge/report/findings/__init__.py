"""The findings of a report: the answers to the questions that readers have, and which of them are told."""
