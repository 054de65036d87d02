"""Exponentials and logarithms, under the name that programs import them from."""

from featherline.pinocchio.spatial import exp, log

__all__ = ["exp", "log"]
