//! Quantities traced in the form that takes the fewest operations.

use super::CanonicalModel;
use super::elementary::elementary_joints;
use super::search::Search;
use crate::{Function, Graph, Quantity, Trace};
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
    /// Traces a quantity for a robot in the form that takes the fewest operations: the library's kernel, or one of those of
    /// [`CanonicalModel`], with frames and parameters chosen by counting.
    ///
    /// Inverse dynamics, bias and gravity, the mass matrix and forward dynamics have such forms, for robots of joints that
    /// [have one](crate::NotCanonical). [`Aba`](Self::Aba) may then go by the mass matrix and
    /// [`ForwardDynamicsCrba`](Self::ForwardDynamicsCrba) by articulated bodies: they ask the same question. Results agree with
    /// the kernel's within rounding: parameters are moved from body to body, and what is moved is subtracted again. A mass
    /// matrix that is singular gives numbers that are not finite.
    ///
    /// Cost: a few traces for each joint, milliseconds to a second in all.
    ///
    /// # Errors
    /// As [`trace`](Self::trace).
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_compile::Quantity;
    ///
    /// let chain = samples::tapered_chain(10);
    /// let textbook = Quantity::Rnea.trace(&chain)?;
    /// let lean = Quantity::Rnea.trace_lean(&chain)?;
    /// assert!(lean.graph.count().total() < textbook.graph.count().total());
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn trace_lean(self, model: &Model) -> Result<Function, Error> {
        let mut best = self.trace(model)?;
        let Ok(tree) = elementary_joints(model) else {
            return Ok(best);
        };
        let mut least = arithmetic(&best.graph);
        let searches: Vec<_> = self
            .forms()
            .iter()
            .filter_map(|form| {
                let count = |canonical: &CanonicalModel| {
                    let graph = self.record_lean(*form, canonical, model)?;
                    Some(arithmetic(&graph))
                };
                Some((*form, Search::begin(model, &tree, count)?))
            })
            .collect();
        let promising = searches.iter().map(|search| search.1.least()).min();
        for (form, search) in searches {
            // The choices of single bodies don't make up for more.
            if promising.is_some_and(|least| search.least() > least + least / 5) {
                continue;
            }
            if let Some(graph) = self.record_lean(form, &search.finish(), model) {
                let count = arithmetic(&graph);
                if count < least {
                    (best.graph, least) = (graph, count);
                }
            }
        }
        Ok(best)
    }

    fn forms(self) -> &'static [Form] {
        match self {
            Self::Rnea | Self::Bias | Self::Gravity => &[Form::InverseDynamics],
            Self::Crba => &[Form::MassMatrix],
            Self::Aba | Self::ForwardDynamicsCrba => {
                &[Form::ByMassMatrix, Form::ByArticulatedBodies]
            }
            _ => &[],
        }
    }

    /// The graph of one form; nothing where it does not serve, or divides by what is always zero.
    fn record_lean(self, form: Form, canonical: &CanonicalModel, model: &Model) -> Option<Graph> {
        let count = self.inputs(model).iter().map(|port| port.rows).sum();
        let rest = vec![Trace::default(); model.nv()];
        Graph::try_record(count, |x| {
            let (q, more) = x.split_at(model.nq());
            // What a quantity does not ask for is zero.
            let (v, u) = match more.len() {
                0 => (&rest[..], &rest[..]),
                len if len == model.nv() => (more, &rest[..]),
                _ => more.split_at(model.nv()),
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
}

/// All operations but sines and cosines, of which every form takes the same.
fn arithmetic(graph: &Graph) -> u64 {
    let all = graph.count();
    all.total() - all.sin_cos
}
