"""The automatic choice: which metric, which classifier and which settings suit the objects, within
a time limit.
"""
