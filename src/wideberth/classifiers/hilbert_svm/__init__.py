"""The support vector machine on a metric, exact or on landmarks, and its search by folds (Hein,
Bousquet & Schoelkopf 2005).
"""
