"""What campaigns make of who has seen which images."""
