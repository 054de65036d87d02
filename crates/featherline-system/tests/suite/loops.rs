//! Closed loops: what the sparse system gives is what `loop_dynamics` and `maximal_dynamics` do.

use crate::common::{close, dense, solve};
use featherline::joint::JointKind;
use featherline::kinematics::ReferenceFrame;
use featherline::model::{JointId, LoopJoint};
use featherline::samples::{self, RandomTree, random_loops};
use featherline::spatial::{Mat3, Vec3};
use featherline::{Model, Workspace};
use featherline_constraint::{LoopWorkspace, Stabilisation};
use featherline_constraint::{assemble, loop_dynamics, project_velocity};
use featherline_sim::maximal::maximal_dynamics;
use featherline_sim::maximal::{MaximalState, MaximalWorkspace};
use featherline_system::{
    Check, Determined, Diagnosis, Equation, GuardedProgram, GuardedRun, Known, KnownValue,
    OrderError, Problem, Requested, SolveStatus, System, SystemError, order,
};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Two methods round differently, and each loses the digits of the loops' condition, here 10⁴ at
/// most.
const TOLERANCE: f64 = 1e-9;

/// Beyond this condition of the loops, tolerances would have to be wider.
const NEARLY_SINGULAR: f64 = 1e5;

/// A state of a robot whose loops are closed and stay so.
pub struct Closed {
    pub model: Model,
    pub ws: LoopWorkspace,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub tau: Vec<f64>,
}

/// All linkages among the samples.
pub fn linkages() -> [Model; 6] {
    [
        samples::four_bar(),
        samples::parallelogram(),
        samples::six_bar(),
        samples::bennett(),
        samples::delta(),
        samples::stewart(),
    ]
}

impl Closed {
    /// So far at most from where the robot is drawn, in motion.
    pub fn near(model: Model, seed: u64, reach: f64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut tangent = |size: f64| -> Vec<f64> {
            let numbers = (0..model.nv()).map(|_| size * random.random_range(-1.0..1.0));
            numbers.collect()
        };
        let (step, mut v, tau) = (tangent(reach), tangent(1.0), tangent(1.0));
        let drawn = match model.reference_configurations().get("closed") {
            Some(q) => q.clone(),
            None => model.neutral_configuration(),
        };
        let mut ws = LoopWorkspace::new(&model).expect("loop joints that hold something");
        let mut q = model.integrate(&drawn, &step).expect("a configuration");
        assemble(&model, &mut ws, &mut q).expect("it is near");
        project_velocity(&model, &mut ws, &q, &mut v).expect("a velocity");
        Self {
            model,
            ws,
            q,
            v,
            tau,
        }
    }
}

/// Random trees in which joints of every kind close loops between any two bodies.
fn random_robots() -> impl Iterator<Item = Closed> {
    (0..80_u64).map(|seed| {
        let shape = RandomTree {
            joints: 6 + (seed as usize * 5) % 9,
            branching: (seed % 5) as f64 / 4.0,
            every_kind: seed % 4 != 0,
            mimic_joints: seed % 5 == 1,
            floating: seed % 3 == 0,
        };
        let model = random_loops(seed, &shape, 1 + seed as usize % 3);
        Closed::near(model, seed ^ 0x100b, 0.0)
    })
}

fn is_composite(kind: &JointKind) -> bool {
    !kind.has_motions_between()
}

/// A solution of least length of equations that may depend on each other, rows made equally long,
/// and which unknowns it tells.
fn least(matrix: &DMatrix<f64>, right: &DVector<f64>) -> (DVector<f64>, Vec<bool>) {
    let (mut matrix, mut right) = (matrix.clone(), right.clone());
    for (row, mut own) in matrix.row_iter_mut().enumerate() {
        let norm = own.norm();
        own /= norm;
        right[row] /= norm;
    }
    let scale: Vec<f64> = matrix.column_iter().map(|column| column.norm()).collect();
    for (k, &norm) in scale.iter().enumerate() {
        matrix.column_mut(k).scale_mut(1.0 / norm);
    }
    let svd = matrix.clone().svd(true, true);
    let most = svd.singular_values.max();
    let mut solution = svd.solve(&right, 1e-11 * most).expect("both factors");
    // Once more with what is left.
    let rest = &right - &matrix * &solution;
    solution += svd.solve(&rest, 1e-11 * most).expect("both factors");
    let v_t = svd.v_t.as_ref().expect("asked for");
    let open = (0..v_t.nrows()).filter(|&k| svd.singular_values[k] <= 1e-11 * most);
    let open: Vec<usize> = open.collect();
    let is_told =
        (0..v_t.ncols()).map(|column| open.iter().all(|&k| v_t[(k, column)].abs() < 1e-7));
    let is_told = is_told.collect();
    for (x, norm) in solution.iter_mut().zip(&scale) {
        *x /= norm;
    }
    (solution, is_told)
}

#[test]
fn forward_dynamics_is_that_of_the_loops() {
    let moved = linkages()
        .into_iter()
        .zip(1..)
        .map(|(m, s)| Closed::near(m, s, 0.15));
    let (mut kinds, mut redundant, mut compared) = (Vec::new(), 0, 0);
    for closed in moved.chain(random_robots()) {
        let Closed {
            model,
            mut ws,
            q,
            v,
            tau,
        } = closed;
        let system = System::new(Problem::forward_dynamics(model.clone()));
        if model
            .loop_joints()
            .iter()
            .any(|joint| is_composite(&joint.kind))
        {
            assert!(matches!(system, Err(SystemError::LoopKind { .. })));
            continue;
        }
        let system = system.expect("a system");
        assert_eq!(system.sparsity().rows(), system.sparsity().columns());
        let none = Stabilisation::NONE;
        // A random tree may have a singular mass matrix.
        let Ok(expected) = loop_dynamics(&model, &mut ws, &q, &v, &tau, &[], &none) else {
            continue;
        };
        if expected.condition > NEARLY_SINGULAR {
            continue;
        }
        compared += 1;
        let (matrix, right) = dense(&system, &q, &v, &tau);
        let (x, is_told) = least(&matrix, &right);
        let name = model.name();
        let solution = system.solution(x.as_slice()).expect("sizes agree");
        close(
            name,
            solution.joint_accelerations(),
            expected.accelerations,
            TOLERANCE,
        );
        redundant += usize::from(expected.redundant > 0);
        for (id, force) in model.loop_ids().zip(expected.loop_forces) {
            kinds.push(model.loop_joint(id).kind.name());
            let own = system.unknowns().loop_force(id);
            if is_told[own.clone()].iter().all(|&told| told) {
                close(name, &x.as_slice()[own], &force.to_array(), TOLERANCE);
            }
            if expected.redundant == 0 {
                assert!(
                    is_told[system.unknowns().loop_force(id)]
                        .iter()
                        .all(|&told| told)
                );
            }
        }
        assert!(
            system
                .unknowns()
                .joint_accelerations()
                .all(|column| is_told[column])
        );
    }
    kinds.sort_unstable();
    kinds.dedup();
    // Every kind that has an answer, the last one a list of one part.
    let every = [
        "composite",
        "cylindrical",
        "ellipsoid",
        "helical",
        "planar",
        "prismatic",
        "revolute",
        "revolute_unbounded",
        "spherical",
        "spherical_zyx",
        "translation",
        "universal",
    ];
    assert_eq!(kinds, every);
    assert!(redundant > 5 && compared > 40, "{redundant} {compared}");
}

#[test]
fn what_is_determined_is_that_of_both_formulations() {
    for (model, seed) in linkages().into_iter().zip(1..) {
        let Closed {
            model,
            mut ws,
            q,
            v,
            tau,
        } = Closed::near(model, seed, 0.15);
        let name = model.name();
        let system = System::new(Problem::forward_dynamics(model.clone())).expect("a system");
        let solution = Determined::new(&system)
            .solve(&q, &v, &tau)
            .expect("it fits");
        let none = Stabilisation::NONE;
        let expected = loop_dynamics(&model, &mut ws, &q, &v, &tau, &[], &none);
        let expected = expected.expect("regular");
        assert_eq!(solution.open(), expected.redundant, "{name}");
        assert!(
            solution.residual() < 1e-12,
            "{name}: {}",
            solution.residual()
        );
        let told = |requested| solution.values(&requested).expect("its own");
        let accelerations: Option<Vec<f64>> =
            told(Requested::JointAccelerations).into_iter().collect();
        let accelerations = accelerations.expect("motions are determined");
        close(name, &accelerations, expected.accelerations, TOLERANCE);
        // All forces are those of bodies in maximal coordinates, as far as they are unique.
        let mut tree = Workspace::new(&model);
        let mut maximal = MaximalWorkspace::new(&model).expect("no mimic_joints");
        let state = MaximalState::from_joints(&model, &mut tree, &q, &v).expect("finite");
        let bodies = maximal_dynamics(&model, &mut maximal, &state, &tau, &[]);
        let bodies = bodies.expect("regular");
        let mut open = 0;
        for (k, id) in model.loop_ids().enumerate() {
            let found = told(Requested::LoopForce(id));
            let both = [expected.loop_forces[k], bodies.loop_forces[k]].map(|f| f.to_array());
            for (component, found) in found.iter().enumerate() {
                let Some(found) = found else {
                    open += 1;
                    continue;
                };
                let scale = both[0].iter().fold(1.0_f64, |m, x| m.max(x.abs()));
                for expected in &both {
                    let missed = (found - expected[component]).abs();
                    assert!(
                        missed <= TOLERANCE * scale,
                        "{name} {component}: {missed:e}"
                    );
                }
            }
        }
        assert_eq!(open > 0, expected.redundant > 0, "{name}");
    }
}

#[test]
fn equations_of_the_tree_are_those_of_the_cut_robot() {
    for (model, seed) in linkages().into_iter().zip(1..) {
        let closed = Closed::near(model, seed, 0.15);
        let Closed { q, v, tau, .. } = &closed;
        let problem = Problem::forward_dynamics(closed.model.clone());
        let whole = System::new(problem.clone()).expect("a system");
        let cut = System::new(problem.with_loops_cut()).expect("a system");
        let ((a, r), (b, s)) = (dense(&whole, q, v, tau), dense(&cut, q, v, tau));
        let tree = cut.equations().dynamics();
        let loops = whole.equations().dynamics().len() - tree.len();
        let knowns = cut.equations().count() - tree.len();
        for (row, of_cut) in tree
            .clone()
            .zip(tree.clone())
            .chain((0..knowns).map(|k| (tree.end + loops + k, tree.end + k)))
        {
            for column in 0..cut.unknowns().count() {
                assert_eq!(a[(row, column)], b[(of_cut, column)]);
            }
            assert_eq!(r[row], s[of_cut]);
        }
        // The added block is square, and every row and column has its name.
        assert_eq!(loops, whole.unknowns().count() - cut.unknowns().count());
        for column in 0..whole.unknowns().count() {
            let unknown = whole.unknowns().at(column).expect("a column");
            assert_eq!(whole.unknowns().column(unknown), column);
        }
        assert_eq!(whole.unknowns().at(whole.unknowns().count()), None);
        for &id in whole.unknowns().loops() {
            for (component, row) in whole.equations().loop_motion(id).enumerate() {
                let joint = id;
                assert_eq!(
                    whole.equations().at(row),
                    Some(Equation::LoopMotion { joint, component })
                );
            }
            for (degree, row) in whole.equations().loop_freedom(id).enumerate() {
                let joint = id;
                assert_eq!(
                    whole.equations().at(row),
                    Some(Equation::LoopFreedom { joint, degree })
                );
            }
        }
    }
}

#[test]
fn torques_of_a_parallel_robot_make_it_move_as_asked() {
    for (model, driven) in [(samples::delta(), "arm"), (samples::stewart(), "slider")] {
        let Closed {
            model,
            mut ws,
            q,
            v,
            tau: wished,
        } = Closed::near(model, 5, 0.1);
        let mut problem = Problem::new(model.clone());
        let mut inputs = Vec::new();
        let joints: Vec<_> = model.joint_ids().collect();
        let mut drives = Vec::new();
        for joint in joints {
            let own = model.joint(joint);
            let is_driven = own.name.starts_with(driven);
            for degree in 0..own.nv {
                if is_driven {
                    let known = Known::JointAcceleration { joint, degree };
                    problem.know(known, KnownValue::Input).expect("its own");
                    inputs.push(wished[own.idx_v]);
                    drives.push(own.idx_v);
                } else {
                    let known = Known::JointForce { joint, degree };
                    problem.know(known, KnownValue::Zero).expect("its own");
                }
            }
        }
        let system = System::new(problem.external_forces(KnownValue::Zero)).expect("a system");
        assert!(Diagnosis::of(&system).expect("closed").is_solvable());
        let x = solve(&system, &q, &v, &inputs);
        let solution = system.solution(&x).expect("sizes agree");
        let expected = solution.joint_accelerations();
        let (torques, none) = (solution.joint_forces(), Stabilisation::NONE);
        for k in 0..model.nv() {
            assert!(drives.contains(&k) || torques[k] == 0.0);
        }
        let moved = loop_dynamics(&model, &mut ws, &q, &v, torques, &[], &none);
        let moved = moved.expect("regular");
        close(model.name(), expected, moved.accelerations, TOLERANCE);
        for (&coordinate, &input) in drives.iter().zip(&inputs) {
            assert!((moved.accelerations[coordinate] - input).abs() < 1e-9);
        }
        // All accelerations known, and nothing of the drives: what moves alike may be driven in
        // many ways.
        let inverse = System::new(Problem::inverse_dynamics(model)).expect("a system");
        let diagnosis = Diagnosis::of(&inverse).expect("closed");
        assert!(!diagnosis.is_solvable() && diagnosis.redundancy() > 0);
        let report = diagnosis.report(&inverse);
        assert!(
            report.contains("NOT SOLVABLE") && report.contains("τ of"),
            "{report}"
        );
        assert!(report.contains("the closing of"), "{report}");
        assert!(
            report.contains("LOOPS CAN BE DRIVEN IN MANY WAYS"),
            "{report}"
        );
    }
}

#[test]
fn regular_loops_are_compiled() {
    for model in [samples::delta(), samples::stewart()] {
        let system = System::new(Problem::forward_dynamics(model)).expect("a system");
        let accelerations = system.unknowns().joint_accelerations();
        let requested =
            (0..system.unknowns().count()).map(|column| accelerations.contains(&column));
        let template = system.template().expect("square");
        let template = template.requesting(requested.collect()).expect("as many");
        for refused in [order::rnea, order::aba, order::crba] {
            let refused = refused(&system);
            assert!(matches!(
                refused,
                Err(OrderError::NotApplicable { row: None, reason }) if reason.contains("closed loops")
            ));
        }
        let order = order::markowitz(&template).expect("regular");
        let program = GuardedProgram::new(&system, &template, &order).expect("an order");
        let mut run = GuardedRun::new(&system, &program).expect("memory");
        for seed in 1..6 {
            let closed = Closed::near(system.model().clone(), seed, 0.1);
            let Closed {
                model,
                mut ws,
                q,
                v,
                tau,
            } = closed;
            let mut found = vec![0.0; model.nv()];
            let mut checks = [Check::default()];
            let mut state = [&q[..], &v, &tau].concat();
            run.run(&state, &mut found, &mut checks).expect("it fits");
            assert_eq!(checks[0].status, SolveStatus::Accepted);
            let none = Stabilisation::NONE;
            let expected = loop_dynamics(&model, &mut ws, &q, &v, &tau, &[], &none);
            let expected = expected.expect("regular").accelerations;
            close(model.name(), &found, expected, TOLERANCE);
            // The last coordinate is one of a leg.
            state[model.nq() - 1] += 1e-3;
            let refused = run.run(&state, &mut found, &mut checks);
            assert!(
                matches!(refused, Err(SystemError::OpenLoops { .. })),
                "{refused:?}"
            );
        }
    }
}

/// The angular velocity of a loop joint's output frame in its input frame, in the output frame.
fn turning(model: &Model, joint: &LoopJoint, q: &[f64], v: &[f64]) -> Vec3<f64> {
    let mut ws = Workspace::new(model);
    let kinematics = model
        .forward_kinematics_velocities(&mut ws, q, v)
        .expect("finite");
    let world = |body: JointId| match body {
        JointId::UNIVERSE => (Mat3::identity(), Vec3::zero()),
        body => {
            let rotation = kinematics.placement(body).rotation;
            let own = kinematics.velocity(body, ReferenceFrame::Local).angular;
            (rotation, rotation.mul_vec(own))
        }
    };
    let ((_, before), (rotation, behind)) = (world(joint.predecessor), world(joint.successor));
    let output = rotation.mul_mat(&joint.successor_placement.rotation);
    output.tr_mul_vec(behind - before)
}

#[test]
fn a_loop_joint_accelerates_as_its_rates_change() {
    /// Central differences of this step lose its square, and the digits that the division takes:
    /// some 10⁻⁸ of accelerations of a hundred.
    const STEP: f64 = 1e-4;
    for (model, seed) in linkages().into_iter().zip(1..) {
        let Closed {
            model, q, v, tau, ..
        } = Closed::near(model, seed, 0.15);
        let system = System::new(Problem::forward_dynamics(model.clone())).expect("a system");
        let found = Determined::new(&system)
            .solve(&q, &v, &tau)
            .expect("it fits");
        let solution = system.solution(found.unknowns()).expect("sizes agree");
        let accelerations = solution.joint_accelerations();
        let moved = |time: f64| {
            let along = v.iter().zip(accelerations);
            let way: Vec<f64> = along
                .clone()
                .map(|(v, a)| time * v + 0.5 * time * time * a)
                .collect();
            let rates: Vec<f64> = along.map(|(v, a)| v + time * a).collect();
            (model.integrate(&q, &way).expect("finite"), rates)
        };
        let ((before, slower), (behind, faster)) = (moved(-STEP), moved(STEP));
        for id in model.loop_ids() {
            let joint = model.loop_joint(id);
            let change =
                turning(&model, joint, &behind, &faster) - turning(&model, joint, &before, &slower);
            let change = change * (0.5 / STEP);
            #[expect(clippy::wildcard_enum_match_arm, reason = "one of many")]
            let expected = match &joint.kind {
                JointKind::Revolute { axis } => vec![axis.dot(change)],
                JointKind::Spherical => change.to_array().to_vec(),
                other => panic!("the samples have no {}", other.name()),
            };
            close(
                model.name(),
                solution.loop_acceleration(id),
                &expected,
                1e-5,
            );
        }
    }
}
