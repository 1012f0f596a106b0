"""Black-box attacks: search near a string, a vector or a series for an object to which a classifier
gives another label.
"""
