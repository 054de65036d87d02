"""Geometry models of robots' files, and models with them.

Mesh files are found, and not opened.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import featherline
from featherline.pinocchio.coal import BVHModelBase, Capsule, Cylinder, of_file
from featherline.pinocchio.enums import FrameType, GeometryType
from featherline.pinocchio.geometry import GeometryModel, GeometryObject
from featherline.pinocchio.joints import JointModel
from featherline.pinocchio.mjcf import buildModelFromMJCF, buildModelFromMJCFAndRootJoint, constraints, described
from featherline.pinocchio.model import Model
from featherline.pinocchio.urdf import buildModelFromUrdf

__all__ = [
    "buildGeomFromMJCF", "buildGeomFromUrdf", "buildGeomFromUrdfString", "buildModelsFromMJCF",
    "buildModelsFromUrdf",
]  # fmt: skip

if TYPE_CHECKING:
    from featherline.robot_files import Geometry, MeshFile

Path = str | os.PathLike[str]

_GREY = (0.9, 0.9, 0.9, 1.0)
_WHITE = (1.0, 1.0, 1.0, 1.0)


def _folders(package_dirs: Any) -> list[Path]:
    if package_dirs is None:
        return []
    return [package_dirs] if isinstance(package_dirs, (str, os.PathLike)) else list(package_dirs)


def _of_kind(geom_type: int) -> Callable[[Geometry], bool]:
    """Whether a shape is of a geometry type."""
    is_collision = GeometryType(geom_type) == GeometryType.COLLISION
    return lambda shape: shape.is_collision if is_collision else shape.is_visual


def _found(mesh: MeshFile, folders: list[Path]) -> MeshFile:
    """A mesh that a text states by its whole path, or by that below one of the folders."""
    uri = mesh.uri.removeprefix("file://")
    for folder in ("", *folders):
        path = os.path.join(folder, uri)
        if os.path.isabs(path) and os.path.isfile(path):
            return mesh._replace(path=path)
    return mesh


def _object(
    model: Model, frame_id: int, name: str, shape: Geometry, has_colour: bool, otherwise: tuple[float, float, float, float]
) -> GeometryObject:
    """A shape of the file as an object of a body's frame."""
    frame = model.frames[frame_id]
    path, scale = shape.shape.upper(), (1.0, 1.0, 1.0)
    if shape.mesh is not None:
        if shape.mesh.path is None:
            raise ValueError(f"Mesh {shape.mesh.uri} could not be found.")
        path, scale = os.path.abspath(shape.mesh.path), shape.mesh.scale
    placement = frame.placement * shape.placement
    colour = shape.colour or otherwise
    return GeometryObject(name, frame.parentJoint, frame_id, placement, of_file(shape), path, scale, has_colour, colour)


def buildGeomFromUrdf(
    model: Model, urdf_filename: Path, geom_type: int, geometry_model: Any = None, package_dirs: Any = None, mesh_loader: Any = None
) -> GeometryModel:
    """The collision or the visual shapes of a URDF file, for its model.

    They are added to `geometry_model`, if there is one; folders of packages, a path or a list, may take its place.
    """
    del mesh_loader
    if not os.path.isfile(urdf_filename):
        raise ValueError(f"{os.fspath(urdf_filename)} does not seem to be a valid file.")
    # An absolute path is never the name of an embedded robot.
    return buildGeomFromUrdfString(model, os.path.abspath(urdf_filename), geom_type, geometry_model, package_dirs)


def buildGeomFromUrdfString(
    model: Model, urdf_string: str, geom_type: int, geometry_model: Any = None, package_dirs: Any = None, mesh_loader: Any = None
) -> GeometryModel:
    """buildGeomFromUrdf of a text."""
    del mesh_loader
    if not isinstance(model, Model):
        raise TypeError(f"model is a {type(model).__name__}, where a Model is expected")
    if isinstance(geometry_model, (str, os.PathLike, list, tuple)):
        # As before Pinocchio 3.
        geometry_model, package_dirs = None, geometry_model if package_dirs is None else package_dirs
    if not isinstance(geometry_model, GeometryModel | None):
        raise ValueError("Argument geometry_model should be a GeometryModel")
    is_of_kind = _of_kind(geom_type)
    with warnings.catch_warnings():
        # The model was built of the same file, and told them.
        warnings.simplefilter("ignore", featherline.RobotWarning)
        robot = featherline.load_robot(urdf_string, pinocchio=True, package_folders=_folders(package_dirs))
    # The first material of a name has that name's colour.
    colours = {material.name: material.colour for material in reversed(robot.materials)}
    of_link: dict[str, list[Geometry]] = {}
    for shape in filter(is_of_kind, robot.geometry):
        colour = colours.get(shape.material) if shape.material else None
        if shape.mesh is not None and shape.mesh.path is None:
            shape = shape._replace(mesh=_found(shape.mesh, _folders(package_dirs)))
        of_link.setdefault(shape.link, []).append(shape._replace(colour=colour or shape.colour))
    result = GeometryModel() if geometry_model is None else geometry_model
    replaced = _replaced(urdf_string)
    for frame_id, frame in enumerate(model.frames):
        if frame.type == FrameType.BODY:
            for k, shape in enumerate(of_link.get(frame.name, [])):
                has_colour = shape.colour is not None
                one = _object(model, frame_id, f"{frame.name}_{k}", shape, has_colour, _GREY)
                _replace(one, {kind for kind in ("capsule", "convex") if (frame.name, kind, shape.name) in replaced})
                result.addGeometryObject(one)
    return result


def _replaced(urdf: str) -> set[tuple[str, str, str]]:
    """What Pinocchio's element `<collision_checking>` of links has: link, "capsule" or "convex", and the shape's name."""
    text = urdf
    if not urdf.lstrip().startswith("<"):
        with open(urdf, encoding="utf-8") as file:
            text = file.read()
    if "<collision_checking" not in text:
        return set()
    import xml.etree.ElementTree as ElementTree

    links = ElementTree.fromstring(text.strip().encode()).iter("link")
    return {(link.get("name", ""), one.tag, one.get("name", "")) for link in links for one in link.iterfind("collision_checking/*")}


def _replace(one: GeometryObject, kinds: set[str]) -> None:
    """Make a capsule of an object's cylinder, or a convex polyhedron of its mesh."""
    shape = one.geometry
    if "capsule" in kinds and isinstance(shape, Cylinder):
        one.geometry, one.meshPath = Capsule(shape.radius, 2 * shape.halfLength), "CAPSULE"
    elif "convex" in kinds and isinstance(shape, BVHModelBase):
        shape.buildConvexRepresentation(False)
        one.geometry = shape.convex


def buildGeomFromMJCF(model: Model, mjcf_filename: Path, geom_type: int, mesh_loader: Any = None) -> GeometryModel:
    """The collision or the visual shapes of an MJCF file, for its model; those of the world are on the universe."""
    del mesh_loader
    is_of_kind = _of_kind(geom_type)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", featherline.RobotWarning)
        robot = described(mjcf_filename)
    of_link: dict[str, list[Geometry]] = {}
    for shape in robot.geometry:
        of_link.setdefault(shape.link, []).append(shape)
    result = GeometryModel()
    for frame_id, frame in enumerate(model.frames):
        if frame.type == FrameType.BODY or frame_id == 0:
            link = robot.links[0].name if frame_id == 0 else frame.name
            for k, shape in enumerate(of_link.get(link, [])):
                if is_of_kind(shape):
                    name = shape.name or f"{frame.name}Geom_{k}"
                    # In Pinocchio a colour without a material overrides nothing.
                    result.addGeometryObject(_object(model, frame_id, name, shape, bool(shape.material), _WHITE))
    return result


def _named(function: str, words: tuple[str, ...], options: tuple[Any, ...], named: dict[str, Any], name_at: int) -> dict[str, Any]:
    """Arguments by name; those by place may leave out `root_joint_name`, which is a str at a place of its own."""
    names = list(words)
    if len(options) <= name_at or not isinstance(options[name_at], str):
        names.remove("root_joint_name")
    if len(options) > len(names):
        raise TypeError(f"{function} has {len(names) + 1} arguments, not {len(options) + 1}")
    for name, value in zip(names, options, strict=False):
        if name in named:
            raise TypeError("Function got multiple values for argument ", name)
        named[name] = value
    if unknown := set(named) - set(words):
        raise TypeError(f"{function} has no argument {', '.join(sorted(unknown))}")
    if not isinstance(root := named.get("root_joint"), JointModel | None):
        raise TypeError(f"root_joint is a {type(root).__name__}, where a JointModel is expected")
    return named


def _kinds(named: dict[str, Any]) -> Iterable[int]:
    kinds = named.get("geometry_types")
    if kinds is None:
        return GeometryType.COLLISION, GeometryType.VISUAL
    return kinds if isinstance(kinds, Iterable) else (kinds,)


_OF_URDF = ("package_dirs", "root_joint", "root_joint_name", "verbose", "meshLoader", "geometry_types", "mimic")
_OF_MJCF = ("root_joint", "root_joint_name", "verbose", "meshLoader", "geometry_types", "contacts")


def buildModelsFromUrdf(filename: Path, *options: Any, **named: Any) -> tuple[Any, ...]:
    """The model of a URDF file, and its geometry models: (filename, package_dirs=None, root_joint=None,
    root_joint_name=None, verbose=False, meshLoader=None, geometry_types=[COLLISION, VISUAL], mimic=False)."""
    named = _named("buildModelsFromUrdf", _OF_URDF, options, named, 2)
    root, root_name = named.get("root_joint"), named.get("root_joint_name")
    roots = [] if root is None else [root] if root_name is None else [root, root_name]
    model = buildModelFromUrdf(filename, *roots, mimic=named.get("mimic") or False)
    folders = named.get("package_dirs")
    return model, *(buildGeomFromUrdf(model, filename, kind, package_dirs=folders) for kind in _kinds(named))


def buildModelsFromMJCF(filename: Path, *options: Any, **named: Any) -> tuple[Any, ...]:
    """The model of an MJCF file, its constraints and its geometry models: (filename, root_joint=None,
    root_joint_name=None, verbose=False, meshLoader=None, geometry_types=[COLLISION, VISUAL], contacts=True).

    Without `contacts`, constraints are left out. They are an empty list here, with a warning if the file has any.
    """
    named = _named("buildModelsFromMJCF", _OF_MJCF, options, named, 1)
    if (root := named.get("root_joint")) is None:
        model = buildModelFromMJCF(filename)
    else:
        model = buildModelFromMJCFAndRootJoint(filename, root, named.get("root_joint_name") or "root_joint")
    shapes = [buildGeomFromMJCF(model, filename, kind) for kind in _kinds(named)]
    return (model, constraints(filename), *shapes) if named.get("contacts", True) else (model, *shapes)

