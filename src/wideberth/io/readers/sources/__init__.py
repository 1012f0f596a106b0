"""Where the bytes of a file come from: files and pipes, compressed or not, within a limit; and the
encoding of their text.
"""
