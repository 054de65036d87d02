//! Computing the quantities of a state: one call into the library for each.

use super::quantity::{Quantity, Request};
use super::state::State;
use super::value::{Counts, Outcome, Value};
use featherline::dynamics::ltdl::factorize_ltdl;
use featherline::model::{FrameId, FrameKind};
use featherline::scalar::OpCount;
use featherline::{Error, Model, Workspace};
use nalgebra::DMatrix;

/// Computes for one robot, state after state.
pub struct Evaluation<'a> {
    model: &'a Model,
    requests: &'a [Request],
    ws: Workspace<f64>,
    /// The frames of all links.
    links: Vec<FrameId>,
    /// Kept, for the counts are the same in every state.
    counts: Option<Counts>,
}

impl<'a> Evaluation<'a> {
    /// Prepares to compute what is asked for; a chain of thousands of links has no room for matrices that nobody needs.
    pub fn new(model: &'a Model, requests: &'a [Request]) -> Self {
        let ws = if requests.iter().any(|r| r.quantity.needs_matrices()) {
            Workspace::new(model)
        } else {
            Workspace::recursive(model)
        };
        Self {
            model,
            requests,
            ws,
            links: model
                .frame_ids()
                .filter(|&id| model.frame(id).kind == FrameKind::Body)
                .collect(),
            counts: None,
        }
    }

    /// Computes everything asked for; what does not exist for the state comes back with the reason.
    pub fn evaluate(&mut self, state: &State) -> Vec<(&'a str, Outcome)> {
        let mut results = Vec::with_capacity(self.requests.len());
        for Request { key, quantity } in self.requests {
            let outcome = self.value(quantity, state).map_err(|e| e.to_string());
            results.push((key.as_str(), outcome));
        }
        results
    }

    fn value(&mut self, quantity: &Quantity, state: &State) -> Result<Value, Error> {
        let (model, ws) = (self.model, &mut self.ws);
        let State { q, v, a, tau } = state;
        Ok(match quantity {
            Quantity::State => Value::State(state.clone()),
            Quantity::Tau => Value::Forces(model.rnea(ws, q, v, a)?.to_vec()),
            Quantity::Bias => Value::Forces(model.bias(ws, q, v)?.to_vec()),
            Quantity::Gravity => Value::Forces(model.gravity_torque(ws, q)?.to_vec()),
            Quantity::MassMatrix => Value::Square(model.crba(ws, q)?.clone()),
            Quantity::MassMatrixInverse => Value::Square(model.mass_matrix_inverse(ws, q)?.clone()),
            Quantity::Passive => Value::Forces(model.passive_forces(ws, q, v)?.to_vec()),
            Quantity::QddAba => Value::Accelerations(model.aba(ws, q, v, tau)?.to_vec()),
            Quantity::QddCrba => {
                Value::Accelerations(model.forward_dynamics_crba(ws, q, v, tau)?.to_vec())
            }
            Quantity::Placements => {
                let positions = model.forward_kinematics(ws, q)?;
                let placed = self.links.iter().map(|&link| {
                    (
                        model.frame(link).name.clone(),
                        positions.frame_placement(link),
                    )
                });
                Value::Placements(placed.collect())
            }
            Quantity::Jacobian { frame, reference } => {
                let mut jacobian = DMatrix::zeros(6, model.nv());
                let positions = model.forward_kinematics(ws, q)?;
                positions.frame_jacobian_into(*frame, *reference, &mut jacobian)?;
                Value::Jacobian(jacobian)
            }
            Quantity::Com => {
                let positions = model.forward_kinematics(ws, q)?;
                Value::Point(positions.center_of_mass()?.to_array())
            }
            Quantity::CentroidalMomentum => {
                Value::Momentum(model.centroidal_momentum(ws, q, v)?.to_array())
            }
            Quantity::KineticEnergy => Value::Energy(model.kinetic_energy(ws, q, v)?),
            Quantity::PotentialEnergy => Value::Energy(model.potential_energy(ws, q)?),
            Quantity::OperationCounts => {
                let counts = match self.counts.take() {
                    Some(counts) => counts,
                    None => count(model, state)?,
                };
                Value::Counts(self.counts.insert(counts).clone())
            }
        })
    }
}

/// Counts operations, with the state variable and the robot constant.
fn count(model: &Model, state: &State) -> Result<Counts, Error> {
    let variable =
        |values: &[f64]| -> Vec<OpCount> { values.iter().map(|&x| OpCount::variable(x)).collect() };
    let (q, v) = (variable(&state.q), variable(&state.v));
    let (a, tau) = (variable(&state.a), variable(&state.tau));
    let mut ws = Workspace::new(model);
    let (done, rnea) = OpCount::measure(|| model.rnea(&mut ws, &q, &v, &a).map(drop));
    done?;
    let (mass, crba) = OpCount::measure(|| model.crba(&mut ws, &q).cloned());
    let tree = model.elimination_tree();
    let mut mass = tree.pack(&mass?)?;
    let (done, ltdl) = OpCount::measure(|| factorize_ltdl(tree, &mut mass).map(drop));
    done?;
    let (done, aba) = OpCount::measure(|| model.aba(&mut ws, &q, &v, &tau).map(drop));
    done?;
    Ok(Counts {
        rnea,
        crba,
        aba,
        ltdl,
    })
}
