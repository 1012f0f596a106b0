"""What people type behind a command: files and columns, metrics and settings, models, and
objects.
"""
