"""Rigid-body dynamics of robots: fast, exact, allocation-free.

>>> import featherline as fl
>>> panda = fl.load("panda")
>>> panda.rnea(panda.neutral(), [0.0] * 7, [0.0] * 7).shape
(7,)
"""

from featherline._native import ROBOTS, Frame, Joint, Model, __version__, load

__all__ = ["ROBOTS", "Frame", "Joint", "Model", "__version__", "load"]
