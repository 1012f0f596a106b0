r"""Pure formulas about the error on new objects: numbers in, a number out.

All of them count on objects drawn independently from one source, sample and new objects alike. ``log_delta`` is
:math:`\ln\delta`, the logarithm of the probability with which a bound may fail: :math:`\delta` is divided by the number of
statements that have to hold together, and that number can be far beyond what a float holds.

Bounds of Kontorovich & Weiss (2014) measure distances in diameters of the space: ``L`` is the Lipschitz constant times the
diameter, twice the diameter over the separation of the classes. Their dimension ``D`` is an assumption about the source;
no sample proves it.

Bounds of functions from a ball (von Luxburg & Bousquet 2004; Hein, Bousquet & Schoelkopf 2005) keep the unit of the metric; their
constants times a distance have none.

`wideberth.bounds.mistakes` is about streams of queries instead, which may come from anywhere, and holds without a delta.
"""
