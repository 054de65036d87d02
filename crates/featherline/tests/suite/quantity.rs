//! The catalogue: every quantity as its entry says, one state or many.

use crate::catalogue::{inputs_of, of_last};
use crate::common::{close, models};
use featherline::batch::{Batch, BatchStatus};
use featherline::quantity::{CATALOGUE, Listed, Parameter, Parameters, find};
use featherline::{Error, Model, Workspace, samples};
use nalgebra::DVector;
use std::collections::BTreeSet;

/// All results of a state, one after the other.
fn run(listed: &Listed, model: &Model, inputs: &[Vec<f64>]) -> Result<Vec<f64>, Error> {
    let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
    let outputs = listed.entry.outputs.iter();
    let mut results: Vec<Vec<f64>> = outputs.map(|it| vec![f64::NAN; it.len(model)]).collect();
    let mut rows: Vec<&mut [f64]> = results.iter_mut().map(|it| &mut it[..]).collect();
    let quantity = of_last(listed, model);
    quantity.run(model, &mut Workspace::new(model), &inputs, &mut rows)?;
    Ok(results.concat())
}

/// Whether a quantity asks for an inverse of the mass matrix, which some models do not have.
fn inverts(name: &str) -> bool {
    ["aba", "forward_dynamics", "ltdl", "mass_matrix_"]
        .iter()
        .any(|start| name.starts_with(start))
}

#[test]
fn every_word_names_one_quantity() {
    let mut words = BTreeSet::new();
    for Listed { entry, .. } in CATALOGUE {
        for word in entry.words() {
            assert!(words.insert(word), "{word}");
            assert_eq!(find(word).unwrap().entry.name, entry.name);
        }
        assert!(
            entry.meaning().ends_with('.') && entry.cost.starts_with('O'),
            "{entry:?}"
        );
    }
    assert!(find("no such quantity").is_none());
}

#[test]
fn what_a_quantity_is_about_is_asked_for() {
    for listed in CATALOGUE {
        let needs = [Parameter::Frame, Parameter::Joint];
        let found = (listed.with)(&Parameters::NONE).err();
        match needs.iter().find(|it| listed.entry.parameters.contains(it)) {
            None => assert_eq!(found, None),
            Some(parameter) => assert_eq!(
                found,
                Some(Error::NoParameter {
                    quantity: listed.entry.name,
                    parameter: parameter.name(),
                })
            ),
        }
    }
}

#[test]
fn every_quantity_writes_all_its_numbers() {
    for (model, seed) in models() {
        for listed in CATALOGUE {
            let name = listed.entry.name;
            let inputs = inputs_of(&listed.entry, &model, seed);
            for (input, numbers) in listed.entry.inputs.iter().zip(&inputs) {
                assert_eq!(input.len(&model), numbers.len(), "{name}, {}", input.name);
            }
            let required = listed.entry.required().len();
            for count in required..=inputs.len() {
                match run(listed, &model, &inputs[..count]) {
                    Ok(result) => assert!(result.iter().all(|x| x.is_finite()), "{name}"),
                    Err(Error::SingularInertia { .. }) if inverts(name) => {}
                    Err(error) => panic!("{name} of {}: {error}", model.name()),
                }
            }
            let few = &inputs[..required - 1];
            assert!(
                matches!(run(listed, &model, few), Err(Error::Size { .. })),
                "{name}"
            );
        }
    }
}

#[test]
fn batches_give_what_single_states_give() {
    const STATES: usize = 5;
    for (model, seed) in models() {
        let mut batch = Batch::<f64>::new(&model, 2).unwrap();
        for listed in CATALOGUE {
            let name = listed.entry.name;
            let states: Vec<_> = (0..STATES)
                .map(|k| inputs_of(&listed.entry, &model, seed + k as u64))
                .collect();
            for count in listed.entry.required().len()..=listed.entry.inputs.len() {
                let rows: Vec<Vec<f64>> = (0..count)
                    .map(|k| states.iter().flat_map(|state| state[k].clone()).collect())
                    .collect();
                let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
                let widths: Vec<usize> =
                    (listed.entry.outputs.iter().map(|it| it.len(&model))).collect();
                let mut results: Vec<Vec<f64>> =
                    widths.iter().map(|n| vec![0.0; n * STATES]).collect();
                let mut places: Vec<&mut [f64]> =
                    results.iter_mut().map(|it| &mut it[..]).collect();
                let mut status = [BatchStatus::default(); STATES];
                let quantity = of_last(listed, &model);
                batch
                    .compute(&*quantity, &rows, &mut places, &mut status)
                    .unwrap();
                for (k, (state, status)) in states.iter().zip(status).enumerate() {
                    let own = results.iter().zip(&widths);
                    let found: Vec<f64> = own
                        .flat_map(|(all, &n)| all[k * n..][..n].to_vec())
                        .collect();
                    match run(listed, &model, &state[..count]) {
                        // Kernels in lanes round as those of one state do, but for the solution
                        // with M.
                        Ok(expected) => close(name, &found, &expected, 1e-9),
                        Err(_) => assert!(!status.is_solved()),
                    }
                }
            }
        }
    }
}

/// ∂L/∂v is the momentum M v, and at rest ∂L/∂q is minus the gravity torque.
#[test]
fn the_lagrangian_has_the_derivatives_of_lagrange() {
    let model = samples::snake(5);
    let state = inputs_of(&find("bias").unwrap().entry, &model, 3);
    let (q, v) = (&state[0], &state[1]);
    let lagrangian = |q: &[f64], v: &[f64]| {
        let inputs = [q.to_vec(), v.to_vec()];
        run(find("lagrangian").unwrap(), &model, &inputs).unwrap()[0]
    };
    let (mut ws, h) = (Workspace::new(&model), 1e-5);
    let momentum = model.crba(&mut ws, q).unwrap() * DVector::from_column_slice(v);
    let gravity = model.gravity_torque(&mut ws, q).unwrap().to_vec();
    let rest = vec![0.0; model.nv()];
    for k in 0..model.nv() {
        let moved = |x: &[f64], by: f64| {
            let mut x = x.to_vec();
            x[k] += by;
            x
        };
        let by_v = lagrangian(q, &moved(v, h)) - lagrangian(q, &moved(v, -h));
        let by_q = lagrangian(&moved(q, h), &rest) - lagrangian(&moved(q, -h), &rest);
        // Central differences of numbers of some 10 J are exact to 1e-10 N·m by rounding.
        assert!((by_v / (2.0 * h) - momentum[k]).abs() < 1e-8);
        assert!((by_q / (2.0 * h) + gravity[k]).abs() < 1e-8);
    }
}

#[test]
fn states_in_turn_have_bodies_of_their_own() {
    for (model, seed) in models() {
        let mut batch = Batch::<f64>::new(&model, 1).unwrap();
        let nominal = batch.parameters();
        let heavy: Vec<f64> = nominal.iter().map(|p| 2.0 * p).collect();
        batch.set_parameters(&[nominal, heavy].concat()).unwrap();
        for name in ["centroidal_momentum", "gravity_torque"] {
            let listed = find(name).unwrap();
            let mut state = inputs_of(&listed.entry, &model, seed);
            // External forces have no mass.
            state.truncate(listed.entry.required().len());
            let rows: Vec<Vec<f64>> = state.iter().map(|row| row.repeat(2)).collect();
            let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
            let len = listed.entry.outputs[0].len(&model);
            let (mut found, mut status) = (vec![0.0; 2 * len], [BatchStatus::default(); 2]);
            let places = &mut [&mut found[..]];
            let quantity = of_last(listed, &model);
            batch
                .compute(&*quantity, &rows, places, &mut status)
                .unwrap();
            let expected = run(listed, &model, &state).unwrap();
            close(name, &found[..len], &expected, 1e-9);
            let twice: Vec<f64> = expected.iter().map(|x| 2.0 * x).collect();
            close(name, &found[len..], &twice, 1e-9);
        }
    }
}
