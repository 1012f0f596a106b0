"""How far apart: metrics, what each one promises, and how a broken promise shows."""
