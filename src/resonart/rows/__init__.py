"""Rows as they come in: checked, scaled, ordered."""
