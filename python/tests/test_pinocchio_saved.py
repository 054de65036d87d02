"""Objects that are saved and read again; what is read runs nothing."""

import enum
import json
import os
import pickle

import numpy as np
import pytest

import featherline as fl
import featherline.pinocchio as fp

pytestmark = pytest.mark.filterwarnings("ignore::featherline.RobotWarning")


class Doors:
    """The ways to read an object: each takes a file's text or bytes."""

    def __init__(self, folder):
        self.path = folder / "saved"

    def text(self, thing, content):
        self.path.write_bytes(content)
        thing.loadFromText(self.path)

    def binary(self, thing, content):
        self.path.write_bytes(content)
        thing.loadFromBinary(self.path)

    def string(self, thing, content):
        thing.loadFromString(content.decode("latin-1"))

    def buffer(self, thing, content):
        buffer = fp.serialization.StreamBuffer()
        buffer._data = content
        thing.loadFromBinary(buffer)

    def serialization(self, thing, content):
        buffer = fp.serialization.StreamBuffer()
        buffer._data = content
        fp.serialization.loadFromBinary(thing, buffer)

    def xml(self, thing, content):
        text = content.decode("latin-1").replace("&", "&amp;").replace("<", "&lt;")
        self.path.write_text(f"<featherline><arm>{text}</arm></featherline>", encoding="utf-8")
        thing.loadFromXML(self.path, "arm")


DOORS = ("text", "binary", "string", "buffer", "serialization", "xml")


class Runs:
    """An object whose pickle calls a function."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


def forged(folder):
    """What a stranger may write: it would leave a file, or names a function or a class."""
    mark = str(folder / "mark")
    calls = [
        Runs(os.system, f"touch {mark}"),
        Runs(eval, f"open({mark!r}, 'w')"),
        Runs(open, mark, "w"),
        Runs(fl.picture, fl.load("panda"), mark),
        Runs(getattr, fp.RobotWrapper, "BuildFromURDF"),
    ]
    pickles = [pickle.dumps(call, protocol) for call in calls[:3] for protocol in (0, 2)]
    pickles += [b"cfeatherline\npicture\n(V" + mark.encode() + b"\ntR."]
    names = "os.system eval posix RobotWrapper Viewer Model.saveToText __import__ load_robot object".split() + [7, None]
    forms = [{"object": name, "state": [["path", mark]]} for name in names]
    forms += [{"made": name, "of": [mark]} for name in [*names, "Model", "GeometryModel"]]
    forms += [{"made": "open", "of": [mark, "w"]}, {"made": "eval", "of": [f"open({mark!r}, 'w')"]}]
    forms += [{"member": name, "of": 0} for name in [*names, "Model"]]
    forms += [{"array": kind, "shape": [1], "base64": "AAAAAAAAAAA="} for kind in ("O", "|O8", "V8", "f8,O", "builtins.object")]
    forms += [{"call": mark}, {}, {"data": [mark]}, {"data": []}, {"array": "<f8", "shape": [9], "base64": "AAAAAAAAAAA="}]
    return [*pickles, *(json.dumps(form).encode() for form in forms)], mark


@pytest.mark.parametrize("door", DOORS)
def test_what_a_stranger_wrote_is_refused(door, tmp_path):
    contents, mark = forged(tmp_path)
    model = fp.buildSampleModelManipulator()
    expected = model.copy()
    for content in contents:
        with pytest.raises((ValueError, SyntaxError) if door == "xml" else ValueError):
            getattr(Doors(tmp_path), door)(model, content)
        assert not os.path.exists(mark)
    assert model == expected


def test_refusals_name_what_they_refuse():
    for form, text in [
        ({"object": "os.system", "state": []}, "holds no Model that .* names 'os.system', which is no class of saved objects"),
        ({"member": "Model", "of": 0}, "a member of Model"),
        ({"array": "|O8", "shape": [1], "base64": ""}, r"names '\|O8', which is no type of numbers"),
        ({"call": 1}, "it has 'call', where one of array,"),
        ({"object": "GeometryModel", "state": []}, "holds a GeometryModel, not a Model"),
    ]:
        with pytest.raises(ValueError, match=text):
            fp.Model().loadFromString(json.dumps(form))
    shapes = fp.GeometryModel()
    shapes.addGeometryObject(fp.GeometryObject("one", 0, 0, fp.SE3(), object()))
    with pytest.raises(TypeError, match=r"a builtins\.object cannot be saved"):
        shapes.saveToString()


def test_no_class_of_saved_objects_acts_when_it_is_made():
    from featherline.pinocchio import as_json

    # Objects are made without their constructors: nothing may act then, nor when they are taken away.
    for name, kind in as_json._KINDS.items():
        assert kind.__module__.startswith("featherline.pinocchio."), name
        assert not any(hasattr(base, "__del__") for base in kind.__mro__), name
        assert [base.__name__ for base in kind.__mro__ if "__setstate__" in vars(base)] in ([], [name]), name
        acting = [base for base in kind.__mro__ if "__new__" in vars(base) and base.__module__.startswith("featherline")]
        makers = {base.__name__ for base in acting}
        assert issubclass(kind, enum.IntEnum) or makers <= {"_ModelBase", "_DataBase", "_FrameBase"}, name
    # A name stands for one class.
    named = [kind.__name__ for module in as_json._MODULES for kind in vars(module).values()
             if isinstance(kind, type) and kind.__module__ == module.__name__]  # fmt: skip
    assert {named.count(name) for name in as_json._KINDS} == {1}


def examples():
    model = fp.buildSampleModelHumanoid()
    model.referenceConfigurations["half"] = fp.neutral(model)
    shapes = fp.buildSampleGeometryModelHumanoid(model)
    shapes.addAllCollisionPairs()
    data, of_shapes = model.createData(), shapes.createData()
    q = fp.randomConfiguration(model, np.full(model.nq, -0.3), np.full(model.nq, 0.3))
    fp.computeAllTerms(model, data, q, np.full(model.nv, 0.1))
    fp.computeCollisions(model, data, shapes, of_shapes, q, False)
    fp.computeDistances(model, data, shapes, of_shapes, q)
    held = fp.RigidConstraintModel(fp.ContactType.CONTACT_6D, model, 3, fp.SE3.Random(), fp.LOCAL_WORLD_ALIGNED)
    mimic = fp.JointModelMimic(fp.JointModelRX(), 2.0, 0.5)
    composite = fp.JointModelComposite(fp.JointModelRX(), fp.SE3.Random())
    composite.addJoint(fp.JointModelPZ(), fp.SE3.Random())
    ellipsoid, plane = fp.coal.Ellipsoid(1, 2, 3), fp.coal.Plane(0, 0, 1, np.inf)
    lists = [fp.StdVec_SE3([fp.SE3.Random()]), fp.StdVec_Force([fp.Force.Random()]), fp.StdVec_Inertia([fp.Inertia.Random()])]
    return {
        "Model": model, "Data": data, "GeometryModel": shapes, "GeometryData": of_shapes,
        "GeometryObject": shapes.geometryObjects[3], "RigidConstraintModel": held,
        "RigidConstraintData": held.createData(), "JointModelMimic": mimic, "JointModelComposite": composite,
        "JointData": mimic.createData(), "StdVec_JointModelVector": model.joints, "StdVec_Frame": model.frames,
        "StdMap_String_VectorXd": model.referenceConfigurations, "Ellipsoid": ellipsoid, "Plane": plane,
        "CollisionResult": of_shapes.collisionResults[0], "Quaternion": fp.Quaternion(0.5, 0.5, 0.5, 0.5),
        "StdVec_MatrixXs": fp.StdVec_MatrixXs([np.zeros((0, 3)), np.array([[1, 2]]), np.array([True])]),
        "StdVec_Symmetric3": fp.StdVec_Symmetric3([fp.Symmetric3.Random()]),
        "StdVec_Scalar": fp.StdVec_Scalar([np.nan, np.float64(0.1), np.inf, -0.0]),
        **{type(one).__name__: one for one in lists},
    }  # fmt: skip


def same(one, other):
    """The same classes, and numbers to the last bit."""
    from featherline.pinocchio import as_json

    return as_json.written(one) == as_json.written(other)


@pytest.mark.parametrize("name", examples())
def test_all_that_is_saved_is_read_again(name, tmp_path):
    thing = examples()[name]
    blank = {
        "Data": lambda: fp.buildSampleModelHumanoid().createData(),
        "RigidConstraintData": lambda: examples()["RigidConstraintModel"].createData(),
    }.get(name, lambda: type(thing).__new__(type(thing)))
    buffer = fp.serialization.StreamBuffer()
    fp.serialization.saveToBinary(thing, buffer)
    twin = blank()
    fp.serialization.loadFromBinary(twin, buffer)
    assert same(thing, twin) and type(twin) is type(thing)
    if not hasattr(thing, "saveToText"):
        return
    path = tmp_path / "saved"
    for save, load, more in [
        ("saveToText", "loadFromText", ()),
        ("saveToBinary", "loadFromBinary", ()),
        ("saveToXML", "loadFromXML", ("thing",)),
    ]:
        getattr(thing, save)(path, *more)
        twin = blank()
        getattr(twin, load)(path, *more)
        assert same(thing, twin)
        assert path.read_bytes().isascii()
    twin = blank()
    twin.loadFromString(thing.saveToString())
    assert same(thing, twin)


def test_data_that_were_saved_go_on():
    model = fp.buildSampleModelHumanoid()
    data, twin = model.createData(), model.createData()
    q = fp.randomConfiguration(model, np.full(model.nq, -0.3), np.full(model.nq, 0.3))
    fp.computeJointJacobians(model, data, q)
    twin.loadFromString(data.saveToString())
    for joint in (3, 8):
        one, other = (fp.getJointJacobian(model, results, joint, fp.LOCAL) for results in (data, twin))
        assert np.array_equal(one, other)
    assert np.array_equal(fp.rnea(model, twin, q, q[1:], q[1:]), fp.rnea(model, data, q, q[1:], q[1:]))


def test_meshes_keep_their_files(tmp_path):
    (tmp_path / "tetrahedron.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
    mesh = "<geometry><mesh filename='tetrahedron.obj' scale='1 2 3'/></geometry>"
    (tmp_path / "robot.urdf").write_text(f"<robot name='r'><link name='a'><collision>{mesh}</collision></link></robot>")
    shapes = fp.buildModelsFromUrdf(tmp_path / "robot.urdf", geometry_types=fp.GeometryType.COLLISION)[1]
    twin = fp.GeometryModel()
    twin.loadFromString(shapes.saveToString())
    (one,), (other,) = shapes.geometryObjects, twin.geometryObjects
    assert other.geometry == one.geometry and other.geometry.mesh == one.geometry.mesh and other.meshPath == one.meshPath


def test_shapes_of_the_package_coal_are_read_as_shapes_of_this():
    coal = pytest.importorskip("coal")
    placement = fp.SE3.Random()
    for theirs, own in [
        (coal.Sphere(0.2), fp.coal.Sphere(0.2)),
        (coal.Box(1, 2, 3), fp.coal.Box(1, 2, 3)),
        (coal.Capsule(0.1, 2), fp.coal.Capsule(0.1, 2)),
        (coal.Cone(0.1, 2), fp.coal.Cone(0.1, 2)),
        (coal.Ellipsoid(1, 2, 3), fp.coal.Ellipsoid(1, 2, 3)),
        (coal.Halfspace(0, 0, 1, 0.5), fp.coal.Halfspace(0, 0, 1, 0.5)),
    ]:
        twin = fp.GeometryObject("", 0, 0, fp.SE3(), None)
        twin.loadFromString(fp.GeometryObject("one", 0, 0, placement, theirs).saveToString())
        assert twin.geometry == own and twin.placement == placement
    with pytest.raises(TypeError, match=r"a shape coal\.BVHModelOBBRSS cannot be saved"):
        fp.GeometryObject("one", 0, 0, placement, coal.BVHModelOBBRSS()).saveToString()


def test_work_of_data_that_were_read_is_not_known():
    model = fp.buildSampleModelManipulator()
    data, twin = model.createData(), model.createData()
    fp.forwardKinematics(model, data, np.zeros(6), np.ones(6))
    twin.loadFromString(data.saveToString())
    assert np.array_equal(data.copy().Yaba, data.Yaba) and np.array_equal(twin.B, data.B)
    with pytest.raises(NotImplementedError, match="Data.Yaba of data that were"):
        pickle.loads(pickle.dumps(data)).Yaba
