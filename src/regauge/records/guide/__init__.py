"""The labeling guide: its entries, versions and cases, and the images that it shows or hides."""
