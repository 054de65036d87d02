//! Accelerations and loop forces, against a dense system of bodies and against inverse dynamics.

use super::robots::{Closed, closed, linkages, moved, random};
use crate::common::{close, external_forces};
use crate::dense;
use featherline::configuration;
use featherline::dynamics::DynamicsOptions;
use featherline::joint::JointKind;
use featherline::kinematics::ReferenceFrame;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::samples::{self, RandomTree};
use featherline::spatial::{Force, Inertia, Se3, Vec3};
use featherline::{Error, Model, Workspace};
use featherline_constraint::{LoopError, LoopWorkspace, Stabilisation};
use featherline_constraint::{assemble, loop_dynamics, loop_gap, project_velocity};
use featherline_sim::maximal::maximal_dynamics;
use featherline_sim::maximal::{MaximalError, MaximalState, MaximalWorkspace};

/// Condition numbers of these robots reach 1e6; what is left of sixteen digits.
const TOLERANCE: f64 = 1e-9;

#[test]
fn bodies_accelerate_as_the_dense_system_has_it() {
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
        let result = loop_dynamics(
            &model,
            &mut ws,
            &q,
            &v,
            &tau,
            &external,
            &Stabilisation::NONE,
        )
        .unwrap();
        let scale = result
            .accelerations
            .iter()
            .fold(1.0_f64, |m, x| m.max(x.abs()));
        assert!(
            result.residual < TOLERANCE * scale,
            "{name}: {}",
            result.residual
        );
        let a = result.accelerations.to_vec();
        let mut tree = Workspace::new(&model);
        let state = MaximalState::from_joints(&model, &mut tree, &q, &v).unwrap();
        let (expected, _) = dense::solve(&model, &state, &q, &v, &tau, &external);
        let found = model
            .forward_kinematics_accelerations(&mut tree, &q, &v, &a)
            .unwrap();
        let (mut all, mut others) = (Vec::new(), Vec::new());
        for joint in model.joint_ids() {
            all.extend(found.acceleration(joint, ReferenceFrame::Local).to_array());
            others.extend(expected[joint.index()].to_array());
        }
        close(name, &all, &others, TOLERANCE);
    }
}

/// External forces with those of the loop joints on both of their bodies.
pub fn with_loop_forces(
    model: &Model,
    q: &[f64],
    external: &[Force<f64>],
    loop_forces: &[Force<f64>],
) -> Vec<Force<f64>> {
    let mut all = external.to_vec();
    let mut tree = Workspace::new(model);
    let placed = model.forward_kinematics(&mut tree, q).unwrap();
    for (closing, force) in model.loop_joints().iter().zip(loop_forces) {
        let (from, to) = (closing.predecessor, closing.successor);
        all[to.index()] += closing.successor_placement.act_force(force);
        let world = |joint| match joint {
            featherline::model::JointId::UNIVERSE => Se3::identity(),
            joint => placed.placement(joint),
        };
        let output = world(to).compose(&closing.successor_placement);
        let seen = world(from).inverse_compose(&output);
        all[from.index()] = all[from.index()] - seen.act_force(force);
    }
    all
}

#[test]
fn loop_forces_make_up_for_what_the_joint_forces_lack() {
    // Inverse dynamics knows nothing of loops: with their forces as external ones the joint forces
    // come back.
    let mut all = closed();
    for seed in 100..115 {
        let shape = RandomTree {
            joints: 14,
            floating: seed % 2 == 0,
            ..RandomTree::default()
        };
        all.push(random(seed, &shape, 2));
    }
    assert!(all.iter().any(|c| c.model.has_mimic_joints()));
    for Closed {
        model,
        mut ws,
        q,
        v,
        tau,
    } in all
    {
        let external = external_forces(&model);
        let result = loop_dynamics(
            &model,
            &mut ws,
            &q,
            &v,
            &tau,
            &external,
            &Stabilisation::NONE,
        )
        .unwrap();
        let forces = with_loop_forces(&model, &q, &external, result.loop_forces);
        let a = result.accelerations.to_vec();
        let mut tree = Workspace::new(&model);
        let back = model
            .inverse_dynamics(
                &mut tree,
                &q,
                &v,
                &a,
                DynamicsOptions::default()
                    .without_passive_forces()
                    .with_forces(&forces),
            )
            .unwrap();
        // Relative to the forces that cancel.
        let scale = forces
            .iter()
            .fold(1.0_f64, |m, f| m.max(f.linear.norm()).max(f.angular.norm()));
        for k in 0..model.nv() {
            let error = (back[k] - tau[k]).abs() / scale;
            assert!(error < TOLERANCE, "{}: tau[{k}] {error:e}", model.name());
        }
    }
}

#[test]
fn constraints_that_repeat_others_are_counted() {
    // Freedoms less mobility are the independent constraints something.
    let mobility = [1, 1, 1, 1, 6, 3];
    for ((model, freedom), seed) in linkages().into_iter().zip(mobility).zip(20..) {
        let Closed {
            model,
            mut ws,
            q,
            v,
            tau,
        } = moved(model, seed);
        let result =
            loop_dynamics(&model, &mut ws, &q, &v, &tau, &[], &Stabilisation::NONE).unwrap();
        let rows: usize = model.loop_joints().iter().map(|l| l.constraints()).sum();
        let independent = model.nv() - freedom;
        assert_eq!(result.redundant, rows - independent, "{}", model.name());
        assert!(result.condition >= 1.0 && result.condition.is_finite());
    }
}

#[test]
fn a_singular_configuration_shows_and_gives_finite_numbers() {
    let model = samples::parallelogram();
    let mut ws = LoopWorkspace::new(&model).unwrap();
    let quarter = std::f64::consts::FRAC_PI_2;
    // All bars along x: a second motion is possible.
    let flat = [quarter, -quarter, quarter];
    assert!(
        loop_gap(&model, &mut ws, &flat, &[0.0; 3])
            .unwrap()
            .position
            < 1e-12
    );
    let mut solve = |q: &[f64; 3]| {
        let result = loop_dynamics(
            &model,
            &mut ws,
            q,
            &[0.0; 3],
            &[0.1, 0.2, 0.3],
            &[],
            &Stabilisation::NONE,
        )
        .unwrap();
        assert!(result.accelerations.iter().all(|x| x.is_finite()));
        (result.redundant, result.condition, result.residual)
    };
    let regular = solve(&[0.3, -0.3, 0.3]);
    let near = solve(&[quarter - 1e-3, 1e-3 - quarter, quarter - 1e-3]);
    let singular = solve(&flat);
    assert_eq!((regular.0, near.0, singular.0), (3, 3, 4));
    assert!(near.1 > 1e4 * regular.1, "{regular:?} {near:?}");
    assert!(regular.2 < 1e-10 && near.2 < 1e-9 && singular.2 < 1e-9);
}

#[test]
fn open_loops_are_an_error_unless_stabilised() {
    let crank = 0.4;
    for (model, q) in [
        (samples::four_bar(), vec![crank, 0.0, 0.0]),
        (samples::parallelogram(), vec![crank, 0.0, 0.0]),
    ] {
        let mut ws = LoopWorkspace::new(&model).unwrap();
        let mut bodies = MaximalWorkspace::new(&model).unwrap();
        let (still, none) = (vec![0.0; model.nv()], Stabilisation::NONE);
        let gap = loop_gap(&model, &mut ws, &q, &still).unwrap();
        let name = model.loop_joint(gap.widest.unwrap()).name.clone();

        let found = loop_dynamics(&model, &mut ws, &q, &still, &still, &[], &none);
        let error = found.unwrap_err();
        assert!(error.to_string().contains("Close them with `assemble`"));
        let LoopError::OpenLoop { joint, gap: open } = error else {
            panic!("{error}");
        };
        assert_eq!((joint, open), (name.clone(), gap.position));
        let pull = Stabilisation::critical(0.1);
        let pulled = loop_dynamics(&model, &mut ws, &q, &still, &still, &[], &pull);
        assert!(pulled.is_ok());

        let mut tree = Workspace::new(&model);
        let state = MaximalState::from_joints(&model, &mut tree, &q, &still).unwrap();
        let found = maximal_dynamics(&model, &mut bodies, &state, &still, &[]);
        let error = found.unwrap_err();
        let MaximalError::OpenLoop { joint, gap: open } = error else {
            panic!("{error}");
        };
        assert!(joint == name && (open / gap.position - 1.0).abs() < 1e-9);
        bodies.stabilise(pull);
        assert!(maximal_dynamics(&model, &mut bodies, &state, &still, &[]).is_ok());
    }
}

#[test]
fn rounding_leaves_loops_closed_and_a_hundredth_does_not() {
    let mut refused = 0;
    for mut case in closed() {
        let (model, ws) = (&case.model, &mut case.ws);
        let none = Stabilisation::NONE;
        let (v, tau) = (&case.v, &case.tau);
        assemble(model, ws, &mut case.q).unwrap();
        for by in [0.0, 1e-9, 1e-2] {
            let step: Vec<f64> = (0..model.nv())
                .map(|k| by * (2.3 * k as f64).cos())
                .collect();
            let q = model.integrate(&case.q, &step).unwrap();
            let gap = loop_gap(model, ws, &q, v).unwrap();
            let found = loop_dynamics(model, ws, &q, v, tau, &[], &none).map(|_| ());
            if by < 1e-2 {
                assert_eq!(found, Ok(()), "{}", model.name());
            } else if gap.position > 1e-3 {
                let is_open = matches!(found, Err(LoopError::OpenLoop { .. }));
                assert!(is_open, "{}: {gap:?}", model.name());
                refused += 1;
            }
        }
    }
    assert!(refused > 40, "{refused}");
}

#[test]
fn open_loops_are_pulled_together_as_asked() {
    let pull = Stabilisation {
        damping: 7.0,
        stiffness: 30.0,
    };
    let Closed {
        model,
        mut ws,
        mut q,
        mut v,
        tau,
    } = moved(samples::stewart(), 3);
    let before = q.clone();
    // Out of place and moving apart by a little, so that K is nearly that of the closed robot.
    let step: Vec<f64> = (0..model.nv()).map(|k| 1e-7 * (k as f64).sin()).collect();
    configuration::integrate_into(&model, &before, &step, &mut q).unwrap();
    for (k, x) in v.iter_mut().enumerate() {
        *x += 1e-7 * (k as f64).cos();
    }
    let gap = loop_gap(&model, &mut ws, &q, &v).unwrap();
    assert!(gap.position > 1e-8 && gap.velocity > 1e-8);
    let mut kept = v.clone();
    project_velocity(&model, &mut ws, &q, &mut kept).unwrap();
    let mut accelerations = |pull: &Stabilisation| {
        let result = loop_dynamics(&model, &mut ws, &q, &v, &tau, &[], pull);
        result.unwrap().accelerations.to_vec()
    };
    let (pulled, free) = (accelerations(&pull), accelerations(&Stabilisation::NONE));
    // K Δq̈ = −2α K v − β² e, and K v is what projection takes away: so K times this step is −e,
    // and closes the loops.
    let step: Vec<f64> = (0..model.nv())
        .map(|k| {
            let asked = pulled[k] - free[k] + 2.0 * pull.damping * (v[k] - kept[k]);
            asked / (pull.stiffness * pull.stiffness)
        })
        .collect();
    let shut = model.integrate(&q, &step).unwrap();
    let left = loop_gap(&model, &mut ws, &shut, &v).unwrap();
    // Second order in the step.
    assert!(left.position < 1e-3 * gap.position, "{left:?} {gap:?}");
}

#[test]
fn trees_are_the_articulated_body_algorithms() {
    let model = samples::double_pendulum();
    let mut ws = LoopWorkspace::new(&model).unwrap();
    let mut tree = Workspace::new(&model);
    let (q, v, tau) = ([0.3, -0.2], [0.1, 0.4], [1.0, 2.0]);
    let expected = model.aba(&mut tree, &q, &v, &tau).unwrap();
    let found = loop_dynamics(&model, &mut ws, &q, &v, &tau, &[], &Stabilisation::NONE).unwrap();
    assert_eq!(found.accelerations, expected);
    assert_eq!((found.residual, found.redundant), (0.0, 0));
}

#[test]
fn foreign_arguments_are_refused() {
    let model = samples::four_bar();
    let mut ws = LoopWorkspace::new(&model).unwrap();
    let none = Stabilisation::NONE;
    let short = loop_dynamics(&model, &mut ws, &[0.0; 2], &[0.0; 3], &[0.0; 3], &[], &none);
    assert!(matches!(
        short,
        Err(LoopError::Tree(Error::Size { what: "q", .. }))
    ));
    let broken = [0.0, f64::NAN, 0.0];
    let refused = loop_dynamics(&model, &mut ws, &[0.0; 3], &broken, &[0.0; 3], &[], &none);
    let expected = Error::NotFinite {
        what: "v",
        index: 1,
    };
    assert_eq!(refused.unwrap_err(), LoopError::Tree(expected));
    // The same tree with its loop elsewhere.
    let mut other = LoopWorkspace::new(&samples::parallelogram()).unwrap();
    let refused = loop_dynamics(
        &model,
        &mut other,
        &[0.0; 3],
        &[0.0; 3],
        &[0.0; 3],
        &[],
        &none,
    );
    assert_eq!(
        refused.unwrap_err(),
        LoopError::Tree(Error::WorkspaceMismatch)
    );
}

/// A four-bar linkage that is closed by so many hinges at the same place.
fn closed_by(copies: usize) -> Model {
    let mut builder = ModelBuilder::new("four_bar");
    let at = |x: f64, z: f64| Se3::from_translation(Vec3::new(x, 0.0, z));
    let bar = |length: f64| Inertia::cuboid(length, Vec3::new(0.03, 0.02, length));
    let hinge = |name: &str, above| JointSpec::new(name, above, JointKind::revolute_y());
    let crank = builder.add_joint(hinge("crank", ModelBuilder::UNIVERSE));
    builder.add_body(crank, "crank_bar", at(0.0, 0.1), bar(0.2));
    let coupler = builder.add_joint(hinge("coupler", crank).placement(at(0.0, 0.2)));
    builder.add_body(coupler, "coupler_bar", at(0.2, 0.0), bar(0.4));
    let rocker = hinge("rocker", ModelBuilder::UNIVERSE).placement(at(0.4, 0.0));
    let rocker = builder.add_joint(rocker);
    builder.add_body(rocker, "rocker_bar", at(0.0, 0.15), bar(0.3));
    for k in 0..copies {
        let ends = ((coupler, at(0.4, 0.1)), (rocker, at(0.0, 0.3)));
        builder.close_loop(format!("pin_{k}"), JointKind::revolute_y(), ends.0, ends.1);
    }
    builder.build().unwrap().model
}

#[test]
fn a_loop_that_is_closed_again_moves_as_before() {
    let (q, v, tau) = ([0.0; 3], [0.0; 3], [0.3, -0.2, 0.1]);
    let of = |copies: usize| {
        let model = closed_by(copies);
        let mut ws = LoopWorkspace::new(&model).unwrap();
        let none = &Stabilisation::NONE;
        let result = loop_dynamics(&model, &mut ws, &q, &v, &tau, &[], none).unwrap();
        assert!(result.residual < 1e-12 && result.condition < 1e6);
        let by_coordinates = result.loop_forces.to_vec();
        let (a, redundant) = (result.accelerations.to_vec(), result.redundant);
        let mut tree = Workspace::new(&model);
        let state = MaximalState::from_joints(&model, &mut tree, &q, &v).unwrap();
        let mut bodies = MaximalWorkspace::new(&model).unwrap();
        let result = maximal_dynamics(&model, &mut bodies, &state, &tau, &[]).unwrap();
        let moving = result.accelerations.to_vec();
        (
            a,
            redundant,
            by_coordinates,
            moving,
            result.loop_forces.to_vec(),
        )
    };
    let once = of(1);
    for copies in [2, 3] {
        let again = of(copies);
        for (a, b) in once.0.iter().zip(&again.0) {
            assert!((a - b).abs() < TOLERANCE, "{a} {b}");
        }
        for (a, b) in once.3.iter().zip(&again.3) {
            let apart = *a - *b;
            assert!(apart.linear.norm() + apart.angular.norm() < TOLERANCE);
        }
        assert_eq!(again.1, once.1 + 5 * (copies - 1));
        // One hinge or the other may bear it, or all of them. Forces out of the plane, which a
        // planar linkage does not determine, are not compared.
        for (first, all) in [(&once.2, &again.2), (&once.4, &again.4)] {
            let total = all.iter().fold(Force::zero(), |sum, own| sum + *own);
            let apart = total.linear - first[0].linear;
            let in_plane = apart.x.hypot(apart.z);
            assert!(in_plane < TOLERANCE, "{copies}: {in_plane:e}");
        }
    }
}
