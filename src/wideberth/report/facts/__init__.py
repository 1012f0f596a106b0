"""What a report says, as plain data: one file for each question that a reader has."""
