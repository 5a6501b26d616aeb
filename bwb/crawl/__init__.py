"""Recipes and manifests, fetching, and taking the text of chapters out of their pages."""
