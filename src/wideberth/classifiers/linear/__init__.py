"""Linear functions of counts of words and n-grams, certified against edits."""
