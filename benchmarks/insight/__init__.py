"""What models tell about data, beside what is known about the data."""
