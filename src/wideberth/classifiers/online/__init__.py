"""Online learning of nearest centres, whose total loss does not grow with time (Guruganesh et al. 2021)."""
