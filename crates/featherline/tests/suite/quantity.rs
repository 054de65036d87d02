//! The catalogue: every quantity as its entry says, one state or many.

use crate::common::{State, close, external_forces, models};
use featherline::batch::{Batch, BatchStatus};
use featherline::quantity::{AnyQuantity, CATALOGUE, Lanes, Space, find};
use featherline::{Error, Model, Workspace};
use std::collections::BTreeSet;

/// The inputs of a quantity, of a random state.
fn inputs(of: &dyn AnyQuantity, model: &Model, seed: u64) -> Vec<Vec<f64>> {
    let state = State::random(model, seed);
    let other = State::random(model, seed + 1000);
    let forces = external_forces(model);
    let inputs = of.entry().inputs.iter();
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

fn run(of: &dyn AnyQuantity, model: &Model, inputs: &[Vec<f64>]) -> Result<Vec<f64>, Error> {
    let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
    let mut result = vec![f64::NAN; of.entry().output.len(model)];
    of.run(
        model,
        &mut Workspace::new(model),
        &inputs,
        &mut [&mut result],
    )?;
    Ok(result)
}

#[test]
fn every_word_names_one_quantity() {
    let mut words = BTreeSet::new();
    for quantity in CATALOGUE {
        let entry = quantity.entry();
        for word in entry.aliases.iter().chain([&entry.name]) {
            assert!(words.insert(*word), "{word}");
            assert_eq!(find(word).unwrap().entry().name, entry.name);
        }
        assert!(
            entry.meaning().ends_with('.') && entry.cost.starts_with('O'),
            "{entry:?}"
        );
    }
    assert!(find("no such quantity").is_none());
}

#[test]
fn every_quantity_writes_all_its_numbers() {
    for (model, seed) in models() {
        for &quantity in CATALOGUE {
            let name = quantity.entry().name;
            let inputs = inputs(quantity, &model, seed);
            for (input, numbers) in quantity.entry().inputs.iter().zip(&inputs) {
                assert_eq!(input.len(&model), numbers.len(), "{name}, {}", input.name);
            }
            match run(quantity, &model, &inputs) {
                Ok(result) => assert!(result.iter().all(|x| x.is_finite()), "{name}"),
                Err(error @ Error::SingularInertia { .. }) => {
                    assert!(name.starts_with("mass_matrix_"), "{name}: {error}");
                }
                Err(error) => panic!("{name} of {}: {error}", model.name()),
            }
            let few = &inputs[1..];
            assert!(
                matches!(run(quantity, &model, few), Err(Error::Size { .. })),
                "{name}"
            );
        }
    }
}

#[test]
fn lanes_give_what_single_states_give() {
    const STATES: usize = 5;
    let mut in_lanes = 0;
    for (model, seed) in models() {
        let mut batch = Batch::<f64>::new(&model, 1).unwrap();
        for &quantity in CATALOGUE {
            let states: Vec<_> = (0..STATES)
                .map(|k| inputs(quantity, &model, seed + k as u64))
                .collect();
            let count = quantity.entry().inputs.len();
            let rows: Vec<Vec<f64>> = (0..count)
                .map(|k| states.iter().flat_map(|state| state[k].clone()).collect())
                .collect();
            let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
            let len = quantity.entry().output.len(&model);
            let (mut result, mut status) =
                (vec![0.0; len * STATES], [BatchStatus::default(); STATES]);
            let lanes = Lanes {
                batch: &mut batch,
                inputs: &rows,
                result: &mut result,
                status: &mut status,
            };
            let Some(failed) = quantity.run_in_double_lanes(lanes) else {
                continue;
            };
            in_lanes += 1;
            failed.unwrap();
            for ((state, found), status) in states
                .iter()
                .zip(result.chunks_exact(len.max(1)))
                .zip(status)
            {
                match run(quantity, &model, state) {
                    // Kernels in lanes round as those of one state do, but for the solution with M.
                    Ok(expected) => close(quantity.entry().name, found, &expected, 1e-9),
                    Err(_) => assert!(!status.is_solved()),
                }
            }
        }
    }
    assert!(in_lanes > 0);
}
