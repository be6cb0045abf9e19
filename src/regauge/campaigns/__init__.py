"""Stage 5: what people are asked, as far as all kinds of task share it; what is peculiar to a kind lies in `kinds`."""
