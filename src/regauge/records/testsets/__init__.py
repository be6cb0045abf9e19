"""Test sets, the pools that they are drawn from, and what tells images apart."""
