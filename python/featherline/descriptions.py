"""Robots of the package `robot_descriptions`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from featherline._native import _closest, load_robot

if TYPE_CHECKING:
    from types import ModuleType

    from featherline._native import Robot

# In this order: a URDF has the limits of speed and effort that MJCF lacks.
_FILES = ("URDF_PATH", "MJCF_PATH", "XACRO_PATH")


def _description(name: str) -> ModuleType:
    try:
        importlib.import_module("robot_descriptions")
    except ImportError as reason:
        raise ImportError("load_description needs the package robot_descriptions: pip install robot_descriptions") from reason
    try:
        return importlib.import_module(f"robot_descriptions.{name}")
    except ModuleNotFoundError as reason:
        if reason.name != f"robot_descriptions.{name}":
            raise
        raise ValueError(f"robot_descriptions has no description '{name}'{_nearest(name)}") from reason


def _nearest(name: str) -> str:
    import pkgutil

    package = importlib.import_module("robot_descriptions")
    known = [module.name for module in pkgutil.iter_modules(getattr(package, "__path__", []))]
    near = _closest(name, known)
    return f"; did you mean '{near}'?" if near else ""


def load_description(name: str, **options: Any) -> Robot:
    """Load a robot of the package `robot_descriptions`, such as "panda_description", which it downloads once.

    The robot's package is one of the `package_folders`. Options are those of `load`.
    """
    module = _description(name)
    path = next((getattr(module, file) for file in _FILES if hasattr(module, file)), None)
    if path is None:
        raise ValueError(f"robot_descriptions.{name} has none of {', '.join(_FILES)}")
    folders = [*(options.pop("package_folders", None) or [])]
    folders += [getattr(module, folder) for folder in ("PACKAGE_PATH", "REPOSITORY_PATH") if hasattr(module, folder)]
    if arguments := getattr(module, "XACRO_ARGS", None):
        options["xacro_arguments"] = arguments | (options.get("xacro_arguments") or {})
    return load_robot(path, package_folders=folders, **options)
