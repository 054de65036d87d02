"""Write the page that lists every public name of Pinocchio beside this package.

    python coverage.py > ../book/src/python_pinocchio.md

It needs the package and `pin==4.1.0`. `--check` compares with the page that is there.
"""

from __future__ import annotations

import inspect
import pathlib
import sys
import textwrap
import types
import warnings
from typing import Any

import pinocchio as pin

import featherline.pinocchio as fp

PAGE = pathlib.Path(__file__).parent.parent / "book" / "src" / "python_pinocchio.md"

# Names that come with Python's imports, or that Pinocchio's binding makes for itself.
NOT_PUBLIC = {
    "boost_type_index", "coal", "deprecated", "hppfcl", "inspect", "map_indexing_suite_StdMap_String_VectorXd_entry",
    "module_info", "np", "numpy", "pin", "pinocchio_pywrap_default", "std_type_index", "submodules", "sys",
}  # fmt: skip

# Where joints turn their own axes.
AXES = "as finite differences give them, behind JointModelSphericalZYX, Universal and Ellipsoid, too"

# How a name differs.
DIFFERS = {
    "aba": "data.a are accelerations; Pinocchio adds gravity to them in the world's axes",
    "GeometryData": "no broad phase; a request has a security margin only",
    "computeContactPatch": "of curved shapes, the points of contact that simulations have",
    "computeContactPatches": "of curved shapes, the points of contact that simulations have",
    "GeometryObject": "`geometry` is what the file states, or a convex shape; of one of the package coal itself, sizes are read once; meshes are read when they are asked for",
    "Contact": "no primitives `b1`, `b2`",
    "CollisionResult": "one contact at most",
    "DistanceResult": "no primitives `b1`, `b2`",
    "CollisionPair": "written in Python",
    "JointModelComposite": "a model has its joints in a row, with the same entries of q and v; the last has the name, the others it with a number",
    "RobotWrapper": "no SDF",
    "Symmetric3": "`inverse` and `rhsMult` write to their arrays, which the binding leaves",
    "LieGroup": "`normalize` works in place, where the binding changes a copy; other random numbers",
    "JointModelMimic": "of joints that move along lines of q",
    "GeometryPool": "one model and one geometry for all",
    "DeprecatedBool": "a Python bool",
    "computeCollisionsInParallel": "on one thread; of a GeometryPool, not of broad phases",
    "getJointKinematicHessian": "[:, j, k] is the derivative of column j along coordinate k; the binding exchanges indices",
    "getFrameKinematicHessian": "as getJointKinematicHessian",
    "buildModelFromXML": "as buildModelFromUrdf",
    "buildModelFromMJCF": "several joints of a body are joints in a row, by their names in the file, with the same entries of q and v; where a fixed body is, mocap bodies, and masses of shapes that are only seen, count; without `root_joint_name` it returns the model alone",
    "buildModelFromMJCFAndRootJoint": "as buildModelFromMJCF; of a world with one body, if that has no joint",
    "removeCollisionPairs": "as MoveIt reads it: `disable_default_collisions`, too",
    "removeCollisionPairsFromXML": "as removeCollisionPairs",
    "buildModelsFromMJCF": "as buildModelFromMJCF; constraints are an empty list, with a warning if the file has any",
    "buildGeomFromMJCF": "meshes are read when distances need them",
    "buildModelsFromUrdf": "meshes are read when distances need them",
    "buildGeomFromUrdf": "meshes are read when distances need them",
    "buildGeomFromUrdfString": "meshes are read when distances need them",
    "computeKineticEnergy": "without q and v, the part of the armature is left out",
    "crba": "fills both triangles of data.M",
    "Data": "matrices and vectors of algorithms are new arrays, not written in place",
    "Model": "joints are added branch by branch; gravity is linear",
    "getJointAccelerationDerivatives": AXES,
    "getFrameAccelerationDerivatives": AXES,
    "computeRNEADerivatives": AXES,
    "computeABADerivatives": AXES,
    "computeCentroidalDynamicsDerivatives": AXES,
    "getCentroidalDynamicsDerivatives": AXES,
    "computeJointJacobiansTimeVariation": "counts that the axes of JointModelSphericalZYX turn",
    "buildSampleModelHumanoidRandom": "other random numbers",
    "ContactType": "a Python IntEnum",
    "ProximalSettings": "kept, not used: solutions are direct, and constraints may be redundant",
    "RigidConstraintModel": "written in Python; no compliance",
    "RigidConstraintData": "written in Python; without accelerations and work arrays",
    "ConstraintCholeskyDecomposition": "updateDamping decomposes at once; also made without data, as in Pinocchio 3",
    "ContactCholeskyDecomposition": "as ConstraintCholeskyDecomposition",
    "CachedMeshLoader": "as MeshLoader",
    "PhysicsMaterialType": "a Python IntEnum",
    "GeometryPhongMaterial": "kept, not drawn",
    "MeshLoader": "meshes are read when they are asked for; no octrees",
    "DelassusCholeskyExpression": "without compliance",
    "DelassusOperatorCholeskyExpression": "without compliance",
    "computeDampedDelassusMatrixInverse": "the inverse of computeDelassusMatrix and mu; Pinocchio 4.1 returns that of mu alone",
    "computeDelassusMatrix": "without mu; of LOCAL_WORLD_ALIGNED with the rows of getConstraintsJacobian",
    "getConstraintJacobian": "of a RigidConstraintModel",
    "getConstraintsJacobian": "of RigidConstraintModels",
    "computeConstraintDynamicsDerivatives": "as finite differences give them, of LOCAL_WORLD_ALIGNED with Kp, too",
    "computeJointMinimalOrdering": "checks the constraints alone",
    "lcaba": "as constraintDynamics, with its gains; Pinocchio takes what they ask for as constraintDynamics left it",
    "constraintDynamics": "redundant constraints share the forces by their least length, without mu; two links that have "
    "come apart: the rows are of both links where the first frame is",
    "ModelPool": "one model for all; its data are not used",
    "sharedMemory": "cannot be switched off",
    "rneaInParallel": "on all threads, whatever their number",
    "abaInParallel": "on all threads, whatever their number",
    "buildSampleModelHumanoid": "without a free flyer its root is two joints, where Pinocchio has a composite one",
    "buildSampleModelManipulator": "without geometry",
    "buildReducedModel": "frames keep the order of the model",
    "log3": "another result for a matrix that is no rotation",
    "log6": "another result for a matrix that is no rotation",
    "Jlog3": "another result for a matrix that is no rotation",
    "Jlog6": "another result for a matrix that is no rotation",
    "seed": "other random numbers follow",
    "randomConfiguration": "other random numbers",
    "SE3": "a matrix that is no rotation raises `ValueError`; hash by content; no scalar other than float64",
    "Motion": "hash by content; no scalar other than float64",
    "Force": "hash by content; no scalar other than float64",
    "Inertia": "hash by content; no scalar other than float64",
    "ReferenceFrame": "a Python IntEnum",
    "FrameType": "a Python IntEnum",
    "ArgumentPosition": "a Python IntEnum",
    "KinematicLevel": "a Python IntEnum",
    "Convention": "a Python IntEnum; changes no result",
    "GeometryType": "a Python IntEnum",
    "Quaternion": "written in Python",
    "AngleAxis": "written in Python",
    "WITH_HPP_FCL": "False",
    "WITH_HPP_FCL_BINDINGS": "False",
    "WITH_OPENMP": "False",
    "WITH_SDFORMAT": "False",
    "WITH_CPPAD": "False",
}

# Classes of which members are listed.
CLASSES = ["SE3", "Motion", "Force", "Inertia", "Frame", "JointModel", "Model", "Data", "Quaternion", "AngleAxis", "RobotWrapper"]


def public(module: Any) -> list[str]:
    return [name for name in dir(module) if not name.startswith("_") and name not in NOT_PUBLIC]


def kind(value: Any) -> str:
    if isinstance(value, type) or inspect.isclass(value):
        return "Types"
    if isinstance(value, types.ModuleType):
        return "Modules"
    return "Functions" if callable(value) else "Constants"


def paragraph(names: list[str]) -> str:
    text = ", ".join(f"`{name}`" for name in names)
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False) + "."


def members(name: str) -> tuple[list[str], list[str]]:
    theirs, ours = getattr(pin, name), getattr(fp, name)
    made: Any = ours
    if name == "Model":
        made = fp.Model()
    elif name == "Data":
        made = fp.Model().createData()
    elif name == "Frame":
        made = fp.Frame()
    elif name == "AngleAxis":
        made = fp.AngleAxis()
    elif name == "JointModel":
        made = fp.JointModelRX()
    have = set(dir(made))
    wanted = public(theirs)
    return [m for m in wanted if m in have], [m for m in wanted if m not in have]


def page() -> str:
    warnings.simplefilter("ignore")
    names, there = public(pin), set(dir(fp))
    groups: dict[str, dict[str, list[str]]] = {}
    for name in names:
        state = "absent" if name not in there else "differs" if name in DIFFERS else "same"
        groups.setdefault(kind(getattr(pin, name)), {}).setdefault(state, []).append(name)
    present = sum(len(g.get("same", [])) + len(g.get("differs", [])) for g in groups.values())
    functions = groups["Functions"]
    lines = [
        "# Pinocchio's names",
        "",
        "<!-- Written by python/coverage.py. -->",
        "",
        "A program for Pinocchio changes its import line:",
        "",
        "```python",
        "import featherline.pinocchio as pin",
        "```",
        "",
        f"Of the {len(names)} public names of Pinocchio {pin.__version__}, {present} are there, among them",
        f"{len(functions.get('same', [])) + len(functions.get('differs', []))} functions. The others raise"
        " `NotImplementedError` with their name.",
        "",
        "Configurations are normalised before use, where Pinocchio computes with the quaternion as it is. Numbers that",
        "are not finite raise `ValueError`, where Pinocchio returns NaN. So do matrices that are no rotation, which `SE3` of",
        "Pinocchio takes.",
        "",
        "After each algorithm `Data` has the fields that Pinocchio fills, but for some of its work arrays. Some are computed when",
        "they are read. `data.oMi[i]`, `data.oMf[i]`, `data.v[i]` and `data.a[i]` are objects that stay: algorithms write to",
        "them. A list of `Data` other than these four is a copy.",
        "",
        "Sizes that do not fit raise `ValueError`. Where a vector of a fixed size is expected, Pinocchio",
        "raises `ArgumentError` instead. An index of a frame or a joint that there is not raises `ValueError` everywhere,",
        "also where Pinocchio reads foreign memory.",
        "",
        "`saveToText`, `saveToXML`, `saveToString` and their like write JSON of this package. Objects of classes of other",
        "packages are refused, but for shapes of coal with sizes, which are read as those of this package. Nothing of what",
        "is read is run: a file names classes of this package alone, and a pickle is refused.",
        "",
        "`pinocchio.visualize` is there: see [viewers](coming_from_pinocchio.md#viewers).",
    ]
    for group in ["Functions", "Types", "Constants", "Modules"]:
        states = groups.get(group, {})
        lines += ["", f"## {group}"]
        if "same" in states:
            lines += ["", "The same:", "", paragraph(states["same"])]
        if "differs" in states:
            lines += ["", "Different:", "", "| name | difference |", "|---|---|"]
            lines += [f"| `{name}` | {DIFFERS[name]} |" for name in states["differs"]]
        if "absent" in states:
            lines += ["", "Absent:", "", paragraph(states["absent"])]
    lines += ["", "## Members of types"]
    for name in CLASSES:
        have, missing = members(name)
        lines += ["", f"`{name}` has:", "", paragraph(have)]
        if missing:
            lines += ["", f"`{name}` lacks:", "", paragraph(missing)]
    return "\n".join(lines) + "\n"


def main() -> int:
    text = page()
    if "--check" in sys.argv[1:]:
        current = PAGE.read_text(encoding="utf-8") == text
        if not current:
            print(f"{PAGE} is out of date: run python coverage.py > {PAGE}", file=sys.stderr)
        return 0 if current else 1
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
