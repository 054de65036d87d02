//! Computing the quantities of a state: one call into the library for each.

use super::quantity::{EvalQuantity, Request, input};
use super::value::{Array, ByJoint, Counts, Outcome, Value};
use crate::memory::no_room_for_matrices;
use crate::states::State;
use featherline::dynamics::DynamicsOptions;
use featherline::dynamics::ltdl::factorize_ltdl;
use featherline::kernel;
use featherline::kinematics::ReferenceFrame;
use featherline::model::{FrameId, FrameKind, JointId};
use featherline::quantity;
use featherline::scalar::{OpCount, Operations};
use featherline::spatial::{ArticulatedInertia, Force};
use featherline::{Error, Model, Workspace};
use featherline_sim::maximal::{MaximalState, MaximalWorkspace, maximal_dynamics};
use nalgebra::DMatrix;
use std::cmp::Ordering;

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
                    if is_overflow(&*error) {
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
            value.is_err_and(|error| is_overflow(&*error))
        })
    }

    fn value(&mut self, quantity: &EvalQuantity, state: &State) -> Result<Value, Reason> {
        let (model, ws) = (self.model, &mut self.ws);
        let State { q, v, a, tau, .. } = state;
        let forces = &state.forces(model);
        let still = &vec![0.0; model.nv()];
        let options = DynamicsOptions {
            passive_forces: false,
            ..DynamicsOptions::default().with_forces(forces)
        };
        Ok(match quantity {
            EvalQuantity::State => Value::State(state.clone()),
            EvalQuantity::Tau => {
                Value::Forces(model.inverse_dynamics(ws, q, v, a, options)?.to_vec())
            }
            EvalQuantity::Bias => {
                Value::Forces(model.inverse_dynamics(ws, q, v, still, options)?.to_vec())
            }
            EvalQuantity::Gravity => Value::Forces(model.static_torque(ws, q, forces)?.to_vec()),
            EvalQuantity::MassMatrix => Value::Square(model.crba(ws, q)?.clone()),
            EvalQuantity::MassMatrixInverse => {
                Value::Square(model.mass_matrix_inverse(ws, q)?.clone())
            }
            EvalQuantity::Passive => Value::Forces(model.passive_forces(ws, q, v)?.to_vec()),
            EvalQuantity::Qdd => {
                Value::Accelerations(model.forward_dynamics(ws, q, v, tau, options)?.to_vec())
            }
            EvalQuantity::QddCrba => {
                // M q̈ + C = τ, where C has the external forces.
                let mut rest = tau.clone();
                let bias = model.inverse_dynamics(ws, q, v, still, options)?;
                rest.iter_mut().zip(bias).for_each(|(rest, c)| *rest -= c);
                model.mass_matrix_solve(ws, q, &mut rest)?;
                Value::Accelerations(rest)
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
            EvalQuantity::Accelerations => {
                let views = model.forward_kinematics_accelerations(ws, q, v, a)?;
                let own = |joint| views.acceleration(joint, ReferenceFrame::Local).to_array();
                Value::Motions(by_joint(model, own))
            }
            EvalQuantity::TransmittedForces => {
                let mut all = vec![Force::zero(); model.joints().len()];
                model.transmitted_forces(ws, q, v, a, options, &mut all)?;
                Value::Wrenches(by_joint(model, |joint| all[joint.index()].to_array()))
            }
            EvalQuantity::ArticulatedInertias => {
                let mut all = vec![ArticulatedInertia::zero(); model.joints().len()];
                model.articulated_inertias(ws, q, &mut all)?;
                Value::Matrices(by_joint(model, |joint| {
                    let rows = all[joint.index()].to_matrix();
                    DMatrix::from_fn(6, 6, |i, k| rows[i][k])
                }))
            }
            EvalQuantity::Ltdl => {
                let factors = model.ltdl(ws, q)?;
                let n = model.nv();
                let l = DMatrix::from_fn(n, n, |i, k| match i.cmp(&k) {
                    Ordering::Less => 0.0,
                    Ordering::Equal => 1.0,
                    Ordering::Greater => factors.l(i, k),
                });
                let d = DMatrix::from_fn(n, n, |i, k| if i == k { factors.pivot(k) } else { 0.0 });
                Value::Parts(vec![("L", Value::Square(l)), ("D", Value::Square(d))])
            }
            EvalQuantity::TauDerivatives => {
                let found = model.inverse_dynamics_derivatives(ws, q, v, a, options)?;
                Value::Parts(vec![
                    ("dtau_dq", Value::Square(found.dq.clone())),
                    ("dtau_dv", Value::Square(found.dv.clone())),
                    ("dtau_da", Value::Square(found.da.clone())),
                ])
            }
            EvalQuantity::QddDerivatives => {
                let found = model.forward_dynamics_derivatives(ws, q, v, tau, options)?;
                Value::Parts(vec![
                    ("dqdd_dq", Value::Square(found.dq.clone())),
                    ("dqdd_dv", Value::Square(found.dv.clone())),
                    ("dqdd_dtau", Value::Square(found.dtau.clone())),
                ])
            }
            EvalQuantity::Listed(name) => {
                let quantity = quantity::find(name).ok_or("it is not in the catalogue")?;
                let entry = quantity.entry();
                let mut on_bodies = vec![0.0; 6 * model.joint_ids().count()];
                let own = forces.iter().skip(1).flat_map(|force| force.to_array());
                on_bodies
                    .iter_mut()
                    .zip(own)
                    .for_each(|(to, own)| *to = own);
                let inputs = entry.inputs.iter();
                let inputs: Option<Vec<&[f64]>> =
                    inputs.map(|it| input(it.name, state, &on_bodies)).collect();
                let mut numbers = vec![0.0; entry.output.len(model)];
                let inputs = inputs.ok_or("a state does not have its inputs")?;
                quantity.run(model, ws, &inputs, &mut [&mut numbers])?;
                let names = model
                    .joint_ids()
                    .map(|joint| model.joint(joint).name.clone());
                Value::Array(Array {
                    dimensions: entry.output.dimensions,
                    shape: entry.output.shape(model),
                    unit: entry.output.unit,
                    numbers,
                    joints: names.collect(),
                })
            }
            EvalQuantity::MaximalDynamics => {
                let state = MaximalState::from_joints(model, ws, q, v)?;
                let mut kkt = MaximalWorkspace::new(model)?;
                let found = maximal_dynamics(model, &mut kkt, &state, tau, forces)?;
                let accelerations = |joint: JointId| found.accelerations[joint.index()].to_array();
                let forces = |joint: JointId| found.joint_forces[joint.index()].to_array();
                let loops = model.loop_joints().iter().zip(found.loop_forces);
                let loops = loops.map(|(joint, force)| (joint.name.clone(), force.to_array()));
                Value::Parts(vec![
                    (
                        "accelerations",
                        Value::Motions(by_joint(model, accelerations)),
                    ),
                    ("joint_forces", Value::Wrenches(by_joint(model, forces))),
                    ("loop_forces", Value::Wrenches(loops.collect())),
                ])
            }
        })
    }
}

/// Why a state has no value of a quantity.
type Reason = Box<dyn std::error::Error>;

/// Something of each joint but the universe.
fn by_joint<T>(model: &Model, of: impl Fn(JointId) -> T) -> ByJoint<T> {
    let joints = model.joint_ids();
    joints
        .map(|joint| (model.joint(joint).name.clone(), of(joint)))
        .collect()
}

/// Whether numbers were too large.
fn is_overflow(error: &(dyn std::error::Error + 'static)) -> bool {
    let error = error.downcast_ref();
    matches!(
        error,
        Some(Error::Overflow { .. } | Error::LongRotation { .. })
    )
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
