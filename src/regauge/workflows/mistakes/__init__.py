"""What participants still get wrong: find it, code it, sum it up."""
