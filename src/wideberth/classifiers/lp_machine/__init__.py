"""The LP machine: the largest margin in the Kuratowski embedding (Hein, Bousquet & Schoelkopf
2005).
"""
