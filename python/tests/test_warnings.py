"""What Python users see of robots' files: warnings, findings and reprs are few lines."""

import pathlib
import warnings

import pytest

import featherline as fl

LINKS = 5
# Joints whose limits say that they may not move: two kinds of problems for each.
STUCK = "<robot name='stuck'><link name='l0'/>" + "".join(
    f"<link name='l{i}'><inertial><mass value='1'/><inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    f"<joint name='j{i}' type='revolute'><parent link='l{i - 1}'/><child link='l{i}'/>"
    "<limit lower='-1' upper='1' effort='0' velocity='0'/></joint>"
    for i in range(1, LINKS + 1)
) + "</robot>"  # fmt: skip


def told(function, *arguments, **options):
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        result = function(*arguments, **options)
    return result, record


def test_one_warning_a_kind_with_the_count():
    robot, record = told(fl.load_robot, STUCK)
    assert [warning.category for warning in record] == [fl.RobotWarning] * 2 and issubclass(fl.RobotWarning, UserWarning)
    first = str(record[0].message)
    assert "the limit of velocity is 0" in first and first.endswith("(4 more of this kind; featherline.check lists them)")
    assert record[0].filename == __file__
    assert len(robot.warnings) == 2 * LINKS and len(robot.warnings.kinds()) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", fl.RobotWarning)
        fl.load(STUCK)


def test_findings_are_printed_as_kinds():
    findings = fl.check(STUCK)
    assert len(findings) == 2 * LINKS and isinstance(findings, tuple)
    lines = repr(findings).splitlines()
    assert len(lines) == 2 and lines[0].startswith("warning zero-bound: line 1, ") and lines[0].endswith("(4 more of this kind)")
    assert len(findings.text.splitlines()) == 2 * LINKS
    assert repr(findings[0]).startswith("<warning zero-bound: line 1, ")
    assert repr(fl.check("panda")) and str(fl.robot_files.Findings()) == "no findings"


def test_what_a_format_lacks_is_told_by_kind():
    panda = fl.load_robot("panda")
    for robot in (panda, panda.model):
        _, record = told(fl.to_mjcf, robot)
        (message,) = (str(warning.message) for warning in record if "velocity limit" in str(warning.message))
        assert "panda_joint1" in message and "6 more of this kind; featherline.convert lists them" in message
        # A model has no text whose line could be named.
        assert not message.startswith("the text")


def test_a_difference_is_a_dozen_lines(tmp_path):
    robot = STUCK.replace("<link name='l0'/>", "<link name='l0'/><gazebo/><transmission name='a'/><transmission name='b'/>")
    difference = fl.convert(told(fl.load_robot, robot)[0], tmp_path / "stuck.xml")
    assert len(difference.not_expressed) > LINKS
    lines = str(difference).splitlines()
    assert len(lines) <= 12 and repr(difference) == str(difference) and lines[0].startswith("another robot")
    assert any("transmission" in line and "(1 more of this kind)" in line for line in lines)
    assert "greatest relative differences: " in lines[-1]
    assert len(difference.text.splitlines()) > len(difference.not_expressed) + len(difference.quantities)
    same = fl.convert("double_pendulum", tmp_path / "pendulum.json")
    assert str(same).startswith("the same robot")


def test_parts_are_printed_by_what_they_say():
    robot = fl.load_robot("panda")
    link = robot.geometry[0]
    assert "None" not in repr(link) and "texture" not in repr(link) and repr(link).startswith("Geometry(")
    assert repr(robot.joints[0]).startswith("DescribedJoint(name=")
    repairs = fl.repair("<robot name='r'><link name='a'/><link name='a'/></robot>")
    assert repr(repairs).splitlines()[0] == "repairs: 1, findings that remain: 0" and "before=" not in repr(repairs)
    assert repr(repairs.files[0]) == "<RepairedFile text: repaired>"


def test_one_name_needs_no_list():
    panda = fl.load("panda")
    home = panda.reference_configurations()["home"]
    one, several = panda.lock("panda_joint7", home), panda.lock(["panda_joint7"], home)
    assert one[0] == several[0]
    assert panda.remove("panda_joint7")[0] == panda.remove(["panda_joint7"])[0]
    assert panda.placements(panda.neutral(), "panda_link4").shape == (1, 4, 4)
    with pytest.raises(TypeError, match="joints must be a name or a list of names, not int"):
        panda.lock(7, panda.neutral())  # type: ignore[arg-type]
    folder = pathlib.Path(__file__).parent
    assert fl.load("panda", package_folders=folder).nv == fl.load("panda", package_folders=[folder]).nv


def test_choices_for_links_without_inertia_are_named():
    for wrong, error in (("none", ValueError), (True, TypeError), ([], TypeError)):
        with pytest.raises(error, match=r"missing_inertia must be 'zero' \(no inertia\), 'refuse' \(an error\), 'shapes' \("):
            fl.load("panda", missing_inertia=wrong)  # type: ignore[arg-type]
