"""One function per user action: these read like the user's sentence and are all that the command line and Python callers need."""
