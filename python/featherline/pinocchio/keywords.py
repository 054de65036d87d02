"""Arguments by name, for calls that have several forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherline._native import _pinocchio

# (call, forms, given, named): the arguments in the order of the form that has their names; a form is "needed [optional]".
in_order: Callable[[str, tuple[str, ...], tuple[Any, ...], dict[str, Any]], tuple[Any, ...]] = _pinocchio._in_order
