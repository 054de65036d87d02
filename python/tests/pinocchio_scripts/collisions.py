"""Pairs of shapes on an arm and beside it: which touch, how far the others are, and safety margins."""

import numpy as np
import pinocchio as pin

model = pin.buildSampleModelManipulator()
shapes = pin.buildSampleGeometryModelManipulator(model)
box = pin.GeometryObject("box", 0, pin.SE3(np.eye(3), np.array([0.6, 0.2, 1.0])), pin.hppfcl.Box(0.4, 0.6, 0.8))
index = shapes.addGeometryObject(box)
shapes.addAllCollisionPairs()
print(shapes.ngeoms, len(shapes.collisionPairs))
shapes.removeAllCollisionPairs()
for other in range(index):
    shapes.addCollisionPair(pin.CollisionPair(other, index))
data, places = model.createData(), pin.GeometryData(shapes)
random = np.random.default_rng(1)
for _ in range(12):
    q = random.uniform(-2.0, 2.0, model.nq)
    any_touches = pin.computeCollisions(model, data, shapes, places, q, False)
    touching = [result.isCollision() for result in places.collisionResults]
    nearest = pin.computeDistances(model, data, shapes, places, q)
    distances = [result.min_distance for result in places.distanceResults]
    print(any_touches, touching, nearest, [round(distance, 4) for distance in distances if distance > 0.0])
for pair, result in zip(shapes.collisionPairs, places.distanceResults):
    names = [shapes.geometryObjects[i].name for i in (pair.first, pair.second)]
    print(names, round(np.linalg.norm(result.getNearestPoint1() - result.getNearestPoint2()), 4))
