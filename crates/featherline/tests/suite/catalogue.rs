//! Quantities of the catalogue, for loops over all of them.

use crate::common::{State, external_forces};
use featherline::Model;
use featherline::quantity::{AnyAlgorithm, Entry, ListedQuantity, Parameter, Parameters, Space};

/// The inputs of a quantity, of a random state.
pub fn inputs_of(of: &Entry, model: &Model, seed: u64) -> Vec<Vec<f64>> {
    let state = State::random(model, seed);
    let other = State::random(model, seed + 1000);
    let forces = external_forces(model);
    let inputs = of.inputs.iter();
    inputs
        .map(|it| match (it.space, it.name) {
            (Space::Configuration, "q1") => other.q.clone(),
            (Space::Configuration, _) => state.q.clone(),
            (Space::Tangent, "v") => state.v.clone(),
            (Space::Tangent, "a") => state.a.clone(),
            (Space::Tangent, _) => state.tau.clone(),
            (Space::Forces, _) => forces[1..].iter().flat_map(|f| f.to_array()).collect(),
            (Space::Number, _) => vec![0.3],
            other => panic!("{other:?}"),
        })
        .collect()
}

/// A quantity of the last frame or joint.
pub fn of_last(listed: &ListedQuantity, model: &Model) -> Box<dyn AnyAlgorithm> {
    let parameters = match listed.entry.parameters.contains(&Parameter::Joint) {
        true => Parameters::of_frame(model.joint_ids().last().unwrap()),
        false => Parameters::of_frame(model.frame_ids().last().unwrap()),
    };
    (listed.with)(&parameters).unwrap()
}
