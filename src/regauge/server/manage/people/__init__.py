"""People of a study: what platforms sent along with them, erasure, what they have seen, and making participants of them."""
