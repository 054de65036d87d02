"""One motion of an MJCF file in MuJoCo and in featherline, and what both say of it."""

from __future__ import annotations

import re
import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import featherline as fl
import mujoco
import numpy as np

# Steps: short enough that the method's error is far below each effect.
THEIR_STEP = 1e-4
OUR_STEP = 5e-4
# Directions of a body's axes count as points at this distance from its origin.
ARM = 0.1
KEY = "initial"

Pose = Mapping[str, np.ndarray]


@dataclass
class Motion:
    """Where the bodies are at the end, and what was said."""

    pose: Pose = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    refused: str = ""


def stated(text: str, files: Mapping[str, str | bytes]) -> Path:
    """Write a file and those that it names into a folder that stays until the program ends."""
    folder = Path(tempfile.mkdtemp(dir=FOLDER.name))
    for name, content in {"robot.xml": text, **files}.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder / "robot.xml"


FOLDER = tempfile.TemporaryDirectory()
for library in (Path(mujoco.__file__).parent / "plugin").glob("*.so"):
    mujoco.mj_loadPluginLibrary(str(library))


def point_map(placement: np.ndarray) -> np.ndarray:
    """Return the origin of a frame, and points on its axes."""
    return np.concatenate([placement[:3, 3], ARM * placement[:3, :2].T.ravel()])


def placement(position: np.ndarray, quaternion: np.ndarray) -> np.ndarray:
    """Return a placement as a matrix, of a quaternion x, y, z, w."""
    turn, whole = np.zeros(9), np.eye(4)
    mujoco.mju_quat2Mat(turn, np.roll(quaternion, 1))
    whole[:3, :3], whole[:3, 3] = turn.reshape(3, 3), position
    return whole


def initial(path: Path) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Read a file, and begin at its keyframe `initial` if it has one."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    key = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_KEY, KEY)
    if key >= 0:
        mujoco.mj_resetDataKeyframe(model, data, key)
    return model, data


def velocity(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """Return qvel with linear velocities of free joints in the body's axes."""
    v = np.array(data.qvel)
    for kind, at, dof in zip(model.jnt_type, model.jnt_qposadr, model.jnt_dofadr, strict=True):
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            turn = np.zeros(9)
            mujoco.mju_quat2Mat(turn, data.qpos[at + 3 : at + 7])
            v[dof : dof + 3] = turn.reshape(3, 3).T @ v[dof : dof + 3]
    return v


def name_of(model: mujoco.MjModel, body: int) -> str:
    """Return a body's name, which is featherline's if it has none."""
    return model.body(body).name or f"body_{body}"


def theirs(path: Path, seconds: float, own_step: bool = False) -> Motion:
    """Simulate in MuJoCo, in small steps of its implicit method, or as the file says."""
    try:
        model, data = initial(path)
    except ValueError as error:
        return Motion(refused=str(error))
    if not own_step:
        model.opt.timestep = THEIR_STEP
        # The implicit methods refuse elastic bodies.
        euler, implicit = mujoco.mjtIntegrator.mjINT_EULER, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        model.opt.integrator = euler if model.nflex else implicit
    mujoco.mj_step(model, data, nstep=round(seconds / model.opt.timestep))
    mujoco.mj_kinematics(model, data)
    pose = {}
    for body in range(1, model.nbody):
        placement = np.eye(4)
        placement[:3, 3], placement[:3, :3] = data.xpos[body], data.xmat[body].reshape(3, 3)
        pose[name_of(model, body)] = point_map(placement)
    return Motion(pose)


def words(text: str) -> str:
    """Return a text whose place in the file is the element alone."""
    text = re.sub(r"line \d+, column \d+: |\S*\.xml:[\d:]* ?", "", text)
    return re.sub(r"\bmujoco/(?:\S+/)?(\w+)\S*: ", r"\1: ", text)


def ours(
    path: Path,
    seconds: float,
    step: float = OUR_STEP,
    own_step: bool = False,
    own_start: bool = False,
    root: Path | None = None,
) -> Motion:
    """Simulate in featherline, from the same state, and collect what reaches the caller.

    Files that the file names are below `root`.
    """
    motion = Motion()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            their_model, data = initial(path)
            robot = fl.load_robot(path, root_folders=root)
            motion.notes = [words(str(it)) for it in robot.warnings if it.severity == "note"]
            start = KEY if their_model.nkey else None
            v = None if own_start or not data.qvel.any() else velocity(their_model, data)
            simulation = fl.Simulation(robot, v=v, configuration=start, dt=None if own_step else step)
            simulation.step(steps=round(seconds / simulation.dt), record=False)
            model, q = simulation.model, simulation.q
            for body in range(1, their_model.nbody):
                name = name_of(their_model, body)
                if name in simulation.moved_bodies:
                    motion.pose[name] = point_map(placement(*simulation.moved_pose(name)))
                    continue
                try:
                    motion.pose[name] = point_map(model.placement(q, name))
                except (KeyError, ValueError):
                    motion.pose[name] = np.full(9, np.nan)
            motion.warnings += [words(it) for it in simulation.warnings]
        except (ValueError, RuntimeError, fl.SimulationError) as error:
            motion.refused = words(str(error))
    motion.warnings += [words(str(it.message)) for it in seen]
    return motion


def apart(first: Pose, second: Pose) -> float:
    """Return the greatest distance of two poses, infinite where a body is missing."""
    if first.keys() != second.keys():
        return np.inf
    distance = np.max([np.abs(first[name] - second[name]).max() for name in first], initial=0.0)
    return np.inf if np.isnan(distance) else float(distance)
