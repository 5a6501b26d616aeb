"""Publishing: documents to a dataset folder, the folder to `datasets`, and to the Hub."""
