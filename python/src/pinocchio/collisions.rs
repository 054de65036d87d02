//! Shapes of geometry models, and collisions and distances of pairs of them.

use super::Value;
use super::data::{DataBase, for_writing, no_joint};
use super::fields::Field;
use super::joints::move_joints;
use super::kernels::compose;
use super::model::ModelBase;
use crate::spatial::SE3;
use crate::states::Outcome;
use featherline::model::{JointId, ModelBuilder};
use featherline::spatial::{Se3, Vec3};
use featherline_geometry::{
    Capsule, Collider, CollisionError, CollisionModel, CollisionShape, CollisionWorkspace, Cone,
    Cuboid, Cylinder, Ellipsoid, Mesh, Placed, Plane, Separation, Shape, Sphere,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::sync::{Arc, Mutex, PoisonError};

fn refused(error: &dyn std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A distance, a point on each shape, and the normal.
type SeparationParts = (f64, [f64; 3], [f64; 3], [f64; 3]);

/// A shape by its kind, sizes and mesh, as `featherline.pinocchio` makes it of an object.
#[pyclass(frozen, module = "featherline._native", name = "_Collider")]
pub struct _Collider {
    collider: Box<Collider>,
}

#[pymethods]
impl _Collider {
    #[new]
    fn new(
        py: Python<'_>,
        kind: &str,
        sizes: Vec<f64>,
        mesh: Option<(std::path::PathBuf, [f64; 3])>,
    ) -> PyResult<Self> {
        let shape: Shape = match (kind, &sizes[..], mesh) {
            ("sphere", &[radius], _) => Sphere::new(radius).into(),
            ("capsule", &[radius, length], _) => Capsule::new(radius, length).into(),
            ("cylinder", &[radius, length], _) => Cylinder::new(radius, length).into(),
            ("cone", &[radius, length], _) => Cone::new(radius, length).into(),
            ("box", &[x, y, z], _) => Cuboid::new(Vec3::new(x, y, z)).into(),
            ("ellipsoid", &[a, b, c], _) => Ellipsoid::new(Vec3::new(a, b, c)).into(),
            ("plane", ..) => Plane.into(),
            ("mesh", _, Some((path, scale))) => {
                let mesh = py.detach(|| Mesh::read(&path));
                let mesh = mesh.map_err(|it| refused(&it))?;
                let [x, y, z] = scale;
                let scaled = mesh.scaled(Vec3::new(x, y, z));
                scaled.map_err(|it| refused(&it))?.into()
            }
            _ => {
                return Err(PyValueError::new_err(format!(
                    "a {kind} of {} sizes is no shape that collides",
                    sizes.len()
                )));
            }
        };
        let collider = Collider::new(shape).map_err(|it| refused(&it))?;
        Ok(Self {
            collider: Box::new(collider),
        })
    }

    /// The distance of two shapes, a point on each, and the normal.
    fn separation(
        &self,
        placement: &SE3,
        other: &Self,
        other_placement: &SE3,
    ) -> PyResult<SeparationParts> {
        let (a, b) = (placement.value(), other_placement.value());
        let found = self.collider.separation(&a, &other.collider, &b);
        found.map(|it| separated(&it)).map_err(|it| refused(&it))
    }

    /// The same if the distance is at most `reach`, else None; of meshes, of some triangles.
    fn separation_within(
        &self,
        placement: &SE3,
        other: &Self,
        other_placement: &SE3,
        reach: f64,
    ) -> PyResult<Option<SeparationParts>> {
        let (a, b) = (placement.value(), other_placement.value());
        let found = (self.collider).separation_within(&a, &other.collider, &b, reach);
        Ok(found.map_err(|it| refused(&it))?.as_ref().map(separated))
    }

    /// The points of contact that are no farther apart than `range`: of each what `separation` has.
    fn contacts(
        &self,
        placement: &SE3,
        other: &Self,
        other_placement: &SE3,
        range: f64,
    ) -> PyResult<Vec<SeparationParts>> {
        let (a, b) = (placement.value(), other_placement.value());
        let mut points = Vec::new();
        let found = (self.collider).contact_points(&a, &other.collider, &b, range, &mut points);
        found.map_err(|it| refused(&it))?;
        let parts = points.iter().map(|it| {
            let [first, second] = it.points.map(|p| p.to_array());
            (it.distance, first, second, it.normal.to_array())
        });
        Ok(parts.collect())
    }
}

fn separated(found: &Separation) -> SeparationParts {
    let [first, second] = found.points.map(|it| it.to_array());
    (found.distance, first, second, found.normal.to_array())
}

/// Where the objects of a geometry model of `featherline.pinocchio` are: of each, the number of its
/// joint, and its placement there.
#[pyclass(frozen, module = "featherline._native", name = "_Carried")]
pub struct _Carried {
    objects: Vec<(usize, Py<SE3>)>,
}

#[pymethods]
impl _Carried {
    #[new]
    fn new(objects: Vec<(usize, Py<SE3>)>) -> Self {
        Self { objects }
    }

    /// Writes where the objects are in the world: at q, or as data has the joints.
    fn place(
        &self,
        model: &Bound<'_, ModelBase>,
        data: &Bound<'_, DataBase>,
        q: Option<Value<'_, '_>>,
        world: &Bound<'_, PyList>,
    ) -> Outcome<()> {
        let (py, mut data) = (data.py(), for_writing(data)?);
        match q {
            Some(q) => {
                let native = ModelBase::native(model)?;
                move_joints(native.get(), &mut data, q, None, None)?;
            }
            None => data.settle(py, Field::Placements)?,
        }
        check_count(world, self.objects.len())?;
        let joints = data.joints.values();
        for ((joint, own), to) in self.objects.iter().zip(world) {
            let of = joints
                .get(*joint)
                .ok_or_else(|| no_joint(*joint, joints.len()))?;
            let placement = compose(of, &own.get().value());
            to.cast::<SE3>().map_err(PyErr::from)?.get().set(&placement);
        }
        Ok(())
    }
}

/// As many placements as there are objects.
fn check_count(placements: &Bound<'_, PyList>, expected: usize) -> PyResult<()> {
    if placements.len() == expected {
        return Ok(());
    }
    Err(PyValueError::new_err(format!(
        "geometry_data has {} objects, where {expected} are expected: make it again by createData()",
        placements.len()
    )))
}

/// Pairs of objects of a geometry model of `featherline.pinocchio` that are tested together.
#[pyclass(frozen, module = "featherline._native", name = "_Pairs")]
pub struct _Pairs {
    collision: Arc<CollisionModel>,
    /// Aligned as Python's objects are not.
    memory: Box<Mutex<PairsMemory>>,
    /// Of each pair of the collision model, its number among those that were given, and whether
    /// that one has the objects in the other order.
    numbers: Arc<[(usize, bool)]>,
    /// How many were given.
    count: usize,
}

struct PairsMemory {
    queries: CollisionWorkspace,
    /// Where the objects were in the last query.
    placements: Vec<Se3<f64>>,
    /// Of each pair that was given.
    separations: Vec<Separation>,
}

impl _Pairs {
    fn with_memory(
        collision: Arc<CollisionModel>,
        numbers: Arc<[(usize, bool)]>,
        count: usize,
    ) -> Self {
        let touching = Separation {
            distance: 0.0,
            points: [Vec3::zero(); 2],
            normal: Vec3::zero(),
        };
        let memory = PairsMemory {
            queries: CollisionWorkspace::new(&collision),
            placements: vec![Se3::identity(); collision.shapes().len()],
            separations: vec![touching; count],
        };
        Self {
            collision,
            memory: Box::new(Mutex::new(memory)),
            numbers,
            count,
        }
    }

    /// Asks about objects at placements, with memory for the separations of all pairs.
    fn ask<T>(
        &self,
        placements: &Bound<'_, PyList>,
        ask: impl FnOnce(&mut Placed<'_>, &mut [Separation]) -> Result<T, CollisionError>,
    ) -> PyResult<T> {
        check_count(placements, self.collision.shapes().len())?;
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let PairsMemory {
            queries,
            placements: last,
            separations,
        } = &mut *memory;
        for (last, placement) in last.iter_mut().zip(placements) {
            *last = placement.cast::<SE3>()?.get().value();
        }
        let placed = queries.place_shapes(&self.collision, last);
        let found = placed.and_then(|mut placed| ask(&mut placed, separations));
        found.map_err(|it| refused(&it))
    }
}

#[pymethods]
impl _Pairs {
    #[new]
    fn new(colliders: Vec<PyRef<'_, _Collider>>, pairs: Vec<[usize; 2]>) -> PyResult<Self> {
        let shapes = colliders.iter().enumerate().map(|(index, it)| {
            let shape = it.collider.shape().clone();
            CollisionShape::new(index.to_string(), JointId::UNIVERSE, Se3::identity(), shape)
        });
        let nothing = ModelBuilder::new("objects").build();
        let nothing = nothing.map_err(|it| refused(&it))?;
        let collision = CollisionModel::with_pairs(&nothing.model, shapes.collect(), pairs.clone());
        let collision = collision.map_err(|it| refused(&it))?;
        let number = |pair: &[usize; 2]| {
            let mut given = pairs.iter();
            let at = given.position(|&[i, j]| [i.min(j), i.max(j)] == *pair)?;
            Some((at, pairs[at] != *pair))
        };
        let numbers = collision.pairs().iter().filter_map(number).collect();
        Ok(Self::with_memory(Arc::new(collision), numbers, pairs.len()))
    }

    /// The same pairs, with memory of their own.
    fn again(&self) -> Self {
        let (collision, numbers) = (Arc::clone(&self.collision), Arc::clone(&self.numbers));
        Self::with_memory(collision, numbers, self.count)
    }

    /// The numbers of the pairs that touch or overlap, ascending; with `first_only`, of one at
    /// most.
    fn touching(&self, placements: &Bound<'_, PyList>, first_only: bool) -> PyResult<Vec<usize>> {
        self.ask(placements, |placed, _| {
            let pairs = placed.collisions(first_only && self.numbers.is_sorted())?;
            let mut found: Vec<usize> = pairs
                .iter()
                .filter_map(|pair| self.collision.pairs().binary_search(pair).ok())
                .map(|at| self.numbers[at].0)
                .collect();
            found.sort_unstable();
            Ok(found)
        })
    }

    /// Finds the separations of all pairs, for `separations`. Returns the number of the nearest
    /// one, if there are any.
    fn nearest(&self, placements: &Bound<'_, PyList>) -> PyResult<Option<usize>> {
        self.ask(placements, |placed, separations| {
            let mut nearest: Option<usize> = None;
            for (&(number, is_swapped), found) in self.numbers.iter().zip(placed.distances()?) {
                separations[number] = if is_swapped { found.swapped() } else { *found };
                if nearest.is_none_or(|at| separations[number].distance < separations[at].distance)
                {
                    nearest = Some(number);
                }
            }
            Ok(nearest)
        })
    }

    /// The separations of all pairs that `nearest` found last, in the order in which the pairs were
    /// given.
    fn separations(&self) -> Vec<SeparationParts> {
        let memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        memory.separations.iter().map(separated).collect()
    }

    /// The placements of the objects in the last query.
    fn placements(&self) -> Vec<SE3> {
        let memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        memory.placements.iter().map(SE3::from_value).collect()
    }
}
