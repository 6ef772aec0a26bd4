"""Models as plain data and as files."""
