"""The compiled loops of the one-coin model, which `labels.one_coin` calls."""
