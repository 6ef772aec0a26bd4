"""Choosing the vigilances: the sweep over all of them, and quality without labels."""
