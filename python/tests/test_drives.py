"""Limits of effort, actuators with a state, thrusters and carried weight, in every door of Python."""

from typing import Any

import numpy as np
import pytest

import featherline as fl

# 100 N·m on a joint of 0.1 kg m² that its file limits to 10 N·m.
MOTOR = """<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/>
<inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial></link>
<joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>
<limit lower='-9' upper='9' effort='10' velocity='2'/></joint></robot>"""


@pytest.mark.parametrize(("effort_limits", "torque"), [(True, 10.0), (False, 100.0)])
@pytest.mark.parametrize("method", ["time-stepping", "runge-kutta-4", "implicit-midpoint", "variational"])
def test_limits_of_effort_bound_constant_forces_functions_and_steps(method, effort_limits, torque):
    # A constant torque gives τ t/I, exactly but for rounding.
    speed = torque * 0.01 / 0.1
    options = {"method": method, "effort_limits": effort_limits}
    for controller in ([100.0], lambda t, q, v: [100.0]):
        simulation = fl.Simulation(MOTOR, controller=controller, **options)
        recording = simulation.run(0.01)
        assert simulation.v[0] == pytest.approx(speed, rel=1e-9)
        assert recording.tau[-1, 0] == pytest.approx(torque, rel=1e-9)
    simulation = fl.Simulation(MOTOR, **options)
    simulation.step([100.0], steps=10)
    assert simulation.v[0] == pytest.approx(speed, rel=1e-9)


def test_limits_of_effort_bound_batches():
    for effort_limits, torque in [(True, 10.0), (False, 100.0)]:
        batch = fl.SimulationBatch(MOTOR, 3, effort_limits=effort_limits)
        batch.step(tau=np.array([[100.0], [-100.0], [5.0]]), steps=10)
        expected = 0.1 * np.array([torque, -torque, 5.0])
        assert np.allclose(batch.v[:, 0], expected, rtol=1e-9)


def test_drives_and_joint_forces_share_the_effort():
    # clamp(kp e + τ): 20 of the spring and 5 are 10, 20 less 30 are −10, and 20 less 15 are 5.
    for tau, expected in [(5.0, 10.0), (-30.0, -10.0), (-15.0, 5.0)]:
        simulation = fl.Simulation(MOTOR, drives=fl.Drives(20.0, 0.0))
        simulation.targets[:] = 1.0
        simulation.step([tau])
        # Within the step the spring yields by h² k/I = 2e-4.
        assert simulation.v[0] == pytest.approx(1e-3 * expected / 0.1, rel=1e-3)


FILTER = """<mujoco><option gravity='0 0 0' timestep='0.001'/><worldbody><body>
<joint name='j' type='slide'/><geom size='0.1' mass='1' contype='0' conaffinity='0'/></body></worldbody>
<actuator><general joint='j' dyntype='filterexact' dynprm='0.05' gainprm='2 0 0'/></actuator>
<keyframe><key name='on' ctrl='1'/></keyframe></mujoco>"""


def expected_speed(steps):
    # The force after n steps is 2 (1 − e^{−n h/T}).
    return 1e-3 * 2.0 * np.sum(1.0 - np.exp(-np.arange(steps) * 1e-3 / 0.05))


def test_the_state_of_a_filter_goes_through_runs_steps_resets_and_copies():
    simulation = fl.Simulation(FILTER, configuration="on")
    simulation.run(0.02)
    simulation.step(steps=20)
    saved = simulation.state
    simulation.run(0.02)
    assert simulation.v[0] == pytest.approx(expected_speed(60), rel=1e-9)
    simulation.state = saved
    simulation.step(steps=20)
    assert simulation.v[0] == pytest.approx(expected_speed(60), rel=1e-9)
    simulation.reset()
    simulation.step(steps=20)
    assert simulation.v[0] == pytest.approx(expected_speed(20), rel=1e-9)


def test_thrusters_at_sites_and_carried_weight_act():
    hover = """<mujoco><worldbody><body pos='0 0 1'><freejoint/>
    <geom type='box' size='0.1 0.1 0.02' mass='0.5' contype='0' conaffinity='0'/><site name='s'/></body></worldbody>
    <actuator><motor site='s' gear='0 0 1 0 0 0'/></actuator>
    <keyframe><key name='hover' ctrl='4.905'/></keyframe></mujoco>"""
    simulation = fl.Simulation(hover, configuration="hover")
    simulation.run(0.1)
    simulation.step(steps=100)
    assert np.allclose(simulation.v, 0.0, atol=1e-12)
    arm = """<mujoco><worldbody><body gravcomp='1'><joint axis='0 1 0'/>
    <geom type='capsule' fromto='0 0 0 0.4 0 0' size='0.03' mass='1'/></body></worldbody></mujoco>"""
    for simulation in fl.Simulation(arm, method="runge-kutta-4"), fl.Simulation(arm, method="time-stepping"):
        simulation.run(0.25)
        simulation.step(steps=250)
        assert abs(simulation.q[0]) < 1e-12
    batch = fl.SimulationBatch(arm, 2)
    batch.step(steps=500)
    assert np.allclose(batch.q, 0.0, atol=1e-12)


ARM = """<mujoco><option gravity='0 0 0'/><worldbody>
<body><joint name='j'/><inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/></body>
<body pos='0 1 0'><joint name='k'/><inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/></body></worldbody>
<actuator><motor name='push' joint='j' gear='2'/><position name='turn' joint='k' kp='40' kv='4'/></actuator>
<keyframe><key name='on' ctrl='1 0'/></keyframe></mujoco>"""


def test_controls_are_written_between_and_within_runs():
    simulation = fl.Simulation(ARM, configuration="on")
    assert simulation.controls.tolist() == [1, 0]
    # The motor gives 2 N·m, then −1 N·m, on 0.1 kg m².
    simulation.run(0.1)
    assert simulation.v[0] == pytest.approx(2.0)
    simulation.controls = [-0.5, 0.3]
    simulation.run(0.1)
    simulation.step(steps=100)
    assert simulation.v[0] == pytest.approx(0.0, abs=1e-12)
    # A critically damped spring comes to its control.
    simulation.controls[0] = 0.0
    simulation.run(3.0)
    assert simulation.q[1] == pytest.approx(0.3, abs=1e-6)
    simulation.reset()
    assert simulation.controls.tolist() == [1, 0]

    # A controller writes them, too: u = 1 for 50 ms.
    def bang(t, q, v):
        simulation.controls[0] = 1.0 if t < 0.05 - 1e-9 else 0.0
        return np.zeros(2)

    simulation = fl.Simulation(ARM, controller=bang, drives="actuators")
    simulation.run(0.2)
    assert simulation.v[0] == pytest.approx(1.0, rel=1e-9)


def test_controls_that_can_not_be_are_refused():
    simulation = fl.Simulation(ARM)
    with pytest.raises(ValueError, match=r"controls has shape \(3,\)"):
        simulation.controls = [1, 2, 3]
    simulation.controls[1] = np.nan
    with pytest.raises(ValueError, match=r"controls\[1\] is NaN"):
        simulation.step()
    # Other drives have targets alone.
    assert fl.Simulation("quadruped").controls.shape == (0,)
    assert fl.SimulationBatch("quadruped", 2).controls.shape == (2, 0)
    refused: list[tuple[Any, str]] = [
        ([1.0], r"1 controls are given, where the robot has 2 actuators: push, turn"),
        ({"pusch": 1.0}, "no actuator `pusch`; did you mean `push`"),
        ([1.0, np.inf], "controls is inf"),
    ]
    for controls, message in refused:
        with pytest.raises(ValueError, match=message):
            fl.Simulation(ARM, controls=controls)
    with pytest.raises(ValueError, match="controls has no effect"):
        fl.Simulation(ARM, controls=[1, 2], controller=[0.0, 0.0])
    batch = fl.SimulationBatch(ARM, 2)
    with pytest.raises(ValueError, match=r"controls has shape \(3,\)"):
        batch.step(controls=[1, 2, 3])
    batch.controls[1, 0] = np.nan
    with pytest.raises(ValueError, match=r"controls\[1, 0\] is NaN"):
        batch.step()


def test_controls_to_begin_with_are_given_by_order_or_by_name():
    given: list[tuple[Any, float]] = [([3.0, 0.0], 6.0), ({"push": -1.0}, -2.0), ({}, 2.0)]
    for controls, torque in given:
        simulation = fl.Simulation(ARM, configuration="on", controls=controls)
        assert simulation.decision["controls"] == simulation.controls.tolist()
        simulation.run(0.05)
        simulation.step(steps=50)
        assert simulation.v[0] == pytest.approx(torque * 0.1 / 0.1)


# A thruster of 2 kg that slides along z, without gravity.
THRUSTER = """<mujoco><option gravity='0 0 0'/><worldbody><body><joint type='slide' axis='0 0 1'/>
<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/><site name='s'/></body></worldbody>
<actuator><motor site='s' gear='0 0 1 0 0 0' ctrlrange='-5 5'/></actuator></mujoco>"""


def test_thrusters_follow_their_controls():
    simulation = fl.Simulation(THRUSTER, drives="actuators")
    simulation.controls = [4.0]
    recording = simulation.run(0.1)
    assert simulation.v[0] == pytest.approx(0.2, rel=1e-12)
    # All work is the kinetic energy.
    assert recording.drive_work[-1] == pytest.approx(0.5 * 2 * 0.2**2, rel=1e-9)
    simulation.controls = [-9.0]
    simulation.step(steps=100)
    assert simulation.v[0] == pytest.approx(0.2 - 0.25, rel=1e-12)

    def push(t, q, v):
        simulation.controls[0] = 2.0 if t < 0.05 - 1e-9 else 0.0
        return np.zeros(1)

    simulation = fl.Simulation(THRUSTER, controller=push, drives="actuators")
    simulation.run(0.1)
    assert simulation.v[0] == pytest.approx(0.05, rel=1e-9)


def test_batches_have_controls_of_each_simulation():
    batch = fl.SimulationBatch(THRUSTER, 3, threads=2)
    batch.step(controls=[[1.0], [2.0], [-9.0]], steps=100)
    assert batch.v[:, 0] == pytest.approx([0.05, 0.1, -0.25], rel=1e-12)
    batch.controls[:, 0] = 0.0
    batch.step(steps=10)
    assert batch.v[:, 0] == pytest.approx([0.05, 0.1, -0.25], rel=1e-12)
    batch.controls[2] = 1.0
    batch.reset([2])
    assert batch.controls[2] == 0.0
    # The same as simulations, for actuators of joints with gains, too.
    batch = fl.SimulationBatch(ARM, 2)
    batch.controls = [[1.0, 0.3], [-2.0, 0.1]]
    batch.step(steps=50)
    for row, controls in enumerate(batch.controls):
        simulation = fl.Simulation(ARM, controls=controls)
        simulation.step(steps=50)
        assert (simulation.q == batch.q[row]).all()
