"""Lines, sentences, chapter rules, duplicates, and the pairing of chapters."""
