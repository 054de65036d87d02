//! Singular configurations of loops: whether they are reported, and only they.

use featherline::Model;
use featherline::joint::JointKind;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::samples;
use featherline::spatial::{Inertia, Mat3, Se3, Sym3, Vec3};
use featherline_sim::integrator::{
    DormandPrince, ImplicitMidpoint, IntegratorError, RungeKutta4, Tolerance,
};
use featherline_sim::simulation::{Method, SimulationError, SimulationWarning, Simulator};
use std::f64::consts::FRAC_PI_2;

const LENGTH: f64 = 0.1;

fn at(x: f64, y: f64, z: f64) -> Se3<f64> {
    Se3::from_translation(Vec3::new(x, y, z))
}

fn body() -> Inertia<f64> {
    Inertia::new(
        1.0,
        Vec3::zero(),
        Sym3::diagonal(Vec3::new(0.01, 0.01, 0.01)),
    )
}

/// Bars in line that reach just from wall to wall: nothing can move, and nothing holds the hinges
/// between them but that.
fn stretched(bars: usize) -> Model {
    let mut builder = ModelBuilder::new("stretched");
    let mut last = ModelBuilder::UNIVERSE;
    for k in 0..bars {
        let place = if k == 0 { 0.0 } else { LENGTH };
        let joint = JointSpec::new(format!("hinge_{k}"), last, JointKind::revolute_y());
        last = builder.add_joint(joint.placement(at(place, 0.0, 0.0)));
        builder.add_body(last, format!("bar_{k}"), at(0.5 * LENGTH, 0.0, 0.0), body());
    }
    let wall = at(bars as f64 * LENGTH, 0.0, 0.0);
    let ends = ((last, at(LENGTH, 0.0, 0.0)), (ModelBuilder::UNIVERSE, wall));
    builder.close_loop("wall", JointKind::revolute_y(), ends.0, ends.1);
    builder.build().unwrap().model
}

/// An arm of seven hinges whose hand is welded to the world where the hinges move it in five
/// directions: the singular values of its Jacobian are 2.25, 1.82, 1.48, 0.72, 0.40 and 5·10⁻¹⁷
/// (numpy.linalg.svd).
fn welded() -> Model {
    let mut builder = ModelBuilder::new("welded");
    let mut last = ModelBuilder::UNIVERSE;
    let mut hand = Vec3::new(0.1, 0.0, 0.1);
    for (k, axis) in [2, 1, 0, 1, 0, 1, 2].into_iter().enumerate() {
        let place = if k == 0 {
            Vec3::zero()
        } else {
            Vec3::new(0.1, 0.05 * k as f64, 0.2)
        };
        hand += place;
        let kind = JointKind::revolute(Vec3::unit(axis));
        let joint = JointSpec::new(format!("hinge_{k}"), last, kind);
        last = builder.add_joint(joint.placement(Se3::from_translation(place)));
        builder.add_body(last, format!("link_{k}"), at(0.05, 0.02, 0.1), body());
    }
    let ends = (
        (ModelBuilder::UNIVERSE, Se3::from_translation(hand)),
        (last, at(0.1, 0.0, 0.1)),
    );
    builder.close_loop("weld", JointKind::Fixed, ends.0, ends.1);
    builder.build().unwrap().model
}

fn methods(model: &Model) -> [Method<'_>; 4] {
    const STEP: f64 = 1e-3;
    let tolerance = DormandPrince::new(model, Tolerance::of(1e-9)).unwrap();
    [
        Method::steps(RungeKutta4::new(model), STEP).unwrap(),
        Method::steps(ImplicitMidpoint::new(model), STEP).unwrap(),
        Method::tolerance(tolerance),
        Method::maximal_variational(STEP).unwrap(),
    ]
}

#[test]
fn where_nothing_but_the_last_order_holds_is_singular_by_every_method() {
    for model in [stretched(2), stretched(3), welded()] {
        for (index, method) in methods(&model).into_iter().enumerate() {
            let place = format!("{} {index}", model.name());
            let simulator = Simulator::new(&model, method);
            let (q, still) = (model.neutral_configuration(), vec![0.0; model.nv()]);
            let mut simulation = simulator.start(0.0, &q, &still).unwrap();
            // It is reported where it begins, whether it gets on or not.
            let done = simulation.run(0.1, 0.01, &mut ());
            let [SimulationWarning::SingularLoops { t, loops, .. }] = simulation.warnings() else {
                panic!("{place}: {:?}", simulation.warnings());
            };
            assert_eq!((*t, loops.rank_lost), (0.0, 1), "{place}");
            let told = simulation.warnings()[0].to_string();
            assert!(told.contains("1 constraint is redundant"), "{told}");
            if let Some(condition) = simulation.worst_loop_condition() {
                assert!(condition > 1e7, "{place}: {condition:e}");
            }
            match done {
                Err(error @ SimulationError::Integrator(IntegratorError::NearSingular { .. })) => {
                    let told = error.to_string();
                    assert!(told.contains("singularity of the loop"), "{told}");
                }
                Err(error) => {
                    let told = error.to_string();
                    assert!(!told.contains("not singular"), "{place}: {told}");
                }
                Ok(()) => {}
            }
        }
    }
}

#[test]
fn a_tolerance_leads_through_singular_places_however_fine_it_is() {
    // Where a constraint ceases to hold accelerations jump, and no step is short enough.
    let model = samples::delta();
    let q = &model.neutral_configuration();
    let mut told = 0;
    for tolerance in [1e-6, 1e-10] {
        for push in [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0] {
            let v: Vec<f64> = (0..model.nv())
                .map(|k| 2.0 * (1.7 * (k as f64 + push)).cos())
                .collect();
            let method = DormandPrince::new(&model, Tolerance::of(tolerance)).unwrap();
            let mut simulation = Simulator::new(&model, Method::tolerance(method))
                .start_assembled(0.0, q, &v)
                .unwrap();
            simulation.run(1.0, 0.1, &mut ()).unwrap();
            told += simulation.warnings().len();
        }
    }
    assert!(told > 0, "none of them passed such a place");
}

#[test]
fn bars_between_walls_stay_where_they_are() {
    // The constraints of the bars are independent only where the bars are out of line.
    let model = stretched(2);
    for method in methods(&model).into_iter().take(3) {
        let mut simulation = Simulator::new(&model, method)
            .start(0.0, &[0.0; 2], &[0.0; 2])
            .unwrap();
        simulation.run(0.5, 0.1, &mut ()).unwrap();
        let sag = simulation.configuration()[0].abs();
        // Loops may be left open by 1e-6 m next to singular configurations, to which bars of 0.1 m
        // sag by √(2 · 10⁻⁶/0.2).
        assert!(sag < 3.2e-3, "{sag:e}");
    }
}

#[test]
fn what_repeats_wherever_loops_are_closed_is_not_singular() {
    for model in [
        samples::four_bar(),
        samples::six_bar(),
        samples::bennett(),
        samples::stewart(),
        samples::delta(),
    ] {
        let q = match model.reference_configurations().get("closed") {
            Some(closed) => closed.clone(),
            None => model.neutral_configuration(),
        };
        for method in methods(&model) {
            let still = vec![0.0; model.nv()];
            let simulation = Simulator::new(&model, method)
                .start(0.0, &q, &still)
                .unwrap();
            assert_eq!(simulation.warnings(), [], "{}", model.name());
        }
    }
}

/// When a linkage is said to have been singular, if at all; it begins at the neutral configuration,
/// with every coordinate as fast.
fn told_at(model: &Model, method: Method<'_>, speed: f64, seconds: f64) -> Option<f64> {
    let q = match model.reference_configurations().get("closed") {
        Some(closed) => closed.clone(),
        None => model.neutral_configuration(),
    };
    let v = vec![speed; model.nv()];
    let mut simulation = Simulator::new(model, method)
        .start_assembled(0.0, &q, &v)
        .unwrap();
    // Whether it gets through is not the question.
    let _ = simulation.run(seconds, 0.01, &mut ());
    let told = simulation.warnings().iter();
    told.filter_map(|warning| {
        if let SimulationWarning::SingularLoops { t, .. } = warning {
            Some(*t)
        } else {
            None
        }
    })
    .next()
}

#[test]
fn a_singular_place_between_two_steps_is_told_whatever_the_step() {
    // A falling delta robot comes to where bars of its parallelograms are in line, a parallelogram
    // whose cranks are pushed over swings through that place: at the times that steps of 0.1 ms
    // have it.
    for (model, speed) in [
        (samples::delta(), 0.1),
        (samples::parallelogram(), 1.0 / 3.0),
    ] {
        let told = |step: f64| {
            let method = Method::steps(RungeKutta4::new(&model), step).unwrap();
            told_at(&model, method, speed, 2.0).unwrap()
        };
        let fine = told(1e-4);
        for step in [2.5e-4, 5e-4, 7e-4, 1e-3, 1.3e-3, 2e-3, 3e-3, 5e-3, 1e-2] {
            let seen = told(step);
            // In the step that goes through it or one beside it.
            assert!(
                (seen - fine).abs() < 2.0 * step + 1e-3,
                "{} {step}: {seen} {fine}",
                model.name()
            );
        }
    }
}

/// A parallelogram of hinges about y whose last one is a joint of another kind: between frames that
/// are turned by `tilt`, the second of which is at `offset` from the pin.
fn parallelogram_closed_by(kind: JointKind, tilt: Mat3<f64>, offset: Vec3<f64>) -> Model {
    let name = format!("parallelogram closed by {}", kind.name());
    let mut builder = ModelBuilder::new(name);
    let hinge = |name: &str, parent, placement| {
        JointSpec::new(name, parent, JointKind::revolute_y()).placement(placement)
    };
    let ground = ModelBuilder::UNIVERSE;
    let crank = builder.add_joint(hinge("crank", ground, Se3::identity()));
    builder.add_body(crank, "crank_bar", at(0.0, 0.0, 0.1), body());
    let coupler = builder.add_joint(hinge("coupler", crank, at(0.0, 0.0, 0.2)));
    builder.add_body(coupler, "coupler_bar", at(0.2, 0.0, 0.0), body());
    let rocker = builder.add_joint(hinge("rocker", ground, at(0.4, 0.0, 0.0)));
    builder.add_body(rocker, "rocker_bar", at(0.0, 0.0, 0.1), body());
    let tilted = Se3::new(tilt, Vec3::zero());
    let from = at(0.4, 0.0, 0.0).compose(&tilted);
    let to = at(0.0, 0.0, 0.2)
        .compose(&tilted)
        .compose(&Se3::from_translation(offset));
    builder.close_loop("loop", kind, (coupler, from), (rocker, to));
    builder.build().unwrap().model
}

#[test]
fn joints_whose_constraints_turn_tell_the_same_passage() {
    // The closing joints let the rocker rotate against the coupler, and constrain it in different
    // ways: the forces of the hinge and of the ball are those of one frame, those of the others
    // rotate with the joint. The linkage is planar, and passes through the same singularity at the
    // same time.
    let tilt = Mat3::from_roll_pitch_yaw(0.3, 0.4, -0.5);
    let own = |axis: usize| tilt.tr_mul_vec(Vec3::unit(axis));
    let part = |kind: JointKind| (Se3::identity(), kind);
    let radius = 0.05;
    let (here, at_pin) = (Mat3::identity(), Vec3::zero());
    let models = [
        parallelogram_closed_by(JointKind::revolute_y(), here, at_pin),
        parallelogram_closed_by(JointKind::Spherical, tilt, at_pin),
        parallelogram_closed_by(JointKind::universal(own(0), own(1)), tilt, at_pin),
        parallelogram_closed_by(JointKind::universal(own(1), own(2)), tilt, at_pin),
        parallelogram_closed_by(JointKind::SphericalZyx, tilt, at_pin),
        // A ball with its frame at its surface.
        parallelogram_closed_by(
            JointKind::ellipsoid(Vec3::new(radius, radius, radius)),
            tilt,
            Vec3::new(0.0, 0.0, radius),
        ),
        parallelogram_closed_by(
            JointKind::composite(vec![
                part(JointKind::revolute(own(2))),
                part(JointKind::revolute(own(1))),
            ])
            .unwrap(),
            tilt,
            at_pin,
        ),
    ];
    let told = |model: &Model, step: f64| {
        let method = Method::steps(RungeKutta4::new(model), step).unwrap();
        let told = told_at(model, method, 1.0 / 3.0, 2.0);
        told.unwrap_or_else(|| panic!("{} {step}", model.name()))
    };
    let fine = told(&models[0], 1e-4);
    for model in &models {
        for step in [3e-4, 7e-4, 1e-3, 3e-3, 5e-3, 1e-2] {
            let seen = told(model, step);
            // In the step that goes through it or one beside it.
            assert!(
                (seen - fine).abs() < 2.0 * step + 1e-3,
                "{} {step}: {seen} {fine}",
                model.name()
            );
        }
    }
}

#[test]
fn ways_that_pass_no_singular_place_are_not_told_whatever_the_step() {
    for model in [
        samples::four_bar(),
        samples::six_bar(),
        samples::bennett(),
        samples::stewart(),
    ] {
        for step in [1e-3, 5e-3, 1e-2] {
            for speed in [0.1, 0.3, 1.0, 3.0] {
                let method = Method::steps(RungeKutta4::new(&model), step).unwrap();
                let told = told_at(&model, method, speed, 2.0);
                assert_eq!(told, None, "{} {step} {speed}", model.name());
            }
        }
    }
}

/// Parallelograms of these sides beside each other, with cranks that stand upright at zero; they
/// float away from nothing.
fn parallelograms(sides: [f64; 2]) -> Model {
    let mut builder = ModelBuilder::new("parallelograms");
    builder.gravity(Vec3::zero());
    for (k, side) in sides.into_iter().enumerate() {
        let mut bar = |name: &str, parent, place: Se3<f64>, middle: Se3<f64>| {
            let hinge = JointSpec::new(format!("{name}_{k}"), parent, JointKind::revolute_y());
            let hinge = builder.add_joint(hinge.placement(place));
            builder.add_body(hinge, format!("{name}_bar_{k}"), middle, body());
            hinge
        };
        let (up, along) = (at(0.0, 0.0, 0.5 * side), at(0.5 * side, 0.0, 0.0));
        let y = k as f64;
        let crank = bar("crank", ModelBuilder::UNIVERSE, at(0.0, y, 0.0), up);
        let coupler = bar("coupler", crank, at(0.0, 0.0, side), along);
        let rocker = bar("rocker", ModelBuilder::UNIVERSE, at(side, y, 0.0), up);
        let ends = ((coupler, at(side, 0.0, 0.0)), (rocker, at(0.0, 0.0, side)));
        builder.close_loop(format!("pin_{k}"), JointKind::revolute_y(), ends.0, ends.1);
    }
    builder.build().unwrap().model
}

#[test]
fn the_loop_that_is_singular_is_named() {
    let model = parallelograms([0.3, 0.2]);
    for singular in 0..2 {
        for method in methods(&model) {
            // One is pushed over, through the place where its bars are in line; the other one turns
            // where it is regular.
            let (mut q, mut v) = (vec![0.0; 6], vec![0.0; 6]);
            for k in 0..2 {
                let [angle, speed] = if k == singular {
                    [1.2, 2.0]
                } else {
                    [0.3, 0.5]
                };
                for (own, sign) in [1.0, -1.0, 1.0].into_iter().enumerate() {
                    q[3 * k + own] = sign * angle;
                    v[3 * k + own] = sign * speed;
                }
            }
            let mut simulation = Simulator::new(&model, method).start(0.0, &q, &v).unwrap();
            // Whether it gets through is not the question.
            let _ = simulation.run(0.3, 0.01, &mut ());
            let [SimulationWarning::SingularLoops { t, joints, .. }] = simulation.warnings() else {
                panic!("{singular}: {:?}", simulation.warnings());
            };
            assert!((t - (FRAC_PI_2 - 1.2) / 2.0).abs() < 0.05, "{t}");
            assert_eq!(joints[..], [format!("pin_{singular}")]);
            let told = simulation.warnings()[0].to_string();
            assert!(
                told.contains(&format!("loop joint `pin_{singular}`")),
                "{told}"
            );
        }
    }
}
