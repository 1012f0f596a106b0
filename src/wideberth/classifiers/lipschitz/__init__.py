"""The Lipschitz classifier, its linear program and its search by folds (von Luxburg & Bousquet 2004)."""
