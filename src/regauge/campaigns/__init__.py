"""Stage 5: what people are asked. One module per kind of task; `kinds` says what a kind must offer."""
