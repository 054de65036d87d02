"""Geometry, SRDF and MJCF files beside Pinocchio."""

import os

import numpy as np
import pytest

import featherline as fl
import featherline.pinocchio as fp

pin = pytest.importorskip("pinocchio")
from test_pinocchio import FILES, FOLDER, load  # noqa: E402

KINDS = ("COLLISION", "VISUAL")
TEXT = """<robot name='r'><material name='red'><color rgba='1 0 0 0.5'/></material>
<link name='base'><visual name='v'><origin xyz='0 0 1'/><geometry><box size='1 2 3'/></geometry><material name='red'/></visual>
<visual><geometry><sphere radius='.5'/></geometry></visual>
<collision name='c'><geometry><cylinder radius='.1' length='2'/></geometry></collision>
<collision><geometry><sphere radius='.3'/></geometry></collision></link>
<link name='tip'><collision><origin xyz='1 0 0' rpy='0 0 1'/><geometry><box size='1 2 3'/></geometry></collision></link>
<link name='arm'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>
<collision><geometry><box size='1 2 3'/></geometry></collision></link>
<joint name='weld' type='fixed'><parent link='arm'/><child link='tip'/><origin xyz='0 1 0'/></joint>
<joint name='turn' type='continuous'><parent link='base'/><child link='arm'/><origin xyz='0 0 2'/></joint>
</robot>"""


def assert_same_geometry(theirs, ours):
    assert theirs.ngeoms == ours.ngeoms
    for one, other in zip(theirs.geometryObjects, ours.geometryObjects, strict=True):
        assert (one.name, one.parentJoint, one.parentFrame) == (other.name, other.parentJoint, other.parentFrame)
        assert np.allclose(one.placement.homogeneous, other.placement.homogeneous, atol=1e-12)
        assert np.allclose(one.meshScale, other.meshScale)
        # Pinocchio's colours are single precision.
        assert np.allclose(one.meshColor, other.meshColor, atol=1e-7) and one.overrideMaterial == other.overrideMaterial
        assert one.meshPath == other.meshPath or os.path.samefile(one.meshPath, other.meshPath)
    assert pairs(theirs) == pairs(ours)


def pairs(geometry):
    return [(pair.first, pair.second) for pair in geometry.collisionPairs]


def both(text=TEXT, kind="COLLISION"):
    """Model and geometry in both modules."""
    made = []
    for module in (pin, fp):
        model = module.buildModelFromXML(text)
        made.append((model, module.buildGeomFromUrdfString(model, text, getattr(module.GeometryType, kind))))
    return made


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("robot", ["panda", "ur5", "solo12", "talos"])
def test_geometry_of_robots(robot):
    path, floats = FILES[robot]
    made = []
    for module in (pin, fp):
        root = [module.JointModelFreeFlyer()] if floats else []
        made.append(module.buildModelsFromUrdf(str(FOLDER / path), [str(FOLDER.parent.parent), str(FOLDER)], *root))
    (their_model, *theirs), (our_model, *ours) = made
    assert list(their_model.names) == list(our_model.names)
    pin.seed(1)
    q = pin.randomConfiguration(their_model, np.full(their_model.nq, -1.0), np.full(their_model.nq, 1.0))
    for one, other in zip(theirs, ours, strict=True):
        assert one.ngeoms > 0
        assert_same_geometry(one, other)
        placed = []
        for module, model, geometry in ((pin, their_model, one), (fp, our_model, other)):
            data, geometry_data = model.createData(), geometry.createData()
            module.updateGeometryPlacements(model, data, geometry, geometry_data, q)
            placed.append([placement.homogeneous for placement in geometry_data.oMg])
        assert np.allclose(*placed, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_shapes_of_a_text(kind):
    (_, theirs), (_, ours) = both(kind=kind)
    assert_same_geometry(theirs, ours)
    assert [shape.geometry.shape.upper() for shape in ours.geometryObjects] == [shape.meshPath for shape in theirs.geometryObjects]


def test_collision_pairs():
    (their_model, theirs), (our_model, ours) = both()
    for module, model, geometry in ((pin, their_model, theirs), (fp, our_model, ours)):
        geometry.addAllCollisionPairs()
        geometry.removeCollisionPair(module.CollisionPair(3, 0))
        geometry.addCollisionPair(module.CollisionPair(3, 0))
        geometry.addCollisionPair(module.CollisionPair(0, 3))
        geometry.addGeometryObject(geometry.geometryObjects[2])
    assert_same_geometry(theirs, ours)
    assert np.array_equal(theirs.collisionPairMapping, ours.collisionPairMapping)
    assert theirs.getGeometryId("base_1") == ours.getGeometryId("base_1") == 1
    assert theirs.getGeometryId("none") == ours.getGeometryId("none") == 5
    for module, geometry in ((pin, theirs), (fp, ours)):
        geometry.removeGeometryObject("base_1")
        with pytest.raises(ValueError, match="larger than the number"):
            geometry.addCollisionPair(module.CollisionPair(0, 9))
        with pytest.raises(ValueError, match="must not be equal"):
            module.CollisionPair(1, 1) if module is fp else geometry.addCollisionPair(module.CollisionPair(1, 1))
    assert_same_geometry(theirs, ours)
    marks = np.ones((4, 4), bool)
    marks[1, 2] = marks[3, 0] = False
    for upper in (True, False):
        for geometry in (theirs, ours):
            geometry.setCollisionPairs(marks, upper)
        assert {frozenset(pair) for pair in pairs(theirs)} == {frozenset(pair) for pair in pairs(ours)}
    srdf = "<robot name='r'><disable_collisions link1='arm' link2='base'/><disable_collisions link1='no' link2='arm'/></robot>"
    for module, model, geometry in ((pin, their_model, theirs), (fp, our_model, ours)):
        geometry.addAllCollisionPairs()
        module.removeCollisionPairsFromXML(model, geometry, srdf)
    assert 0 < len(pairs(ours)) and pairs(theirs) == pairs(ours)
    twin = fp.GeometryModel()
    twin.loadFromString(ours.saveToString())
    assert pairs(twin) == pairs(ours) and [one.name for one in twin.geometryObjects] == [one.name for one in ours.geometryObjects]


def test_reduced_and_appended_geometry():
    (their_model, theirs), (our_model, ours) = both()
    q = np.array([np.cos(0.2), np.sin(0.2)])
    for geometry in (theirs, ours):
        geometry.addAllCollisionPairs()
    assert_same_geometry(pin.buildReducedModel(their_model, theirs, [1], q)[1], fp.buildReducedModel(our_model, ours, [1], q)[1])
    other = TEXT
    for name in ("base", "tip", "arm", "weld", "turn"):
        other = other.replace(f"'{name}'", f"'{name}2'")
    (their_other, their_shapes), (our_other, our_shapes) = both(other)
    at = np.array([1.0, 2.0, 3.0])
    for frame in (0, our_model.getFrameId("arm")):
        theirs_appended = pin.appendModel(their_model, their_other, theirs, their_shapes, frame, pin.SE3(np.eye(3), at))
        ours_appended = fp.appendModel(our_model, our_other, ours, our_shapes, frame, fp.SE3(np.eye(3), at))
        assert_same_geometry(theirs_appended[1], ours_appended[1])
        named = fp.appendModel(our_model, our_other, geomModelA=ours, geomModelB=our_shapes, frame_in_modelA=frame, aMb=fp.SE3(np.eye(3), at))
        assert named[0] == ours_appended[0]
    with pytest.raises(TypeError, match="two models, and frame_in_modelA, aMb"):
        fp.appendModel(our_model, our_other, 0)


def test_meshes_that_are_not_there():
    text = TEXT.replace("<box size='1 2 3'/>", "<mesh filename='package://nowhere/a.stl'/>")
    for module in (pin, fp):
        model = module.buildModelFromXML(text)
        with pytest.raises(ValueError, match=r"Mesh package://nowhere/a.stl could not be found"):
            module.buildGeomFromUrdfString(model, text, module.GeometryType.COLLISION)
        with pytest.raises(ValueError, match="does not seem to be a valid file"):
            module.buildGeomFromUrdf(model, "/nowhere.urdf", module.GeometryType.COLLISION)


def test_pairs_that_an_srdf_takes_away():
    path, srdf = FOLDER / FILES["panda"][0], FOLDER / "panda_description/srdf/panda.srdf"
    found = []
    for module in (pin, fp):
        model = load(module, "panda")
        geometry = module.buildGeomFromUrdf(model, str(path), module.GeometryType.COLLISION, package_dirs=[str(FOLDER.parent.parent)])
        geometry.addAllCollisionPairs()
        before = len(geometry.collisionPairs)
        module.removeCollisionPairs(model, geometry, str(srdf))
        assert 0 < len(geometry.collisionPairs) < before
        found.append(geometry)
    assert_same_geometry(*found)


MJCF = """<mujoco model="m"><compiler angle="radian"/><worldbody><site name="here"/>
<body name="a" pos="0 0 1" euler="0 0 1"><joint name="j" axis="0 1 0" pos="0.1 0 0" range="-1 2" limited="true" damping="0.5"
  armature=".2" frictionloss=".1"/><inertial pos="0 0 .1" mass="2" diaginertia="1 1 1"/>
  <body name="b" pos="0 1 0"><joint name="k" type="slide" axis="1 1 0"/><geom type="box" size=".1 .1 .1" mass="1"/>
    <body name="c" pos="0 0 2"><geom type="sphere" size=".1" mass="1"/>
      <body name="d"><joint type="ball" name="bb"/><geom type="sphere" size=".1" mass="1"/></body></body></body>
  <site name="s" pos="1 0 0"/></body>
</worldbody><keyframe><key name="home" qpos="0.5 0.1 1 0 0 0"/></keyframe></mujoco>"""
FREE = MJCF.replace('<joint name="j" axis="0 1 0" pos="0.1 0 0" range="-1 2" limited="true" damping="0.5"\n  armature=".2" frictionloss=".1"/>',
                    '<freejoint name="j"/>').replace("<keyframe><key name=\"home\" qpos=\"0.5 0.1 1 0 0 0\"/></keyframe>", "")  # fmt: skip
# Pinocchio leaves out where a body that is fixed in the world is.
FIXED = FREE.replace('<freejoint name="j"/>', "").replace('<body name="a" pos="0 0 1" euler="0 0 1">', '<body name="a">')


def assert_same_model(theirs, ours):
    assert list(theirs.names) == list(ours.names) and list(theirs.parents) == list(ours.parents)
    assert [joint.shortname() for joint in theirs.joints[1:]] == [joint.shortname() for joint in ours.joints[1:]]
    assert theirs.nbodies == ours.nbodies and theirs.name == ours.name
    for name in (
        "lowerPositionLimit", "upperPositionLimit", "upperVelocityLimit", "upperEffortLimit", "lowerEffortLimit", "damping",
        "upperDryFrictionLimit", "armature",
    ):  # fmt: skip
        assert np.allclose(getattr(theirs, name), getattr(ours, name), atol=1e-12), name
    for one, other in zip(theirs.frames, ours.frames, strict=True):
        assert (one.name, one.parentJoint, one.parentFrame, int(one.type)) == (
            other.name, other.parentJoint, other.parentFrame, int(other.type),
        )  # fmt: skip
        assert np.allclose(one.placement.homogeneous, other.placement.homogeneous, atol=1e-12)
        assert one.inertia.mass == pytest.approx(other.inertia.mass)
    for one, other in zip(theirs.inertias, ours.inertias, strict=True):
        assert np.allclose(one.toDynamicParameters(), other.toDynamicParameters(), atol=1e-12)
    pin.seed(1)
    q = pin.randomConfiguration(theirs, np.full(theirs.nq, -1.0), np.full(theirs.nq, 1.0))
    v, a = np.linspace(-1, 1, theirs.nv), np.linspace(0, 2, theirs.nv)
    tau = [module.rnea(model, model.createData(), q, v, a) for module, model in ((pin, theirs), (fp, ours))]
    assert np.allclose(*tau, rtol=1e-10, atol=1e-10)
    references = {entry.key(): entry.data() for entry in theirs.referenceConfigurations}
    assert references.keys() == ours.referenceConfigurations.keys()
    for name, configuration in references.items():
        assert np.allclose(configuration, ours.referenceConfigurations[name])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", [MJCF, FREE, FIXED], ids=["hinge", "free", "fixed"])
def test_models_of_mjcf_files(text, tmp_path):
    path = tmp_path / "m.xml"
    path.write_text(text)
    assert_same_model(pin.buildModelFromMJCF(str(path)), fp.buildModelFromMJCF(path))
    if text is not MJCF:
        made = [module.buildModelFromMJCFAndRootJoint(str(path), module.JointModelFreeFlyer(), "root") for module in (pin, fp)]
        assert_same_model(*made)


def test_mjcf_files_that_are_not_there():
    for module in (pin, fp):
        with pytest.raises(RuntimeError, match="cannot open file"):
            module.buildModelFromMJCF("/nowhere.xml")


UR5 = FOLDER / FILES["ur5"][0]
PACKAGES = str(FOLDER.parent.parent)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "options",
    [([PACKAGES],), (PACKAGES,), (None, [PACKAGES]), (None, PACKAGES), ([PACKAGES], None, None)],
    ids=["list", "one", "fifth", "fifth one", "with a loader"],
)
def test_folders_of_packages_are_where_programs_put_them(options):
    made = []
    for module in (pin, fp):
        model, kind = load(module, "ur5"), module.GeometryType.VISUAL
        made.append(module.buildGeomFromUrdf(model, str(UR5), kind, *options))
        text = module.buildGeomFromUrdfString(model, UR5.read_text(), kind, *options)
        assert text.ngeoms == made[-1].ngeoms == 7
    assert_same_geometry(*made)
    model, kind = load(fp, "ur5"), fp.GeometryType.VISUAL
    known = fp.GeometryModel()
    assert fp.buildGeomFromUrdf(model, UR5, kind, known, [PACKAGES]) is known
    with pytest.raises(ValueError, match="geometry_model should be a GeometryModel"):
        fp.buildGeomFromUrdf(model, UR5, kind, 3)


SHAPES = """<mujoco model="m"><compiler angle="radian"/><asset><material name="red" rgba="1 0 0 .5"/></asset>
<default><default class="visual"><geom contype="0" conaffinity="0" group="2" mass="0"/></default>
<default class="collision"><geom group="3" rgba="0 1 0 1"/></default></default>
<worldbody><geom name="floor" type="plane" size="1 1 .1"/><geom type="box" size="1 1 .1"/>
<body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" pos=".1 0 0"/>
  <geom class="visual" type="box" size=".1 .1 .1" material="red"/><geom class="collision" type="cylinder" size=".1 .2"/>
  <geom type="capsule" size=".1 .2" pos="0 0 1" group="4"/><geom type="ellipsoid" size=".1 .2 .3" conaffinity="0"/>
  <body name="w" pos="0 0 .2"><geom type="sphere" size=".25" pos="0 0 .3"/><body name="b"><joint name="k"/>
    <geom name="ball" type="sphere" size=".1"/><geom type="capsule" size=".1 .2" class="visual"/></body></body></body>
</worldbody></mujoco>"""


@pytest.mark.filterwarnings("ignore")
def test_shapes_of_mjcf_files(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text(SHAPES)
    made = [module.buildModelsFromMJCF(str(path)) for module in (pin, fp)]
    for one, other in zip(made[0][2:], made[1][2:], strict=True):
        assert_same_geometry(one, other)
    assert len(made[1][1]) == 0 and len(fp.buildModelsFromMJCF(path, contacts=False, geometry_types=fp.COLLISION)) == 2
    root = [module.buildModelsFromMJCF(str(path), module.JointModelFreeFlyer(), "root", contacts=False) for module in (pin, fp)]
    assert_same_model(root[0][0], root[1][0])
    assert fp.RobotWrapper.BuildFromMJCF(path).visual_model.ngeoms == made[0][3].ngeoms
    with pytest.raises(TypeError, match="no argument roots"):
        fp.buildModelsFromMJCF(path, roots=None)


ROW = MJCF.replace('<joint name="k" type="slide" axis="1 1 0"/>',
                   '<joint name="x" type="slide" axis="1 0 0" range="-1 1" limited="true" damping="1"/>'
                   '<joint name="y" axis="0 1 0" pos="0 0 .3" armature=".1"/><joint name="z" type="slide" axis="1 1 0"/>'
                   ).replace('qpos="0.5 0.1', 'qpos="0.5 0.1 0.2 0.3')  # fmt: skip


@pytest.mark.filterwarnings("ignore")
def test_bodies_with_several_joints_move_as_with_a_composite_joint(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text(ROW)
    theirs, ours = (module.buildModelFromMJCF(str(path)) for module in (pin, fp))
    assert list(theirs.names) == ["universe", "j", "Composite_x", "bb"]
    assert list(ours.names) == ["universe", "j", "x", "y", "z", "bb"]
    assert (ours.nq, ours.nv, ours.nbodies) == (theirs.nq, theirs.nv, theirs.nbodies)
    for name in ("lowerPositionLimit", "upperPositionLimit", "damping", "armature", "upperVelocityLimit"):
        assert np.allclose(getattr(theirs, name), getattr(ours, name)), name
    q = np.array([0.5, 0.1, 0.2, 0.3, 1.0, 2.0, -1.0, 0.5])
    q[4:] /= np.linalg.norm(q[4:])
    v, a = np.linspace(-1, 1, 7), np.linspace(0, 2, 7)
    results = []
    for module, model in ((pin, theirs), (fp, ours)):
        data = model.createData()
        module.framesForwardKinematics(model, data, q)
        placements = [data.oMf[model.getFrameId(body, module.BODY)].homogeneous for body in "abcd"]
        results.append([module.rnea(model, data, q, v, a), module.crba(model, data, q), module.aba(model, data, q, v, a), placements])
    for one, other in zip(*results, strict=True):
        assert np.allclose(one, other, atol=1e-10)
    assert np.allclose(theirs.referenceConfigurations["home"], ours.referenceConfigurations["home"])


@pytest.mark.filterwarnings("ignore")
def test_root_joints_of_mjcf_files(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text(FIXED)
    made = [module.buildModelFromMJCF(str(path), module.JointModelFreeFlyer(), "root") for module in (pin, fp)]
    assert_same_model(made[0][0], made[1][0])
    assert len(made[1][1]) == len(made[0][1]) == 0
    assert fp.buildModelFromMJCF(path, root_joint=fp.JointModelFreeFlyer()).nv == made[0][0].nv
    # A body that has joints keeps them.
    path.write_text(MJCF)
    assert_same_model(*(module.buildModelFromMJCFAndRootJoint(str(path), module.JointModelFreeFlyer()) for module in (pin, fp)))


def test_warnings_are_at_the_programs_line(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text(SHAPES.replace("</mujoco>", '<equality><weld body1="a" body2="b"/></equality></mujoco>'))
    with pytest.warns(fl.RobotWarning, match="1 equality constraints are left out") as told:
        fp.buildModelsFromMJCF(path)
    assert {warning.filename for warning in told} == {__file__}
    text = TEXT.replace("<mass value='1'/>", "<mass value='0'/>")
    with pytest.warns(UserWarning, match="massless|no inertia|no mass") as told:
        fp.buildModelFromXML(text)
    assert {warning.filename for warning in told} == {__file__}
    path = tmp_path / "r.urdf"
    path.write_text(text)
    with pytest.warns(fl.RobotWarning, match=r"r\.urdf:\d+:\d+: "):
        assert fp.buildModelFromUrdf(urdf_filename=path, root_joint=fp.JointModelFreeFlyer(), model=fp.Model()).nv == 7


def test_files_of_the_other_format_are_named(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text(MJCF)
    with pytest.raises(ValueError, match=r"ur5_robot.urdf is a URDF, not an MJCF file; buildModelFromUrdf"):
        fp.buildModelFromMJCF(UR5)
    with pytest.raises(ValueError, match=r"m.xml is an MJCF file, not a URDF; buildModelFromMJCF"):
        fp.buildModelFromUrdf(path)


def test_states_of_continuous_joints_may_be_angles():
    srdf = "<robot name='r'><group_state name='s' group='g'><joint name='turn' value='0.3'/></group_state></robot>"
    states = []
    for module in (pin, fp):
        model = module.buildModelFromXML(TEXT)
        module.loadReferenceConfigurationsFromXML(model, srdf)
        states.append(np.array(model.referenceConfigurations["s"]))
    assert np.allclose(*states) and np.allclose(states[1], [np.cos(0.3), np.sin(0.3)])


def collided(module, robot, srdf):
    """A robot's collision geometry and its pairs."""
    path, floats = FILES[robot]
    root = [module.JointModelFreeFlyer()] if floats else []
    model = module.buildModelFromUrdf(str(FOLDER / path), *root)
    kind = module.GeometryType.COLLISION
    geometry = module.buildGeomFromUrdf(model, str(FOLDER / path), kind, package_dirs=[str(FOLDER.parent.parent), str(FOLDER)])
    geometry.addAllCollisionPairs()
    module.removeCollisionPairs(model, geometry, str(FOLDER / srdf))
    return model, geometry


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "robot, srdf, kept, tolerance",
    # coal stops at a tolerance of 1e-6.
    [("panda", "panda_description/srdf/panda.srdf", None, 1e-9), ("talos", "talos_data/srdf/talos.srdf", 25, 1e-5)],
)
def test_distances_and_collisions(robot, srdf, kept, tolerance):
    found = []
    for module in (pin, fp):
        model, geometry = collided(module, robot, srdf)
        if kept:
            pairs_of = list(geometry.collisionPairs)
            geometry.removeAllCollisionPairs()
            for pair in pairs_of[:: len(pairs_of) // kept]:
                geometry.addCollisionPair(pair)
        data, geometry_data = model.createData(), geometry.createData()
        q = np.linspace(-0.4, 0.4, model.nv)
        q = module.integrate(model, module.neutral(model), q)
        nearest = module.computeDistances(model, data, geometry, geometry_data, q)
        collides = module.computeCollisions(geometry, geometry_data, False)
        count = len(geometry.collisionPairs)
        distances = np.array([geometry_data.distanceResults[k].min_distance for k in range(count)])
        assert collides == any(geometry_data.collisionResults[k].isCollision() for k in range(count))
        assert nearest == distances.argmin()
        results = [geometry_data.distanceResults[k] for k in range(count)]
        gaps = [result.getNearestPoint2() - result.getNearestPoint1() for result in results]
        assert np.allclose(np.linalg.norm(gaps, axis=1), np.abs(distances), atol=tolerance)
        collisions = [module.computeCollision(geometry, geometry_data, k) for k in range(count)]
        assert module.computeDistance(geometry, geometry_data, 3).min_distance == distances[3]
        found.append((distances, collisions, [pair.first for pair in geometry.collisionPairs]))
    (theirs, their_collisions, their_pairs), (ours, our_collisions, our_pairs) = found
    assert our_pairs == their_pairs and our_collisions == their_collisions and len(ours) > 20
    apart = theirs > 0
    assert apart.sum() > 20 and (apart == (ours > 0)).all()
    assert np.abs(theirs - ours)[apart].max() < tolerance


def test_collisions_of_spheres():
    # Spheres of radius 0.5 and 0.3, and a margin.
    text = "<robot name='r'><link name='a'><collision><geometry><sphere radius='.5'/></geometry></collision></link></robot>"
    results = []
    for module in (pin, fp):
        model = module.buildModelFromXML(text)
        geometry = module.buildGeomFromUrdfString(model, text, module.GeometryType.COLLISION)
        one = geometry.geometryObjects[0]
        for name, x in (("near", 0.9), ("far", 1.04)):
            other = module.GeometryObject(name, 0, module.SE3(np.eye(3), np.array([x, 0.0, 0.0])), one.geometry)
            geometry.addGeometryObject(other)
        geometry.addCollisionPair(module.CollisionPair(0, 1))
        geometry.addCollisionPair(module.CollisionPair(0, 2))
        data, geometry_data = model.createData(), geometry.createData()
        module.updateGeometryPlacements(model, data, geometry, geometry_data, module.neutral(model))
        assert module.computeCollision(geometry, geometry_data, 0) and not module.computeCollision(geometry, geometry_data, 1)
        geometry_data.collisionRequests[1].security_margin = 0.05
        assert module.computeCollision(geometry, geometry_data, 1)
        contact = geometry_data.collisionResults[0].getContact(0)
        results.append((contact.penetration_depth, *contact.normal, *contact.pos))
        geometry_data.deactivateCollisionPair(0)
        assert module.computeDistances(geometry, geometry_data) == 1
        results[-1] += (geometry_data.distanceResults[1].min_distance,)
    assert np.allclose(*results, atol=1e-9)
    with pytest.raises(ValueError, match="pair 2 of 2"):
        fp.computeDistance(geometry, geometry_data, 2)
