"""Nets, Gram matrices, distortion."""
