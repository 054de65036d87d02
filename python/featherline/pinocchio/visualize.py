"""Pinocchio's viewers: none is here yet."""

from typing import NoReturn


def __getattr__(name: str) -> NoReturn:
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(f"featherline.pinocchio.visualize.{name}: viewers are not there yet")
