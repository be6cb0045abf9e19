"""What figures are laid out with: how wide words are, where names find room, and how large everything is."""
