"""The annotation layers: reading, writing, converting, checking, counting and comparing them."""
