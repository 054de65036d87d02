//! Distances and contacts of a robot's shapes.

use crate::array::{Answer, Shape as Width, Value};
use crate::error::{self, natural};
use crate::model::{Model, Shapes};
use crate::properties::properties;
use crate::robot::{kind_and_sizes, warn};
use crate::simulation::{ContactPoint, ShapeNames, robot_of, structured};
use crate::spatial::SE3;
use crate::states::{Failure, for_each_named, for_each_one, named, one_state};
use featherline::Workspace;
use featherline::model::JointId;
use featherline::random::SplitMix64;
use featherline::spatial::{Se3, Vec3};
use featherline::words::{DidYouMean, closest};
use featherline_geometry::{
    CollisionError, CollisionModel, CollisionWorkspace, Placed, Separation, distance_jacobian_into,
};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::types::PyTuple;
use std::sync::Arc;

/// The shapes of a robot or a scene, and the pairs of them that may touch.
///
/// Collision(robot): a `Robot`, a `Model` of `load`, or what `load_robot` takes; `Robot.collision`
/// is the same. ground: the height in m of a plane that is added. It does not change: `without` and
/// `with_pair` return others. Meshes are replaced by their convex hulls, with a warning where that
/// changes them. Pairs are those of neighbouring links and of `disable_collisions` left out, as for
/// simulations.
///
/// q is a configuration (nq,), or many (n, nq), of which results have one axis more in front.
///
/// >>> collision = fl.Collision("quadruped", ground=0.0)
/// >>> q = fl.load("quadruped").neutral()
/// >>> collision.distances(q).distance.shape == (len(collision.pairs),)
/// True
/// >>> pair, distance = collision.nearest(q)
#[pyclass(frozen, module = "featherline", name = "Collision", weakref)]
pub struct Collision {
    model: Py<Model>,
    collision: Arc<CollisionModel>,
    names: Arc<ShapeNames>,
}

impl Collision {
    /// The shapes of a model that knows them.
    pub fn of(py: Python<'_>, model: Py<Model>, ground: Option<f64>) -> PyResult<Self> {
        let Shapes::Of(read) = &model.get().shapes else {
            return Err(PyValueError::new_err(format!(
                "'{}' has no shapes: load it from its file",
                model.get().model.name()
            )));
        };
        let contact = py.detach(|| read.contact_model(ground));
        let contact = contact.map_err(|error| PyValueError::new_err(error.to_string()))?;
        warn(py, &contact.warnings, "")?;
        Ok(Self {
            names: Arc::new(ShapeNames::of(
                read,
                contact.collision.shapes(),
                &contact.geometry,
            )),
            collision: Arc::new(contact.collision),
            model,
        })
    }

    fn core(&self) -> &featherline::Model {
        &self.model.get().model
    }

    fn with_model(&self, py: Python<'_>, collision: CollisionModel) -> Self {
        Self {
            model: self.model.clone_ref(py),
            collision: Arc::new(collision),
            names: self.names.clone(),
        }
    }

    /// The index of the shape of a name.
    fn shape(&self, name: &str) -> PyResult<usize> {
        if let Some(index) = self.collision.shape_index(name) {
            return Ok(index);
        }
        let near = closest(name, self.names.shapes.iter().map(String::as_str));
        Err(PyKeyError::new_err(format!(
            "there is no shape '{name}'{}",
            DidYouMean(near)
        )))
    }

    fn names_of(&self, pair: [usize; 2]) -> (&str, &str) {
        let [a, b] = pair.map(|k| self.names.shapes[k].as_str());
        (a, b)
    }

    /// Memory for queries in a state, and the state placed in it.
    fn placed<T>(
        &self,
        q: &[f64],
        ask: impl FnOnce(&mut Placed<'_>) -> Result<T, CollisionError>,
    ) -> Result<T, Failure> {
        let model = self.core();
        let mut ws = Workspace::<f64>::recursive(model);
        let mut joints = vec![Se3::identity(); model.joints().len()];
        model
            .forward_kinematics(&mut ws, q)?
            .joint_placements_into(&mut joints)?;
        let mut queries = CollisionWorkspace::new(&self.collision);
        let asked = queries.place(&self.collision, &joints);
        asked
            .and_then(|mut placed| ask(&mut placed))
            .map_err(failed)
    }
}

fn failed(error: CollisionError) -> Failure {
    if let CollisionError::Kinematics(error) = error {
        error.into()
    } else {
        refused(&error).into()
    }
}

fn refused(error: &dyn std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

properties! { Collision:
    /// The robot.
    model: Py<Model> = |self, py: 'py| self.model.clone_ref(py);
    /// The shapes.
    shapes: PyResult<Bound<'py, PyTuple>> = |self, py: 'py| {
        let shapes = self.collision.shapes().iter().zip(&self.names.links);
        let shapes = shapes.map(|(shape, link)| {
            let joint = (shape.body != JointId::UNIVERSE)
                .then(|| self.core().joint(shape.body).name.as_str());
            let kind = kind_and_sizes(&shape.shape).0;
            let placement = SE3::from_value(&shape.placement);
            named(py, "CollisionShape", (&shape.name, link, joint, placement, kind))
        });
        PyTuple::new(py, shapes.collect::<PyResult<Vec<_>>>()?)
    };
    /// The names of the shapes of each pair, in the order of `distances`.
    pairs: Vec<(&str, &str)> =
        |self| self.collision.pairs().iter().map(|&pair| self.names_of(pair)).collect();
}

#[pymethods]
impl Collision {
    #[new]
    #[pyo3(signature = (robot, *, ground=None, **unknown), text_signature = "(robot, *, ground=None)")]
    fn new(
        py: Python<'_>,
        robot: &Bound<'_, PyAny>,
        ground: Option<f64>,
        unknown: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        error::only_known(&py.get_type::<Self>(), unknown)?;
        if let Some(height) = ground
            && !height.is_finite()
        {
            let text = format!("ground is {height}, where a finite height in m is expected");
            return Err(PyValueError::new_err(text));
        }
        Self::of(py, robot_of(robot)?, ground)
    }

    /// The distances of all pairs, the points where they are taken, and the normals.
    ///
    /// >>> collision = fl.Collision("panda")
    /// >>> found = collision.distances(fl.load("panda").neutral())
    /// >>> gap = found.points[:, 1] - found.points[:, 0]
    /// >>> np.allclose(gap, found.distance[:, None] * found.normal)
    /// True
    fn distances<'py>(&self, py: Python<'py>, q: Value<'_, 'py>) -> Answer<'py> {
        let model = self.model.get();
        let n = self.collision.pairs().len();
        let shapes = [
            Width::Vector(n),
            Width::Matrices(n, 2, 3),
            Width::Rows(n, 3),
        ];
        let work = |inputs: &[&[f64]], results: &mut [&mut [f64]]| {
            self.placed(inputs[0], |placed| {
                for (k, found) in placed.distances()?.iter().enumerate() {
                    results[0][k] = found.distance;
                    // Each of the matrices is stored column by column.
                    let own = &mut results[1][6 * k..][..6];
                    for (row, point) in found.points.iter().enumerate() {
                        for (column, entry) in point.to_array().into_iter().enumerate() {
                            own[2 * column + row] = entry;
                        }
                    }
                    results[2][3 * k..][..3].copy_from_slice(&found.normal.to_array());
                }
                Ok(())
            })
        };
        for_each_named(py, "Distances", &[model.q("q", q)], &shapes, None, work)
    }

    /// The derivatives (pairs, nv) of the distances by changes of q in the tangent space:
    /// nᵀ (J_b − J_a), with the Jacobians of the points where the distance is taken.
    ///
    /// >>> panda = fl.load("panda")
    /// >>> collision = fl.Collision(panda)
    /// >>> q, step = np.array([0.1, -0.4, 0.2, -2.0, 0.1, 1.6, 0.8]), 1e-6 * np.ones(7)
    /// >>> change = collision.distances(q + step).distance - collision.distances(q - step).distance
    /// >>> np.allclose(collision.distance_jacobian(q) @ (2 * step), change, atol=1e-9)
    /// True
    fn distance_jacobian<'py>(&self, py: Python<'py>, q: Value<'_, 'py>) -> Answer<'py> {
        let model = self.model.get();
        let (n, nv) = (self.collision.pairs().len(), self.core().nv());
        let work = |inputs: &[&[f64]], result: &mut [f64]| {
            let found: Vec<Separation> =
                self.placed(inputs[0], |placed| Ok(placed.distances()?.to_vec()))?;
            let core = self.core();
            let mut ws = Workspace::<f64>::new(core);
            let jacobians = core.joint_jacobians(&mut ws, inputs[0])?;
            let rows = result.chunks_exact_mut(nv.max(1));
            for ((row, pair), found) in rows.zip(self.collision.pairs()).zip(&found) {
                let bodies = self.collision.bodies(*pair);
                distance_jacobian_into(core, &jacobians, bodies, found, row).map_err(failed)?;
            }
            Ok(())
        };
        for_each_one(py, &[model.q("q", q)], Width::Rows(n, nv), None, work)
    }

    /// The names of the two shapes that are nearest, or overlap most, and their distance in m; None
    /// without pairs. q is one configuration.
    ///
    /// >>> pair, distance = fl.Collision("panda").nearest(fl.load("panda").neutral())
    /// >>> distance > 0
    /// True
    fn nearest(&self, q: Value<'_, '_>) -> PyResult<Option<((&str, &str), f64)>> {
        let q = one_state("q", q, self.core().nq())?;
        let found = self
            .placed(&q, |placed| placed.nearest())
            .map_err(|it| it.error)?;
        Ok(found.map(|(pair, found)| (self.names_of(pair), found.distance)))
    }

    /// The names of the shapes of pairs that overlap or touch; with `first_only`, of one of them at
    /// most. q is one configuration.
    ///
    /// >>> fl.Collision("panda").collisions(fl.load("panda").neutral())
    /// []
    #[pyo3(signature = (q, *, first_only=false))]
    fn collisions(&self, q: Value<'_, '_>, first_only: bool) -> PyResult<Vec<(&str, &str)>> {
        let q = one_state("q", q, self.core().nq())?;
        let found = self.placed(&q, |placed| Ok(placed.collisions(first_only)?.to_vec()));
        let found = found.map_err(|it| it.error)?;
        Ok(found.into_iter().map(|pair| self.names_of(pair)).collect())
    }

    /// The points of contact with a gap of at most `range` in m: a structured array as
    /// `Simulation.contacts`, with t, friction, force and velocity zero. q is one configuration.
    ///
    /// >>> quadruped = fl.load("quadruped")
    /// >>> contacts = fl.Collision(quadruped, ground=-0.4).contacts(quadruped.neutral(), range=0.1)
    /// >>> bool((contacts["gap"] <= 0.1).all())
    /// True
    #[pyo3(signature = (q, *, range=0.0))]
    fn contacts<'py>(&self, py: Python<'py>, q: Value<'_, 'py>, range: f64) -> Answer<'py> {
        if range.is_nan() {
            return Err(PyValueError::new_err(
                "range is nan, where a number is expected",
            ));
        }
        let q = one_state("q", q, self.core().nq())?;
        let found = self.placed(&q, |placed| Ok(placed.contacts(range)?.to_vec()));
        let found = found.map_err(|it| it.error)?;
        let touches: Vec<ContactPoint> = (found.iter())
            .map(|it| {
                let ([first, second], normal) = (it.shapes, it.point.normal);
                // The world comes first, as in simulations.
                let (shapes, normal) = match self.collision.bodies(it.shapes) {
                    [_, JointId::UNIVERSE] => ([second, first], -normal),
                    _ => (it.shapes, normal),
                };
                ContactPoint {
                    shapes,
                    point: (it.point.points[0] + it.point.points[1]) * 0.5,
                    normal,
                    gap: it.point.distance,
                    friction: 0.0,
                    force: Vec3::zero(),
                    velocity: Vec3::zero(),
                }
            })
            .collect();
        structured(py, &self.names, vec![0.0; touches.len()], &touches)
    }

    /// Samples configurations within the limits, and says which pairs overlap in none or in all of
    /// them. Sampling proves nothing: a pair that overlaps in a part ε of the configurations is
    /// missed with probability (1 − ε)ⁿ.
    ///
    /// >>> survey = fl.Collision("panda").survey(100, seed=1)
    /// >>> survey.samples
    /// 100
    #[pyo3(signature = (samples=10_000, *, seed=0))]
    fn survey<'py>(&self, py: Python<'py>, samples: i128, seed: i128) -> Answer<'py> {
        let samples: usize = natural("samples", samples)?;
        let mut source = SplitMix64::new(natural("seed", seed)?);
        let found = py.detach(|| self.collision.survey(self.core(), samples, &mut source));
        let found = found.map_err(|it| failed(it).error)?;
        let names = |pairs: &[[usize; 2]]| -> Vec<(&str, &str)> {
            pairs.iter().map(|&pair| self.names_of(pair)).collect()
        };
        let fields = (found.samples, names(&found.never), names(&found.always));
        named(py, "PairSurvey", fields)
    }

    /// The same without some pairs, each two names of shapes.
    ///
    /// >>> collision = fl.Collision("panda")
    /// >>> fewer = collision.without(collision.survey(100, seed=1).never)
    /// >>> len(fewer.pairs) < len(collision.pairs)
    /// True
    fn without(&self, py: Python<'_>, pairs: Vec<(String, String)>) -> PyResult<Self> {
        let mut collision = CollisionModel::clone(&self.collision);
        for (a, b) in &pairs {
            let (a, b) = (self.shape(a)?, self.shape(b)?);
            collision.exclude_shapes(a, b).map_err(|it| refused(&it))?;
        }
        Ok(self.with_model(py, collision))
    }

    /// The same with a pair more, by two names of shapes.
    ///
    /// >>> collision = fl.Collision("panda")
    /// >>> first, second = [shape.name for shape in collision.shapes[:2]]
    /// >>> (first, second) in collision.with_pair(first, second).pairs
    /// True
    fn with_pair(&self, py: Python<'_>, first: &str, second: &str) -> PyResult<Self> {
        let mut collision = CollisionModel::clone(&self.collision);
        let (a, b) = (self.shape(first)?, self.shape(second)?);
        collision.include_shapes(a, b).map_err(|it| refused(&it))?;
        Ok(self.with_model(py, collision))
    }

    fn __repr__(&self) -> String {
        format!(
            "<featherline.Collision of '{}': {} shapes, {} pairs>",
            self.core().name(),
            self.collision.shapes().len(),
            self.collision.pairs().len()
        )
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(error::not_pickled(
            "a Collision",
            "the path of the robot's file",
        ))
    }
}
