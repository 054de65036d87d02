"""Inverse kinematics: reached goals by forward kinematics, limits, loops, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import featherline as fl


def test_placements_of_random_configurations_are_reached() -> None:
    panda = fl.load("panda")
    joints = [panda.joints[name] for name in panda.joints]
    for seed in range(5):
        wanted = panda.placement(panda.random_configuration(seed=seed), "panda_link8")
        for goal in (wanted, fl.SE3(wanted)):
            reached = panda.inverse_kinematics({"panda_link8": goal}, panda.neutral(), restarts=30)
            assert reached.is_reached
            # The solver's tolerance.
            assert np.allclose(panda.placement(reached.q, "panda_link8"), wanted, rtol=0, atol=1e-8)
        for joint, q in zip(joints, reached.q, strict=True):
            assert joint.lower[0] <= q <= joint.upper[0]


def test_a_point_of_a_link_is_brought_to_a_position() -> None:
    panda = fl.load("panda")
    point, position = np.array([0.0, 0.0, 0.1]), np.array([0.3, -0.3, 0.4])
    reached = panda.inverse_kinematics({"panda_link8": position}, panda.neutral(), points={"panda_link8": point})
    placement = panda.placement(reached.q, "panda_link8")
    assert np.allclose(placement[:3, :3] @ point + placement[:3, 3], position, rtol=0, atol=1e-8)


def test_goals_are_named_in_errors() -> None:
    panda = fl.load("panda")
    q = panda.neutral()
    misuses: list[tuple[dict[str, Any], dict[str, Any], type[Exception], str]] = [
        ({"panda_lnik8": [0, 0, 0]}, {}, KeyError, "panda_link8"),
        ({"panda_link8": [0, 0]}, {}, ValueError, r"'panda_link8' has shape \(2,\)"),
        ({"panda_link8": [0, np.nan, 0]}, {}, ValueError, "'panda_link8' has a number that is not finite"),
        ({"panda_link8": [0, 0, 1]}, {"weights": {"panda_link7": 2}}, ValueError, "'panda_link7', which has no goal"),
        ({"panda_link8": [0, 0, 1]}, {"weights": {"panda_link8": -1}}, ValueError, "a weight that is negative"),
        ({"panda_link8": [0, 0, 1]}, {"tolerance": 0}, ValueError, "tolerance is 0"),
        ({"panda_link8": [0, 0, 1]}, {"restarts": -1}, ValueError, "restarts is -1"),
    ]
    for goals, options, error, message in misuses:
        with pytest.raises(error, match=message):
            panda.inverse_kinematics(goals, q, **options)
    with pytest.raises(ValueError, match=r"q has shape \(3,\)"):
        panda.inverse_kinematics({"panda_link8": [0, 0, 1]}, [0, 0, 0])
    far = panda.inverse_kinematics({"panda_link8": [5, 0, 0]}, q)
    assert not far.is_reached and far.position_error > 3.5


def test_loops_stay_closed() -> None:
    linkage = fl.load("four_bar")
    q = linkage.neutral()
    name = list(linkage.frames)[-1]
    there = linkage.assemble(linkage.integrate(q, linkage.project_velocity(q, 0.1 * np.ones(linkage.nv))))
    wanted = linkage.placement(there, name)[:3, 3]
    reached = linkage.inverse_kinematics({name: wanted}, q)
    assert reached.is_reached
    assert linkage.loop_gap(reached.q).position < 1e-9
