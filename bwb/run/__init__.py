"""Running a stage over books: a process pool, or datatrove."""
