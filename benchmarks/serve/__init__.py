"""A model behind HTTP: how long answers take, how many there are a second, and what hostile
requests change.
"""
