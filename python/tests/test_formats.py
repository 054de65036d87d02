"""Robots' files: options, what they state, findings, repair, conversion, descriptions of a package."""

import json
import pathlib
import subprocess
import sys
import types

import numpy as np
import pytest

import featherline as fl

URDF = """<robot name="door">
  <material name="oak"><color rgba="0.6 0.4 0.2 1"/></material>
  <link name="frame"/>
  <link name="leaf">
    <inertial><origin xyz="0.4 0 1"/><mass value="20"/>
      <inertia ixx="7" ixy="0" ixz="0" iyy="8" iyz="0" izz="1.1"/></inertial>
    <visual name="seen"><origin xyz="0.4 0 1"/><geometry><box size="0.8 0.04 2"/></geometry>
      <material name="oak"/></visual>
    <collision><geometry><mesh filename="package://door/meshes/leaf.stl" scale="1 1 2"/></geometry></collision>
  </link>
  <joint name="hinge" type="revolute"><parent link="frame"/><child link="leaf"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="1.5" effort="10" velocity="2"/></joint>
  <transmission name="motor"><joint name="hinge"/></transmission>
</robot>"""
MJCF = """<mujoco model="arm">
  <worldbody>
    <body name="upper">
      <joint name="shoulder" axis="0 1 0" range="-90 90"/>
      <geom name="rod" type="capsule" size="0.05" fromto="0 0 0 0 0 -0.5" mass="2" rgba="1 0 0 1"/>
      <site name="hand" pos="0 0 -0.5"/>
      <body name="lower" pos="0 0 -0.5">
        <joint name="elbow" axis="0 1 0"/>
        <geom type="box" size="0.1 0.2 0.3" mass="1"/>
      </body>
    </body>
  </worldbody>
  <tendon><fixed name="both"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="-0.5"/></fixed></tendon>
  <actuator><motor name="drive" joint="shoulder" gear="50" ctrlrange="-1 1" ctrllimited="true"/></actuator>
  <sensor><gyro name="turning" site="hand"/></sensor>
  <contact><exclude body1="upper" body2="lower"/></contact>
  <keyframe><key name="bent" qpos="0.5 -0.2"/></keyframe>
</mujoco>"""
WRONG = URDF.replace('lower="0" upper="1.5"', 'lower="1.5" upper="0"')


@pytest.fixture
def door(tmp_path):
    """The file of a door, and its package beside it."""
    path = tmp_path / "robots" / "door.urdf"
    mesh = tmp_path / "packages" / "door" / "meshes" / "leaf.stl"
    for file, text in {path: URDF, mesh: "solid leaf\nendsolid leaf\n"}.items():
        file.parent.mkdir(parents=True)
        file.write_text(text)
    return path


def test_mjcf_files_and_texts(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(MJCF)
    arm = fl.load(MJCF)
    assert fl.load(path) == arm and arm.nv == 2
    assert arm.total_mass == pytest.approx(3)
    # Both hang straight down, the lower one 0.5 m below: m g r for a small angle of the shoulder.
    torque = 9.81 * (2 * 0.25 + 1 * 0.5) * np.sin(0.1)
    assert arm.rnea([0.1, 0], [0, 0], [0, 0])[0] == pytest.approx(torque)


@pytest.mark.parametrize("folder", ["packages", "packages/door"])
def test_package_folders(door, folder):
    with pytest.warns(UserWarning, match="was not found"):
        (missing,) = [shape.mesh for shape in fl.load_robot(door).geometry if shape.mesh]
    assert missing.path is None
    robot = fl.load_robot(door, package_folders=[door.parent.parent / folder])
    (found,) = [shape.mesh for shape in robot.geometry if shape.mesh]
    assert found.path and pathlib.Path(found.path).samefile(door.parent.parent / "packages/door/meshes/leaf.stl")
    assert (found.uri, found.scale) == ("package://door/meshes/leaf.stl", (1, 1, 2))


def test_what_a_urdf_states(door):
    with pytest.warns(UserWarning, match="was not found"):
        robot = fl.load_robot(door)
    assert robot.model == fl.load(URDF) and robot.name == "door" and robot.files == [str(door)]
    assert [(link.name, link.inertia and link.inertia.mass) for link in robot.links] == [("frame", None), ("leaf", 20)]
    assert robot.links[1].inertia and np.allclose(robot.links[1].inertia.lever, [0.4, 0, 1])
    (hinge,) = robot.joints
    assert (hinge.name, hinge.kind, hinge.parent, hinge.child, hinge.mimics) == ("hinge", "revolute", "frame", "leaf", None)
    seen, touching = robot.geometry
    assert (seen.name, seen.link, seen.shape, seen.sizes) == ("seen", "leaf", "box", (0.8, 0.04, 2))
    assert (seen.is_visual, seen.is_collision, touching.is_visual, touching.is_collision) == (True, False, False, True)
    assert seen.colour == (0.6, 0.4, 0.2, 1) and seen.material == "oak" and touching.colour is None
    assert np.allclose(seen.placement.translation, [0.4, 0, 1])
    assert robot.materials[0]._asdict() == {"name": "oak", "colour": (0.6, 0.4, 0.2, 1), "texture": None}
    (kept,) = robot.kept
    assert (kept.tag, kept.owner) == ("transmission", None) and kept.text.startswith('<transmission name="motor">')
    missing, unused = robot.warnings
    assert (missing.severity, missing.code, missing.file, missing.line) == ("warning", "missing-mesh", str(door), 9)
    assert str(missing).startswith(f"{door}:9:") and "link[@name='leaf']/collision" in str(missing)
    assert (unused.severity, unused.code, unused.element) == ("note", "unused", "robot/transmission[@name='motor']")
    with pytest.raises(AttributeError):
        robot.name = "gate"  # type: ignore[misc]


def test_what_an_mjcf_states():
    robot = fl.load_robot(MJCF)
    (drive,) = robot.actuators
    assert (drive.name, drive.kind, drive.drives, drive.gear[0], drive.control_range) == ("drive", "motor", "joint", 50, (-1, 1))
    assert [(part.kind, part.name, robot.joints[part.place].name) for part in drive.targets] == [("joint", "shoulder", "shoulder")]
    (both,) = robot.tendons
    assert both.joints == (("shoulder", 1), ("elbow", -0.5)) and both.points == ()
    (turning,) = robot.sensors
    assert (turning.kind, turning.targets[0].kind, turning.targets[0].name) == ("gyro", "frame", "hand")
    assert robot.contact_exclusions == [("upper", "lower")]
    assert np.allclose(robot.configurations["bent"], [0.5, -0.2])
    rod, box = robot.geometry
    assert (rod.shape, rod.sizes, rod.colour) == ("capsule", pytest.approx((0.05, 0.5)), (1, 0, 0, 1))
    assert (box.shape, box.sizes) == ("box", pytest.approx((0.2, 0.4, 0.6)))
    (hand,) = robot.frames
    assert (hand.name, hand.link) == ("hand", "upper") and np.allclose(hand.placement.translation, [0, 0, -0.5])


def test_wrong_options_say_what_is_allowed():
    with pytest.raises(TypeError, match=r"no keyword `packagefolders`; did you mean `package_folders`"):
        fl.load("panda", packagefolders=[])  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="package_folders must be a list of paths"):
        fl.load_robot("panda", package_folders=7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="floating_base must be a bool, not str"):
        fl.check("panda", floating_base="yes")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'angle' or 'cos-sin'"):
        fl.repair(URDF, continuous="sin")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="density is -1"):
        fl.repair(URDF, density=-1)


SRDF = """<robot name="door">
  <group name="all"><joint name="hinge"/></group>
  <group_state name="open" group="all"><joint name="hinge" value="1.25"/></group_state>
  <end_effector name="handle" parent_link="leaf" group="all"/>
  <disable_collisions link1="frame" link2="leaf"/>
</robot>"""


def test_an_srdf_says_what_parts_are_for(tmp_path):
    path = tmp_path / "door.srdf"
    path.write_text(SRDF)
    for srdf in (SRDF, path):
        robot = fl.load_robot(URDF, srdf=srdf)
        (group,) = robot.groups
        assert (group.name, group.joints, group.has_root) == ("all", ("hinge",), False)
        assert robot.group_states == (("open", "all", "open"),) and robot.end_effectors == (("handle", "leaf", "all", None),)
        assert np.allclose(robot.configurations["open"], [1.25]) and robot.contact_exclusions == [("frame", "leaf")]
    wrong = SRDF.replace('name="hinge" value', 'name="hinch" value')
    with pytest.warns(UserWarning, match="hinch"):
        fl.load(URDF, srdf=wrong)
    with pytest.raises(ValueError, match="hinch"):
        fl.load(URDF, srdf=wrong, strict=True)


EMPTY = """<robot name="crate"><link name="base"/><link name="lid">
<collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="lid"/></joint></robot>"""


@pytest.mark.filterwarnings("ignore")
def test_links_without_inertia():
    assert fl.load(EMPTY).total_mass == fl.load(EMPTY, missing_inertia="zero").total_mass == 0
    assert fl.load(EMPTY, missing_inertia=500).total_mass == pytest.approx(0.1 * 0.2 * 0.3 * 500)
    assert fl.load(EMPTY, mujoco=True).total_mass == pytest.approx(6)
    with pytest.raises(ValueError, match="lid"):
        fl.load(EMPTY, missing_inertia="refuse")
    with pytest.raises(ValueError, match="'zero' .*, 'refuse'"):
        fl.load(EMPTY, missing_inertia="none")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="density -1"):
        fl.load(EMPTY, missing_inertia=-1)
    with pytest.raises(ValueError, match="one of them"):
        fl.load(EMPTY, mujoco=True, pinocchio=True)


def test_strict_and_permissive():
    doubtful = URDF.replace(' name="door">', ">", 1)
    with pytest.warns(UserWarning, match="no name"):
        fl.load(doubtful)
    with pytest.raises(ValueError, match="no name"):
        fl.load(doubtful, strict=True)
    impossible = URDF.replace('izz="1.1"', 'izz="-1.1"')
    with pytest.raises(ValueError, match="leaf"):
        fl.load(impossible)
    with pytest.warns(UserWarning, match="leaf"):
        assert fl.load(impossible, permissive=True).nv == 1


XACRO = """<robot name="door" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="leaves" default="1"/>
<xacro:arg name="handle" default="false"/><link name="leaf_$(arg leaves)_$(arg handle)"/></robot>"""


def test_xacro_arguments():
    assert fl.load_robot(XACRO).links[0].name == "leaf_1_false"
    robot = fl.load_robot(XACRO, xacro_arguments={"leaves": 2, "handle": True})
    assert robot.links[0].name == "leaf_2_true"
    with pytest.raises(TypeError, match="xacro_arguments must be a dictionary"):
        fl.load(XACRO, xacro_arguments=["leaves"])  # type: ignore[arg-type]


def test_check_finds_errors_warnings_and_notes(tmp_path):
    assert [(finding.severity, finding.code, finding.line) for finding in fl.check(URDF)] == [("note", "unused", 13)]
    (error,) = fl.check(WRONG)
    assert (error.severity, error.code, error.line) == ("error", "empty-range", 12)
    assert error.repair and str(error).startswith("line 12, column ")
    spelt = URDF.replace('xyz="0 0 1"', 'xyz="0 0 2"')
    assert ("axis-length", 11) in [(it.code, it.line) for it in fl.check(spelt)]
    with pytest.raises(FileNotFoundError):
        fl.check(tmp_path / "nowhere.urdf")


def test_check_finds_what_the_command_finds(tmp_path):
    # Moments a million times those of the box, a joint that no one may drive, and a joint whose range is without 0.
    arm = """<robot name="r"><link name="base"/>
    <link name="arm"><inertial><mass value="1"/>
      <inertia ixx="8400" ixy="0" ixz="0" iyy="8400" iyz="0" izz="1200"/></inertial>
      <collision><geometry><box size="0.1 0.1 0.3"/></geometry></collision></link>
    <joint name="j" type="revolute"><parent link="base"/><child link="arm"/>
      <limit lower="0.5" upper="1" effort="0" velocity="2"/></joint></robot>"""
    muscle = """<mujoco model="m"><worldbody><body name="b"><joint name="j"/><geom size="0.1"/></body></worldbody>
    <actuator><muscle name="biceps" joint="j"/></actuator></mujoco>"""
    for name, text, code in (("arm.urdf", arm, "large-moments"), ("muscle.xml", muscle, "simplified")):
        path = tmp_path / name
        path.write_text(text)
        found = [(it.severity, it.code, it.message, it.line) for it in fl.check(path)]
        assert code in [code for _, code, _, _ in found]
        command = [sys.executable, "-m", "featherline", "check", path, "--format", "jsonl"]
        lines = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout.splitlines()
        command_found = [json.loads(line) for line in lines][:-1]
        keys = ("severity", "code", "message", "line")
        assert sorted(found, key=str) == sorted((tuple(it[key] for key in keys) for it in command_found), key=str)


def test_check_finds_what_is_possible_and_doubtful():
    # A chain of two hinges, whose first link states a mass of 0.
    def link(name, mass):
        zeros = " ".join(f"{entry}='{0.1 * mass}'" for entry in ("ixx", "iyy", "izz"))
        return f"<link name='{name}'><inertial><mass value='{mass}'/><inertia {zeros} ixy='0' ixz='0' iyz='0'/></inertial></link>"

    def joint(parent, child):
        return f"<joint name='to_{child}' type='continuous'><parent link='{parent}'/><child link='{child}'/></joint>"

    links = link("base", 1) + link("upper", 0) + link("lower", 1)
    found = fl.check(f"<robot name='r'>{links}{joint('base', 'upper')}{joint('upper', 'lower')}</robot>")
    assert [(it.severity, it.code) for it in found] == [("warning", "zero-mass"), ("warning", "singular-mass-matrix")]
    assert "`upper`" in found[0].message


@pytest.mark.parametrize(
    ("name", "text", "tool"),
    [("robot.usda", "#usda 1.0\n", "usd_to_urdf"), ("robot.sdf", "<sdf version='1.9'/>", "sdf2mjcf")],
)
def test_formats_that_are_not_read_are_named(name, text, tool, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=f"{name}.*this is (USD|SDF).*{tool}"):
        fl.load(tmp_path / name)
    with pytest.raises(ValueError, match=tool):
        fl.load(text)


def test_repairs_are_edits_of_the_text(tmp_path):
    path = tmp_path / "door.urdf"
    path.write_text(WRONG)
    repairs = fl.repair(path)
    (repair,) = repairs.repairs
    assert (repair.code, repair.severity, repair.file, repair.line) == ("empty-range", "error", str(path), 12)
    assert repairs.text == URDF and path.read_text() == WRONG
    lines = WRONG.splitlines()
    for edit in repair.edits:
        (line, start), (_, end) = edit.start, edit.end
        assert lines[line - 1][start - 1 : end - 1] in ("1.5", "0") and edit.text in ("1.5", "0")
    assert all(it.severity == "note" or it.code == "missing-mesh" for it in repairs.remaining)
    changed = [line for line in repairs.diff().splitlines() if line[0] in "+-" and not line.startswith(("+++", "---"))]
    assert changed == [f"-{lines[11]}", f"+{URDF.splitlines()[11]}"]
    assert fl.repair(URDF).diff() == ""
    with pytest.raises(ValueError, match="embedded"):
        fl.repair("panda")


def test_a_conversion_tells_what_differs(tmp_path):
    difference = fl.convert("ur5", tmp_path / "ur5.urdf")
    assert difference.is_same() and difference.quantities["mass matrix"].relative < 1e-12
    assert fl.load(tmp_path / "ur5.urdf").nv == 6
    # A URDF has no actuators, tendons, sensors and keyframes.
    arm = fl.load_robot(MJCF)
    difference = fl.convert(arm, tmp_path / "arm.txt", format="urdf")
    assert not difference.is_same() and {it.code for it in difference.not_expressed} == {"not-written"}
    assert any("actuator" in it.message for it in difference.not_expressed)
    assert difference.quantities["mass"].relative < 1e-12
    # MJCF states all of it, and the options of reading count again.
    difference = fl.convert(arm, tmp_path / "arm.xml")
    assert difference.is_same() and fl.load_robot(tmp_path / "arm.xml").actuators == arm.actuators
    assert fl.convert("quadruped", tmp_path / "walker.mjcf").quantities["mass matrix"].relative < 1e-12
    assert fl.convert(arm, tmp_path / "arm.json").quantities["mass matrix"].relative < 1e-12
    assert fl.load(tmp_path / "arm.json") == arm.model


def test_conversions_that_cannot_be(tmp_path, door):
    with pytest.raises(ValueError, match="own file"):
        fl.convert(door, door, package_folders=[door.parent.parent / "packages"])
    with pytest.raises(ValueError, match="ending of .*arm.obj"):
        fl.convert("panda", tmp_path / "arm.obj")
    with pytest.raises(ValueError, match="'urdf' or "):
        fl.convert("panda", tmp_path / "arm.urdf", format="sdf")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="load_robot"):
        fl.convert(fl.load_robot("panda"), tmp_path / "arm.urdf", pinocchio=True)
    with pytest.raises(FileNotFoundError):
        fl.convert("panda", tmp_path / "nowhere" / "arm.urdf")
    with pytest.raises(TypeError, match="a Robot or a Model, not str"):
        fl.to_urdf("panda")  # type: ignore[arg-type]


def test_texts_of_robots_and_models():
    assert fl.load(fl.to_urdf(fl.load_robot(URDF))) == fl.load(URDF)
    # A model has lumped the link beyond the flange, which is a frame there.
    with pytest.warns(UserWarning, match="configuration `home` is not in the file"):
        text = fl.to_urdf(fl.load("panda"))
        other = fl.to_urdf(fl.load_robot("panda"))
    assert "panda_link8" in fl.load(text).frames
    with pytest.warns(UserWarning, match="is not in the file"):
        mjcf = fl.to_mjcf(fl.load("panda"))
    for text in (text, other, mjcf):
        again = fl.load(text)
        q = again.random_configuration(1)
        assert np.allclose(again.crba(q), fl.load("panda").crba(q), rtol=1e-12, atol=1e-12)


@pytest.fixture
def package(monkeypatch, door):
    """A stand-in for the package robot_descriptions."""

    def add(**members):
        package = types.ModuleType("robot_descriptions")
        package.__path__ = []
        module = types.ModuleType("robot_descriptions.door_description")
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, "robot_descriptions", package)
        monkeypatch.setitem(sys.modules, "robot_descriptions.door_description", module)

    return add


def test_descriptions_of_a_package(package, door, tmp_path):
    package(URDF_PATH=str(door), PACKAGE_PATH=str(door.parent.parent / "packages" / "door"))
    robot = fl.load_description("door_description", floating_base=True)
    assert robot.model.nv == 7 and robot.geometry[1].mesh and robot.geometry[1].mesh.path
    (tmp_path / "arm.xml").write_text(MJCF)
    (tmp_path / "door.xacro").write_text(XACRO)
    package(XACRO_PATH=str(tmp_path / "door.xacro"), XACRO_ARGS={"leaves": "2", "handle": "no"})
    robot = fl.load_description("door_description", xacro_arguments={"handle": True})
    assert robot.links[0].name == "leaf_2_true"
    package(MJCF_PATH=str(tmp_path / "arm.xml"), REPOSITORY_PATH=str(tmp_path))
    assert fl.load_description("door_description").name == "arm"
    package()
    with pytest.raises(ValueError, match="none of URDF_PATH"):
        fl.load_description("door_description")
    with pytest.raises(ValueError, match="no description 'gate_description'"):
        fl.load_description("gate_description")


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "robot_descriptions", None)
    with pytest.raises(ImportError, match="pip install robot_descriptions"):
        fl.load_description("panda_description")
