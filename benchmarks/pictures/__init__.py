"""The suite's pictures, a file for each question; they draw CSV files and measure nothing."""
