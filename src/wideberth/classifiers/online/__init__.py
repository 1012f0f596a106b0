"""Online learning of nearest centres, with a total loss that is bounded for any number of queries
(Guruganesh et al. 2021).
"""
