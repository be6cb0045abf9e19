"""The items of a campaign, one by one: what was said of each, and to whom it goes."""
