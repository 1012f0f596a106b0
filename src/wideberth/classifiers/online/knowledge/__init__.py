"""What is known of hidden vectors from the signs of inner products with queries, kept by
interchangeable engines.
"""
