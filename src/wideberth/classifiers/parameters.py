"""What the parameters that several classifiers have may be."""

from wideberth.estimators.parameters import Fits
from wideberth.metrics.parameters import is_number

PRICE = Fits(lambda value: is_number(value) and value > 0, "It is positive; numpy.inf is the hard margin.")
TOLERANCE = Fits(lambda value: is_number(value) and 0 < value < 1, "It lies between 0 and 1, such as 1e-3.")
MAX_TIME = Fits(lambda value: value is None or (is_number(value) and value > 0), "Pass positive seconds, or None for no limit.")
CALIBRATE = Fits(
    lambda value: value is None or (is_number(value) and value >= 2),
    "Pass a number of folds from 2 on, or None for no probabilities.",
)
