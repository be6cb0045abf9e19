"""What coders said of mistakes, in the study."""
