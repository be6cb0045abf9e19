"""What participants answered, and what is said of them."""
