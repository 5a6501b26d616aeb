"""What people look at: tables on a terminal, and later pages and plots."""
