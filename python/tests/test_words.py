"""The words of options, which the command line takes, too; angles that seem to be in degrees."""

import warnings
from typing import Any

import featherline as fl
import numpy as np
import pytest
from featherline import _native

PANDA = [0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8]
DEGREES = "this seems to be in degrees"


@pytest.fixture
def pendulum():
    return fl.load("double_pendulum")


@pytest.mark.parametrize(
    ("word", "name"),
    [("rk4", "runge-kutta-4"), ("semi-implicit-euler", "symplectic-euler"), ("rk45", "dormand-prince")],
)
def test_methods_have_the_words_of_the_command_line(pendulum, word, name):
    assert fl.Simulation(pendulum, [0.1, 0.2], method=word).method == name
    motion = pendulum.trajectory([0.1, 0.2], [0.0, 0.0], duration=0.01, method=word)
    np.testing.assert_array_equal(motion.q, pendulum.trajectory([0.1, 0.2], [0.0, 0.0], duration=0.01, method=name).q)


def test_controllers_have_the_words_of_the_command_line(pendulum):
    pd = fl.Simulation(pendulum, [0.3, 0.2], controller="pd")
    pd.run(3.0)
    np.testing.assert_allclose(pd.q, 0.0, atol=1e-3)
    same = fl.ProportionalDerivative([0.0, 0.0], frequency=1.0)
    other = fl.Simulation(pendulum, [0.3, 0.2], controller=same)
    other.run(3.0)
    np.testing.assert_array_equal(pd.q, other.q)
    free = fl.Simulation(pendulum, [0.3, 0.2], controller="none")
    assert free.controller == "none"
    assert np.array_equal(free.run(0.1).q, fl.Simulation(pendulum, [0.3, 0.2]).run(0.1).q)


def test_drives_are_controllers_of_the_command_line():
    held = fl.Simulation("quadruped", controller="hold")
    assert len(held.driven) == 12
    assert len(fl.Simulation("quadruped", controller="none").driven) == 0
    with pytest.raises(ValueError, match="leave one of them out"):
        fl.Simulation("quadruped", controller="hold", drives="hold")
    with pytest.raises(ValueError, match="has no actuators"):
        fl.Simulation("quadruped", controller="actuators")
    with pytest.raises(ValueError, match="drives='hold'"):
        held.controller = "hold"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "rk-4"}, "not 'rk-4'; did you mean `rk4`"),
        ({"controller": "gravty"}, "not 'gravty'; did you mean `gravity`"),
        ({"loops": "bot"}, "not 'bot'; did you mean `both`"),
        ({"friction_law": "exakt"}, "did you mean `exact`"),
        ({"impact_law": "reflection"}, "did you mean `reflections`"),
    ],
)
def test_misspelt_words_are_refused_with_the_likely_one(options, message):
    with pytest.raises(ValueError, match=message):
        fl.Simulation("quadruped", **options)


@pytest.mark.parametrize(("keyword", "meant"), [("contoller", "controller"), ("tolerence", "tolerance"), ("metod", "method")])
def test_misspelt_keywords_are_refused_with_the_likely_one(pendulum, keyword, meant):
    with pytest.raises(TypeError, match=rf"Simulation\(\) has no keyword `{keyword}`; did you mean `{meant}`"):
        fl.Simulation(pendulum, **{keyword: None})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"SimulationBatch\(\) has no keyword `tread`; did you mean `threads`"):
        fl.SimulationBatch(pendulum, 2, tread=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"inverse_kinematics\(\) has no keyword `restart`; did you mean `restarts`"):
        pendulum.inverse_kinematics({}, [0.0, 0.0], restart=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="drives must be .* did you mean `hold`"):
        fl.Simulation(pendulum, drives="hol")  # type: ignore[arg-type]


def test_other_names_are_refused_with_the_likely_one(pendulum):
    with pytest.raises(FileNotFoundError, match="did you mean `panda`"):
        fl.load("pandaa")
    assert fl.load("panda").nq == 7
    with pytest.raises(KeyError, match="did you mean 'elbow'"):
        pendulum.joints["elbw"]
    with pytest.raises(KeyError, match="did you mean `elbow`"):
        pendulum.placement([0.0, 0.0], "elbw")
    with pytest.raises(KeyError, match="did you mean"):
        fl.Simulation(pendulum, [0.1, 0.2]).run(0.01)["elbw"]
    with pytest.raises(KeyError, match="did you mean 'q.elbow'"):
        fl.Simulation(pendulum, [0.1, 0.2]).run(0.01)["q.elbw"]
    with pytest.raises(ValueError, match="did you mean `local`"):
        pendulum.jacobian([0.0, 0.0], "elbow", reference="lokal")
    assert _native._closest("Elbow", ["shoulder", "elbow"]) == "elbow"
    assert _native._closest("voltage", ["shoulder", "elbow"]) is None


def test_options_of_reading_have_the_words_of_the_command_line():
    urdf = """<robot name='r'><link name='a'/><link name='b'/><link name='c'><inertial><mass value='1'/>
        <inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>
        <joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>
        <joint name='weld' type='fixed'><parent link='b'/><child link='c'/></joint></robot>"""
    assert "weld" in fl.load(urdf, keep_fixed_joint="weld").joints
    assert fl.load(urdf, missing_inertia="shapes:2700", mimic="follow").nv == 1
    with pytest.raises(ValueError, match="missing_inertia must be 'zero' .*, not 'shape'"):
        fl.load(urdf, missing_inertia="shape")
    with pytest.raises(ValueError, match="not 'cos_sin'; did you mean `cos-sin`"):
        fl.load(urdf, continuous="cos_sin")  # type: ignore[arg-type]


def test_compiled_quantities_have_the_words_of_the_command_line():
    panda = fl.load("panda")
    for word, method in [("M", "crba"), ("g", "gravity_torque"), ("tau", "rnea"), ("nonlinear_effects", "bias")]:
        states = [PANDA] * (3 if method == "rnea" else 2 if method == "bias" else 1)
        np.testing.assert_array_equal(panda.compile(word)(*states), panda.compile(method)(*states))
    by_word = panda.compile("jacobian:panda_link8:aligned")
    named = panda.compile("jacobian", frame="panda_link8", reference="aligned")
    np.testing.assert_array_equal(by_word(PANDA), named(PANDA))
    np.testing.assert_allclose(by_word(PANDA), panda.jacobian(PANDA, "panda_link8", "aligned"), atol=1e-12)
    with pytest.raises(KeyError, match="did you mean `panda_link8`"):
        panda.compile("jacobian:panda_lnk8:aligned")
    with pytest.raises(ValueError, match="leave them out"):
        panda.compile("jacobian:panda_link8:aligned", frame="panda_link8")


def test_systems_have_the_words_of_the_command_line():
    panda = fl.load("panda")
    for known in [["rnea", "no-external-forces"], ["joint_forces", "no_external_forces"]]:
        solution = fl.System(panda, known=known).solve(PANDA, [0.0] * 7, {"tau": np.ones(7)})
        np.testing.assert_allclose(solution["qdd"], panda.aba(PANDA, [0.0] * 7, np.ones(7)), rtol=1e-9)
    system = fl.System(panda, known=["tau", "no-external-forces"])
    assert len(system.count_operations("all")) == len(system.count_operations())
    assert list(system.count_operations("aba")) == ["aba"]


def test_angles_that_seem_to_be_in_degrees_are_doubted(pendulum):
    panda = fl.load("panda")
    with pytest.warns(UserWarning, match="q: joint `shoulder` is at 90 rad: .*so does the angle of another joint"):
        fl.Simulation(pendulum, [90, -45])
    with pytest.warns(UserWarning, match=r"row 1 of q: .* \(90 degrees are 1.5708 rad\)"):
        fl.SimulationBatch(pendulum, 2, [[0, 0], [90, 0]])
    with pytest.warns(UserWarning, match=f"reference: .*{DEGREES}"):
        fl.Simulation(pendulum, controller=fl.ProportionalDerivative([90, 0], frequency=1))
    with pytest.warns(UserWarning, match=f"q: .*{DEGREES}"):
        panda.inverse_kinematics({"panda_link8": [0.4, 0.2, 0.5]}, np.degrees(PANDA))
    simulation = fl.Simulation("quadruped")
    targets = simulation.targets.copy()
    targets[simulation.driven] = np.degrees(targets[simulation.driven]) + 30
    with pytest.warns(UserWarning, match=f"targets: .*{DEGREES}"):
        simulation.targets = targets
    simulation = fl.Simulation("quadruped")
    simulation.targets[:] = targets
    with pytest.warns(UserWarning, match=f"targets: .*{DEGREES}"):
        simulation.run(0.0)
    batch = fl.SimulationBatch("quadruped", 2)
    with pytest.warns(UserWarning, match=f"row 0 of targets: .*{DEGREES}"):
        batch.step(targets)


def test_radians_are_not_doubted(pendulum):
    free = fl.load("""<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/>
        <inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>
        <joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>""")
    with pytest.warns(UserWarning, match=f"q: joint `j` is at 90 rad: .*{DEGREES}"):
        fl.Simulation(free, [90])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulation = fl.Simulation(free, [42 * np.pi])
        simulation.q = [1000.5]
        simulation.reset([-12.0])
        fl.Simulation(pendulum, [6.0, -3.0])
        fl.load("panda").inverse_kinematics({"panda_link8": [0.4, 0.2, 0.5]}, PANDA)


def test_matrices_that_are_no_placements_are_refused():
    panda = fl.load("panda")
    good = panda.placement(PANDA, "panda_link8")
    assert panda.inverse_kinematics({"panda_link8": good.round(6)}, panda.neutral()).is_reached
    mirror = good @ np.diag([1.0, 1.0, -1.0, 1.0])
    sheared = good.copy()
    sheared[:3, 1] = good[:3, 1] * np.cos(0.01) + good[:3, 0] * np.sin(0.01)
    last = good.copy()
    last[3] = [0.0, 0.0, 0.0, 2.0]
    for matrix, why in [
        (np.eye(4) * 2, "its last row is 0 0 0 2, and that of a placement is 0 0 0 1"),
        (np.diag([2.0, 2.0, 2.0, 1.0]), "column 1 of its rotation has length 2"),
        (mirror, "its rotation is a reflection: its determinant is -1"),
        (sheared, "columns 1 and 2 of its rotation are not perpendicular"),
        (last, "its last row is"),
        (np.full((4, 4), np.nan), "a number that is not finite"),
    ]:
        with pytest.raises(ValueError, match=f"the goal of 'panda_link8' is no placement: {why}" if "finite" not in why else why):
            panda.inverse_kinematics({"panda_link8": matrix}, PANDA)
        with pytest.raises(ValueError, match=why):
            fl.SE3(matrix)
        with pytest.raises(ValueError, match=why):
            fl.spatial.log6(matrix)
        with pytest.raises(ValueError, match=why):
            panda.append(fl.load("double_pendulum"), "panda_link8", matrix, "tool_")
    for matrix in [np.eye(3) * 2, -np.eye(3)]:
        with pytest.raises(ValueError, match="the goal of 'panda_link8' has a matrix that is no rotation"):
            panda.inverse_kinematics({"panda_link8": matrix}, PANDA)
        with pytest.raises(ValueError, match="rotation is no rotation matrix: "):
            fl.SE3(matrix, [0, 0, 0])
    changed = fl.SE3(good)
    changed.rotation[:] = 2 * np.eye(3)
    with pytest.raises(ValueError, match="the goal of 'panda_link8' is no placement: column 1 of its rotation has length 2"):
        panda.inverse_kinematics({"panda_link8": changed}, PANDA)


def test_wrong_shapes_of_inverse_kinematics_are_value_errors():
    panda = fl.load("panda")
    good = [0.4, 0.2, 0.5]
    misuses: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"panda_link8": [0.1, 0.2]}, {}),
        ({"panda_link8": np.eye(2)}, {}),
        ({"panda_link8": good}, {"points": {"panda_link8": [1.0, 2.0]}}),
        ({"panda_link8": good}, {"weights": {"panda_link8": np.ones(2)}}),
    ]
    for goals, options in misuses:
        with pytest.raises(ValueError, match="has shape"):
            panda.inverse_kinematics(goals, PANDA, **options)
    with pytest.raises(ValueError, match="has shape"):
        panda.inverse_kinematics({"panda_link8": good}, PANDA[:3])
    with pytest.raises(ValueError, match="which has no goal; did you mean `panda_link8`"):
        panda.inverse_kinematics({"panda_link8": good}, PANDA, weights={"panda_lnk8": 1.0})


def test_goals_of_wrong_kinds_say_what_is_expected():
    panda = fl.load("panda")
    good = {"panda_link8": [0.4, 0.2, 0.5]}
    misuses: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
        ({"panda_link8": ([0.4, 0.2, 0.5], np.eye(3))}, {}, ValueError, r"'panda_link8' is no array: .* fl\.SE3\(rotation, position\)"),
        ("panda_link8", {}, TypeError, "goals must be a dictionary by the names of frames, such as .*, not a value of type str"),
        (good, {"points": [0, 0, 1]}, TypeError, "points must be a dictionary"),
        (good, {"weights": 2.0}, TypeError, "weights must be a dictionary .*, not 2.0"),
        ({"tool": [0, 0, 1]}, {}, KeyError, r"named `tool`; model\.frames lists them, such as `panda_link0`"),
        ({8: [0, 0, 1]}, {}, TypeError, r"a frame is given by its name, not by 8; model\.frames lists them"),
    ]
    for goals, options, error, message in misuses:
        with pytest.raises(error, match=message):
            panda.inverse_kinematics(goals, PANDA, **options)
    far = panda.inverse_kinematics({"panda_link8": [5, 0, 0]}, PANDA, restarts=3)
    assert not far.is_reached and far.restarts == 3


def test_parts_are_given_by_name():
    panda = fl.load("panda")
    quadruped = fl.load("quadruped")
    calls: list[tuple[Any, str]] = [
        (lambda: panda.jacobian(PANDA, 1), "a frame is given by its name, not by 1; model.frames lists them"),  # type: ignore[arg-type]
        (lambda: panda.placement(PANDA, 1), "a frame is given by its name"),  # type: ignore[arg-type]
        (lambda: panda.compile("jacobian", frame=8), "a frame is given by its name"),  # type: ignore[call-overload]
        (lambda: fl.FrameConstraint(1), "a frame is given by its name"),  # type: ignore[arg-type]
        (lambda: fl.Simulation("quadruped").imu(0), "a frame is given by its name"),  # type: ignore[arg-type]
        (lambda: panda.with_inertia(7, fl.Inertia()), "a joint is given by its name, not by 7; model.joints"),  # type: ignore[arg-type]
        (lambda: panda.jacobian(PANDA, "panda_link8", 2), r"reference must be 'local' or 'world' or 'local_world_aligned' \(aligned\), not 2"),  # type: ignore[arg-type]
    ]
    for call, message in calls:
        with pytest.raises(TypeError, match=message):
            call()
    with pytest.raises(KeyError, match="no joint named `trunk`: `trunk` is a link, moved by joint `root_joint`"):
        quadruped.with_inertia("trunk", fl.Inertia())
    with pytest.raises(KeyError, match="model.joints lists them, such as `panda_joint1`"):
        panda.remove("zzz")
    with pytest.raises(ValueError, match=r"length zero.*Begin from `model.neutral\(\)`"):
        quadruped.rnea(np.zeros(19), np.zeros(18), np.zeros(18))
    with pytest.raises(TypeError, match="not a value of type list. It is one robot, also in a batch"):
        fl.SimulationBatch([panda, panda], 2)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="robot must be a Model, a Robot, .* not 3$"):
        fl.Simulation(3)  # type: ignore[arg-type]


def test_other_misspelt_keywords_are_refused_with_the_likely_one(pendulum):
    calls: list[tuple[Any, str]] = [
        (lambda: pendulum.jacobian([0, 0], "elbow", ref="world"), r"jacobian\(\) has no keyword `ref`; did you mean `reference`"),
        (lambda: fl.ProportionalDerivative([0, 0], stifness=1), "did you mean `stiffness`"),  # type: ignore[call-arg]
        (lambda: fl.Collision("panda", grund=0), "did you mean `ground`"),  # type: ignore[call-arg]
        (lambda: fl.Simulation(pendulum, timestep=0.1), "did you mean `dt`"),  # type: ignore[call-arg]
    ]
    for call, message in calls:
        with pytest.raises(TypeError, match=message):
            call()
    with pytest.raises(ValueError, match=r"'runge-kutta-4' \(rk4\)"):
        fl.Simulation(pendulum, method="euler")  # type: ignore[arg-type]
