//! The catalogue: every quantity as its entry says, one state or many.

use crate::catalogue::{inputs_of, of_last};
use crate::common::{close, models};
use featherline::batch::{Batch, BatchStatus};
use featherline::kinematics::ReferenceFrame;
use featherline::quantity::{
    AnyAlgorithm, CATALOGUE, ListedQuantity, OnFrames, Parameter, Parameters, find,
};
use featherline::{Error, Model, Workspace, samples};
use nalgebra::DVector;
use std::collections::BTreeSet;

/// All results of a state, one after the other.
fn run(listed: &ListedQuantity, model: &Model, inputs: &[Vec<f64>]) -> Result<Vec<f64>, Error> {
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
    for ListedQuantity { entry, .. } in CATALOGUE {
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
            for k in 0..inputs.len() {
                let mut short = inputs.clone();
                if short[k].pop().is_some() {
                    let refused = run(listed, &model, &short);
                    assert!(matches!(refused, Err(Error::Size { .. })), "{name}");
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

/// The quantity that a matrix of derivatives is of: `aba_derivatives` has those of `aba`.
fn differentiated(derivatives: &str, output: &str) -> Option<&'static ListedQuantity> {
    let of = match output {
        "momentum_dq" => "centroidal_momentum",
        "rate_dq" | "rate_dv" => "centroidal_momentum_rate",
        _ => derivatives
            .strip_suffix("_derivatives")
            .or_else(|| derivatives.strip_suffix("_derivative"))?,
    };
    find(of)
}

/// Numbers moved along one coordinate of an input.
fn moved(model: &Model, input: &str, numbers: &[f64], k: usize, by: f64) -> Vec<f64> {
    let mut along = vec![0.0; model.nv()];
    along[k] = by;
    match input {
        "q" => model.integrate(numbers, &along).unwrap(),
        _ => numbers.iter().zip(&along).map(|(x, dx)| x + dx).collect(),
    }
}

#[test]
fn derivatives_are_those_of_differences() {
    const H: f64 = 1e-3;
    let mut compared = BTreeSet::new();
    for (model, seed) in models() {
        for listed in CATALOGUE {
            let name = listed.entry.name;
            let inputs = inputs_of(&listed.entry, &model, seed);
            let Ok(found) = run(listed, &model, &inputs) else {
                assert!(inverts(name), "{name}");
                continue;
            };
            let mut first = 0;
            for output in listed.entry.outputs {
                let own = &found[first..first + output.len(&model)];
                first += own.len();
                let along = output.name.rsplit_once("_d").map_or("", |(_, input)| input);
                let along = listed.entry.inputs.iter().position(|it| it.name == along);
                let Some((along, of)) = along.zip(differentiated(name, output.name)) else {
                    continue;
                };
                let input = listed.entry.inputs[along].name;
                let mut at = inputs_of(&of.entry, &model, seed);
                if !listed.entry.inputs.iter().any(|it| it.name == "f") {
                    at.truncate(of.entry.required().len());
                }
                let mut own_inputs = of.entry.inputs.iter();
                let place = own_inputs.position(|it| it.name == input).unwrap();
                let value = |k: usize, by: f64| {
                    let mut at = at.clone();
                    at[place] = moved(&model, input, &at[place], k, by);
                    DVector::from_vec(run(of, &model, &at).unwrap())
                };
                let rows = own.len() / model.nv().max(1);
                let columns: Vec<f64> = (0..model.nv())
                    .flat_map(|k| {
                        // Dry friction, which counts as constant, turns round where v is zero.
                        if input == "v" && inputs[along][k].abs() < 3.0 * H {
                            return own[k * rows..][..rows].to_vec();
                        }
                        let near = (value(k, H) - value(k, -H)) * 8.0;
                        let far = value(k, 2.0 * H) - value(k, -2.0 * H);
                        ((near - far) / (12.0 * H)).data.as_vec().clone()
                    })
                    .collect();
                let largest = columns.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
                let what = format!("{} of {name}, seed {seed}", output.name);
                close(&what, own, &columns, 1e-6 * largest);
                compared.insert((name, output.name));
            }
        }
    }
    assert_eq!(compared.len(), 28, "{compared:?}");
}

/// Under which names the report of the comparison with Pinocchio has a quantity, or why it has not.
const COMPARED: [(&str, &str); 77] = [
    ("rnea", "tau_fext (without passive forces)"),
    ("inverse_dynamics", "tau_passive_fext"),
    ("aba", "q̈ (ABA, fext)"),
    ("forward_dynamics", "q̈ (passive, fext)"),
    ("forward_dynamics_crba", "q̈ (CRBA + LTDL)"),
    ("bias", "bias"),
    ("gravity_torque", "gravity"),
    ("static_torque", "static_torque_fext"),
    ("passive_forces", "passive_forces"),
    ("crba", "mass_matrix"),
    ("crba_packed", "-: elements of crba"),
    ("mass_matrix_inverse", "M⁻¹"),
    ("mass_matrix_solve", "M⁻¹ (LTDL)"),
    ("coriolis_matrix", "C v"),
    (
        "articulated_inertias",
        "-: Pinocchio keeps no inertias without its own damping",
    ),
    (
        "aba_terms",
        "-: the textbook's recursion in dense matrices checks it",
    ),
    ("kinetic_energy", "kinetic_energy"),
    ("potential_energy", "potential_energy"),
    ("mechanical_energy", "mechanical energy"),
    ("lagrangian", "-: kinetic less potential energy"),
    ("centroidal_momentum", "centroidal_momentum"),
    ("centroidal_momentum_rate", "centroidal_momentum_rate"),
    ("centroidal_map", "centroidal_matrix"),
    ("centroidal_map_rate", "centroidal_matrix_rate"),
    ("center_of_mass", "com"),
    ("center_of_mass_velocity", "vcom"),
    ("center_of_mass_acceleration", "acom"),
    ("center_of_mass_jacobian", "jacobian_com"),
    ("integrate", "integrate"),
    ("difference", "difference"),
    ("interpolate", "interpolate"),
    ("distance", "distance"),
    ("d_integrate_dq", "integrate_jacobian_q"),
    ("d_integrate_dv", "integrate_jacobian_v"),
    ("d_difference_dq0", "difference_jacobian_q"),
    ("d_difference_dq1", "difference_jacobian_other"),
    ("normalise", "normalise"),
    ("gravity_torque_derivative", "dgravity_dq"),
    ("static_torque_derivative", "-: differences check it"),
    ("joint_torque_regressor", "torque_regressor"),
    ("gravity_torque_regressor", "gravity_regressor"),
    ("joint_momentum_regressor", "momentum_regressor"),
    ("drive_regressor", "-: Pinocchio has none"),
    ("kinetic_energy_regressor", "kinetic_energy_regressor"),
    ("potential_energy_regressor", "potential_energy_regressor"),
    ("all_terms", "mass_matrix (all terms)"),
    (
        "centroidal_map_and_momentum",
        "-: two of the others in one call",
    ),
    ("ltdl", "Lᵀ D L v"),
    ("transmitted_forces", "-: differences of momenta check it"),
    ("forward_kinematics", "body_placements"),
    ("joint_placements", "joint_placements"),
    ("accelerations", "joint_acceleration_local"),
    ("joint_jacobians", "jacobian_world (all columns first)"),
    ("placement", "body_placements"),
    ("velocity", "target_velocity_local"),
    ("acceleration", "target_acceleration_local"),
    (
        "classical_acceleration",
        "target_classical_acceleration_local",
    ),
    ("bias_acceleration", "J̇ v local"),
    (
        "classical_bias_acceleration",
        "-: classical_acceleration while a is zero",
    ),
    ("jacobian", "jacobian_local"),
    ("jacobian_rate", "jacobian_rate_local"),
    ("hessian", "hessian_local"),
    ("joint_body_regressor", "joint_body_regressor"),
    ("subtree_center_of_mass", "subtree_mass_moment"),
    ("subtree_center_of_mass_velocity", "subtree_momentum"),
    (
        "subtree_center_of_mass_acceleration",
        "subtree_momentum_rate",
    ),
    ("subtree_center_of_mass_jacobian", "subtree_mass_jacobian"),
    ("rnea_derivatives", "dtau_dq_fext"),
    ("inverse_dynamics_derivatives", "-: differences check it"),
    ("aba_derivatives", "∂q̈/∂q"),
    ("forward_dynamics_derivatives", "-: differences check it"),
    ("passive_forces_derivatives", "-: differences check it"),
    ("kinetic_energy_derivatives", "-: differences check it"),
    ("centroidal_derivatives", "dmomentum_rate_dq"),
    ("velocity_derivatives", "dv_dq_local"),
    ("acceleration_derivatives", "da_dq_local"),
    (
        "classical_acceleration_derivatives",
        "-: differences check it",
    ),
];

#[test]
fn every_quantity_is_compared_with_pinocchio_or_excused() {
    let report = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/REPORT.md");
    let report = std::fs::read_to_string(report).unwrap();
    let (_, table) = report.split_once("\n## Quantities\n").unwrap();
    for (listed, (name, compared)) in CATALOGUE.iter().zip(COMPARED) {
        assert_eq!(listed.entry.name, name);
        let is_excused = compared.starts_with("-: ");
        assert!(
            is_excused || table.contains(&format!("\n| {compared} |")),
            "{name}"
        );
    }
    assert_eq!(CATALOGUE.len(), COMPARED.len());
}

#[test]
fn derivatives_under_forces_on_frames_are_those_of_the_quantity() {
    let model = featherline_robots::panda();
    let state = crate::common::State::random(&model, 5);
    let (h, n) = (1e-6, model.nv());
    let frame = model.frame_ids().last().unwrap();
    let targets = [model.joint_ids().nth(3).unwrap().into(), frame.into()];
    let f: Vec<f64> = (0..12).map(|k| f64::from(k).sin()).collect();
    let mut seen = 0;
    // Of each quantity that takes external forces: which result is whose derivative by q.
    for (of, name, place) in [
        ("rnea", "rnea_derivatives", 1),
        ("inverse_dynamics", "inverse_dynamics_derivatives", 1),
        ("aba", "aba_derivatives", 1),
        ("forward_dynamics", "forward_dynamics_derivatives", 1),
        ("static_torque", "static_torque_derivative", 0),
    ] {
        for reference in ReferenceFrame::ALL {
            let run = |name: &str, q: &[f64]| -> Vec<Vec<f64>> {
                let listed = find(name).unwrap();
                let entry = &listed.entry;
                let on_frames = OnFrames {
                    entry,
                    algorithm: &*(listed.with)(&Parameters::NONE).unwrap(),
                    targets: &targets,
                    reference,
                };
                let inputs = entry.inputs.iter().map(|it| match it.name {
                    "q" => q,
                    "v" => &state.v[..],
                    "f" => &f[..],
                    _ => &state.a[..],
                });
                let inputs: Vec<&[f64]> = inputs.collect();
                let outputs = entry.outputs.iter();
                let mut results: Vec<_> = outputs.map(|it| vec![0.0; it.len(&model)]).collect();
                let mut rows: Vec<&mut [f64]> = results.iter_mut().map(|it| &mut it[..]).collect();
                let mut ws = Workspace::new(&model);
                on_frames.run(&model, &mut ws, &inputs, &mut rows).unwrap();
                results
            };
            let found = &run(name, &state.q)[place];
            let mut expected = Vec::new();
            for k in 0..n {
                let at = |step: f64| {
                    let mut q = state.q.clone();
                    q[k] += step;
                    run(of, &q).remove(0)
                };
                let (next, last) = (at(h), at(-h));
                expected.extend(next.iter().zip(&last).map(|(a, b)| (a - b) / (2.0 * h)));
            }
            // Rounding over the step, of accelerations of some hundred rad/s².
            close(name, found, &expected, 1e-5);
            seen += 1;
        }
    }
    let with_forces = |it: &&ListedQuantity| {
        let entry = &it.entry;
        let by_q = |name: &str| ["dtau_dq", "dqdd_dq"].contains(&name);
        entry.inputs.iter().any(|it| it.name == "f") && entry.outputs.iter().any(|it| by_q(it.name))
    };
    assert_eq!(seen, 3 * CATALOGUE.iter().filter(with_forces).count());
}
