"""Loading robots, and what a model says of itself."""

import copy
import pathlib
import pickle
import warnings

import numpy as np
import pytest

import featherline as fl

TEXT = """<robot name="one"><link name="base"/><link name="arm"><inertial><mass value="2"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""


@pytest.mark.parametrize("name", fl.ROBOTS)
def test_every_embedded_robot(name):
    model = fl.load(name)
    assert model.nv > 0 and len(model.joints) > 0 and len(model.frames) > 0
    q = model.random_configuration(1)
    assert model.crba(q).shape == (model.nv, model.nv)


def test_text_file_and_path(tmp_path):
    from_text = fl.load(TEXT)
    path = tmp_path / "one.urdf"
    path.write_text(TEXT)
    assert fl.load(path) == fl.load(str(path)) == from_text
    saved = tmp_path / "one.json"
    from_text.save(saved)
    assert fl.load(saved) == from_text
    floating = fl.load(TEXT, floating_base=True)
    assert floating.nq == 7 + 1 and floating != from_text


def test_pinocchio_conventions():
    assert fl.load(TEXT, pinocchio=True).nq == 2
    assert fl.load(TEXT, continuous="cos-sin").nq == 2
    assert fl.load(TEXT).nq == 1


def test_errors_say_where(tmp_path):
    with pytest.raises(FileNotFoundError, match="panda"):
        fl.load("pandora")
    with pytest.raises(FileNotFoundError, match="nowhere.urdf"):
        fl.load(tmp_path / "nowhere.urdf")
    path = tmp_path / "bad.urdf"
    path.write_text(TEXT.replace('xyz="0 1 0"', 'xyz="0 0 0"'))
    with pytest.raises(ValueError, match=r"bad.urdf:3:\d+"):
        fl.load(path)
    with pytest.raises(ValueError, match=r"'coupled' \(follow\) or 'free'"):
        fl.load("panda", mimic="loose")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        fl.load(7)  # type: ignore[arg-type]


def test_warnings_are_warnings():
    doubtful = TEXT.replace('type="continuous"', 'type="revolute"')
    with pytest.warns(UserWarning, match="limit"):
        fl.load(doubtful)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fl.load("panda")


def test_names(tmp_path):
    panda = fl.load("panda")
    joint = panda.joints["panda_joint1"]
    assert (joint.kind, joint.parent, joint.idx_q, joint.nv) == ("revolute", None, 0, 1)
    assert panda.joints["panda_joint2"].parent == "panda_joint1"
    with pytest.raises(KeyError, match="did you mean 'panda_joint1'"):
        panda.joints["panda_joint_1"]
    with pytest.raises(KeyError, match="did you mean `panda_link8`"):
        panda.placement(panda.neutral(), "panda_lnik8")


def test_models_are_values():
    panda = fl.load("panda")
    again = pickle.loads(pickle.dumps(panda))
    assert again == panda and hash(again) == hash(panda) and copy.deepcopy(panda) == panda
    assert panda.with_gravity([0, 0, -1.62]) != panda
    assert fl.load("ur5") != panda
    assert {panda, again} == {panda}
    assert "panda" in repr(panda) and "nq=7" in repr(panda)


def test_random_configurations_come_from_a_seed():
    model = fl.load("humanoid")
    one = model.random_configuration(3)
    assert np.array_equal(one, model.random_configuration(3))
    assert not np.array_equal(one, model.random_configuration(4))
    assert model.random_configuration(3, 5).shape == (5, model.nq)


def test_parts_are_taken_by_place():
    model = fl.load("humanoid")
    for parts in (model.joints, model.frames):
        names, values = list(parts), list(parts.values())
        assert parts[0] == values[0] and parts[-1] == values[-1] and parts[np.int64(2)] == values[2]
        assert parts[1:4] == values[1:4] and [part.name for part in parts[::-1]] == names[::-1]
        assert len(parts) == len(names) and [parts[name] for name in parts] == values
        with pytest.raises(IndexError, match=f"no (joint|frame) {len(parts)}: there are {len(parts)}"):
            parts[len(parts)]
        with pytest.raises(IndexError):
            parts[-len(parts) - 1]
        with pytest.raises(TypeError, match="by its name or place, not by float"):
            parts[1.0]  # type: ignore[call-overload]
    assert [joint.index for joint in model.joints.values()] == list(range(len(model.joints)))
    q = model.random_configuration(1)
    frames = list(model.frames)
    assert np.allclose(model.placements(q), [model.placement(q, frame) for frame in frames])


def test_parts_are_values():
    panda, again = fl.load("panda"), fl.load("panda")
    for parts, others in ((panda.joints, again.joints), (panda.frames, again.frames)):
        assert dict(parts) == dict(others) and set(parts.values()) == set(others.values())
        assert parts[0] != parts[1] and parts[0] != parts[0].name and len({*parts.values()}) == len(parts)
        copies = pickle.loads(pickle.dumps(parts))
        assert copies == parts and repr(copies[1]) == repr(parts[1]) and copies[:2] == parts[:2]
        assert pickle.loads(pickle.dumps(parts[2])) == parts[2] == copy.deepcopy(parts[2])
    assert panda.joints[0] != panda.with_gravity([0, 0, -1.62]).joints[0]
    linkage = fl.load("four_bar")
    assert pickle.loads(pickle.dumps(linkage.loops[0])) == linkage.loops["loop"]


@pytest.mark.parametrize("name", fl.ROBOTS)
def test_limits_are_those_of_the_joints(name):
    model = fl.load(name)
    own = [joint for joint in model.joints.values() if joint.mimics is None]
    assert (sum(joint.nq for joint in own), sum(joint.nv for joint in own)) == (model.nq, model.nv)
    for all_limits, of_joint, start, width in [
        (model.lower_limits, "lower", "idx_q", model.nq),
        (model.upper_limits, "upper", "idx_q", model.nq),
        (model.velocity_limits, "velocity", "idx_v", model.nv),
        (model.effort_limits, "effort", "idx_v", model.nv),
        (model.armature, "armature", "idx_v", model.nv),
        (model.damping, "damping", "idx_v", model.nv),
        (model.friction, "friction", "idx_v", model.nv),
    ]:
        assert all_limits.shape == (width,)
        for joint in own:
            values = getattr(joint, of_joint)
            first = getattr(joint, start)
            assert np.array_equal(all_limits[first : first + len(values)], values)
    assert np.all(model.lower_limits <= model.upper_limits)


def test_limits_of_a_file():
    limited = TEXT.replace('type="continuous"', 'type="revolute"').replace(
        '<axis xyz="0 1 0"/>',
        '<axis xyz="0 1 0"/><limit lower="-1" upper="2" velocity="3" effort="4"/><dynamics damping="0.5" friction="0.25"/>',
    )
    model = fl.load(limited)
    numbers = (model.lower_limits, model.upper_limits, model.velocity_limits, model.effort_limits)
    assert [x[0] for x in numbers] == [-1, 2, 3, 4]
    assert (model.damping[0], model.friction[0], model.armature[0]) == (0.5, 0.25, 0)
    free = fl.load(TEXT)
    assert (free.lower_limits[0], free.upper_limits[0], free.velocity_limits[0]) == (-np.inf, np.inf, np.inf)


MIMIC = TEXT.replace(
    "</robot>",
    """<link name="tip"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="follower" type="continuous"><parent link="arm"/><child link="tip"/><axis xyz="0 1 0"/>
<mimic joint="hinge" multiplier="-1.5" offset="0.25"/></joint></robot>""",
)


@pytest.mark.parametrize("continuous", ["angle", "cos-sin"])
def test_mimic_joints_tell_their_law(continuous):
    # Cosine and sine do not count turns: there a ratio is an integer.
    ratio = -1.5 if continuous == "angle" else -2.0
    model = fl.load(MIMIC.replace("-1.5", str(ratio)), continuous=continuous)
    hinge, follower = model.joints["hinge"], model.joints["follower"]
    assert (follower.mimics, follower.ratio, follower.offset) == ("hinge", ratio, 0.25)
    assert (hinge.mimics, hinge.ratio, hinge.offset) == (None, None, None)
    assert f"mimics='hinge', ratio={ratio}, offset=0.25" in repr(follower) and "mimics" not in repr(hinge)
    assert follower.nq == 0 and follower.idx_v == hinge.idx_v
    recording = fl.Simulation(model, v=[1.0]).run(0.1, every=0.05)
    angle = recording.q[:, 0] if continuous == "angle" else np.arctan2(recording.q[:, 1], recording.q[:, 0])
    history = recording["follower"]
    assert np.allclose(history.q, ratio * angle + 0.25, atol=1e-14)
    assert np.array_equal(history.v, ratio * recording.v[:, 0]) and history.tau is None
    assert recording.columns[-2:] == ["q.follower", "v.follower"]
    assert (recording.units["q.follower"], recording.units["v.follower"]) == ("rad", "rad/s")
    assert np.array_equal(recording.to_dict()["q.follower"], recording["q.follower"])


def test_messages_name_arguments():
    model = fl.load("panda")
    q, v = model.neutral(), np.zeros(7)
    for call, name in [
        (lambda: model.random_configuration(-1), "seed is -1"),
        (lambda: model.random_configuration(2**64), "seed is 18446744073709551616"),
        (lambda: model.random_configuration(1, -2), "states is -2"),
        (lambda: fl.SE3.random(-1), "seed is -1"),
        (lambda: fl.spatial.Inertia.random(-1), "seed is -1"),
        (lambda: model.trajectory(q, v, steps=-3), "steps is -3"),
        (lambda: model.trajectory(q, v, steps=3, every=-1), "every is -1"),
        (lambda: fl.VariationalIntegrator(model, 1e-3).step(-1), "steps is -1"),
        (lambda: model.with_gravity([0, 1]), r"gravity has shape \(2,\), where \(3,\)"),
        (lambda: model.interpolate(q, q, [[0.0, 1.0]]), "t has shape"),
    ]:
        with pytest.raises(ValueError, match=name):
            call()
    with pytest.raises(TypeError, match="t is no array of numbers|t has dtype"):
        model.interpolate(q, q, "half")


def test_interpolation_at_many_times():
    model = fl.load("humanoid")
    q0, q1 = model.random_configuration(1, 2)
    times = np.linspace(0, 1, 5)
    rows = model.interpolate(q0, q1, times)
    assert rows.shape == (5, model.nq)
    assert np.array_equal(rows, [model.interpolate(q0, q1, t) for t in times])
    assert model.interpolate(q0, q1, []).shape == (0, model.nq)


def test_a_path_is_not_the_name_of_a_robot(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match=r'no file `panda`.*load\("panda"\)'):
        fl.load(pathlib.Path("panda"))
