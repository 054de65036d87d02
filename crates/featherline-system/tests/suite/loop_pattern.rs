//! The pattern of closed loops: every entry that can differ from zero, and no other.

use crate::loops::linkages;
use featherline::kernel;
use featherline::model::{JointId, LoopId};
use featherline::samples::{RandomTree, random_loops};
use featherline::scalar::OpCount;
use featherline::spatial::{Force, Motion, Se3};
use featherline::{Model, Workspace};
use featherline_system::{AssemblyMemory, Problem, System};
use nalgebra::DMatrix;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;
use std::mem::discriminant;

/// Of entries of a metre or so, after some sines and products.
const ROUNDING: f64 = 1e-12;

fn matrix(system: &System, q: &[f64], v: &[f64]) -> DMatrix<f64> {
    // States are taken whether they fit the loops or not.
    let numbers = |numbers: &[f64]| -> Vec<OpCount> {
        let numbers = numbers.iter().copied();
        numbers.map(OpCount::variable).collect()
    };
    let pattern = system.sparsity();
    let mut values = vec![OpCount::default(); pattern.entries()];
    let mut rhs = vec![OpCount::default(); pattern.rows()];
    let inputs = vec![OpCount::default(); system.input_count()];
    system
        .assemble(
            &mut AssemblyMemory::new(system),
            &numbers(q),
            &numbers(v),
            &inputs,
            &mut values,
            &mut rhs,
        )
        .expect("a finite state");
    let mut matrix = DMatrix::zeros(pattern.rows(), pattern.columns());
    for ((row, column), value) in pattern.iter().zip(values) {
        matrix[(row, column)] = value.value();
    }
    matrix
}

/// The entries of a loop joint, from placements in the world: its equations, and its force in the
/// balances of its two bodies.
fn brought_in(system: &System, id: LoopId, q: &[f64]) -> DMatrix<f64> {
    let model = system.model();
    let joint = model.loop_joint(id);
    let mut ws = Workspace::recursive(model);
    let placed = model
        .forward_kinematics(&mut ws, q)
        .expect("a finite configuration");
    let world = |body: JointId| match body {
        JointId::UNIVERSE => Se3::identity(),
        body => placed.placement(body),
    };
    let input = world(joint.predecessor).compose(&joint.predecessor_placement);
    let output = world(joint.successor).compose(&joint.successor_placement);
    let mut subspace = vec![Motion::zero(); joint.kind.nv()];
    let apart = input.inverse_compose(&output);
    joint
        .kind
        .motions_between(&apart, &Motion::zero(), &mut subspace);

    let (unknowns, equations) = (system.unknowns(), system.equations());
    let mut matrix = DMatrix::zeros(equations.count(), unknowns.count());
    let motion = equations.loop_motion(id).start;
    let freedom = equations.loop_freedom(id).start;
    let force = unknowns.loop_force(id).start;
    for (k, column) in subspace.iter().enumerate() {
        for (c, entry) in column.to_array().into_iter().enumerate() {
            matrix[(motion + c, unknowns.loop_acceleration(id).start + k)] = entry;
            matrix[(freedom + k, force + c)] = entry;
        }
    }
    for (body, sign) in [(joint.successor, -1.0), (joint.predecessor, 1.0)] {
        if body == JointId::UNIVERSE {
            continue;
        }
        let link = world(body).compose(kernel::link_frame(model, body));
        let frame = link.inverse_compose(&output);
        for c in 0..6 {
            let mut unit = [0.0; 6];
            unit[c] = sign;
            let seen = frame
                .inverse_act_motion(&Motion::from_array(unit))
                .to_array();
            let felt = frame.act_force(&Force::from_array(unit)).to_array();
            for k in 0..6 {
                matrix[(motion + k, unknowns.acceleration(body).start + c)] = seen[k];
                matrix[(equations.force(body).start + k, force + c)] = felt[k];
            }
        }
    }
    matrix
}

/// Robots with every kind of loop joint that equations take.
fn robots() -> impl Iterator<Item = Model> {
    let random = (0..60_u64).map(|seed| {
        let shape = RandomTree {
            joints: 4 + (seed as usize * 5) % 9,
            branching: (seed % 5) as f64 / 4.0,
            every_kind: seed % 4 != 0,
            mimic_joints: seed % 5 == 1,
            floating: seed % 3 == 0,
        };
        random_loops(seed, &shape, 1 + seed as usize % 3)
    });
    random.chain(linkages())
}

#[test]
fn loops_have_every_entry_that_can_differ_from_zero_and_no_other() {
    let mut kinds = HashSet::new();
    for model in robots() {
        // Composites of several parts close no loop here.
        let Ok(system) = System::new(Problem::forward_dynamics(model)) else {
            continue;
        };
        let model = system.model();
        let mut random = ChaCha8Rng::seed_from_u64(11);
        let mut greatest = vec![0.0_f64; system.sparsity().entries()];
        for _ in 0..6 {
            let q = model.random_configuration(&mut random);
            let v: Vec<f64> = (0..model.nv())
                .map(|_| random.random_range(-1.0..1.0))
                .collect();
            let found = matrix(&system, &q, &v);
            for (entry, place) in greatest.iter_mut().zip(system.sparsity().iter()) {
                *entry = entry.max(found[place].abs());
            }
            for id in model.loop_ids() {
                kinds.insert(discriminant(&model.loop_joint(id).kind));
                let expected = brought_in(&system, id, &q);
                let rows = system.equations().loop_motion(id);
                let rows = rows.chain(system.equations().loop_freedom(id));
                for row in rows {
                    let off = (found.row(row) - expected.row(row)).amax();
                    assert!(off < ROUNDING, "{}: {off:e} in row {row}", model.name());
                }
                for column in system.unknowns().loop_force(id) {
                    let off = (found.column(column) - expected.column(column)).amax();
                    assert!(
                        off < ROUNDING,
                        "{}: {off:e} in column {column}",
                        model.name()
                    );
                }
            }
        }
        for ((row, column), value) in system.sparsity().iter().zip(greatest) {
            // This sample's right angles are rounded: some numbers are 10⁻¹⁷ where zeros are meant.
            let is_rounded = model.name() == "bennett" && value > 0.0;
            assert!(
                is_rounded || value > ROUNDING,
                "{}: {:?} in {:?} is {value:e}",
                model.name(),
                system.unknowns().at(column).map(|u| u.describe(model)),
                system.equations().at(row),
            );
        }
    }
    assert_eq!(
        kinds.len(),
        12,
        "every kind of fewer than six degrees of freedom"
    );
}
