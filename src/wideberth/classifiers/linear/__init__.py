"""Linear functions: of counts of words and n-grams, certified against edits; of given columns, with
the smallest true slope.
"""
