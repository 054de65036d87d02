"""A judge of motions: depths, energies and places, from the states alone and alike for every engine.

MuJoCo finds kinematics, energy and overlaps of a state; none of its dynamics is used.
"""

import math

import mujoco
import numpy as np
from moving_bodies import STEP


class Account:
    """Energy less the work of drives: what it rises above its least before has come from nothing.

    The largest change of the potential energy in a step is taken off, by which a method may err.
    """

    def __init__(self):
        self.work = self.rise = self.potential_change = 0.0
        self.least = math.inf
        self.potential = None

    def book(self, potential, kinetic, work=0.0):
        self.work += work
        balance = potential + kinetic - self.work
        self.least = min(self.least, balance)
        self.rise = max(self.rise, balance - self.least)
        if self.potential is not None:
            self.potential_change = max(self.potential_change, abs(potential - self.potential))
        self.potential = potential

    @property
    def gain(self):
        return max(self.rise - self.potential_change, 0.0)


class Motion:
    """A motion, for the figures that are known of it."""

    def __init__(self, model, data, centres):
        self.model, self.data, self.centres = model, data, np.array(centres)

    def path(self, body):
        """The centre of mass (steps + 1, 3) of a body."""
        return self.centres[:, self.model.body(body).id]

    def at_end(self, body):
        return self.path(body)[-1]

    def tilt(self, body):
        """The angle between the z axes of a body and of the world, at the end."""
        return math.acos(max(-1.0, min(1.0, self.data.body(body).xmat[8])))


def judge(engine, scene, model, steps):
    """Makes a motion and judges it after every step."""
    data = mujoco.MjData(model)
    account, centres = Account(), []
    deepest, residual, is_finite = 0.0, None, True

    def look(work=0.0):
        data.qpos[:], data.qvel[:] = engine.state()
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_energyPos(model, data)
        mujoco.mj_energyVel(model, data)
        account.book(data.energy[0], data.energy[1], work)
        centres.append(data.xipos.copy())

    look()
    for k in range(steps):
        if scene.targets:
            engine.command(k * STEP)
        before = data.qvel.copy()
        engine.step()
        position, velocity = engine.state()
        if not (np.isfinite(position).all() and np.isfinite(velocity).all()):
            is_finite = False
            break
        look(engine.drive_work(before, velocity) if scene.targets else 0.0)
        mujoco.mj_collision(model, data)
        if data.ncon:
            deepest = max(deepest, -data.contact.dist.min())
        own = engine.relative_residual()
        if own is not None:
            residual = max(residual or 0.0, own)
    is_whole = is_finite and steps == scene.steps
    known = scene.known.figure(Motion(model, data, centres)) if scene.known and is_whole else "–"
    return {
        "deepest": deepest,
        "gain": account.gain,
        "inexact": engine.inexact_steps(),
        "residual": residual,
        "known": known,
        "remarks": engine.remarks() + ([] if is_finite else ["not finite"]),
    }
