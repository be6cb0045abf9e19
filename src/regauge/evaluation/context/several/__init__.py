"""Images with one object and with several: lined up with what participants answered, and what that comes to in sentences."""
