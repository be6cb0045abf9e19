"""The compiled loops of the one-coin model, which `labels.votes.one_coin` calls."""
