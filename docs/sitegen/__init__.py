"""The pages of the site that are made from the code, and the runner of the tutorials."""
