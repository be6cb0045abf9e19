"""The website of a study as files: columns packed into chunks, the scripts in one, and the page that loads them."""
