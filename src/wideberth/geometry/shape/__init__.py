"""The shape of a sample: nets, Gram matrices and their eigenvalues, and the distortion of
embeddings.
"""
