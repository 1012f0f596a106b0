"""Linear functions of given columns with the smallest true slope: the Lipschitz classifier in a subspace."""
