//! Computing the quantities of a state: one call into the library for each.

use super::quantity::{EvalQuantity, Request};
use super::value::{Counts, Outcome, Value};
use crate::memory::no_room_for_matrices;
use crate::states::State;
use featherline::dynamics::ltdl::factorize_ltdl;
use featherline::kernel;
use featherline::model::{FrameId, FrameKind};
use featherline::scalar::{OpCount, Operations};
use featherline::{Error, Model, Workspace};
use nalgebra::DMatrix;

/// Computes for one robot, state after state.
pub struct Evaluation<'a> {
    model: &'a Model,
    requests: &'a [Request],
    ws: Workspace<f64>,
    /// Why the workspace has no matrices although they were asked for.
    no_matrices: Option<String>,
    /// The frames of all links.
    links: Vec<FrameId>,
    /// Kept, for the counts are the same in every state.
    counts: Option<Counts>,
    /// The first quantity that overflowed in the last state.
    overflow: Option<&'a str>,
}

impl<'a> Evaluation<'a> {
    /// Prepares the requests; matrices are allocated only if a request needs them.
    pub fn new(model: &'a Model, requests: &'a [Request]) -> Self {
        let asked = requests.iter().any(|r| r.quantity.needs_matrices());
        let no_matrices = no_room_for_matrices::<f64>(model).filter(|_| asked);
        let ws = if asked && no_matrices.is_none() {
            Workspace::new(model)
        } else {
            Workspace::recursive(model)
        };
        Self {
            model,
            requests,
            ws,
            no_matrices,
            links: model
                .frame_ids()
                .filter(|&id| model.frame(id).kind == FrameKind::Body)
                .collect(),
            counts: None,
            overflow: None,
        }
    }

    /// The first of the given keys that there is no memory for, with the reason.
    pub fn without_room(&self, keys: &[&str]) -> Option<(&'a str, &str)> {
        let reason = self.no_matrices.as_deref()?;
        let named = |r: &&Request| keys.contains(&r.key.as_str());
        let mut large = self.requests.iter().filter(|r| r.quantity.needs_matrices());
        large.find(named).map(|r| (r.key.as_str(), reason))
    }

    /// Leaves out the counts of operations from now on.
    pub fn without_counts(&mut self) {
        if let [rest @ .., last] = self.requests
            && last.quantity == EvalQuantity::OperationCounts
        {
            self.requests = rest;
        }
    }

    /// Computes everything asked for; what does not exist for the state comes back with the reason.
    pub fn evaluate(&mut self, state: &State) -> Vec<(&'a str, Outcome)> {
        self.overflow = None;
        let mut results = Vec::with_capacity(self.requests.len());
        for Request { key, quantity } in self.requests {
            let outcome = match &self.no_matrices {
                Some(reason) if quantity.needs_matrices() => Err(reason.clone()),
                _ => self.value(quantity, state).map_err(|error| {
                    if is_overflow(&error) {
                        self.overflow.get_or_insert(key);
                    }
                    error.to_string()
                }),
            };
            results.push((key.as_str(), outcome));
        }
        results
    }

    /// The first quantity that overflowed in the last state.
    pub fn overflow(&self) -> Option<&'a str> {
        self.overflow
    }

    /// Whether a quantity overflows in a state.
    pub fn overflows(&mut self, key: &str, state: &State) -> bool {
        let requests = self.requests;
        let request = requests.iter().find(|request| request.key == key);
        request.is_some_and(|Request { quantity, .. }| {
            let value = self.value(quantity, state);
            value.is_err_and(|error| is_overflow(&error))
        })
    }

    fn value(&mut self, quantity: &EvalQuantity, state: &State) -> Result<Value, Error> {
        let (model, ws) = (self.model, &mut self.ws);
        let State { q, v, a, tau } = state;
        Ok(match quantity {
            EvalQuantity::State => Value::State(state.clone()),
            EvalQuantity::Tau => Value::Forces(model.rnea(ws, q, v, a)?.to_vec()),
            EvalQuantity::Bias => Value::Forces(model.bias(ws, q, v)?.to_vec()),
            EvalQuantity::Gravity => Value::Forces(model.gravity_torque(ws, q)?.to_vec()),
            EvalQuantity::MassMatrix => Value::Square(model.crba(ws, q)?.clone()),
            EvalQuantity::MassMatrixInverse => {
                Value::Square(model.mass_matrix_inverse(ws, q)?.clone())
            }
            EvalQuantity::Passive => Value::Forces(model.passive_forces(ws, q, v)?.to_vec()),
            EvalQuantity::Qdd => Value::Accelerations(model.aba(ws, q, v, tau)?.to_vec()),
            EvalQuantity::QddCrba => {
                Value::Accelerations(model.forward_dynamics_crba(ws, q, v, tau)?.to_vec())
            }
            EvalQuantity::Placements => {
                let positions = model.forward_kinematics(ws, q)?;
                let placed = self
                    .links
                    .iter()
                    .map(|&link| (model.frame(link).name.clone(), positions.placement(link)));
                Value::Placements(placed.collect())
            }
            EvalQuantity::Jacobian { frame, reference } => {
                let mut jacobian = DMatrix::zeros(6, model.nv());
                let positions = model.forward_kinematics(ws, q)?;
                positions.jacobian_into(*frame, *reference, &mut jacobian)?;
                Value::Jacobian(jacobian)
            }
            EvalQuantity::Com => {
                let positions = model.forward_kinematics(ws, q)?;
                Value::Point(positions.center_of_mass()?.to_array())
            }
            EvalQuantity::CentroidalMomentum => {
                Value::Momentum(model.centroidal_momentum(ws, q, v)?.to_array())
            }
            EvalQuantity::KineticEnergy => Value::Energy(model.kinetic_energy(ws, q, v)?),
            EvalQuantity::PotentialEnergy => Value::Energy(model.potential_energy(ws, q)?),
            EvalQuantity::OperationCounts => {
                let counts = match self.counts.take() {
                    // What one state has no value for another one may have.
                    Some(counts) if counts.missing().next().is_none() => counts,
                    _ => count(model, state),
                };
                Value::Counts(self.counts.insert(counts).clone())
            }
        })
    }
}

/// Whether numbers were too large.
fn is_overflow(error: &Error) -> bool {
    matches!(error, Error::Overflow { .. } | Error::LongRotation { .. })
}

/// Counts operations, with the state variable and the robot constant.
fn count(model: &Model, state: &State) -> Counts {
    let variable =
        |values: &[f64]| -> Vec<OpCount> { values.iter().map(|&x| OpCount::variable(x)).collect() };
    let (q, v) = (variable(&state.q), variable(&state.v));
    let (a, tau) = (variable(&state.a), variable(&state.tau));
    let mut ws = Workspace::recursive(model);
    let rnea = measured(|| model.rnea(&mut ws, &q, &v, &a).map(drop));
    let aba = measured(|| model.aba(&mut ws, &q, &v, &tau).map(drop));
    let (crba, ltdl) = match no_room_for_matrices::<OpCount>(model) {
        Some(reason) => (Err(reason.clone()), Err(reason)),
        None => {
            let mut ws = Workspace::new(model);
            let crba = measured(|| model.crba(&mut ws, &q).map(drop));
            (
                crba,
                count_ltdl(model, &mut ws, &q).unwrap_or_else(|e| Err(e.to_string())),
            )
        }
    };
    Counts([("rnea", rnea), ("crba", crba), ("aba", aba), ("ltdl", ltdl)])
}

/// Counts the operations of the factorisation of a mass matrix that is given.
fn count_ltdl(
    model: &Model,
    ws: &mut Workspace<OpCount>,
    q: &[OpCount],
) -> Result<Result<Operations, String>, Error> {
    // Where M has no inverse, there is nothing to count.
    model.ltdl(ws, q)?;
    let tree = kernel::elimination_tree(model);
    let mut mass = tree.pack(model.crba(ws, q)?)?;
    Ok(measured(|| factorize_ltdl(tree, &mut mass).map(drop)))
}

fn measured(work: impl FnOnce() -> Result<(), Error>) -> Result<Operations, String> {
    let (done, operations) = OpCount::measure(work);
    done.map(|()| operations).map_err(|error| error.to_string())
}
