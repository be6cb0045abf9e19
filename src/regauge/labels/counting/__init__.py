"""The compiled loops behind `regauge.labels.frequencies`."""
