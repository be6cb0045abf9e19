"""Training: what trainees are told, how they get better, and what they look at as a group."""
