//! The system of the programs that were published with Nori 2017, which is not quite that of his
//! paper: a body's net force fᴮ = I a + ν is an unknown of its own, external forces are in base
//! coordinates, and none is known to be zero.

use anyhow::Result;
use featherline::samples::tapered_chain;
use featherline::spatial::Se3;
use featherline::{Model, Workspace};
use featherline_system::{EliminationOrder, Sparsity, Symbol, Template};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Unknowns of a link, and rows, in this order: a, fᴮ, f, fˣ, τ, q̈; the equations of a, fᴮ, f, τ,
/// then the knowns.
const A: usize = 0;
const NET: usize = 6;
const FORCE: usize = 12;
const EXTERNAL: usize = 18;
const TORQUE: usize = 24;
const ACCELERATION: usize = 25;
const ROWS_OF_TORQUE: usize = 18;
const ROWS_OF_EXTERNAL: usize = 19;
const ROW_OF_KNOWN: usize = 25;
const WIDTH: usize = 26;

/// The known quantity of each joint.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Known {
    Acceleration,
    Torque,
}

/// The system of a chain of revolute joints about z.
pub fn template(links: usize, known: Known) -> Result<Template> {
    let model = tapered_chain(links);
    let mut random = ChaCha8Rng::seed_from_u64(2017);
    let mut samples = Vec::new();
    for _ in 0..3 {
        samples.push(entries(
            &model,
            known,
            &model.random_configuration(&mut random),
        )?);
    }
    let n = WIDTH * links;
    let places = samples[0].iter().map(|&(row, column, _)| (row, column));
    let pattern = Sparsity::new(n, n, places)?;
    let mut values = vec![vec![0.0; pattern.entries()]; samples.len()];
    for (values, sample) in values.iter_mut().zip(&samples) {
        for &(row, column, value) in sample {
            if let Some(slot) = pattern.position(row, column) {
                values[slot] = value;
            }
        }
    }
    // Products by ±1 and sums with structural zeros are not counted; other constants of the robot
    // are.
    let symbol = |value: f64| match value.abs() {
        1.0 => Symbol::Constant(value),
        _ => Symbol::Variable,
    };
    let symbols = values[0].iter().map(|&value| symbol(value)).collect();
    Ok(Template::new(
        Arc::new(pattern),
        symbols,
        vec![Symbol::Variable; n],
        &values,
    )?)
}

/// (row, column, value), structural zeros left out.
fn entries(model: &Model, known: Known, q: &[f64]) -> Result<Vec<(usize, usize, f64)>> {
    let mut workspace = Workspace::new(model);
    let positions = model.forward_kinematics(&mut workspace, q)?;
    let mut entries = Vec::new();
    let joints: Vec<_> = model.joint_ids().collect();
    for (k, &joint) in joints.iter().enumerate() {
        let at = |offset: usize| WIDTH * k + offset;
        let here = positions.placement(joint);
        for i in 0..6 {
            for of in [A, NET, FORCE] {
                entries.push((at(of + i), at(of + i), -1.0));
            }
            entries.push((at(FORCE + i), at(NET + i), 1.0));
            entries.push((at(ROWS_OF_EXTERNAL + i), at(EXTERNAL + i), 1.0));
        }
        // The joint turns about z, the last of [linear; angular].
        entries.push((at(5), at(ACCELERATION), 1.0));
        entries.push((at(ROWS_OF_TORQUE), at(TORQUE), -1.0));
        entries.push((at(ROWS_OF_TORQUE), at(FORCE + 5), 1.0));
        let given = if known == Known::Torque {
            TORQUE
        } else {
            ACCELERATION
        };
        entries.push((at(ROW_OF_KNOWN), at(given), 1.0));
        let inertia = model.joint(joint).inertia.to_matrix();
        push(&mut entries, at(NET), at(A), &inertia);
        let from_base = here.inverse().dual_action_matrix();
        push(&mut entries, at(FORCE), at(EXTERNAL), &from_base);
        if k > 0 {
            let parent: Se3<f64> = positions.placement(joints[k - 1]);
            let motion = here.inverse_compose(&parent).action_matrix();
            push(&mut entries, at(A), WIDTH * (k - 1) + A, &motion);
            let force = parent.inverse_compose(&here).dual_action_matrix();
            push(&mut entries, WIDTH * (k - 1) + FORCE, at(FORCE), &force);
        }
    }
    Ok(entries)
}

/// The entries of a block that are not zero but for rounding.
fn push(entries: &mut Vec<(usize, usize, f64)>, row: usize, column: usize, block: &[[f64; 6]; 6]) {
    for (i, values) in block.iter().enumerate() {
        for (j, &value) in values.iter().enumerate() {
            if value.abs() > 1e-14 {
                entries.push((row + i, column + j, value));
            }
        }
    }
}

/// From the last link to the first: fᴮ, f, a, q̈.
pub fn articulated_bodies(links: usize) -> Result<EliminationOrder> {
    let mut pivots = Vec::new();
    for link in 0..links {
        let at = |offset: usize| WIDTH * link + offset;
        pivots.extend((0..6).map(|i| (at(ROWS_OF_EXTERNAL + i), at(EXTERNAL + i))));
        pivots.push((at(ROW_OF_KNOWN), at(TORQUE)));
    }
    for link in (0..links).rev() {
        let at = |offset: usize| WIDTH * link + offset;
        for of in [NET, FORCE, A] {
            pivots.extend((0..6).map(|i| (at(of + i), at(of + i))));
        }
        pivots.push((at(ROWS_OF_TORQUE), at(ACCELERATION)));
    }
    Ok(EliminationOrder::new(pivots)?)
}
