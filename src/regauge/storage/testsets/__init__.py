"""Test sets, pools and draws ↔ rows."""
