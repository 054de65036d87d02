"""`RobotWrapper`: a model with its data."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline._native import SE3, Motion
from featherline.pinocchio import native
from featherline.pinocchio.absent import Absent
from featherline.pinocchio.data import Data as Data, createDatas as createDatas
from featherline.pinocchio.enums import LOCAL, ReferenceFrame
from featherline.pinocchio.geometry import GeometryModel, updateGeometryPlacements
from featherline.pinocchio.geometry_files import buildModelsFromMJCF, buildModelsFromUrdf
from featherline.pinocchio.model import Model
from featherline.pinocchio.reduced import buildReducedModel

Array = np.ndarray


class RobotWrapper:
    """A robot: `model`, `data`, its geometry, the neutral `q0` and `v0`."""

    @staticmethod
    def BuildFromURDF(filename: Any, *args: Any, **kwargs: Any) -> RobotWrapper:
        """A robot of a URDF file, with its shapes; arguments are those of buildModelsFromUrdf."""
        robot = RobotWrapper()
        robot.initFromURDF(filename, *args, **kwargs)
        return robot

    def initFromURDF(self, filename: Any, *args: Any, **kwargs: Any) -> None:
        # A subclass may have a constructor of its own, which calls this.
        RobotWrapper.__init__(self, *buildModelsFromUrdf(filename, *args, **kwargs))

    @staticmethod
    def BuildFromMJCF(filename: Any, *args: Any, **kwargs: Any) -> RobotWrapper:
        """A robot of an MJCF file, with its shapes; arguments are those of buildModelsFromMJCF."""
        robot = RobotWrapper()
        robot.initFromMJCF(filename, *args, **kwargs)
        return robot

    def initFromMJCF(self, filename: Any, *args: Any, **kwargs: Any) -> None:
        model, constraint_models, *geometry = buildModelsFromMJCF(filename, *args, **kwargs)
        named = dict(zip(("collision_model", "visual_model"), geometry, strict=False))
        RobotWrapper.__init__(self, model, constraint_models=constraint_models, **named)

    def __init__(
        self,
        model: Model | None = None,
        collision_model: Any = None,
        visual_model: Any = None,
        constraint_models: Any = None,
        verbose: bool = False,
    ) -> None:
        self.constraint_models = constraint_models
        self.model = Model() if model is None else model
        self.collision_model = GeometryModel() if collision_model is None else collision_model
        self.visual_model = GeometryModel() if visual_model is None else visual_model
        self.collision_data = self.collision_model.createData()
        self.visual_data = self.visual_model.createData()
        self.data: Data = self.model.createData()
        self.v0 = np.zeros(self.nv)
        self.q0 = native.neutral(self.model)
        self.viz: Any = None

    @property
    def nq(self) -> int:
        return self.model.nq

    @property
    def nv(self) -> int:
        return self.model.nv

    def rebuildData(self) -> None:
        names = ("data", "collision_data", "visual_data")
        is_shared = self.viz is not None and all(getattr(self, name) is getattr(self.viz, name) for name in names)
        self.data = self.model.createData()
        self.collision_data = self.collision_model.createData()
        self.visual_data = self.visual_model.createData()
        if is_shared:
            for name in names:
                setattr(self.viz, name, getattr(self, name))
        elif self.viz is not None:
            self.viz.rebuildData()

    def updateGeometryPlacements(self, q: Any = None, visual: bool = False) -> None:
        """Place the collision shapes in the world, or the visual ones."""
        parts = (self.visual_model, self.visual_data) if visual else (self.collision_model, self.collision_data)
        updateGeometryPlacements(self.model, self.data, *parts, q)

    def index(self, name: str) -> int:
        return self.model.getJointId(name)

    def com(self, q: Any = None, v: Any = None, a: Any = None) -> Any:
        if q is None:
            return native.centerOfMass(self.model, self.data)
        state = [x for x in (q, v, a) if x is not None]
        native.centerOfMass(self.model, self.data, *state)
        results = (self.data.com[0], self.data.vcom[0], self.data.acom[0])[: len(state)]
        return results if len(state) > 1 else results[0]

    def vcom(self, q: Any, v: Any) -> Array:
        velocity: Array = self.com(q, v)[1]
        return velocity

    def acom(self, q: Any, v: Any, a: Any) -> Array:
        acceleration: Array = self.com(q, v, a)[2]
        return acceleration

    def centroidalMomentum(self, q: Any, v: Any) -> Any:
        return native.computeCentroidalMomentum(self.model, self.data, q, v)

    def centroidalMap(self, q: Any) -> Array:
        return native.computeCentroidalMap(self.model, self.data, q)

    def centroidal(self, q: Any, v: Any) -> Any:
        native.ccrba(self.model, self.data, q, v)
        return self.data.hg, self.data.Ag, self.data.Ig

    def centroidalMomentumVariation(self, q: Any, v: Any, a: Any) -> Any:
        return native.computeCentroidalMomentumTimeVariation(self.model, self.data, q, v, a)

    def Jcom(self, q: Any) -> Array:
        return native.jacobianCenterOfMass(self.model, self.data, q)

    def mass(self, q: Any) -> Array:
        return native.crba(self.model, self.data, q)

    def nle(self, q: Any, v: Any) -> Array:
        return native.nonLinearEffects(self.model, self.data, q, v)

    def gravity(self, q: Any) -> Array:
        return native.computeGeneralizedGravity(self.model, self.data, q)

    def forwardKinematics(self, q: Any, v: Any = None, a: Any = None) -> None:
        native.forwardKinematics(self.model, self.data, q, v, a)

    def _update(self, needed: bool, *state: Any) -> None:
        if needed:
            self.forwardKinematics(*state)

    def placement(self, q: Any, index: int, update_kinematics: bool = True) -> SE3:
        self._update(update_kinematics, q)
        placement: SE3 = self.data.oMi[index]
        return placement

    def velocity(self, q: Any, v: Any, index: int, update_kinematics: bool = True, reference_frame: ReferenceFrame = LOCAL) -> Motion:
        self._update(update_kinematics, q, v)
        return native.getVelocity(self.model, self.data, index, reference_frame)

    def acceleration(
        self, q: Any, v: Any, a: Any, index: int, update_kinematics: bool = True, reference_frame: ReferenceFrame = LOCAL
    ) -> Motion:
        self._update(update_kinematics, q, v, a)
        return native.getAcceleration(self.model, self.data, index, reference_frame)

    def classicalAcceleration(
        self, q: Any, v: Any, a: Any, index: int, update_kinematics: bool = True, reference_frame: ReferenceFrame = LOCAL
    ) -> Motion:
        self._update(update_kinematics, q, v, a)
        return native.getClassicalAcceleration(self.model, self.data, index, reference_frame)

    def framesForwardKinematics(self, q: Any) -> None:
        native.framesForwardKinematics(self.model, self.data, q)

    def framePlacement(self, q: Any, index: int, update_kinematics: bool = True) -> SE3:
        self._update(update_kinematics, q)
        return native.updateFramePlacement(self.model, self.data, index)

    def frameVelocity(self, q: Any, v: Any, index: int, update_kinematics: bool = True, reference_frame: ReferenceFrame = LOCAL) -> Motion:
        self._update(update_kinematics, q, v)
        return native.getFrameVelocity(self.model, self.data, index, reference_frame)

    def frameAcceleration(
        self, q: Any, v: Any, a: Any, index: int, update_kinematics: bool = True, reference_frame: ReferenceFrame = LOCAL
    ) -> Motion:
        self._update(update_kinematics, q, v, a)
        return native.getFrameAcceleration(self.model, self.data, index, reference_frame)

    def frameClassicalAcceleration(
        self, q: Any, v: Any, a: Any, index: int, update_kinematics: bool = True, reference_frame: ReferenceFrame = LOCAL
    ) -> Motion:
        self._update(update_kinematics, q, v, a)
        return native.getFrameClassicalAcceleration(self.model, self.data, index, reference_frame)

    def computeJointJacobian(self, q: Any, index: int) -> Array:
        return native.computeJointJacobian(self.model, self.data, q, index)

    def getJointJacobian(self, index: int, rf_frame: ReferenceFrame = LOCAL) -> Array:
        return native.getJointJacobian(self.model, self.data, index, rf_frame)

    def computeJointJacobians(self, q: Any) -> Array:
        return native.computeJointJacobians(self.model, self.data, q)

    def getFrameJacobian(self, frame_id: int, rf_frame: ReferenceFrame = LOCAL) -> Array:
        return native.getFrameJacobian(self.model, self.data, frame_id, rf_frame)

    def computeFrameJacobian(self, q: Any, frame_id: int) -> Array:
        return native.computeFrameJacobian(self.model, self.data, q, frame_id)

    def buildReducedRobot(self, list_of_joints_to_lock: Any, reference_configuration: Any = None) -> RobotWrapper:
        """The robot with joints locked, which are named or numbered."""
        joints = [self.index(joint) if isinstance(joint, str) else joint for joint in list_of_joints_to_lock]
        q = native.neutral(self.model) if reference_configuration is None else reference_configuration
        geometry = [self.collision_model, self.visual_model]
        model, geometry = buildReducedModel(self.model, geometry, joints, q)
        return RobotWrapper(model, *geometry)

    @property
    def viewer(self) -> Any:
        """The viewer of `viz`."""
        return self._visualizer().viewer

    def _visualizer(self) -> Any:
        if self.viz is None:
            raise RuntimeError("the robot has no visualizer: call initViewer or setVisualizer first")
        return self.viz

    def setVisualizer(self, visualizer: Any, init: bool = True, copy_models: bool = False) -> None:
        """Take a visualizer, and, with `init`, give it this robot's models, or copies of them."""
        if init:
            visualizer.__init__(self.model, self.collision_model, self.visual_model, copy_models)
        self.viz = visualizer

    def getViewerNodeName(self, geometry_object: Any, geometry_type: Any) -> Any:
        """The name of an object in the viewer."""
        return self._visualizer().getViewerNodeName(geometry_object, geometry_type)

    def initViewer(self, share_data: bool = True, *args: Any, **kwargs: Any) -> None:
        """Start the viewer; a visualizer that is made here shares the data, or has copies of the models."""
        if self.viz is None:
            from featherline.pinocchio.visualize import Visualizer

            models = (self.model, self.collision_model, self.visual_model)
            data = (self.data, self.collision_data, self.visual_data) if share_data else ()
            self.viz = Visualizer.default()(*models, not share_data, *data)
        self.viz.initViewer(*args, **kwargs)

    def loadViewerModel(self, *args: Any, **kwargs: Any) -> None:
        """Add the robot's shapes to the viewer."""
        self._visualizer().loadViewerModel(*args, **kwargs)

    def display(self, q: Any) -> None:
        """Show the robot at q."""
        self._visualizer().display(q)

    def displayCollisions(self, visibility: bool) -> None:
        """Show the collision shapes, or hide them."""
        self._visualizer().displayCollisions(visibility)

    def displayVisuals(self, visibility: bool) -> None:
        """Show the visual shapes, or hide them."""
        self._visualizer().displayVisuals(visibility)

    def play(self, q_trajectory: Any, dt: float) -> None:
        """Display configurations one after the other, `dt` in s apart."""
        self._visualizer().play(q_trajectory, dt)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise Absent(f"RobotWrapper has no {name} here")
