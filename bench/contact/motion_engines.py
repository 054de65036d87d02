"""featherline and MuJoCo behind one interface: steps of a scene, and its state as MuJoCo has it."""

import re
import tempfile
import warnings
from pathlib import Path

import featherline as fl
import mujoco
import numpy as np
from moving_bodies import STEP

# Cone, and whether contacts are stiffer than by default.
MUJOCO = {
    "pyramidal": (mujoco.mjtCone.mjCONE_PYRAMIDAL, False),
    "elliptic": (mujoco.mjtCone.mjCONE_ELLIPTIC, False),
    "stiff": (mujoco.mjtCone.mjCONE_PYRAMIDAL, True),
}

# `solref` and the first three of `solimp` of stiff contacts: the shortest time that MuJoCo advises
# for a step, and at least 95 % of the force of a rigid contact.
STIFF_SOLREF = (2 * STEP, 1)
STIFF_SOLIMP = (.95, .999, .0005)


def read(source):
    """MuJoCo's model of an MJCF text."""
    model = mujoco.MjModel.from_xml_string(source)
    model.opt.timestep = STEP
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    model.opt.tolerance = 1e-8
    model.opt.noslip_iterations = 0
    return model


def start(scene, model):
    """The state at the start."""
    data = mujoco.MjData(model)
    for name, angle in scene.positions.items():
        data.joint(name).qpos[:] = angle
    for name, velocity in scene.velocities.items():
        data.joint(name).qvel[:] = velocity
    if scene.clearance is not None:
        raise_to(scene.clearance, model, data)
    return data.qpos.copy(), data.qvel.copy()


def raise_to(clearance, model, data):
    """Lifts what floats until its lowest point is that high above the floor."""
    mujoco.mj_forward(model, data)
    floor = model.geom("floor").id
    collides = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    own = [geom for geom in range(model.ngeom) if model.geom_bodyid[geom] and collides[geom]]
    lowest = min(mujoco.mj_geomDistance(model, data, floor, geom, 10.0, None) for geom in own)
    free = model.jnt_type == mujoco.mjtJoint.mjJNT_FREE
    data.qpos[model.jnt_qposadr[free] + 2] += clearance - lowest


def rotation(quaternion):
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, np.ascontiguousarray(quaternion, float))
    return matrix.reshape(3, 3)


class Featherline:
    def __init__(self, scene, model):
        self.model = model
        options = {"impact_law": "reflections"} if scene.is_elastic else {}
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", fl.RobotWarning)
            robot = fl.load_robot(written(scene, Path(folder)))
        self.joints = []
        for k in range(model.njnt):
            own = robot.model.joints[model.joint(k).name]
            self.joints.append((model.jnt_type[k], model.jnt_qposadr[k], model.jnt_dofadr[k], own.idx_q, own.idx_v))
        self.simulation = fl.Simulation(
            robot,
            *self.own_state(robot.model, *start(scene, model)),
            ground=None,
            dt=STEP,
            method="time-stepping",
            drives="actuators" if scene.targets else None,
            **options,
        )
        if self.simulation.left_out:
            raise ValueError(f"overlap at the start: {self.simulation.left_out}")
        self.targets = scene.targets
        names = scene.targets(0.0) if scene.targets else ()
        self.driven = [(name, robot.model.joints[name].idx_v) for name in names]
        # What gravity changes in a step: the unit of residuals at rest.
        self.least_speed = STEP * np.linalg.norm(model.opt.gravity)
        self.speed = np.abs(self.simulation.v).max()

    def own_state(self, own_model, position, velocity):
        """q and v of featherline."""
        q, v = np.zeros(own_model.nq), np.zeros(own_model.nv)
        for kind, at_q, at_v, own_q, own_v in self.joints:
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                orientation = position[at_q + 3:at_q + 7]
                q[own_q:own_q + 3] = position[at_q:at_q + 3]
                q[own_q + 3:own_q + 7] = orientation[[1, 2, 3, 0]]
                v[own_v:own_v + 3] = rotation(orientation).T @ velocity[at_v:at_v + 3]
                v[own_v + 3:own_v + 6] = velocity[at_v + 3:at_v + 6]
            elif kind == mujoco.mjtJoint.mjJNT_BALL:
                q[own_q:own_q + 4] = position[at_q:at_q + 4][[1, 2, 3, 0]]
                v[own_v:own_v + 3] = velocity[at_v:at_v + 3]
            else:
                q[own_q], v[own_v] = position[at_q], velocity[at_v]
        return q, v

    def command(self, t):
        targets = self.targets(t)
        for name, at in self.driven:
            self.simulation.targets[at] = targets[name]

    def step(self):
        self.simulation.step(record=False)

    def state(self):
        """Position and velocity of MuJoCo."""
        position, velocity = np.zeros(self.model.nq), np.zeros(self.model.nv)
        q, v = self.simulation.q, self.simulation.v
        for kind, at_q, at_v, own_q, own_v in self.joints:
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                orientation = q[own_q + 3:own_q + 7][[3, 0, 1, 2]]
                position[at_q:at_q + 3] = q[own_q:own_q + 3]
                position[at_q + 3:at_q + 7] = orientation
                velocity[at_v:at_v + 3] = rotation(orientation) @ v[own_v:own_v + 3]
                velocity[at_v + 3:at_v + 6] = v[own_v + 3:own_v + 6]
            elif kind == mujoco.mjtJoint.mjJNT_BALL:
                position[at_q:at_q + 4] = q[own_q:own_q + 4][[3, 0, 1, 2]]
                velocity[at_v:at_v + 3] = v[own_v:own_v + 3]
            else:
                position[at_q], velocity[at_v] = q[own_q], v[own_v]
        return position, velocity

    def drive_work(self, before, after):
        """The work of the drives in the last step, in J, from the velocities before and after it."""
        forces = self.simulation.drive_forces
        work = 0.0
        for _, _, at_v, _, own_v in self.joints:
            work += forces[own_v] * (before[at_v] + after[at_v]) / 2 * STEP if forces[own_v] else 0.0
        return work

    def relative_residual(self):
        """The residual of the last step beside the largest velocity before and after it."""
        before, self.speed = self.speed, np.abs(self.simulation.v).max()
        return self.simulation.residual / max(before, self.speed, self.least_speed)

    def inexact_steps(self):
        """How many steps the engine has flagged so far."""
        inexact = [text for text in self.simulation.warnings if "impulses were not found exactly" in text]
        return sum(int(re.match(r"in (\d+) steps?\b", text)[1]) for text in inexact)

    def remarks(self):
        return [re.split(", (?:the )?first|:", text)[0] for text in self.simulation.warnings if "impulses" not in text]


def written(scene, folder):
    """The file of a scene; of an elastic one a scene of featherline's, whose contacts lose nothing."""
    robot = folder / "robot.xml"
    robot.write_text(scene.source)
    if not scene.is_elastic:
        return robot
    file = folder / "scene.toml"
    file.write_text("[contact]\nfriction = 0\nrestitution = 1\n[[robot]]\nfile = 'robot.xml'\nrestitution = 1\n")
    return file


class MuJoCo:
    def __init__(self, scene, cone, is_stiff):
        self.model = model = read(scene.source)
        model.opt.cone = cone
        if is_stiff:
            # Negative ones are stiffness and damping: the contacts of the cradle.
            soft = model.geom_solref[:, 0] > 0
            model.geom_solref[soft] = STIFF_SOLREF
            model.geom_solimp[soft, :3] = STIFF_SOLIMP
        self.data = mujoco.MjData(model)
        self.data.qpos[:], self.data.qvel[:] = start(scene, model)
        self.targets = scene.targets
        self.driven = [model.joint(joint).name for joint in model.actuator_trnid[:, 0]] if scene.targets else []
        self.flagged = 0

    def command(self, t):
        targets = self.targets(t)
        for k, name in enumerate(self.driven):
            self.data.ctrl[k] = targets[name]

    def step(self):
        mujoco.mj_step(self.model, self.data)

    def state(self):
        return self.data.qpos.copy(), self.data.qvel.copy()

    def drive_work(self, before, after):
        work = 0.0
        for k in range(len(self.driven)):
            at = self.model.jnt_dofadr[self.model.actuator_trnid[k, 0]]
            force = self.data.actuator_force[k]
            # The integrator takes the damping of actuators that are not at their limit at the end.
            if abs(force) < self.model.actuator_forcerange[k, 1]:
                force += self.model.actuator_biasprm[k, 2] * (after[at] - before[at])
            work += force * (before[at] + after[at]) / 2 * STEP
        return work

    def relative_residual(self):
        self.flagged += self.data.solver_niter.max(initial=0) >= self.model.opt.iterations
        return None

    def inexact_steps(self):
        return int(self.flagged)

    def remarks(self):
        found = enumerate(self.data.warning)
        return [f"{mujoco.mjtWarning(k).name} in {it.number} steps" for k, it in found if it.number]


def engines(scene, model):
    """The engines by their names, made when they are called."""
    made = {"featherline": lambda: Featherline(scene, model)}
    for name, (cone, is_stiff) in MUJOCO.items():
        made[name] = lambda cone=cone, is_stiff=is_stiff: MuJoCo(scene, cone, is_stiff)
    return made
