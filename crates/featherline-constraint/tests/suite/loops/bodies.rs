//! Loops in maximal coordinates: against the dense system, against joint coordinates, and what it
//! costs.

use super::dynamics::with_loop_forces;
use super::robots::{Closed, closed, moved, random};
use crate::common::{close, external_forces};
use crate::dense;
use featherline::Workspace;
use featherline::dynamics::DynamicsOptions;
use featherline::joint::JointKind;
use featherline::kinematics::ReferenceFrame;
use featherline::model::{JointHandle, JointId, JointSpec, Model, ModelBuilder};
use featherline::samples::{self, RandomTree};
use featherline::spatial::{Force, Inertia, Mat3, Motion, Se3, Vec3};
use featherline_constraint::{LoopWorkspace, Stabilisation};
use featherline_constraint::{assemble, loop_dynamics, loop_gap, project_velocity};
use featherline_sim::integrator::MaximalVariationalIntegrator;
use featherline_sim::maximal::maximal_dynamics;
use featherline_sim::maximal::{BlockCount, MaximalState, MaximalWorkspace};
use nalgebra::{DMatrix, DVector};

/// Condition numbers of these robots reach 1e6; what is left of sixteen digits.
const TOLERANCE: f64 = 1e-9;

fn flat(motions: &[Motion<f64>]) -> Vec<f64> {
    motions[1..].iter().flat_map(|m| m.to_array()).collect()
}

fn six(forces: &[Force<f64>]) -> Vec<f64> {
    forces.iter().flat_map(|f| f.to_array()).collect()
}

/// The bodies' accelerations for those of joints.
fn of_bodies(model: &Model, q: &[f64], v: &[f64], a: &[f64]) -> Vec<f64> {
    let mut tree = Workspace::new(model);
    let moving = model
        .forward_kinematics_accelerations(&mut tree, q, v, a)
        .unwrap();
    let local = |joint| moving.acceleration(joint, ReferenceFrame::Local);
    let six = model.joint_ids().map(|joint| local(joint).to_array());
    six.flatten().collect()
}

/// The effect of loop-joint forces, six numbers each, on the joints of the tree.
struct LoopForces {
    /// The generalised forces of each number by itself.
    on_joints: DMatrix<f64>,
    /// The power of each number in the loop joints' own motions; constraint forces have none.
    on_motions: DMatrix<f64>,
}

impl LoopForces {
    fn new(model: &Model, q: &[f64]) -> Self {
        let size = 6 * model.loop_joints().len();
        let mut tree = Workspace::new(model);
        let still = vec![0.0; model.nv()];
        let none = vec![Force::zero(); model.joints().len()];
        let mut needed = |forces: &[Force<f64>]| -> Vec<f64> {
            let tau = model.inverse_dynamics(
                &mut tree,
                q,
                &still,
                &still,
                DynamicsOptions::default()
                    .without_passive_forces()
                    .with_forces(forces),
            );
            tau.unwrap().to_vec()
        };
        let weight = needed(&none);
        let mut on_joints = DMatrix::zeros(model.nv(), size);
        for k in 0..size {
            let mut unit = vec![Force::zero(); model.loop_joints().len()];
            let mut entries = [0.0; 6];
            entries[k % 6] = 1.0;
            unit[k / 6] = Force::from_array(entries);
            let tau = needed(&with_loop_forces(model, q, &none, &unit));
            for row in 0..model.nv() {
                on_joints[(row, k)] = weight[row] - tau[row];
            }
        }
        let mut rows = Vec::new();
        for (k, closing) in model.loop_joints().iter().enumerate() {
            let mut columns = vec![Motion::zero(); closing.kind.nv()];
            let mut neutral = vec![0.0; closing.kind.nq()];
            closing.kind.neutral(&mut neutral);
            closing.kind.evaluate(&neutral, &mut columns);
            for column in columns {
                let mut row = vec![0.0; size];
                row[6 * k..6 * k + 6].copy_from_slice(&column.to_array());
                rows.extend(row);
            }
        }
        let on_motions = DMatrix::from_row_slice(rows.len() / size, size, &rows);
        Self {
            on_joints,
            on_motions,
        }
    }

    fn on_joints(&self, forces: &[f64]) -> Vec<f64> {
        let forces = DVector::from_column_slice(forces);
        (&self.on_joints * forces).as_slice().to_vec()
    }

    /// Which of the numbers follow from their effect: those that no combination without effect
    /// contains.
    fn determined(&self) -> Vec<bool> {
        let (above, below) = (&self.on_joints, &self.on_motions);
        let size = above.ncols();
        // Square or taller, so that all directions are among the singular vectors.
        let mut all = DMatrix::zeros((above.nrows() + below.nrows()).max(size), size);
        all.rows_mut(0, above.nrows()).copy_from(above);
        all.rows_mut(above.nrows(), below.nrows()).copy_from(below);
        let svd = all.svd(false, true);
        let directions = svd.v_t.expect("it was asked for");
        let largest = svd.singular_values.max();
        let mut determined = vec![true; size];
        for (direction, value) in directions.row_iter().zip(svd.singular_values.iter()) {
            // Configurations are regular: values are rounding, or within some powers of ten of the
            // largest.
            if *value < 1e-9 * largest {
                for (own, entry) in determined.iter_mut().zip(direction.iter()) {
                    *own &= entry.abs() < 1e-9;
                }
            }
        }
        determined
    }
}

#[test]
fn blocks_give_what_the_dense_system_and_joint_coordinates_give() {
    let (mut redundant_rows, mut compared) = (0, 0);
    for Closed {
        model,
        mut ws,
        q,
        v,
        tau,
    } in closed()
    {
        let name = model.name();
        let external = external_forces(&model);
        let mut tree = Workspace::new(&model);
        let state = MaximalState::from_joints(&model, &mut tree, &q, &v).unwrap();
        let mut kkt = MaximalWorkspace::new(&model).unwrap();
        let result = maximal_dynamics(&model, &mut kkt, &state, &tau, &external).unwrap();
        let found = flat(result.accelerations);
        let scale = found.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        assert!(
            result.residual < TOLERANCE * scale,
            "{name}: {}",
            result.residual
        );
        let (expected, _) = dense::solve(&model, &state, &q, &v, &tau, &external);
        close(name, &found, &flat(&expected), TOLERANCE);

        let loops = loop_dynamics(
            &model,
            &mut ws,
            &q,
            &v,
            &tau,
            &external,
            &Stabilisation::NONE,
        )
        .unwrap();
        let (own, other) = (six(result.loop_forces), six(loops.loop_forces));
        let map = LoopForces::new(&model, &q);
        let (on_joints, on_joints_too) = (map.on_joints(&own), map.on_joints(&other));
        close(
            &format!("{name}: forces on joints"),
            &on_joints,
            &on_joints_too,
            TOLERANCE,
        );
        let determined = map.determined();
        assert!(loops.redundant > 0 || determined.iter().all(|entry| *entry));
        redundant_rows += usize::from(loops.redundant > 0);
        compared += determined.iter().filter(|entry| **entry).count();
        let only = |forces: &[f64]| -> Vec<f64> {
            let kept = forces.iter().zip(&determined).filter(|(_, kept)| **kept);
            kept.map(|(force, _)| *force).collect()
        };
        close(
            &format!("{name}: forces"),
            &only(&own),
            &only(&other),
            TOLERANCE,
        );
        let others = of_bodies(&model, &q, &v, loops.accelerations);
        close(name, &found, &others, TOLERANCE);
    }
    // Planar linkages and Bennett's repeat constraints, and still determine something.
    assert!(
        redundant_rows >= 4 && compared > 100,
        "{redundant_rows} {compared}"
    );
}

#[test]
fn joint_forces_and_loop_forces_move_the_bodies() {
    for Closed {
        model, q, v, tau, ..
    } in closed()
    {
        let name = model.name();
        let external = external_forces(&model);
        let mut tree = Workspace::new(&model);
        let state = MaximalState::from_joints(&model, &mut tree, &q, &v).unwrap();
        let mut kkt = MaximalWorkspace::new(&model).unwrap();
        let result = maximal_dynamics(&model, &mut kkt, &state, &tau, &external).unwrap();
        // The force that each body needs less the total applied force; all of it relative to the
        // largest force.
        let mut lacks: Vec<Force<f64>> = vec![Force::zero(); model.joints().len()];
        let mut scale = 1.0_f64;
        let world = |joint: JointId| match joint {
            JointId::UNIVERSE => Se3::identity(),
            joint => state.poses[joint.index()].placement(),
        };
        for id in model.joint_ids() {
            let (i, joint) = (id.index(), model.joint(id));
            let placement = world(id);
            let mut proper = result.accelerations[i];
            proper.linear -= placement.rotation.tr_mul_vec(model.gravity());
            let momentum = joint.inertia.mul_motion(&state.velocities[i]);
            lacks[i] = lacks[i]
                + joint.inertia.mul_motion(&proper)
                + state.velocities[i].cross_force(&momentum)
                - external[i]
                - result.joint_forces[i];
            scale = scale.max(result.joint_forces[i].linear.norm());
            let carried = world(joint.parent).inverse_compose(&placement);
            lacks[joint.parent.index()] += carried.act_force(&result.joint_forces[i]);
        }
        for (closing, force) in model.loop_joints().iter().zip(result.loop_forces) {
            let output = world(closing.successor).compose(&closing.successor_placement);
            for (body, sign) in [(closing.predecessor, 1.0), (closing.successor, -1.0)] {
                let seen = world(body).inverse_compose(&output).act_force(force);
                lacks[body.index()] += seen * sign;
            }
        }
        for (i, lack) in lacks.iter().enumerate().skip(1) {
            let size = lack.linear.norm().max(lack.angular.norm()) / scale;
            assert!(size < TOLERANCE, "{name}: body {i}: {size:e}");
        }
    }
}

/// A chain of hinges in space, of which a stretch is closed by a ball, with a comb of hinges on the
/// side.
fn looped_chain(bodies: usize, loops: &[(usize, usize)]) -> Model {
    let mut builder = ModelBuilder::new(format!("looped_{bodies}"));
    let body = Inertia::cuboid(1.0, Vec3::new(0.2, 0.05, 0.03));
    let turn = Mat3::from_roll_pitch_yaw(0.2, -0.3, 0.4);
    let step = Se3::new(turn, Vec3::new(0.2, 0.02, 0.01));
    let mut handles: Vec<JointHandle> = Vec::new();
    for i in 0..bodies {
        let above = handles.last().copied().unwrap_or(ModelBuilder::UNIVERSE);
        let kind = JointKind::revolute(Vec3::unit(i % 3));
        let hinge = JointSpec::new(format!("hinge_{i}"), above, kind).placement(step);
        let handle = builder.add_joint(hinge);
        builder.add_body(handle, format!("body_{i}"), step, body);
        handles.push(handle);
    }
    for &(first, last) in loops {
        // Where the chain is drawn, each frame is a number of steps from another.
        let reached = (first..last).fold(Se3::identity(), |here, _| here.compose(&step));
        let ends = ((handles[first], reached), (handles[last], Se3::identity()));
        builder.close_loop(
            format!("ball_{first}_{last}"),
            JointKind::Spherical,
            ends.0,
            ends.1,
        );
    }
    builder.build().unwrap().model
}

#[test]
fn the_cost_is_that_of_the_loop_and_not_of_the_chain() {
    let count = |bodies: usize, loops: &[(usize, usize)]| -> BlockCount {
        let model = looped_chain(bodies, loops);
        MaximalWorkspace::new(&model).unwrap().blocks().unwrap()
    };
    for length in [4, 8, 16, 32] {
        for bodies in [40, 400, 2000] {
            let first = (bodies - length) / 3;
            let one = count(bodies, &[(first, first + length - 1)]);
            // All bodies of the loop but the first, which carries it, their joints, and the ball: a
            // path.
            let tied = length - 1;
            assert_eq!((one.nodes, one.edges), (2 * tied + 1, 2 * tied));
            // The ball takes three freedoms of the last body. Until the hinges before it have as
            // many as they take, three bodies go before both of their neighbours, which then are
            // each other's; the rest goes as a tree does.
            assert_eq!(one.filled, 3, "{bodies} {length}");
            assert_eq!(one.products, 3 * 4 + (one.nodes - 1 - 3));
            // Loops that share nothing cost what each costs.
            let second = bodies - length;
            if second > first + length {
                let two = count(bodies, &[(first, first + length - 1), (second, bodies - 1)]);
                assert_eq!(two.products, 2 * one.products);
            }
        }
    }
}

#[test]
fn long_chains_with_loops_agree_with_joint_coordinates() {
    let model = looped_chain(60, &[(5, 14), (20, 39), (30, 50)]);
    let Closed {
        model,
        mut ws,
        q,
        v,
        tau,
    } = moved(model, 9);
    let mut tree = Workspace::new(&model);
    let state = MaximalState::from_joints(&model, &mut tree, &q, &v).unwrap();
    let mut kkt = MaximalWorkspace::new(&model).unwrap();
    let result = maximal_dynamics(&model, &mut kkt, &state, &tau, &[]).unwrap();
    let loops = loop_dynamics(&model, &mut ws, &q, &v, &tau, &[], &Stabilisation::NONE).unwrap();
    let others = of_bodies(&model, &q, &v, loops.accelerations);
    close(
        model.name(),
        &flat(result.accelerations),
        &others,
        TOLERANCE,
    );
}

#[test]
fn freedoms_that_are_counted_but_not_had_cost_no_digits() {
    // In the sparser order of elimination constraints meet bodies that have other freedoms left
    // than they take: the last three robots lose nearly all digits in it.
    for (seed, loops) in [
        (675, 1),
        (941, 3),
        (958, 2),
        (1415, 3),
        (1451, 3),
        (1475, 3),
    ] {
        let shape = RandomTree {
            joints: 6 + (seed as usize * 5) % 19,
            branching: (seed % 5) as f64 / 4.0,
            every_kind: seed % 4 != 0,
            mimic_joints: false,
            floating: seed % 3 == 0,
        };
        let Closed {
            model,
            mut ws,
            q,
            v,
            tau,
        } = random(seed, &shape, loops);
        let external = external_forces(&model);
        let mut tree = Workspace::new(&model);
        let state = MaximalState::from_joints(&model, &mut tree, &q, &v).unwrap();
        let mut kkt = MaximalWorkspace::new(&model).unwrap();
        let result = maximal_dynamics(&model, &mut kkt, &state, &tau, &external).unwrap();
        let found = flat(result.accelerations);
        let loops = loop_dynamics(
            &model,
            &mut ws,
            &q,
            &v,
            &tau,
            &external,
            &Stabilisation::NONE,
        )
        .unwrap();
        let others = of_bodies(&model, &q, &v, loops.accelerations);
        close(model.name(), &found, &others, TOLERANCE);
    }
}

#[test]
fn bodies_keep_the_digits_that_coordinates_lose_near_gimbal_lock() {
    // An ellipsoid joint 0.75 mrad from its gimbal lock, and a composite one: of accelerations of 9
    // m/s² they make some of 10⁶ rad/s² of coordinates.
    for (seed, joints, loops, floating) in [(95, 12, 2, true), (46, 20, 3, false)] {
        let shape = RandomTree {
            joints,
            floating,
            mimic_joints: false,
            ..RandomTree::default()
        };
        let model = samples::random_loops(seed, &shape, loops);
        let mut ws = LoopWorkspace::new(&model).unwrap();
        let mut q = model.reference_configurations()["closed"].clone();
        let (mut v, tau) = (vec![0.5; model.nv()], vec![0.0; model.nv()]);
        assemble(&model, &mut ws, &mut q).unwrap();
        project_velocity(&model, &mut ws, &q, &mut v).unwrap();
        let mut tree = Workspace::new(&model);
        let state = MaximalState::from_joints(&model, &mut tree, &q, &v).unwrap();
        let mut kkt = MaximalWorkspace::new(&model).unwrap();
        let result = maximal_dynamics(&model, &mut kkt, &state, &tau, &[]).unwrap();
        let found = flat(result.accelerations);
        let none = vec![Force::zero(); model.joints().len()];
        let (expected, _) = dense::solve(&model, &state, &q, &v, &tau, &none);
        close(model.name(), &found, &flat(&expected), TOLERANCE);

        let loops =
            loop_dynamics(&model, &mut ws, &q, &v, &tau, &[], &Stabilisation::NONE).unwrap();
        let others = of_bodies(&model, &q, &v, loops.accelerations);
        let mass = model.crba(&mut tree, &q).unwrap();
        let full = DMatrix::from_fn(model.nv(), model.nv(), |r, c| mass[(r.min(c), r.max(c))]);
        let values = full.svd(false, false).singular_values;
        let condition = values.max() / values.min();
        assert!(condition > 1e9, "{condition:e}");
        // The relative accuracy that this condition number leaves in double precision.
        close(model.name(), &found, &others, f64::EPSILON * condition);
    }
}

#[test]
fn composite_joints_are_found_where_they_are_closed() {
    // Each closes a loop by a hinge, three angles and a slider: from its neutral configuration the
    // nearest places lie on the other side of one where its motions depend on each other, with gaps
    // of 15 and 0.8 mm.
    for seed in [847, 1048] {
        let shape = RandomTree {
            joints: 6 + (seed as usize * 5) % 19,
            branching: (seed % 5) as f64 / 4.0,
            every_kind: true,
            mimic_joints: false,
            floating: seed % 3 == 0,
        };
        let Closed {
            model,
            mut ws,
            q,
            v,
            tau,
        } = random(seed, &shape, 2);
        // Rounding of placements of some metres.
        let gap = loop_gap(&model, &mut ws, &q, &v).unwrap();
        assert!(
            gap.position < 1e-13 && gap.velocity < 1e-12,
            "{seed}: {gap:?}"
        );
        let mut tree = Workspace::new(&model);
        let state = MaximalState::from_joints(&model, &mut tree, &q, &v).unwrap();
        let mut kkt = MaximalWorkspace::new(&model).unwrap();
        let result = maximal_dynamics(&model, &mut kkt, &state, &tau, &[]).unwrap();
        let found = flat(result.accelerations);
        let loops =
            loop_dynamics(&model, &mut ws, &q, &v, &tau, &[], &Stabilisation::NONE).unwrap();
        let others = of_bodies(&model, &q, &v, loops.accelerations);
        close(model.name(), &found, &others, TOLERANCE);
        let mut motion = MaximalVariationalIntegrator::new(&model).unwrap();
        motion.start(0.0, &q, &v).unwrap();
        close(model.name(), motion.velocity().unwrap(), &v, TOLERANCE);
    }
}

#[test]
fn a_massless_bar_is_moved_by_the_loop() {
    // A four-bar linkage whose coupler has no mass, so that the tree alone has a singular mass
    // matrix.
    let model = samples::four_bar();
    let coupler = model.joint_id("coupler").unwrap().index();
    let with = |mass: f64| -> Model {
        let mut stored = serde_json::to_value(&model).unwrap();
        let inertia = stored
            .pointer_mut(&format!("/joints/{coupler}/inertia"))
            .unwrap();
        let r = 1e-2 * mass;
        *inertia = serde_json::json!({
            "mass": mass, "com": [0.0, 0.0, 0.0],
            "rotational": {"xx": r, "xy": 0.0, "xz": 0.0, "yy": r, "yz": 0.0, "zz": r},
        });
        serde_json::from_value(stored).unwrap()
    };
    let massless = with(0.0);
    let (q, v, tau) = ([0.0; 3], [0.0; 3], [1.0, 0.0, 0.5]);
    let mut tree = Workspace::new(&massless);
    assert!(massless.aba(&mut tree, &q, &v, &tau).is_err());
    let state = MaximalState::from_joints(&massless, &mut tree, &q, &v).unwrap();
    let mut kkt = MaximalWorkspace::new(&massless).unwrap();
    let result = maximal_dynamics(&massless, &mut kkt, &state, &tau, &[]).unwrap();
    assert!(result.residual < TOLERANCE, "{}", result.residual);
    let none = vec![Force::zero(); 4];
    let (expected, _) = dense::solve(&massless, &state, &q, &v, &tau, &none);
    close(
        "massless",
        &flat(result.accelerations),
        &flat(&expected),
        TOLERANCE,
    );
}

#[test]
fn bodies_out_of_place_are_pulled_back_as_asked() {
    let Closed {
        model, q, v, tau, ..
    } = moved(samples::delta(), 6);
    let mut tree = Workspace::new(&model);
    let mut state = MaximalState::from_joints(&model, &mut tree, &q, &v).unwrap();
    // An arm's hinge does not let it move along y, nor turn about x.
    let arm = model.joint_id("arm_1").unwrap();
    let mut shift = Motion::zero();
    shift.linear.y = 1e-5;
    let moved = state.poses[arm.index()]
        .placement()
        .compose(&featherline::spatial::exp6(&shift));
    state.poses[arm.index()].position = moved.translation;
    state.velocities[arm.index()].angular.x += 2e-5;
    let mut kkt = MaximalWorkspace::new(&model).unwrap();
    let mut acceleration = |pull: Stabilisation| {
        kkt.stabilise(pull);
        let result = maximal_dynamics(&model, &mut kkt, &state, &tau, &[]).unwrap();
        result.accelerations[arm.index()]
    };
    let pull = Stabilisation {
        damping: 3.0,
        stiffness: 20.0,
    };
    let change = acceleration(pull) - acceleration(Stabilisation::NONE);
    assert!((change.linear.y + 400.0 * 1e-5).abs() < 1e-9, "{change:?}");
    assert!((change.angular.x + 6.0 * 2e-5).abs() < 1e-9, "{change:?}");
}
