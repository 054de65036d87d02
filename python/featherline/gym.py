"""Environments of Gymnasium: robots on the ground, driven by joint targets.

    pip install gymnasium

>>> import gymnasium
>>> import featherline.gym
>>> env = gymnasium.make("featherline/QuadrupedStand-v0")
>>> observation, info = env.reset(seed=1)
>>> observation.shape, env.action_space.shape
((46,), (12,))

| id | reward of a step |
|---|---|
| `featherline/QuadrupedStand-v0` | `height + upright - effort` |
| `featherline/QuadrupedWalk-v0` | `speed + upright - effort` |

An episode takes 10 s, 500 steps, and ends early where the robot falls.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

import featherline

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as reason:
    raise ImportError("featherline.gym needs gymnasium: pip install gymnasium") from reason

__all__ = ["QuadrupedEnv", "QuadrupedStand", "QuadrupedWalk"]

_Array = NDArray[np.float64]

_STEP = 0.002
_STEPS = 10
# Hip, thigh and calf of a leg that stands, in rad.
_STANCE = np.tile([0.0, 0.75, -1.5], 4)


class QuadrupedEnv(gymnasium.Env[_Array, _Array], ABC):
    """The embedded quadruped on a ground, its joints driven at 50 Hz.

    The action (12,) in [-1, 1] moves the targets of the joints' drives from the stance by up to 0.5 rad: hip, thigh
    and calf of the front left, front right, rear left and rear right leg.

    The observation (46,): the height of the trunk in m; the direction of gravity in its axes (3); its linear velocity
    (3) in m/s and its angular velocity (3) in rad/s in its axes; the joints' displacements from the stance (12) in
    rad; their velocities (12) in rad/s; the last action (12).

    Each reward is the sum of terms, which `info` has by name. `upright` is 0.5 times the cosine of the trunk's tilt,
    `effort` is 1e-4 times the sum of the squared torques in N²·m².

    A reset puts the robot on its feet with joints up to 0.2 rad from the stance, the trunk turned by up to 0.1 rad,
    5 cm above where it would stand. The episode terminates where the trunk is below 0.12 m or tilted by more than 60°.
    """

    metadata = {"render_modes": [], "render_fps": 50}

    def __init__(self, render_mode: str | None = None, *, friction: float = 0.8) -> None:
        if render_mode is not None:
            raise ValueError(f"render_mode is {render_mode!r}, where None is expected: `featherline.view` shows recordings")
        self.render_mode = render_mode
        self.model = featherline.load("quadruped")
        drives = featherline.Drives(80.0, 2.0)
        self.simulation = featherline.Simulation(self.model, dt=_STEP, friction=friction, drives=drives)
        self._joints = self.simulation.driven
        self._begin = self.simulation.q.copy()
        self._begin[7:] = _STANCE
        # Thighs and calves of 0.2 m, feet of 0.02 m.
        self._stand = 0.4 * np.cos(0.75) + 0.02
        self._action = np.zeros(12)
        self.action_space = spaces.Box(-1.0, 1.0, (12,), np.float64)
        self.observation_space = spaces.Box(-np.inf, np.inf, (46,), np.float64)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[_Array, dict[str, Any]]:
        """Begin an episode; the same seed gives the same."""
        super().reset(seed=seed)
        q = self._begin.copy()
        q[7:] += self.np_random.uniform(-0.2, 0.2, 12)
        q[7:] = np.clip(q[7:], self.model.lower_limits[7:], self.model.upper_limits[7:])
        tilt = np.append(self.np_random.uniform(-0.05, 0.05, 3), 1.0)
        q[3:7] = tilt / np.linalg.norm(tilt)
        q[2] = self._stand + 0.05
        self.simulation.reset(q)
        self._action = np.zeros(12)
        return self._observation(), {}

    def step(self, action: _Array) -> tuple[_Array, float, bool, bool, dict[str, Any]]:
        """Hold the targets of an action for 20 ms."""
        self._action = np.clip(np.asarray(action, np.float64), -1.0, 1.0)
        self.simulation.targets[self._joints] = _STANCE + 0.5 * self._action
        self.simulation.step(steps=_STEPS, record=False)
        observation = self._observation()
        upright = float(-observation[3])
        terms = self._terms(observation)
        terms["upright"] = 0.5 * upright
        terms["effort"] = -1e-4 * float(np.square(self.simulation.drive_forces).sum())
        has_fallen = upright < 0.5 or observation[0] < 0.12
        return observation, sum(terms.values()), has_fallen, False, terms

    @abstractmethod
    def _terms(self, observation: _Array) -> dict[str, float]:
        """The reward terms of an environment besides posture and effort."""

    def _observation(self) -> _Array:
        q, v = self.simulation.q, self.simulation.v
        x, y, z, w = q[3:7]
        # The third row of the rotation, downwards.
        down = -np.array([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)])
        parts = ([q[2]], down, v[:6], q[7:] - _STANCE, v[6:], self._action)
        observation: _Array = np.concatenate(parts)
        return observation


class QuadrupedStand(QuadrupedEnv):
    """Stand up and stay: the reward `height` is exp(-((z - 0.31)/0.05)²) of the trunk's height z in m.

    Spaces, reset and the other terms are those of `QuadrupedEnv`.
    """

    def _terms(self, observation: _Array) -> dict[str, float]:
        return {"height": float(np.exp(-np.square((observation[0] - self._stand) / 0.05)))}


class QuadrupedWalk(QuadrupedEnv):
    """Walk forwards: the reward `speed` is the trunk's velocity along its x axis in m/s, between -1 and 1.

    Spaces, reset and the other terms are those of `QuadrupedEnv`.
    """

    def _terms(self, observation: _Array) -> dict[str, float]:
        return {"speed": float(np.clip(observation[4], -1.0, 1.0))}


for _name in ("QuadrupedStand", "QuadrupedWalk"):
    gymnasium.register(f"featherline/{_name}-v0", entry_point=f"featherline.gym:{_name}", max_episode_steps=500)
