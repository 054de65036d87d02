//! Random robots and states; the kernels' numbers.

use featherline::kinematics::ReferenceFrame;
use featherline::quantity::{CATALOGUE, Entry, Parameter, Parameters, find};
use featherline::samples::{RandomTree, random_tree};
use featherline::{Error, Model, Workspace};
use featherline_compile::Quantity;
use nalgebra::DMatrix;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Robots of all shapes; between them every kind of joint.
pub fn models(count: u64) -> Vec<Model> {
    let shape = |seed: u64| RandomTree {
        joints: 1 + (seed as usize * 5) % 14,
        branching: (seed % 5) as f64 / 4.0,
        every_kind: !seed.is_multiple_of(4),
        mimic_joints: seed % 2 == 1,
        floating: seed.is_multiple_of(3),
    };
    (0..count)
        .map(|seed| random_tree(seed, &shape(seed)))
        .collect()
}

/// A quantity by its name.
pub fn of(name: &str) -> Quantity {
    let found = Quantity::named(name, &Parameters::NONE);
    found.expect("a name").expect("no parameters")
}

/// The last frame or joint, in the world's axes.
fn last(entry: &Entry, model: &Model) -> Parameters {
    let parameters = match entry.parameters.contains(&Parameter::Joint) {
        true => Parameters::of_frame(model.joint_ids().last().expect("a joint")),
        false => Parameters::of_frame(model.frame_ids().last().expect("a frame")),
    };
    parameters.in_reference(ReferenceFrame::LocalWorldAligned)
}

/// All quantities, those of a frame for the last one.
pub fn quantities(model: &Model) -> Vec<Quantity> {
    let all = CATALOGUE.iter().map(|it| &it.entry);
    let named = all.map(|entry| Quantity::named(entry.name, &last(entry, model)));
    named
        .map(|it| it.expect("a name").expect("parameters"))
        .collect()
}

/// A random state as the quantity takes it.
pub fn inputs(quantity: &Quantity, model: &Model, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut inputs = Vec::new();
    for port in &quantity.inputs(model) {
        match port.name.starts_with('q') {
            true => inputs.extend(model.random_configuration(&mut rng)),
            false => inputs.extend((0..port.rows).map(|_| rng.random_range(-1.0..1.0))),
        }
    }
    inputs
}

/// The kernel's numbers in double precision, row by row.
pub fn kernel(quantity: &Quantity, model: &Model, inputs: &[f64]) -> Result<Vec<f64>, Error> {
    let entry = quantity.entry();
    let listed = find(entry.name).expect("it is in the catalogue");
    let algorithm = (listed.with)(&last(entry, model))?;
    let mut rest = inputs;
    let inputs: Vec<&[f64]> = (entry.required().iter())
        .map(|input| rest.split_off(..input.len(model)).expect("all inputs"))
        .collect();
    let mut results: Vec<Vec<f64>> = (entry.outputs.iter())
        .map(|output| vec![f64::NAN; output.len(model)])
        .collect();
    let mut places: Vec<&mut [f64]> = results.iter_mut().map(|it| &mut it[..]).collect();
    algorithm.run(model, &mut Workspace::new(model), &inputs, &mut places)?;
    let rows = entry.outputs.iter().zip(results).map(|(output, numbers)| {
        let (_, item) = output.list();
        let &[rows, columns] = item else {
            return numbers;
        };
        let (rows, columns) = (rows.of(model), columns.of(model));
        let items = numbers.chunks_exact((rows * columns).max(1));
        let transposed = items.map(|item| DMatrix::from_column_slice(rows, columns, item));
        transposed
            .flat_map(|it| it.transpose().as_slice().to_vec())
            .collect()
    });
    Ok(rows.collect::<Vec<_>>().concat())
}

/// How far rounding may drive a program's numbers from the kernel's, relative to the largest.
/// Constants are merged and sums ordered anew: 1e-16 at a time, in a few thousand operations.
/// Solutions of linear systems take the system's condition on top, which in random robots, with
/// light links at the end of heavy chains, goes up to 1e8.
pub fn tolerance(quantity: &Quantity) -> f64 {
    let name = quantity.entry().name;
    let solves = [
        "aba",
        "articulated_inertias",
        "ltdl",
        "forward_dynamics",
        "mass_matrix_inverse",
        "mass_matrix_solve",
    ];
    match solves.iter().any(|start| name.starts_with(start)) {
        true => 1e-7,
        false => 1e-12,
    }
}

/// Fails unless two results agree up to rounding, relative to the largest number.
pub fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    for (i, (x, y)) in found.iter().zip(expected).enumerate() {
        let error = (x - y).abs() / scale;
        assert!(
            error <= tolerance,
            "{what}[{i}]: {x} in place of {y}, {error:e} of the largest"
        );
    }
}
