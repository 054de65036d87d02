"""Loading robots, and what a model says of itself."""

import copy
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
    with pytest.raises(ValueError, match="'coupled' or 'free'"):
        fl.load("panda", mimic="loose")
    with pytest.raises(TypeError):
        fl.load(7)


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
