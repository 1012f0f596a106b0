"""The Lipschitz classifier: its linear program, its scores, its C by cross-validation (von Luxburg
& Bousquet 2004).
"""
