"""What came back from people, which of it is believed, and how the work goes."""
