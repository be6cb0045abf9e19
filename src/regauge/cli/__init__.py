"""The command line: parse → workflow → print. `main` holds the table of commands; each lives in a module of its own."""
