"""What the pages of a website show that no other command computes: counts per image and class, wrong answers both ways."""
