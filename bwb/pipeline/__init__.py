"""From pages to a dataset: the stages in order, and checks of what they made."""
