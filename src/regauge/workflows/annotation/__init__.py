"""What somebody does who works on a campaign: tasks, answers, quiz, images."""
