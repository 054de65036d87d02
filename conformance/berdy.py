"""Maximum a posteriori estimates of iDynTree's BERDY on the iCub of `example-robot-data`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

import idyntree.bindings as idyn
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ROBOT = "icub_description/robots/icub.urdf"
# The robot has its six force sensors in fixed joints. BERDY's fixed variant knows no fixed joints: there they sit in
# the joints that move the same links.
FORCE_SENSORS = {
    "l_arm_ft_sensor": ("l_shoulder_yaw", "l_upper_arm"),
    "r_arm_ft_sensor": ("r_shoulder_yaw", "r_upper_arm"),
    "l_leg_ft_sensor": ("l_hip_roll", "l_hip_3"),
    "r_leg_ft_sensor": ("r_hip_roll", "r_hip_3"),
    "l_foot_ft_sensor": ("l_ankle_roll", "l_foot"),
    "r_foot_ft_sensor": ("r_ankle_roll", "r_foot"),
}
# Frames with an accelerometer and a gyroscope.
INERTIAL_UNITS = ("imu_frame", "chest_skin_frame") + tuple(
    f"{side}_{part}_dh_frame" for side in "lr" for part in ("foot", "hand", "forearm", "upper_arm")
)
# The variance of the equations, from which each is at most a factor of two away.
EQUATIONS = 1e-4
# Standard deviations of sensors: m/s², rad/s, N and N·m, rad/s², N·m.
ACCELEROMETER, GYROSCOPE, FORCE, JOINT_ACCELERATION, TORQUE, EXTERNAL = 0.05, 0.01, 0.5, 0.1, 0.1, 1.0


@dataclass(frozen=True)
class Question:
    """What is estimated from what."""

    name: str
    floating: bool
    external_wrenches: bool
    joint_torques: bool = False
    # The variance of the unknowns, from which each is at most a factor of two away.
    prior: float = 1e2


@dataclass(frozen=True)
class Sensor:
    """Rows of the measurements: where they begin, what they measure, and the covariance of their errors."""

    kind: str
    place: str
    offset: int
    covariance: Array
    reaction: bool = False


@dataclass
class Block:
    """Unknowns of one kind: the first column of each, and their priors."""

    columns: list[int]
    size: int
    mean: Array
    variance: Array

    def indices(self) -> Array:
        """Give the columns, a row for each."""
        return np.add.outer(self.columns, np.arange(self.size)).astype(int)


@dataclass
class State:
    """One state with its readings, as arrays and as iDynTree's objects."""

    q: Array
    v: Array
    omega: Array
    readings: Array
    handles: tuple[Any, ...] = field(default=())


def path() -> Path:
    """Find the robot's file."""
    files = metadata.files("example-robot-data") or []
    return next(Path(str(f.locate())).resolve() for f in files if str(f).endswith(ROBOT))


def sparse(matrix: Array) -> idyn.SparseMatrixColMajor:
    """Copy a matrix."""
    copy = idyn.SparseMatrixColMajor(*matrix.shape)
    for row, column in zip(*np.nonzero(matrix), strict=True):
        copy.setValue(int(row), int(column), float(matrix[row, column]))
    return copy


def spread(rng: np.random.Generator, scale: float, *shape: int) -> Array:
    """Draw variances about a scale."""
    return scale * 2.0 ** rng.uniform(-1.0, 1.0, shape)


class Berdy:
    """BERDY's estimator for one question."""

    def __init__(self, question: Question, rng: np.random.Generator) -> None:
        self.question = question
        self.kept = list(FORCE_SENSORS) if question.floating else []
        self._load()
        self._mount_sensors()
        options = idyn.BerdyOptions()
        fixed = idyn.ORIGINAL_BERDY_FIXED_BASE
        options.berdyVariant = idyn.BERDY_FLOATING_BASE if question.floating else fixed
        options.includeAllNetExternalWrenchesAsSensors = question.external_wrenches
        options.includeAllJointTorquesAsSensors = question.joint_torques
        self.helper = idyn.BerdyHelper()
        if not self.helper.init(self.model, self.mounted, options):
            raise RuntimeError("BERDY refuses the model")
        self.solver = idyn.BerdySparseMAPSolver(self.helper)
        if not self.solver.initialize():
            raise RuntimeError("BERDY's solver refuses the problem")
        self._choose_priors(rng)
        self._choose_errors(rng)

    def _load(self) -> None:
        self.loader = idyn.ModelLoader()
        self.loader.loadModelFromFile(str(path()))
        full = self.loader.model()
        names = [full.getJointName(i) for i in range(full.getNrOfJoints())]
        moving = [name for i, name in enumerate(names) if full.getJoint(i).getNrOfDOFs() == 1]
        chosen = idyn.StringVector()
        for name in moving + self.kept:
            chosen.push_back(name)
        if not self.loader.loadReducedModelFromFile(str(path()), chosen):
            raise RuntimeError("iDynTree refuses the robot")
        model = self.model = self.loader.model()
        self.base = model.getDefaultBaseLink()
        links = range(model.getNrOfLinks())
        # The fixed variant has no unknowns of its base.
        self.links = [i for i in links if self.question.floating or i != self.base]
        self.joints = list(range(model.getNrOfJoints()))
        dofs = [i for i in self.joints if model.getJoint(i).getNrOfDOFs() == 1]
        self.dofs = sorted(dofs, key=lambda i: model.getJoint(i).getDOFsOffset())

    def _mount_sensors(self) -> None:
        model, self.mounted = self.model, self.loader.sensors()
        traversal = idyn.Traversal()
        model.computeFullTreeTraversal(traversal, self.base)
        self.child = {i: traversal.getChildLinkIndexFromJointIndex(model, i) for i in self.joints}
        units = INERTIAL_UNITS + (("root_link",) if self.question.floating else ())
        for kind in (idyn.AccelerometerSensor, idyn.GyroscopeSensor):
            for place in units:
                frame = model.getFrameIndex(place)
                link = model.getFrameLink(frame)
                sensor = kind()
                sensor.setName(f"{place} {kind.__name__}")
                sensor.setParentLink(model.getLinkName(link))
                sensor.setParentLinkIndex(link)
                sensor.setLinkSensorTransform(model.getFrameTransform(frame))
                self.mounted.addSensor(sensor)
        if self.question.floating:
            return
        for name, (joint, place) in FORCE_SENSORS.items():
            index, frame = model.getJointIndex(joint), model.getFrameIndex(place)
            child = self.child[index]
            parent = traversal.getParentLinkFromLinkIndex(child).getIndex()
            sensor = idyn.SixAxisForceTorqueSensor()
            sensor.setName(name)
            sensor.setParentJoint(joint)
            sensor.setParentJointIndex(index)
            sensor.setFirstLinkName(model.getLinkName(parent))
            sensor.setSecondLinkName(model.getLinkName(child))
            sensor.setFirstLinkSensorTransform(parent, idyn.Transform.Identity())
            sensor.setSecondLinkSensorTransform(child, model.getFrameTransform(frame))
            sensor.setAppliedWrenchLink(child)
            self.mounted.addSensor(sensor)

    def _choose_priors(self, rng: np.random.Generator) -> None:
        """Draw means and variances: one variance for three components, for the two sides use other axes."""
        helper, model = self.helper, self.model
        links, joints, dofs = len(self.links), len(self.joints), len(self.dofs)
        link = helper.getRangeLinkVariable

        def six(columns: list[int], size: float) -> Block:
            shape = (len(columns), 6)
            variance = spread(rng, self.question.prior, len(columns), 2)
            return Block(columns, 6, size * rng.standard_normal(shape), variance)

        def one(kind: int) -> Block:
            columns = [helper.getRangeDOFVariable(kind, k).offset for k in range(dofs)]
            return Block(columns, 1, rng.standard_normal((dofs, 1)), spread(rng, self.question.prior, dofs, 1))

        floating = self.question.floating
        acceleration = idyn.LINK_BODY_PROPER_CLASSICAL_ACCELERATION if floating else idyn.LINK_BODY_PROPER_ACCELERATION
        joint = [helper.getRangeJointVariable(idyn.JOINT_WRENCH, i).offset for i in self.joints]
        self.blocks = {
            "acceleration": six([link(acceleration, i).offset for i in self.links], 1.0),
            "external_wrench": six([link(idyn.NET_EXT_WRENCH, i).offset for i in self.links], 5.0),
            "joint_wrench": six(joint, 5.0),
            "joint_acceleration": one(idyn.DOF_ACCELERATION),
        }
        # What only the fixed variant has: torques; and the sum of all wrenches on a link, an unknown of which nothing
        # is assumed, so that it can be eliminated.
        if not floating:
            net = idyn.NET_INT_AND_EXT_WRENCHES_ON_LINK_WITHOUT_GRAV
            self.blocks["joint_torque"] = one(idyn.DOF_TORQUE)
            columns = [link(net, i).offset for i in self.links]
            self.blocks["net_wrench"] = Block(columns, 6, np.zeros((links, 6)), np.zeros((links, 2)))
        count = helper.getNrOfDynamicVariables()
        mean, information = np.zeros(count), np.zeros(count)
        for name, block in self.blocks.items():
            mean[block.indices()] = block.mean
            if name != "net_wrench":
                information[block.indices()] = 1.0 / np.repeat(block.variance, max(block.size // 2, 1), axis=1)
        self.solver.setDynamicsRegularizationPriorExpectedValue(idyn.VectorDynSize.FromPython(mean))
        inverse = self.solver.dynamicsRegularizationPriorCovarianceInverse()
        for k in range(count):
            inverse.setValue(k, k, float(information[k]))
        # Variances of the equations, in BERDY's order.
        self.variances: dict[str, Array] = {}
        if floating:
            self.variances["force"] = spread(rng, EQUATIONS, links, 2)
            self.variances["motion"] = spread(rng, EQUATIONS, joints, 2)
            rows = [np.repeat(self.variances[name], 3, axis=1).ravel() for name in ("force", "motion")]
            variance = np.concatenate(rows)
        else:
            for name in ("motion", "net", "wrench"):
                self.variances[name] = spread(rng, EQUATIONS, links, 2)
            self.variances["torque"] = spread(rng, EQUATIONS, links, 1)
            rows = [np.repeat(self.variances[name], 3, axis=1) for name in ("motion", "net", "wrench")]
            # Links stand in the order of the traversal, which is that of their first columns.
            order = np.argsort(self.blocks["acceleration"].columns)
            variance = np.concatenate([*rows, self.variances["torque"]], axis=1)[order].ravel()
        self.solver.setDynamicsConstraintsPriorCovariance(sparse(np.diag(variance)))

    def _choose_errors(self, rng: np.random.Generator) -> None:
        """List all rows of measurements, with covariances: full ones where a sensor has several readings."""
        helper, model, mounted = self.helper, self.model, self.mounted
        self.sensors: list[Sensor] = []

        def add(kind: str, place: str, span: idyn.IndexRange, deviation: float, reaction: bool = False) -> None:
            mixing = np.eye(span.size) + 0.3 * rng.standard_normal((span.size, span.size))
            covariance = deviation**2 * (mixing @ mixing.T if span.size > 1 else spread(rng, 1.0, 1, 1))
            self.sensors.append(Sensor(kind, place, span.offset, covariance, reaction))

        for k in range(mounted.getNrOfSensors(idyn.SIX_AXIS_FORCE_TORQUE)):
            sensor = mounted.getSixAxisForceTorqueSensor(k)
            name, child = sensor.getName(), self.child[sensor.getParentJointIndex()]
            reaction = sensor.getAppliedWrenchLink() != child
            span = helper.getRangeSensorVariable(idyn.SIX_AXIS_FORCE_TORQUE, k)
            add("force_torque", FORCE_SENSORS[name][1], span, FORCE, reaction)
        kinds = (("accelerometer", idyn.ACCELEROMETER, ACCELEROMETER), ("gyroscope", idyn.GYROSCOPE, GYROSCOPE))
        for kind, code, deviation in kinds:
            for k in range(mounted.getNrOfSensors(code)):
                name = (mounted.getAccelerometerSensor if code == idyn.ACCELEROMETER else mounted.getGyroscopeSensor)(k)
                add(kind, name.getName().split()[0], helper.getRangeSensorVariable(code, k), deviation)
        for k, joint in enumerate(self.dofs):
            span = helper.getRangeDOFSensorVariable(idyn.DOF_ACCELERATION_SENSOR, k)
            add("joint_acceleration", model.getJointName(joint), span, JOINT_ACCELERATION)
        if self.question.joint_torques:
            for k, joint in enumerate(self.dofs):
                span = helper.getRangeDOFSensorVariable(idyn.DOF_TORQUE_SENSOR, k)
                add("joint_torque", model.getJointName(joint), span, TORQUE)
        if self.question.external_wrenches:
            for link in self.links:
                span = helper.getRangeLinkSensorVariable(idyn.NET_EXT_WRENCH_SENSOR, link)
                add("external_wrench", model.getLinkName(link), span, EXTERNAL)
        rows = helper.getNrOfSensorsMeasurements()
        covariance = np.zeros((rows, rows))
        for sensor in self.sensors:
            own = slice(sensor.offset, sensor.offset + len(sensor.covariance))
            covariance[own, own] = sensor.covariance
        if not np.all(np.diag(covariance) > 0.0):
            raise RuntimeError("some of BERDY's measurements are not accounted for")
        self.solver.setMeasurementsPriorCovariance(sparse(covariance))
        self.factor = np.linalg.cholesky(covariance)

    def states(self, count: int, rng: np.random.Generator) -> Iterator[State]:
        """Draw states, with readings of a motion that obeys the equations, and errors as they are assumed to be."""
        n = len(self.dofs)
        for _ in range(count):
            q, v, omega = rng.uniform(-0.4, 0.4, n), rng.standard_normal(n), rng.standard_normal(3)
            state = State(q, v, omega, np.zeros(len(self.factor)))
            self._prepare(state)
            self._update(state)
            equations, bias, sensors, offset = self._matrices()
            motion = rng.standard_normal(equations.shape[1])
            motion -= equations.T @ np.linalg.solve(equations @ equations.T, equations @ motion + bias)
            state.readings = sensors @ motion + offset + self.factor @ rng.standard_normal(len(offset))
            self._prepare(state)
            yield state

    def _matrices(self) -> tuple[Array, Array, Array, Array]:
        helper = self.helper
        arguments = idyn.MatrixDynSize(), idyn.VectorDynSize(), idyn.MatrixDynSize(), idyn.VectorDynSize()
        helper.resizeAndZeroBerdyMatrices(*arguments)
        if not helper.getBerdyMatrices(*arguments):
            raise RuntimeError("BERDY has no matrices for a state")
        equations, bias, sensors, offset = (argument.toNumPy() for argument in arguments)
        return equations, bias, sensors, offset

    def _prepare(self, state: State) -> None:
        """Hand the state's numbers over to iDynTree, once."""
        convert = idyn.VectorDynSize.FromPython
        q = idyn.JointPosDoubleArray(self.model)
        v = idyn.JointDOFsDoubleArray(self.model)
        for k in range(len(self.dofs)):
            q.setVal(k, float(state.q[k]))
            v.setVal(k, float(state.v[k]))
        base, readings = idyn.Vector3.FromPython(self._third(state)), convert(state.readings)
        state.handles = (q, v, self.base, base, readings)

    def _third(self, state: State) -> Array:
        """Give what tells BERDY of the base: its angular velocity if it floats, and gravity if it is fixed."""
        return state.omega if self.question.floating else np.array([0.0, 0.0, -9.81])

    def _update(self, state: State) -> None:
        if self.question.floating:
            self.solver.updateEstimateInformationFloatingBase(*state.handles)
        else:
            self.solver.updateEstimateInformationFixedBase(*state.handles)

    def estimate(self, state: State) -> dict[str, Array]:
        """Estimate all unknowns, by kind."""
        self._update(state)
        self.solver.doEstimate()
        last = idyn.VectorDynSize()
        self.solver.getLastEstimate(last)
        found = np.array(last.toNumPy())
        estimate = {name: found[block.indices()] for name, block in self.blocks.items()}
        if self.question.floating:
            # No unknowns of this variant, but it knows what they are.
            torques = idyn.VectorDynSize(len(self.dofs))
            self.helper.extractJointTorquesFromDynamicVariables(last, state.handles[0], torques)
            estimate["joint_torque"] = np.array(torques.toNumPy())
        return estimate

    def time(self, state: State) -> int:
        """Measure one estimate, in ns: from the state and its readings to the estimate."""
        start = time.perf_counter_ns()
        self._update(state)
        self.solver.doEstimate()
        return time.perf_counter_ns() - start

    @cached_property
    def header(self) -> dict[str, Any]:
        """Describe the problem by names."""
        model, helper = self.model, self.helper
        return {
            "name": self.question.name,
            "file": str(path()),
            "floating": self.question.floating,
            "prior": self.question.prior,
            "kept": self.kept,
            "links": [model.getLinkName(i) for i in self.links],
            "joints": [model.getJointName(i) for i in self.joints],
            "dofs": [model.getJointName(i) for i in self.dofs],
            "sensors": [
                {"kind": s.kind, "place": s.place, "offset": s.offset, "reaction": s.reaction}
                | {"covariance": s.covariance.ravel().tolist()}
                for s in self.sensors
            ],
            "unknowns": helper.getNrOfDynamicVariables(),
            "equations": helper.getNrOfDynamicEquations(),
            "measurements": helper.getNrOfSensorsMeasurements(),
        }

    def payload(self) -> dict[str, Array]:
        """Give priors and variances."""
        priors = {f"mean {name}": block.mean for name, block in self.blocks.items()}
        spreads = {f"prior {name}": block.variance for name, block in self.blocks.items()}
        return priors | spreads | {f"equation {name}": values for name, values in self.variances.items()}
