"""`python -m regauge` is `regauge`."""

from regauge.cli.start import main

main()
