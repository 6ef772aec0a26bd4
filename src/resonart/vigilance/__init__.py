"""Vigilances: sweeps over them, how runs look without labels, and the choice of ``"auto"``."""
