"""What annotators see and send: tasks, images, quiz, their own data."""
