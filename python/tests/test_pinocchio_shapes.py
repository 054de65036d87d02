"""Shapes with coal's names, the universe's joint, limits of files and sample models, beside Pinocchio."""

import copy
import pickle

import numpy as np
import pytest

import featherline.pinocchio as fp

pin = pytest.importorskip("pinocchio")
coal = pytest.importorskip("coal")

LIMITS = ("lowerPositionLimit", "upperPositionLimit", "velocityLimit", "effortLimit", "lowerVelocityLimit", "lowerEffortLimit")
SHAPES = {
    "Box": (1.0, 2.0, 3.0), "Sphere": (2.0,), "Cylinder": (1.0, 2.0), "Capsule": (1.0, 2.0), "Cone": (1.0, 2.0),
    "Ellipsoid": (1.0, 2.0, 3.0),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_have_the_sizes_and_moments_of_coal(name):
    theirs, ours = (getattr(module, name)(*SHAPES[name]) for module in (coal, fp.coal))
    for field in ("halfSide", "radius", "halfLength", "radii"):
        if hasattr(theirs, field):
            assert np.array_equal(getattr(theirs, field), getattr(ours, field))
    assert np.isclose(theirs.computeVolume(), ours.computeVolume())
    assert np.allclose(theirs.computeCOM(), ours.computeCOM())
    assert np.allclose(theirs.computeMomentofInertia(), ours.computeMomentofInertia())
    assert int(theirs.getNodeType()) == int(ours.getNodeType()) and int(theirs.getObjectType()) == int(ours.getObjectType())
    for copied in (ours.clone(), copy.copy(ours), copy.deepcopy(ours), pickle.loads(pickle.dumps(ours)), type(ours)(ours)):
        assert copied == ours and copied is not ours
    for kind in (coal.ShapeBase, getattr(coal, name), fp.coal.ShapeBase, fp.CollisionGeometry):
        assert isinstance(ours, kind)
    assert not isinstance(ours, coal.BVHModelBase) and not hasattr(ours, "vertex_count")


@pytest.mark.parametrize("name", ["Plane", "Halfspace"])
def test_planes_have_unit_normals(name):
    for parts in [(0.0, 0.0, 2.0, 3.0), (np.array([1.0, 2.0, 2.0]), 3.0), ()]:
        theirs, ours = (getattr(module, name)(*parts) for module in (coal, fp.coal))
        if parts:
            assert np.allclose(theirs.n, ours.n) and np.isclose(theirs.d, ours.d)


SHAPED = """<robot name="r"><link name="a">
  <material name="one"><color rgba="1 0 0 1"/></material>
  <collision><geometry><cylinder radius="0.1" length="0.6"/></geometry></collision>
  <collision name="round"><geometry><cylinder radius="0.1" length="0.6"/></geometry></collision>
  <collision><geometry><box size="1 2 3"/></geometry></collision>
  <collision><geometry><sphere radius="0.3"/></geometry></collision>
  <visual><geometry><sphere radius="0.3"/></geometry><material name="m"><color rgba="1 0 0 1"/></material></visual>
  <visual><geometry><sphere radius="0.3"/></geometry><material name="m"><color rgba="0 1 0 1"/></material></visual>
  <collision_checking><capsule name="round"/></collision_checking></link></robot>"""


@pytest.mark.filterwarnings("ignore")
def test_shapes_of_files_are_those_of_coal():
    found = []
    for module in (pin, fp):
        model = module.buildModelFromXML(SHAPED)
        collision, visual = (module.buildGeomFromUrdfString(model, SHAPED, kind) for kind in (module.COLLISION, module.VISUAL))
        assert [type(one.geometry).__name__ for one in collision.geometryObjects] == ["Cylinder", "Capsule", "Box", "Sphere"]
        assert isinstance(collision.geometryObjects[0].geometry, coal.Cylinder)
        found.append([
            [(one.name, one.meshPath, one.meshColor.tolist()) for one in [*collision.geometryObjects, *visual.geometryObjects]],
            [getattr(one.geometry, "radius", None) for one in collision.geometryObjects],
            [getattr(collision.geometryObjects[i].geometry, "halfLength") for i in (0, 1)],
        ])  # fmt: skip
    assert found[0] == found[1]


def test_objects_share_or_clone_their_shape():
    named = {"name": "c", "parent_joint": 0, "parent_frame": 0, "placement": fp.SE3(), "collision_geometry": fp.coal.Capsule(0.1, 1.0)}
    one = fp.GeometryObject(**named)
    assert one.copy().geometry is one.geometry
    assert one.clone().geometry == one.geometry and one.clone().geometry is not one.geometry
    theirs, ours = (module.GeometryObject.CreateCapsule(0.1, 0.6) for module in (pin, fp))
    for field in ("name", "parentJoint", "parentFrame", "meshPath", "overrideMaterial"):
        assert getattr(theirs, field) == getattr(ours, field)
    assert (theirs.geometry.radius, theirs.geometry.halfLength) == (ours.geometry.radius, ours.geometry.halfLength)
    mesh = fp.coal.BVHModelOBBRSS()
    assert mesh.convex is None
    mesh.buildConvexRepresentation(False)
    assert isinstance(mesh.convex, fp.coal.Convex)
    with pytest.raises(TypeError, match="placement"):
        fp.GeometryObject("without", 0, collision_geometry=fp.coal.Sphere(1.0))


def test_the_universe_has_a_joint_without_indices():
    theirs, ours = pin.buildSampleModelHumanoid(), fp.buildSampleModelHumanoid()
    for one, other in zip(theirs.joints, ours.joints, strict=True):
        for name in ("id", "idx_q", "idx_v", "nq", "nv"):
            assert getattr(one, name) == getattr(other, name), name
        assert one.shortname() == other.shortname()
    for name in ("nqs", "nvs", "idx_qs", "idx_vs"):
        assert list(getattr(theirs, name)) == list(getattr(ours, name))
    assert list(theirs.hasConfigurationLimit()) == list(ours.hasConfigurationLimit())


JOINT = """<robot name="r"><link name="a"/><joint name="j" type="{}"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>{}</joint>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""


@pytest.mark.parametrize("limit", ["", '<limit effort="3" velocity="4"/>', '<limit lower="-1" upper="1" effort="3" velocity="4"/>'])
@pytest.mark.parametrize("kind", ["planar", "floating", "continuous", "revolute", "prismatic"])
@pytest.mark.filterwarnings("ignore")
def test_limits_that_a_urdf_leaves_out(kind, limit):
    if kind in ("revolute", "prismatic") and not limit:
        pytest.skip("Pinocchio reads no such file")
    theirs, ours = (module.buildModelFromXML(JOINT.format(kind, limit)) for module in (pin, fp))
    for name in LIMITS:
        assert np.array_equal(getattr(theirs, name), getattr(ours, name)), name


def test_a_subclass_of_the_wrapper_with_a_constructor_of_its_own(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(JOINT.format("continuous", ""))

    class Mine(fp.RobotWrapper):
        def __init__(self, which):
            self.initFromURDF(which)

    assert Mine(str(path)).nq == 2


def arm(module, name):
    model = module.Model()
    joint = model.addJoint(0, module.JointModelRX(), module.SE3.Identity(), name)
    model.addJointFrame(joint)
    model.appendBodyToJoint(joint, module.Inertia(1.0, np.full(3, 0.1), 0.1 * np.eye(3)), module.SE3.Identity())
    return model


@pytest.mark.parametrize("frame", [0, 1])
@pytest.mark.parametrize("suffix", ["", "_1"])
def test_append_model_with_a_renamed_universe_and_shapes_without_a_frame(frame, suffix):
    found = []
    for module in (pin, fp):
        at = module.SE3(np.eye(3), np.array([0.1, 0.2, 0.3]))
        other, geometry = arm(module, "k"), module.GeometryModel()
        for i in range(len(other.names)):
            other.names[i] += suffix
        geometry.addGeometryObject(module.GeometryObject("ball", 1, at, coal.Sphere(0.1)))
        geometry.addGeometryObject(module.GeometryObject("framed", 1, 1, at, coal.Sphere(0.1)))
        model, shapes = module.appendModel(arm(module, "j"), other, module.GeometryModel(), geometry, frame, at)
        found.append([
            list(model.names), model.nbodies, [(one.name, one.parentJoint, one.parentFrame) for one in model.frames],
            [(one.name, one.parentJoint, one.parentFrame, one.placement.translation.tolist()) for one in shapes.geometryObjects],
        ])  # fmt: skip
    assert found[0] == found[1]


def object_fields(one):
    length = one.geometry.halfLength if type(one.geometry).__name__ == "Capsule" else None
    sizes = type(one.geometry).__name__, one.geometry.radius, length
    return one.name, one.parentFrame, one.placement.homogeneous.tolist(), sizes, one.meshPath, one.meshColor.tolist(), one.overrideMaterial


@pytest.mark.parametrize("name, arguments", [("Manipulator", ()), ("Humanoid", (True,)), ("Humanoid", (False,))])
def test_sample_models_and_their_shapes(name, arguments):
    theirs, ours = (getattr(module, f"buildSampleModel{name}")(*arguments) for module in (pin, fp))
    assert (theirs.nq, theirs.nv, theirs.nbodies, theirs.nframes) == (ours.nq, ours.nv, ours.nbodies, ours.nframes)
    for field in LIMITS:
        assert np.array_equal(getattr(theirs, field), getattr(ours, field)), field
    q, v = pin.integrate(theirs, pin.neutral(theirs), np.linspace(-1, 1, theirs.nv)), np.linspace(-2, 1, theirs.nv)
    torques = [module.rnea(model, model.createData(), q, v, v) for module, model in ((pin, theirs), (fp, ours))]
    assert np.allclose(*torques, atol=1e-10)
    shapes = [getattr(module, f"buildSampleGeometryModel{name}")(model) for module, model in ((pin, theirs), (fp, ours))]
    assert [object_fields(one) for one in shapes[0].geometryObjects] == [object_fields(one) for one in shapes[1].geometryObjects]


@pytest.mark.parametrize("floats", [True, False])
def test_random_humanoids_have_the_sizes_of_pinocchio(floats):
    theirs, ours = (module.buildSampleModelHumanoidRandom(floats, False) for module in (pin, fp))
    assert (theirs.nq, theirs.nv, theirs.nframes) == (ours.nq, ours.nv, ours.nframes)


def assert_same_box(ours, theirs):
    for name in ("min_", "max_"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name


FLAT = {
    "Plane": [(0, 0, 2, 1), (0, -1, 0, 0.5), (0.6, 0, 0.8, 1)],
    "Halfspace": [(0, 0, 2, 1), (0, -1, 0, 0.5), (1, 0, 0, -0.5), (0.6, 0, 0.8, 1)],
}  # fmt: skip


@pytest.mark.parametrize("name", [*SHAPES, *FLAT])
def test_boxes_around_shapes_are_those_of_coal(name):
    for parts in FLAT.get(name, [SHAPES.get(name)]):
        theirs, ours = (getattr(module, name)(*parts) for module in (coal, fp.coal))
        for shape in (theirs, ours):
            shape.computeLocalAABB()
        assert_same_box(ours.aabb_local, theirs.aabb_local)
        assert np.array_equal(ours.aabb_center, theirs.aabb_center)
        assert ours.aabb_radius == pytest.approx(theirs.aabb_radius, rel=1e-15)
        if name not in FLAT:
            assert np.allclose(
                ours.computeMomentofInertiaRelatedToCOM(), theirs.computeMomentofInertiaRelatedToCOM(), rtol=1e-14, atol=1e-15
            )


def test_boxes_along_the_axes():
    a, b, c = np.array([0.0, 1.0, -2.0]), np.array([1.0, -1.0, 3.0]), np.array([4.0, 5.0, 6.0])
    found = []
    for module in (coal, fp.coal):
        box, near, far = module.AABB(a, b), module.AABB(a, b, c), module.AABB(c + 1, c + 2)
        assert module.AABB(a).volume() == 0.0 and module.AABB(box) == box and box != near
        found.append([
            box.center(), near.max_, near.min_, box.width(), box.height(), box.depth(), box.size(), box.volume(),
            [box.contain(a), box.contain(c), near.contain(box), box.contain(near), box.overlap(near), box.overlap(far)],
            box.distance(far), box.distance(near), module.AABB(box, np.ones(3)).max_,
            (box + module.AABB(c)).max_, (box + far).min_,
            module.AABB().min_, module.AABB().max_,
        ])  # fmt: skip
        box += c
        found[-1].append(box.max_)
    for theirs, ours in zip(*found, strict=True):
        assert np.allclose(theirs, ours, rtol=1e-15)


def test_corners_of_meshes_are_those_of_coal(tmp_path):
    path = tmp_path / "mesh.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1.25 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
    link = "<link name='a'><collision><geometry><mesh filename='mesh.obj' scale='1 2 3'/></geometry></collision></link>"
    (tmp_path / "robot.urdf").write_text(f"<robot name='r'>{link}</robot>")
    shapes = fp.buildModelsFromUrdf(tmp_path / "robot.urdf", geometry_types=fp.GeometryType.COLLISION)[1]
    ours, theirs = shapes.geometryObjects[0].geometry, coal.MeshLoader().load(str(path), np.array([1.0, 2.0, 3.0]))
    for mesh in (ours, theirs):
        mesh.buildConvexRepresentation(False)
    # Files are read in single precision: 2⁻²⁴ of a number; another reader has other orders of corners and triangles.
    near = {"rtol": 1e-7, "atol": 1e-7}

    def corners(mesh):
        return sorted(np.round(mesh.vertices(), 6).tolist())

    def triangles(mesh):
        return sorted(
            sorted(np.round(mesh.vertex(mesh.tri_indices(k)[i]), 6).tolist() for i in range(3)) for k in range(mesh.num_tris)
        )

    assert (ours.num_vertices, ours.num_tris) == (theirs.num_vertices, theirs.num_tris) == (4, 4)
    assert np.allclose(corners(ours), corners(theirs), **near) and np.allclose(triangles(ours), triangles(theirs), **near)
    for one, other in [(ours, theirs), (ours.convex, theirs.convex)]:
        other.computeLocalAABB()
        assert np.allclose(one.aabb_local.min_, other.aabb_local.min_, **near)
        assert np.allclose(one.aabb_local.max_, other.aabb_local.max_, **near)
        assert np.allclose(one.aabb_radius, other.aabb_radius, **near)
    assert np.allclose(ours.convex.center, theirs.convex.center, **near)
    assert ours.convex.num_points == 4 and np.array_equal(ours.convex.points(), ours.vertices())
    loaded = fp.MeshLoader().load(str(path), np.array([1.0, 2.0, 3.0]))
    assert np.array_equal(loaded.vertices(), ours.vertices()) and isinstance(loaded, coal.BVHModelBase)
    assert fp.CachedMeshLoader(fp.coal.BV_OBBRSS).load(path) == fp.coal.MeshLoader().load(path) != loaded
    with pytest.raises(ValueError, match="missing.obj was not found"):
        fp.MeshLoader().load("missing.obj")
    with pytest.raises(NotImplementedError, match="MeshLoader of BV_AABB: it is of BV_OBBRSS"):
        fp.MeshLoader(coal.BV_AABB)
    with pytest.raises(ValueError, match="of no file, so it has no corners"):
        fp.coal.BVHModelOBBRSS().vertices()
