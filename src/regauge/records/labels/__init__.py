"""What people found in images: label sets, selection frequencies, objects, votes."""
