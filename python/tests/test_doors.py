"""The same file begins the same motion in Python, by the command and on the page of the viewer."""

from __future__ import annotations

import json
import pathlib
import warnings
from typing import Any

import pytest
from test_viewer import scene

import featherline as fl
from featherline._native import run_command

SCENES = pathlib.Path(__file__).parents[2] / "examples" / "scenes"

EMBEDDED = (
    "double_pendulum hand humanoid panda quadruped ur5 snake tapered_chain humanoid_40 four_bar parallelogram six_bar "
    "bennett delta stewart snake_30"
).split()

BALL = "<freejoint/><geom name='ball' size='.1'/>"
FLOOR = "<worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 2'>" + BALL + "</body></worldbody>"


def hinge(joint: str = "", name: str = "a", inside: str = "") -> str:
    return f"<body pos='.1 0 0'><joint name='{name}' axis='0 1 0' {joint}/><geom name='rod_{name}' size='.15'/>{inside}</body>"


def world(bodies: str) -> str:
    return f"<worldbody>{bodies}</worldbody>"


MJCF = {
    "a ball without a floor": world(f"<body pos='0 0 2'>{BALL}</body>"),
    "a ball on a floor": FLOOR,
    "a damped hinge": world(hinge("damping='1' stiffness='2'")),
    "a hinge with limits": world(hinge("range='-1 1' limited='true'")),
    "a step of 4 ms": "<option timestep='.004'/>" + FLOOR,
    "a motor": world(hinge()) + "<actuator><motor joint='a'/></actuator>",
    "controls": world(hinge())
    + "<actuator><motor joint='a'/></actuator><keyframe><key name='home' ctrl='2'/></keyframe>",
    "flags": "<option><flag constraint='disable' spring='disable'/></option>" + FLOOR + "<actuator/>",
    "a keyframe": world(hinge()) + "<keyframe><key name='home' qpos='1' qvel='2'/></keyframe>",
    "shapes that always overlap": world(
        f"<body><joint type='slide'/><geom name='cart' size='.2'/>{hinge(inside=hinge(name='b'))}</body>"
    ),
    "shapes that overlap at the start": world(
        f"<body>{BALL}</body><body pos='.15 0 0'>{BALL.replace('ball', 'other')}</body>"
    ),
    "a tendon": world(hinge())
    + "<tendon><fixed stiffness='3'><joint joint='a' coef='1'/></fixed></tendon>",
}

LINK = (
    "<link name='{0}'><inertial><mass value='1'/><inertia ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' iyz='0'/></inertial>"
    "{1}</link>"
)
SHAPE = "<collision><geometry><sphere radius='.1'/></geometry></collision>"
JOINT = "<joint name='j' type='{0}'><parent link='a'/><child link='b'/><origin xyz='{1}'/><axis xyz='0 1 0'/>{2}</joint>"
LIMIT = "<limit lower='-1' upper='1' effort='{}' velocity='1'/>"
URDF = {
    "a brick": LINK.format("a", ""),
    "a brick with a shape": LINK.format("a", SHAPE),
    "a free hinge": LINK.format("a", "") + LINK.format("b", "") + JOINT.format("continuous", "0 0 0", ""),
    "a hinge": LINK.format("a", "") + LINK.format("b", "") + JOINT.format("revolute", "0 0 0", LIMIT.format(9)),
    "a hinge without effort": LINK.format("a", "") + LINK.format("b", "") + JOINT.format("revolute", "0 0 0", LIMIT.format(0)),
    "a damped hinge": LINK.format("a", "") + LINK.format("b", "") + JOINT.format("continuous", "0 0 0", "<dynamics damping='1'/>"),
    "dry friction": LINK.format("a", "") + LINK.format("b", "") + JOINT.format("continuous", "0 0 0", "<dynamics friction='1'/>"),
    "a rail": LINK.format("a", "") + LINK.format("b", SHAPE) + JOINT.format("prismatic", "0 0 1", LIMIT.format(9)),
    "shapes of neighbours": LINK.format("a", SHAPE) + LINK.format("b", SHAPE) + JOINT.format("continuous", "0 0 1", ""),
    "a ball on a stick": LINK.format("a", "") + LINK.format("b", SHAPE) + JOINT.format("fixed", "0 0 1", ""),
}


def decisions(robot: str, capfd: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """What Python, the command and the page decide on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        python = fl.Simulation(robot).decision
        with fl.view(robot, open=False) as viewer:
            page = scene(viewer)[0]["decision"]
    capfd.readouterr()
    code = run_command(["featherline", "simulate", robot, "--seconds", "0", "--format", "jsonl"])
    out, err = capfd.readouterr()
    assert code == 0, err
    return [python, json.loads(out)["decision"], page]


def compare(robot: str, capfd: pytest.CaptureFixture[str]) -> dict[str, Any]:
    python, command, page = decisions(robot, capfd)
    assert python == command
    assert python == page
    return python


@pytest.mark.parametrize("robot", EMBEDDED)
def test_embedded_robots(robot: str, capfd: pytest.CaptureFixture[str]) -> None:
    compare(robot, capfd)


@pytest.mark.parametrize("path", sorted(it for it in SCENES.iterdir() if it.suffix != ".obj"), ids=lambda it: it.name)
def test_scenes(path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    compare(str(path), capfd)


@pytest.mark.parametrize("name", MJCF)
def test_mjcf(name: str, tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(f"<mujoco>{MJCF[name]}</mujoco>", encoding="utf-8")
    found = compare(str(path), capfd)
    expected = {
        "a ball without a floor": ("runge-kutta-4", 0, "none"),
        "a ball on a floor": ("time-stepping", 1, "none"),
        "a hinge with limits": ("time-stepping", 0, "none"),
        "a motor": ("time-stepping", 0, "actuators"),
    }
    if name in expected:
        assert (found["method"], found["pairs"], found["drives"]) == expected[name]
    assert found["step"] == (0.004 if name == "a step of 4 ms" else found["step"])
    if name == "controls":
        assert found["controls"] == [0]
    if name == "flags":
        assert found["disabled"] == ["contact", "equality", "frictionloss", "limit", "spring"]
        assert (found["method"], found["pairs"]) == ("runge-kutta-4", 0)
    said = {"shapes that always overlap": "`cart`", "shapes that overlap at the start": "5.00e-2 m"}
    assert said.get(name, "") in " ".join(found["warnings"])


@pytest.mark.parametrize("name", URDF)
def test_urdf(name: str, tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(f"<robot name='r'>{URDF[name]}</robot>", encoding="utf-8")
    compare(str(path), capfd)
