"""Linear functions of given columns with the least true slope: the Lipschitz classifier in a subspace."""
