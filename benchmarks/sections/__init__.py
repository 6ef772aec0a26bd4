"""The parts of the page, a file for each question; they read CSV files and measure nothing."""
