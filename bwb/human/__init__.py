"""Plans, forms and results of a human evaluation."""
