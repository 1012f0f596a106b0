"""The support vector machine on a metric (Hein, Bousquet & Schoelkopf 2005)."""
