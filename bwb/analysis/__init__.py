"""Linguistic analysis that metrics share."""
