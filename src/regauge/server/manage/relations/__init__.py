"""Relations between classes for the manager: what is proposed and why, what was decided, and which verdicts contradict it."""
