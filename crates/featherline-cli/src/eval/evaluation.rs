//! Computing the quantities of a state: one call into the library for each.

use super::quantity::{EvalQuantity, Request};
use super::value::{Array, Counts, Outcome, Value};
use crate::memory::no_room_for_matrices;
use crate::states::State;
use featherline::dynamics::ltdl::factorize_ltdl;
use featherline::kernel;
use featherline::model::{FrameKind, JointId};
use featherline::quantity::{
    AnyAlgorithm, Dimension, Input, ListedQuantity, OnFrames, Output, Parameters,
};
use featherline::scalar::{OpCount, Operations};
use featherline::spatial::Force;
use featherline::{Error, Model, Workspace};
use featherline_sim::maximal::{MaximalState, MaximalWorkspace, maximal_dynamics};

/// Computes for one robot, state after state.
pub struct Evaluation<'a> {
    model: &'a Model,
    requests: &'a [Request],
    /// Of recursions only, until a quantity needs matrices.
    ws: Workspace<f64>,
    /// Why there is no room for matrices.
    no_matrices: Option<String>,
    /// Kept, for the counts are the same in every state.
    counts: Option<Counts>,
    /// The first quantity that overflowed in the last state.
    overflow: Option<&'a str>,
}

impl<'a> Evaluation<'a> {
    /// Prepares the requests; matrices are allocated when a request needs them.
    pub fn new(model: &'a Model, requests: &'a [Request]) -> Self {
        Self {
            model,
            requests,
            ws: Workspace::recursive(model),
            no_matrices: no_room_for_matrices::<f64>(model),
            counts: None,
            overflow: None,
        }
    }

    /// The first of the given keys that there is no memory for, with the reason.
    pub fn without_room(&mut self, keys: &[&str]) -> Option<(&'a str, String)> {
        let reason = self.no_matrices.clone()?;
        let state = State::neutral(self.model);
        let named = |r: &&Request| keys.contains(&r.key.as_str());
        let mut named = self.requests.iter().filter(named);
        let large = named.find(|r| {
            let value = self.value(&r.quantity, &state);
            value.is_err_and(|error| is_without_matrices(&*error))
        });
        large.map(|r| (r.key.as_str(), reason))
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
            let outcome = self.value(quantity, state).map_err(|error| {
                if is_overflow(&*error) {
                    self.overflow.get_or_insert(key);
                }
                match &self.no_matrices {
                    Some(reason) if is_without_matrices(&*error) => reason.clone(),
                    _ => error.to_string(),
                }
            });
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
        Ok(match quantity {
            EvalQuantity::State => Value::State(state.clone()),
            EvalQuantity::OperationCounts => {
                let counts = match self.counts.take() {
                    // An algorithm without a count in one state may have one in another.
                    Some(counts) if counts.missing().next().is_none() => counts,
                    _ => count(self.model, state),
                };
                Value::Counts(self.counts.insert(counts).clone())
            }
            EvalQuantity::MaximalDynamics => self.maximal_dynamics(state)?,
            EvalQuantity::Listed(listed, parameters) => {
                let done = self.compute(listed, parameters, state);
                match done {
                    Err(error) if is_without_matrices(&*error) && self.no_matrices.is_none() => {
                        self.ws = Workspace::new(self.model);
                        self.compute(listed, parameters, state)?
                    }
                    done => done?,
                }
            }
        })
    }

    /// A quantity of the catalogue. Several outputs are parts of the answer.
    fn compute(
        &mut self,
        listed: &ListedQuantity,
        parameters: &Parameters,
        state: &State,
    ) -> Result<Value, Reason> {
        let (model, entry) = (self.model, &listed.entry);
        let forces = state.forces(model);
        let targets: Vec<_> = forces.iter().map(|it| it.target).collect();
        let rows: Vec<f64> = forces.iter().flat_map(|it| it.force.to_array()).collect();
        let inputs = match forces.is_empty() {
            true => entry.required(),
            false => entry.inputs,
        };
        let inputs = inputs.iter().map(|it| input(it, state, &rows));
        let inputs: Option<Vec<&[f64]>> = inputs.collect();
        let inputs = inputs.ok_or("a state does not have its inputs")?;
        let outputs = entry.outputs.iter();
        let mut numbers: Vec<Vec<f64>> = outputs.map(|it| vec![0.0; it.len(model)]).collect();
        let mut places: Vec<&mut [f64]> = numbers.iter_mut().map(|it| &mut it[..]).collect();
        let quantity = (listed.with)(parameters)?;
        let takes_forces = inputs.len() > entry.required().len();
        let on_frames;
        let quantity: &dyn AnyAlgorithm = match forces.first().filter(|_| takes_forces) {
            None => &*quantity,
            Some(first) => {
                on_frames = OnFrames {
                    entry,
                    algorithm: &*quantity,
                    targets: &targets,
                    reference: first.reference,
                };
                &on_frames
            }
        };
        quantity.run(model, &mut self.ws, &inputs, &mut places)?;
        let mut parts = (entry.outputs.iter().zip(numbers))
            .map(|(output, numbers)| (output.name, Value::Array(array(model, output, numbers))))
            .collect::<Vec<_>>();
        Ok(match parts.pop() {
            Some((_, value)) if parts.is_empty() => value,
            last => Value::Parts(parts.into_iter().chain(last).collect()),
        })
    }

    fn maximal_dynamics(&mut self, state: &State) -> Result<Value, Reason> {
        let (model, ws) = (self.model, &mut self.ws);
        let free = MaximalState::from_joints(model, ws, &state.q, &state.v)?;
        let mut kkt = MaximalWorkspace::new(model)?;
        let mut forces = vec![Force::zero(); model.joints().len()];
        model.external_forces_into(ws, &state.q, &state.forces(model), &mut forces)?;
        let found = maximal_dynamics(model, &mut kkt, &free, &state.tau, &forces)?;
        let of_joints = |of: &dyn Fn(JointId) -> [f64; 6], unit| {
            let numbers = model.joint_ids().flat_map(of).collect();
            Array {
                names: joints(model),
                ..Array::six_vectors(numbers, unit)
            }
        };
        let loops = found.loop_forces.iter().flat_map(|it| it.to_array());
        let loops = Array {
            names: model
                .loop_joints()
                .iter()
                .map(|it| it.name.clone())
                .collect(),
            ..Array::six_vectors(loops.collect(), "N, N·m")
        };
        let accelerations = |joint: JointId| found.accelerations[joint.index()].to_array();
        let forces = |joint: JointId| found.joint_forces[joint.index()].to_array();
        Ok(Value::Parts(vec![
            (
                "accelerations",
                Value::Array(of_joints(&accelerations, "m/s², rad/s²")),
            ),
            ("joint_forces", Value::Array(of_joints(&forces, "N, N·m"))),
            ("loop_forces", Value::Array(loops)),
        ]))
    }
}

/// Why a state has no value of a quantity.
type Reason = Box<dyn std::error::Error>;

/// The part of a state that an input of the catalogue is.
fn input<'a>(input: &Input, state: &'a State, forces: &'a [f64]) -> Option<&'a [f64]> {
    Some(match input.name {
        "q" => &state.q,
        "v" => &state.v,
        "a" => &state.a,
        "tau" | "b" => &state.tau,
        "f" => forces,
        _ => return None,
    })
}

/// The input of a quantity that is no part of a state, if there is one.
pub fn not_of_a_state(listed: &ListedQuantity) -> Option<&'static str> {
    let state = State::default();
    let mut inputs = listed.entry.inputs.iter();
    let missing = inputs.find(|it| input(it, &state, &[]).is_none());
    missing.map(|it| it.name)
}

/// An output of a quantity, with the names of what it lists.
fn array(model: &Model, output: &Output, numbers: Vec<f64>) -> Array {
    let (list, item) = output.list();
    let links = || {
        let frames = model.frames().iter();
        let links = frames.filter(|it| it.kind == FrameKind::Body);
        links.map(|it| it.name.clone()).collect()
    };
    let count = list.map_or(0, |it| it.of(model));
    Array {
        names: match list {
            Some(Dimension::Joints) => joints(model),
            Some(Dimension::Links) => links(),
            _ => (0..count).map(|k| k.to_string()).collect(),
        },
        rows: item.first().copied(),
        shape: item.iter().map(|it| it.of(model)).collect(),
        is_list: list.is_some(),
        unit: output.unit,
        numbers,
    }
}

/// The names of all joints but the universe.
fn joints(model: &Model) -> Vec<String> {
    let joints = model.joint_ids();
    joints
        .map(|joint| model.joint(joint).name.clone())
        .collect()
}

/// Whether there was no memory for matrices.
fn is_without_matrices(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(Error::NoMatrices))
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
