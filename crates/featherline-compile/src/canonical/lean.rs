//! Quantities traced in the form that takes the fewest operations.

use super::CanonicalModel;
use super::elementary::elementary_joints;
use super::search::Search;
use super::window;
use crate::{Function, Graph, Port, Quantity, Trace, Value};
use featherline::kernel;
use featherline::model::EliminationTree;
use featherline::scalar::{OpCount, Scalar};
use featherline::spatial::Vec3;
use featherline::{Error, Model};

/// An algorithm in canonical frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    InverseDynamics,
    MassMatrix,
    ByMassMatrix,
    ByArticulatedBodies,
}

impl Quantity {
    /// Traces a quantity for a robot in the form that takes the fewest operations: the library's
    /// kernel, or one of those of [`CanonicalModel`], with frames and parameters chosen by
    /// counting.
    ///
    /// Inverse dynamics, bias and gravity, the mass matrix and forward dynamics, at rest, too, have
    /// such forms, for robots of joints that [have one](crate::NotCanonical). `aba` may then go by
    /// the mass matrix and `forward_dynamics_crba` by articulated bodies: they ask the same
    /// question. Results agree with the kernel's within rounding: parameters are moved from body to
    /// body, and what is moved is subtracted again. A mass matrix that is singular may give numbers
    /// that are not finite, or wrong ones. In single precision parameters that are far from a
    /// robot's own may leave no digit: [`trace`](Self::trace) is safe there.
    ///
    /// Cost: a few traces for each joint; of robots of more than 64 bodies of the bodies around it,
    /// a few milliseconds for each joint in all.
    ///
    /// # Errors
    /// As [`trace`](Self::trace).
    ///
    /// ```
    /// use featherline::{quantity, samples};
    /// use featherline_compile::Quantity;
    ///
    /// let chain = samples::tapered_chain(10);
    /// let rnea = Quantity::of(quantity::Rnea);
    /// let textbook = rnea.trace(&chain)?;
    /// let lean = rnea.trace_lean(&chain)?;
    /// assert!(lean.graph.count().total() < textbook.graph.count().total());
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn trace_lean(&self, model: &Model) -> Result<Function, Error> {
        self.trace_lean_watched(model, |_| ())
    }

    /// The same; `watch` hears which share of the choices, from 0 to 1, has been considered.
    ///
    /// # Errors
    /// As [`trace`](Self::trace).
    pub fn trace_lean_watched(
        &self,
        model: &Model,
        mut watch: impl FnMut(f64),
    ) -> Result<Function, Error> {
        let mut best = self.trace(model)?;
        let at_rest;
        let model = if self.entry().name == "mass_matrix_solve" {
            // At rest without gravity, forces alone accelerate.
            let Ok(weightless) = model.clone().with_gravity(Vec3::zero()) else {
                return Ok(best);
            };
            at_rest = weightless;
            &at_rest
        } else {
            model
        };
        let Ok(tree) = elementary_joints(model) else {
            return Ok(best);
        };
        let mut least = arithmetic(&best.graph);
        let given = InputKinds::of(&self.inputs(model));
        let searches: Vec<_> = self
            .forms()
            .iter()
            .filter(|form| !is_hopeless(**form, model, given, least))
            .filter_map(|form| {
                let count = |canonical: &CanonicalModel| {
                    let graph = record(*form, canonical, given)?;
                    Some(arithmetic(&graph))
                };
                // Where a mass matrix is factorised, what stands far away fills in.
                let is_local = *form != Form::ByMassMatrix;
                let search = Search::begin(model, &tree, is_local, count)?;
                Some((*form, search))
            })
            .collect();
        let promising = searches.iter().map(|search| search.1.least()).min();
        // The choices of single bodies don't make up for more.
        let is_promising = |least: u64| promising.is_none_or(|all| least <= all + all / 5);
        let searches = searches.into_iter();
        let searches: Vec<_> = searches
            .filter(|(_, search)| is_promising(search.least()))
            .collect();
        let steps: usize = searches.iter().map(|(_, search)| search.steps()).sum();
        let mut before = 0;
        for (form, search) in searches {
            let (mut done, own) = (before, search.steps());
            let canonical = search.finish(|| {
                done += 1;
                watch(done as f64 / steps as f64);
            });
            before += own;
            if let Some(mut graph) = record(form, &canonical, given) {
                if self.entry().name == "crba_packed" {
                    graph.set_outputs(packed(kernel::elimination_tree(model), graph.outputs()));
                }
                let count = arithmetic(&graph);
                if count < least {
                    (best.graph, least) = (graph, count);
                }
            }
        }
        watch(1.0);
        Ok(best)
    }

    fn forms(&self) -> &'static [Form] {
        match self.entry().name {
            "rnea" | "bias" | "gravity_torque" => &[Form::InverseDynamics],
            "crba" | "crba_packed" => &[Form::MassMatrix],
            "aba" | "forward_dynamics_crba" | "mass_matrix_solve" => {
                &[Form::ByMassMatrix, Form::ByArticulatedBodies]
            }
            _ => &[],
        }
    }
}

/// Whether a large robot's mass matrix takes twice the kernel's operations: no search then.
fn is_hopeless(form: Form, model: &Model, given: InputKinds, kernel: u64) -> bool {
    let Ok(canonical) = CanonicalModel::new(model) else {
        return false;
    };
    if form != Form::ByMassMatrix || !window::is_large(canonical.bodies.len()) {
        return false;
    }
    let variables = |count: usize| -> Vec<OpCount> {
        let some = |k: usize| OpCount::variable((1.3 * k as f64 + 0.7).sin());
        (0..count).map(some).collect()
    };
    let (q, u) = (variables(model.nq()), variables(model.nv()));
    let v = if given.velocities {
        u.clone()
    } else {
        vec![OpCount::zero(); model.nv()]
    };
    let (_, operations) = OpCount::measure(|| {
        canonical
            .forward_dynamics_by_mass_matrix(&q, &v, &u)
            .map(drop)
    });
    operations.total() > 2 * kernel
}

/// The inputs of a quantity besides q.
#[derive(Clone, Copy)]
struct InputKinds {
    velocities: bool,
    /// Accelerations or forces.
    others: bool,
}

impl InputKinds {
    fn of(inputs: &[Port]) -> Self {
        let is_given = |names: &[&str]| inputs.iter().any(|port| names.contains(&&*port.name));
        Self {
            velocities: is_given(&["v"]),
            others: is_given(&["a", "tau"]),
        }
    }
}

/// The elements of a square matrix that a tree's packed one has.
fn packed(tree: &EliminationTree, square: &[Value]) -> Vec<Value> {
    let row = |k: usize| {
        let mut path: Vec<usize> = tree.ancestors(k).collect();
        path.reverse();
        path.push(k);
        path.into_iter().map(move |i| square[k * tree.len() + i])
    };
    (0..tree.len()).flat_map(row).collect()
}

/// The graph of one form; nothing where it does not serve, or divides by what is always zero.
fn record(form: Form, canonical: &CanonicalModel, given: InputKinds) -> Option<Graph> {
    let rest = vec![Trace::default(); canonical.nv];
    let vectors = usize::from(given.velocities) + usize::from(given.others);
    Graph::try_record(canonical.nq + vectors * canonical.nv, |x| {
        let (q, more) = x.split_at(canonical.nq);
        // Inputs that a quantity does not have are zero.
        let (v, u) = match (given.velocities, given.others) {
            (false, false) => (&rest[..], &rest[..]),
            (true, false) => (more, &rest[..]),
            (false, true) => (&rest[..], more),
            (true, true) => more.split_at(canonical.nv),
        };
        match form {
            Form::InverseDynamics => Ok(canonical.inverse_dynamics(q, v, u)),
            Form::MassMatrix => {
                // Symmetric: columns are rows.
                Ok(canonical.mass_matrix(q).as_slice().to_vec())
            }
            Form::ByMassMatrix => canonical
                .forward_dynamics_by_mass_matrix(q, v, u)
                .map_err(|_| ()),
            Form::ByArticulatedBodies => canonical
                .forward_dynamics_by_articulated_bodies(q, v, u)
                .ok_or(()),
        }
    })
    .ok()
    .filter(Graph::has_finite_constants)
}

/// All operations but sines and cosines, of which every form takes the same.
fn arithmetic(graph: &Graph) -> u64 {
    let all = graph.count();
    all.total() - all.sin_cos
}
