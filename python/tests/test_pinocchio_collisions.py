"""Collisions and distances of pairs: what is prepared for them follows every change of their parts."""

import pickle

import numpy as np
import pytest

import featherline.pinocchio as pin
from featherline.pinocchio import coal, collision


def robot(gap=1.0):
    """Two balls of radius 0.5 on a slider along x each, and a third one in the world at x = 10."""
    model, geometry = pin.Model(), pin.GeometryModel()
    for k in range(2):
        model.addJoint(0, pin.JointModelPX(), pin.SE3(np.eye(3), np.array([k * gap, 0, 0])), f"slider{k}")
        geometry.addGeometryObject(pin.GeometryObject(f"ball{k}", k + 1, pin.SE3.Identity(), coal.Sphere(0.5)))
    far = pin.SE3(np.eye(3), np.array([10.0, 0, 0]))
    geometry.addGeometryObject(pin.GeometryObject("ball2", 0, far, coal.Sphere(0.5)))
    for first, second in ((1, 0), (0, 2), (1, 2)):
        geometry.addCollisionPair(pin.CollisionPair(first, second))
    return model, model.createData(), geometry, geometry.createData()


AT = np.zeros(2)


def depth(parts, q=AT):
    """The distance of the first pair, by all calls that tell it."""
    assert pin.computeDistances(*parts, np.array(q, float)) in (0, 1, 2)
    distance = parts[3].distanceResults[0].min_distance
    collides = pin.computeCollisions(*parts, np.array(q, float), False)
    assert parts[3].collisionResults[0].isCollision() == (distance <= 0) and collides >= (distance <= 0)
    pin.updateGeometryPlacements(*parts, np.array(q, float))
    assert pin.computeDistance(parts[2], parts[3], 0).min_distance == distance
    return distance


def test_data_of_one_model_share_what_is_prepared(monkeypatch):
    made, prepare = [], collision._pinocchio._Pairs
    monkeypatch.setattr(collision._pinocchio, "_Pairs", lambda *parts: made.append(parts) or prepare(*parts))
    model, _, geometry, _ = robot(1.5)
    for gap, count in ((0.5, 1), (0.3, 2)):
        results = [geometry.createData() for _ in range(3)]
        for k, own in enumerate(results):
            pin.computeDistances(model, model.createData(), geometry, own, np.array([0.0, 0.1 * k]))
        # Each has results of its own.
        assert np.allclose([own.distanceResults[0].min_distance for own in results], [gap, gap + 0.1, gap + 0.2])
        assert len(made) == count
        geometry.geometryObjects[0].geometry.radius = 0.7


CHANGES = {
    "placement": lambda model, geometry, data: setattr(geometry.geometryObjects[1], "placement", pin.SE3(np.eye(3), np.array([1.0, 0, 0]))),
    "in place": lambda model, geometry, data: geometry.geometryObjects[1].placement.translation.__setitem__(0, 1.0),
    "size": lambda model, geometry, data: setattr(geometry.geometryObjects[1].geometry, "radius", 0.25),
    "shape": lambda model, geometry, data: setattr(geometry.geometryObjects[1], "geometry", coal.Box(0.2, 1, 1)),
    "joint": lambda model, geometry, data: setattr(geometry.geometryObjects[0], "parentJoint", 2),
    "pair": lambda model, geometry, data: setattr(geometry.collisionPairs[0], "first", 2),
    "object": lambda model, geometry, data: geometry.geometryObjects.__setitem__(0, geometry.geometryObjects[2]),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_after_a_query_counts_in_the_next(change):
    parts = robot(1.5)
    assert np.isclose(depth(parts), 0.5)
    CHANGES[change](parts[0], parts[2], parts[3])
    fresh = robot(1.5)
    CHANGES[change](fresh[0], fresh[2], fresh[3])
    assert depth(parts) == depth(fresh) != 0.5


def test_inactive_pairs_and_margins_count_in_the_next_query():
    parts = robot(1.2)
    _, _, geometry, data = parts
    assert not pin.computeCollisions(*parts, AT, False)
    data.collisionRequests[0].security_margin = 0.3
    assert pin.computeCollisions(*parts, AT, False) and data.collisionResults[0].isCollision()
    data.deactivateCollisionPair(0)
    assert not pin.computeCollisions(*parts, AT, False)
    data.activateCollisionPair(0)
    geometry.geometryObjects[0].disableCollision = True
    assert not pin.computeCollisions(*parts, AT, False)


def test_results_and_placements_that_are_held_follow():
    parts = robot()
    data = parts[3]
    results, placement, distance = data.collisionResults[0], data.oMg[1], data.distanceResults[0]
    for x, collides in ((0.5, False), (-0.5, True), (0.5, False)):
        q = np.array([0, x])
        assert pin.computeCollisions(*parts, q, False) == collides == results.isCollision()
        assert np.isclose(placement.translation[0], 1 + x)
        pin.computeDistances(*parts, q)
        assert np.isclose(distance.min_distance, x)


def test_a_contact_is_that_of_its_own_query():
    parts = robot()
    pin.computeCollisions(*parts, np.array([0, -0.25]), False)
    pin.computeDistances(*parts, np.array([0, 3.0]))
    contact = parts[3].collisionResults[0].getContact(0)
    # The pair is (1, 0): the first ball is at 0.75.
    assert np.isclose(contact.penetration_depth, -0.25) and np.isclose(contact.getNearestPoint1()[0], 0.25)
    assert np.allclose(contact.normal, [-1, 0, 0])


def test_assigned_placements_are_copied():
    parts = robot()
    data = parts[3]
    mine = pin.SE3(np.eye(3), np.array([0.25, 0, 0]))
    data.oMg[1] = mine
    assert pin.computeCollisions(parts[2], data, False)
    pin.updateGeometryPlacements(*parts, AT)
    assert mine.translation[0] == 0.25 and data.oMg[1].translation[0] == 1.0


def test_copies_have_the_results():
    parts = robot()
    pin.computeCollisions(*parts, np.array([0, -0.25]), False)
    pin.computeDistances(*parts, np.array([0, -0.25]))
    for copied in (parts[3].copy(), pickle.loads(pickle.dumps(parts[3]))):
        assert copied.collisionResults[0].isCollision() and not copied.collisionResults[1].isCollision()
        assert np.isclose(copied.distanceResults[0].min_distance, -0.25)
        assert not pin.computeCollisions(*parts[:3], copied, AT + 0.5, False) or copied.collisionResults[0].isCollision()


def test_data_of_fewer_objects_or_pairs_are_refused():
    parts = robot()
    parts[2].addGeometryObject(pin.GeometryObject("late", 0, pin.SE3.Identity(), coal.Sphere(0.1)))
    for call in (pin.computeCollisions, pin.computeDistances, pin.updateGeometryPlacements):
        with pytest.raises(ValueError, match="createData"):
            call(*parts, AT)


def on_floor(pin, coal, shape, placement):
    """The patch of a shape on a box of 3 m · 3 m whose top is at z = 0.5 m."""
    model, geometry = pin.Model(), pin.GeometryModel()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "floating")
    geometry.addGeometryObject(pin.GeometryObject("floor", 0, pin.SE3.Identity(), coal.Box(3, 3, 1)))
    geometry.addGeometryObject(pin.GeometryObject("shape", joint, pin.SE3.Identity(), shape(coal)))
    geometry.addCollisionPair(pin.CollisionPair(0, 1))
    data, of_geometry = model.createData(), geometry.createData()
    of_geometry.collisionRequests[0].enable_contact = True
    q = pin.SE3ToXYZQUAT(pin.SE3(placement))
    pin.computeCollisions(model, data, geometry, of_geometry, q, False)
    pin.computeContactPatches(geometry, of_geometry)
    return of_geometry.contactPatchResults[0]


def polygon(patch):
    return np.array([patch.getPoint(k) for k in range(patch.size())])


def turned(angle, x, y, z):
    placement = np.eye(4)
    placement[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    placement[:3, 3] = x, y, z
    return placement


def test_a_contact_patch_is_where_a_box_lies_on_another():
    # Half of it reaches over the edge at x = 1.5; it is 0.02 m deep.
    result = on_floor(pin, coal, lambda coal: coal.Box(1.0, 1.2, 0.8), turned(0, 1.5, 0, 0.88))
    assert result.numContactPatches() == 1
    patch = result.getContactPatch(0)
    assert np.allclose(patch.getNormal(), [0, 0, 1]) and np.isclose(patch.penetration_depth, -0.02)
    corners = {(x, y) for x in (1.0, 1.5) for y in (-0.6, 0.6)}
    assert {tuple(np.round(point[:2], 9)) for point in polygon(patch)} == corners
    assert np.allclose(polygon(patch)[:, 2], 0.49)
    assert np.allclose([patch.getPointShape1(0)[2], patch.getPointShape2(0)[2]], [0.5, 0.48])
    copied = pickle.loads(pickle.dumps(patch))
    assert copied.isSame(patch) and patch.isSame(copied, 1e-9)
    copied.addPoint([0.0, 0.0, 7.0])
    assert not copied.isSame(patch) and np.allclose(copied.getPoint(4), [0, 0, 0.49])
    ball = on_floor(pin, coal, lambda coal: coal.Sphere(0.4), turned(0, 0.3, 0.2, 0.89)).getContactPatch(0)
    assert ball.size() == 1 and np.allclose(ball.getPoint(0), [0.3, 0.2, 0.495])
    apart = on_floor(pin, coal, lambda coal: coal.Sphere(0.4), turned(0, 0.3, 0.2, 0.91))
    assert apart.numContactPatches() == 0
    with pytest.raises(IndexError, match="do not collide"):
        apart.getContactPatch(0)


def test_contact_patches_of_boxes_are_those_of_pinocchio():
    theirs = pytest.importorskip("pinocchio")
    package = pytest.importorskip("coal")
    rng = np.random.default_rng(0)
    for _ in range(20):
        placement = turned(rng.uniform(-3, 3), *rng.uniform(-1.4, 1.4, 2), 0.88)
        patches = [
            on_floor(module, of, lambda coal: coal.Box(1.0, 1.2, 0.8), placement).getContactPatch(0)
            for module, of in ((theirs, package), (pin, coal))
        ]
        # In the same order, from another corner; coal's search ends at 1e-6 m.
        a, b = (polygon(patch) for patch in patches)
        assert len(a) == len(b)
        assert min(np.abs(np.roll(a, k, axis=0) - b).max() for k in range(len(a))) < 1e-5


def test_planes_have_two_sides_and_half_spaces_one():
    """By hand: a ball of radius 0.1 beside {x: n·x = d}, and n·x ≤ d."""
    normal = np.array([0.6, 0.0, 0.8])
    for height in (0.5, 0.05, -0.03, -0.5):
        for kind in (coal.Plane, coal.Halfspace):
            model, geometry = pin.Model(), pin.GeometryModel()
            joint = model.addJoint(0, pin.JointModelTranslation(), pin.SE3.Identity(), "floating")
            geometry.addGeometryObject(pin.GeometryObject("floor", 0, pin.SE3.Identity(), kind(normal, 0.2)))
            geometry.addGeometryObject(pin.GeometryObject("ball", joint, pin.SE3.Identity(), coal.Sphere(0.1)))
            geometry.addCollisionPair(pin.CollisionPair(0, 1))
            parts = model, model.createData(), geometry, geometry.createData()
            distance = (abs(height) if kind is coal.Plane else height) - 0.1
            q = (0.2 + height) * normal + 0.7 * np.array([0.8, 0.0, -0.6])
            assert depth(parts, q) == pytest.approx(distance, abs=1e-12)
            result = parts[3].distanceResults[0]
            out = -normal if kind is coal.Plane and height < 0 else normal
            assert np.allclose(result.normal, out) and np.isclose(normal @ result.getNearestPoint1(), 0.2)
            pin.computeContactPatches(geometry, parts[3])
            assert parts[3].contactPatchResults[0].numContactPatches() == (distance <= 0)


def test_pairs_of_many_threads_by_their_names():
    parts = robot()
    names = dict(zip(("model", "data", "geometry_model", "geometry_data"), parts, strict=True))
    assert pin.computeCollisionsInParallel(num_thread=1, **names, q=np.array([0, -0.5]))
    pool = pin.GeometryPool(parts[0], parts[2], 1)
    assert pin.computeCollisionsInParallel(num_thread=1, pool=pool, q=np.array([[0, 0], [-0.5, 0.5]])).tolist() == [True, False]

