"""Geometry models, which are empty: shapes are not read."""

from __future__ import annotations

import warnings
from typing import Any

from featherline.pinocchio.model import Model
from featherline.pinocchio.native import forwardKinematics
from featherline.pinocchio.urdf import buildModelFromUrdf


class GeometryModel:
    """A geometry model without objects."""

    def __init__(self) -> None:
        self.geometryObjects: list[Any] = []
        self.collisionPairs: list[Any] = []
        self.ngeoms = 0

    def createData(self) -> GeometryData:
        return GeometryData(self)

    def copy(self) -> GeometryModel:
        return GeometryModel()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotImplementedError(f"GeometryModel.{name}")


class GeometryData:
    """Placements of the objects of a geometry model."""

    def __init__(self, model: GeometryModel) -> None:
        self.oMg: list[Any] = []


def buildModelsFromUrdf(filename: Any, *options: Any, **named: Any) -> tuple[Model, GeometryModel, GeometryModel]:
    """The model of a URDF file, and empty collision and visual models: (filename, package_dirs, root_joint)."""
    warnings.warn("buildModelsFromUrdf: shapes are not read; geometry models are empty", stacklevel=2)
    from featherline.pinocchio.joints import JointModel

    root = [named.pop("root_joint", None), *options]
    joint = [option for option in root if isinstance(option, JointModel)]
    kept = {name: named[name] for name in ("root_joint_name", "mimic") if named.get(name) is not None}
    return buildModelFromUrdf(filename, *joint, **kept), GeometryModel(), GeometryModel()


def updateGeometryPlacements(model: Model, data: Any, geometry_model: GeometryModel, geometry_data: GeometryData, q: Any = None) -> None:
    """Forward kinematics, if q is given; there are no objects to place."""
    if not isinstance(model, Model):
        raise TypeError("updateGeometryPlacements: model must be a Model")
    if q is not None:
        forwardKinematics(model, data, q)
