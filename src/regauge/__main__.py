"""`python -m regauge` is `regauge`."""

from regauge.cli.main import main

main()
