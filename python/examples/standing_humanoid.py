"""Contact forces of a humanoid on two feet, estimated from load cells, force sensors, an IMU and joint torques."""

import numpy as np

import featherline as fl

CELLS = np.array([[0.08, 0.03], [0.08, -0.03], [-0.08, 0.03], [-0.08, -0.03]])
SIDES = ("left", "right")
SIGMA = {
    "cells": np.full(4, 0.5),
    "ankle": np.array([0.5, 0.5, 0.5, 0.02, 0.02, 0.02]),
    "torque": np.full(32, 0.3),
    "encoder": np.full(32, 0.1),
    "imu": np.full(3, 0.02),
    "spin": np.full(3, 0.1),
    "gyro": np.full(3, 0.002),
}


def stand(humanoid: fl.Model) -> np.ndarray:
    """Knees bent, soles flat."""
    q = humanoid.neutral()
    for side in SIDES:
        for joint, angle in (("hip_pitch", -0.3), ("knee", 0.6), ("ankle_pitch", -0.3)):
            q[humanoid.joints[f"{side}_{joint}"].idx_q] = angle
    return q


def true_forces(humanoid: fl.Model, q: np.ndarray, push: np.ndarray) -> dict[str, np.ndarray]:
    """Forces on both feet that carry the robot: one is chosen, the other follows from the balance."""
    rest = np.zeros(humanoid.nv)
    lacking = humanoid.rnea(q, rest, rest, {"left_foot": push})[:6]
    pelvis = fl.SE3(humanoid.placement(q, "root_joint"))
    foot = fl.SE3(humanoid.placement(q, "right_foot"))
    return {"left": push, "right": foot.act_inv(pelvis.act(fl.Force(lacking))).vector}


def main() -> None:
    humanoid = fl.load("humanoid")
    q, v = stand(humanoid), np.zeros(humanoid.nv)
    qdd = np.zeros(humanoid.nv)
    forces = true_forces(humanoid, q, np.array([-6.0, 4.0, 380.0, 5.0, -3.0, 0.5]))

    # What the sensors would read without errors: quantities of a system in which the forces are known.
    known = ["qdd", "no-external-forces"] + [f"external-force:{side}_foot" for side in SIDES]
    ankles = [f"transmitted-force:{side}_ankle_roll" for side in SIDES]
    inputs = {"qdd": qdd} | {f"external-force:{side}_ankle_roll": forces[side] for side in SIDES}
    truth = fl.System(humanoid, known=known, want=["tau", *ankles]).solve(q, v, inputs)
    assert np.abs(truth["tau"][:6]).max() < 1e-6  # nothing holds the pelvis

    sensors = [
        fl.Sensor.joint_force("torque", "all", sigma=SIGMA["torque"]),
        fl.Sensor.joint_acceleration("encoder", "all", sigma=SIGMA["encoder"]),
        fl.Sensor.angular_accelerometer("spin", "pelvis", sigma=SIGMA["spin"]),
        fl.Sensor.accelerometer("imu", "pelvis", sigma=SIGMA["imu"]),
        fl.Sensor.gyroscope("gyro", "pelvis", sigma=SIGMA["gyro"]),
    ]
    for side in SIDES:
        sensors.append(fl.Sensor.load_cells(f"{side}_cells", f"{side}_sole", CELLS, sigma=SIGMA["cells"]))
        sensors.append(fl.Sensor.force_torque(f"{side}_ankle", f"{side}_foot", sigma=SIGMA["ankle"]))
    system = fl.System(humanoid, known=["free-base", "no-external-forces"], sensors=sensors)
    print(system)

    # Known accelerations and load cells leave forces in the plane of the soles open; all sensors determine everything.
    cells = fl.System(humanoid, known=["qdd", "free-base", "no-external-forces"], sensors=sensors[5::2])
    for name, one in (("load cells alone", cells), ("all sensors", system)):
        diagnosis = one.diagnose()
        print(f"{name}: {diagnosis!r}")
        assert diagnosis.solvable == (one is system)
    print(cells.advise())

    random = np.random.default_rng(1)
    states = 50
    readings: dict[str, np.ndarray] = {}
    rotation = humanoid.placement(q, "pelvis")[:3, :3]
    exact = {"torque": truth["tau"][6:], "imu": rotation.T @ [0.0, 0.0, 9.81], "gyro": np.zeros(3)}
    exact |= {"encoder": qdd[6:], "spin": np.zeros(3)}
    sole = humanoid.placement(q, "left_sole")[:3, 3] - humanoid.placement(q, "left_foot")[:3, 3]
    for side in SIDES:
        force, moment = forces[side][:3], forces[side][3:] - np.cross(sole, forces[side][:3])
        # Four cells share the normal force and two moments in many ways: the one of least squares.
        balance = np.array([np.ones(4), CELLS[:, 1], -CELLS[:, 0]])
        exact[f"{side}_cells"] = np.linalg.pinv(balance) @ [force[2], moment[0], moment[1]]
        exact[f"{side}_ankle"] = truth[f"transmitted-force:{side}_ankle_roll"]
    for name, reading in exact.items():
        sigma = SIGMA[name.split("_")[-1]]
        readings[name] = reading + sigma * random.normal(size=(states, len(reading)))

    estimate = system.estimate(q, v, readings)
    # Axes of both feet are those of the world here.
    vertical = np.sum([estimate[f"external-force:{side}_foot"][:, 2] for side in SIDES], axis=0)
    weight = 9.81 * humanoid.total_mass
    print(f"vertical forces {vertical.mean():.2f} ± {vertical.std():.2f} N, weight {weight:.2f} N")
    assert abs(vertical.mean() - weight) < 0.2 and vertical.std() < 2.0
    for side in SIDES:
        name = f"external-force:{side}_foot"
        error = (estimate[name] - forces[side]) / estimate.sigma(name)
        print(f"{side}: {estimate[name][0].round(2)} ± {estimate.sigma(name)[0].round(2)}, true {forces[side].round(2)}")
        assert 0.6 < np.std(error) < 1.4

    # A cell with an offset of 20 N, and a sensor that failed.
    wrong = {name: np.atleast_2d(reading)[0] for name, reading in readings.items()}
    wrong["left_cells"] = wrong["left_cells"] + [20.0, 0.0, 0.0, 0.0]
    suspect = system.estimate(q, v, wrong).suspect
    print(suspect)
    assert isinstance(suspect, fl.results.Suspect) and suspect.sensor == "left_cells"
    without = system.estimate(q, v, wrong | {"left_cells": None})
    print(f"without them: {without['external-force:left_foot'].round(2)}, {without.chi_square}")


if __name__ == "__main__":
    main()
