"""The Lipschitz classifier (von Luxburg & Bousquet 2004)."""
