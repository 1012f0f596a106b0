"""Files: readers that turn data files into objects and labels, model files, and writing files
completely or not at all.
"""
