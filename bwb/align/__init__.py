"""Sentence alignment: which sentences of two texts translate each other."""
