"""Hostile input, stuck readers, and what must not be told to whom."""
