"""The report: what a fitted classifier learned, on one page that opens without a network."""
