"""The website of a study: what its pages ask for, chunk by chunk."""
