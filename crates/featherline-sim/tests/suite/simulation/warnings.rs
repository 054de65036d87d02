//! Motions that came to their end and may not be the robot's: whether that is said, and only then.

use featherline::Model;
use featherline::joint::JointKind;
use featherline::model::{JointSpec, Limits, ModelBuilder};
use featherline::samples;
use featherline::spatial::{Inertia, Se3, Sym3, Vec3};
use featherline_sim::integrator::forces::{self, Bumper, ForceModel, JointLimits};
use featherline_sim::integrator::{
    DormandPrince, ImplicitMidpoint, RungeKutta4, SymplecticEuler, Tolerance,
};
use featherline_sim::simulation::{Method, Sample, SimulationWarning, Simulator};

const H: f64 = 1e-3;
const MASS: f64 = 2.0;

/// A mass on a vertical slide.
fn slide(weight: f64, own: impl FnOnce(JointSpec) -> JointSpec) -> Model {
    let mut builder = ModelBuilder::new("slide");
    builder.gravity(Vec3::new(0.0, 0.0, -weight));
    let joint = JointSpec::new(
        "slide",
        ModelBuilder::UNIVERSE,
        JointKind::prismatic(Vec3::unit(2)),
    );
    let joint = builder.add_joint(own(joint));
    let moment = Sym3::diagonal(Vec3::new(0.01, 0.01, 0.01));
    let body = Inertia::new(MASS, Vec3::zero(), moment);
    builder.add_body(joint, "body", Se3::identity(), body);
    builder.build().unwrap().model
}

/// Methods that take steps, by name, explicit ones first.
fn methods(model: &Model) -> Vec<(&'static str, Method<'_>)> {
    vec![
        (
            "Euler",
            Method::steps(SymplecticEuler::new(model), H).unwrap(),
        ),
        ("Runge", Method::steps(RungeKutta4::new(model), H).unwrap()),
        ("minimal", Method::variational(H).unwrap()),
        ("maximal", Method::maximal_variational(H).unwrap()),
        (
            "midpoint",
            Method::steps(ImplicitMidpoint::new(model), H).unwrap(),
        ),
    ]
}

/// The greatest speed of a run, of its last sample on, and what was said of it.
fn run<'m>(
    model: &'m Model,
    method: Method<'m>,
    law: impl ForceModel + 'm,
    seconds: f64,
) -> (f64, Vec<SimulationWarning>) {
    let simulator = Simulator::new(model, method).with_forces(law);
    let mut simulation = simulator.start(0.0, &[0.0], &[1.0]).unwrap();
    let mut energy = 0.0;
    simulation
        .run(seconds, 0.01, &mut |sample: &Sample<'_>| {
            energy = sample.v[0] * sample.v[0] + sample.q[0] * sample.q[0];
        })
        .unwrap();
    (energy, simulation.warnings().to_vec())
}

#[test]
fn dampers_beyond_a_method_are_told_where_it_begins_to_grow() {
    for (name, bound) in [
        ("Euler", 2.0),
        ("Runge", 2.78),
        ("minimal", 1.0),
        ("maximal", 1.0),
    ] {
        for (part, grows) in [(0.97, false), (1.03, true)] {
            let damping = part * bound * MASS / H;
            let model = slide(0.0, |joint| joint.damping(damping));
            let method = methods(&model)
                .into_iter()
                .find(|own| own.0 == name)
                .unwrap();
            let law = forces::passive(&model, 0.01).unwrap();
            let (speed, warnings) = run(&model, method.1, law, 0.5);
            assert_eq!(speed > 1.0, grows, "{name}: {speed:e}");
            let told = matches!(&warnings[..], [SimulationWarning::FastDamping(it)] if it.joint == "slide");
            assert_eq!(
                (told, warnings.is_empty()),
                (grows, !grows),
                "{name}: {warnings:?}"
            );
        }
    }
}

#[test]
fn springs_beyond_a_method_are_told_where_it_begins_to_grow() {
    for (name, bound) in [
        ("Euler", 2.0),
        ("Runge", 2.82),
        ("minimal", 2.0),
        ("maximal", 2.0),
    ] {
        for (part, grows) in [(0.97, false), (1.03, true)] {
            let rate = part * bound / H;
            let model = slide(0.0, |joint| joint.stiffness(MASS * rate * rate));
            let method = methods(&model)
                .into_iter()
                .find(|own| own.0 == name)
                .unwrap();
            let law = forces::passive(&model, 0.01).unwrap();
            let (size, warnings) = run(&model, method.1, law, 0.5);
            // The leapfrogs' own invariants are wide next to their bound.
            assert_eq!(size > 1e3, grows, "{name}: {size:e}");
            let told = matches!(&warnings[..], [SimulationWarning::FastOscillation(_)]);
            assert_eq!(
                (told, warnings.is_empty()),
                (grows, !grows),
                "{name}: {warnings:?}"
            );
        }
    }
}

#[test]
fn friction_about_rest_counts_as_the_damper_that_it_is_there() {
    let model = slide(9.81, |joint| joint.friction(200.0));
    for (name, method) in methods(&model) {
        let law = forces::passive(&model, 0.01).unwrap();
        let (_, warnings) = run(&model, method, law, 0.1);
        // It takes away 10⁴ 1/s: ten times a step.
        let told = matches!(&warnings[..], [SimulationWarning::FastDamping(it)] if (it.rate - 1e4).abs() < 1e-6);
        assert_eq!(told, name != "midpoint", "{name}: {warnings:?}");
    }
    let model = slide(9.81, |joint| joint.friction(2.0));
    for (name, method) in methods(&model) {
        let law = forces::passive(&model, 0.01).unwrap();
        assert_eq!(run(&model, method, law, 0.1).1, [], "{name}");
    }
}

#[test]
fn dampers_on_which_the_midpoint_rule_rings_are_told() {
    for (damping, rings) in [(30.0, false), (1e3, true)] {
        let model = slide(0.0, |joint| joint.damping(damping * MASS / H));
        let method = Method::steps(ImplicitMidpoint::new(&model), H).unwrap();
        let law = forces::passive(&model, 0.01).unwrap();
        let (speed, warnings) = run(&model, method, law, 0.02);
        assert_eq!(speed > 0.01, rings, "{speed:e}");
        assert_eq!(warnings.is_empty(), !rings, "{warnings:?}");
    }
}

#[test]
fn stops_that_are_stiffer_than_steps_see_are_told() {
    let limits = Limits {
        lower: vec![-0.1],
        upper: vec![9.0],
        ..Limits::unbounded(1, 1)
    };
    for (stiffness, thrown) in [(1e6, false), (1e8, true)] {
        let model = slide(9.81, |joint| joint.limits(limits.clone()));
        let bumper = Bumper {
            stiffness,
            damping: 1e-4 * stiffness,
            depth: 1e-3,
        };
        let method = Method::steps(ImplicitMidpoint::new(&model), H).unwrap();
        let law = JointLimits::new(&model, bumper).unwrap();
        let (_, warnings) = run(&model, method, law, 3.0);
        let told = matches!(warnings[..], [SimulationWarning::FastOscillation(_)]);
        assert_eq!(told, thrown, "{warnings:?}");
        // A method with a tolerance resolves the stop.
        let method = Method::tolerance(DormandPrince::new(&model, Tolerance::of(1e-6)).unwrap());
        let law = JointLimits::new(&model, bumper).unwrap();
        assert_eq!(run(&model, method, law, 0.5).1, []);
    }
}

/// The warnings of a linkage that moves from its closed or neutral configuration, and the error
/// message if it fails.
fn told(
    model: &Model,
    method: Method<'_>,
    speed: f64,
    seconds: f64,
) -> (Vec<SimulationWarning>, String) {
    let q = match model.reference_configurations().get("closed") {
        Some(closed) => closed.clone(),
        None => model.neutral_configuration(),
    };
    let simulator = Simulator::new(model, method);
    let v = vec![speed; model.nv()];
    let mut simulation = simulator.start_assembled(0.0, &q, &v).unwrap();
    let done = simulation.run(seconds, 0.01, &mut ());
    let error = done
        .err()
        .map_or_else(String::new, |error| error.to_string());
    (simulation.warnings().to_vec(), error)
}

#[test]
fn motions_through_singular_places_are_told() {
    let model = samples::delta();
    for method in methods(&model) {
        if method.0 == "minimal" {
            continue;
        }
        let (warnings, error) = told(&model, method.1, 0.1, 2.0);
        let is_told = matches!(&warnings[..], [SimulationWarning::SingularLoops { t, joints, .. }]
            if *t > 0.1 && *t < 2.0 && !joints.is_empty() && warnings[0].to_string().contains("`ball_"));
        assert!(
            is_told || error.contains("singular"),
            "{}: {warnings:?}",
            method.0
        );
    }
}

#[test]
fn motions_through_regular_places_are_not() {
    for model in [
        samples::four_bar(),
        samples::six_bar(),
        samples::bennett(),
        samples::stewart(),
    ] {
        for (name, method) in methods(&model) {
            if ["minimal", "midpoint"].contains(&name) {
                continue;
            }
            let (warnings, error) = told(&model, method, 0.3, 2.0);
            assert!(warnings.is_empty(), "{} {name}: {warnings:?}", model.name());
            assert_eq!(error, "");
        }
    }
}

#[test]
fn singular_places_are_told_however_seldom_samples_are_taken() {
    let model = samples::delta();
    let first = |every: f64| {
        let method = DormandPrince::new(&model, Tolerance::default()).unwrap();
        let simulator = Simulator::new(&model, Method::tolerance(method));
        let q = model.neutral_configuration();
        let v = vec![0.1; model.nv()];
        let mut simulation = simulator.start_assembled(0.0, &q, &v).unwrap();
        // Whether it gets through is not the question.
        let done = simulation.run(2.0, every, &mut ());
        match (simulation.warnings(), done) {
            ([SimulationWarning::SingularLoops { t, .. }], _) => *t,
            (warnings, done) => panic!("{every}: {warnings:?} {done:?}"),
        }
    };
    let seen = [0.01, 0.5, 2.0].map(first);
    // A step of the method, of which there are some ten in a tenth of a second.
    assert!(seen.iter().all(|t| (t - seen[0]).abs() < 0.1), "{seen:?}");
}

/// A rotor that spins freely at `speed` for a second by the method, and what was said.
fn spun<'m>(model: &'m Model, method: Method<'m>, speed: f64) -> (f64, Vec<SimulationWarning>) {
    let mut simulation = Simulator::new(model, method)
        .start(0.0, &[0.0], &[speed])
        .unwrap();
    simulation.run(1.0, 0.1, &mut ()).unwrap();
    (
        simulation.configuration()[0],
        simulation.warnings().to_vec(),
    )
}

#[test]
fn a_rotor_that_stays_behind_is_told_by_how_much() {
    let mut builder = ModelBuilder::new("rotor");
    let hinge = JointSpec::new("axle", ModelBuilder::UNIVERSE, JointKind::revolute_z());
    let hinge = builder.add_joint(hinge);
    let moment = Sym3::diagonal(Vec3::new(0.02, 0.02, 0.03));
    let body = Inertia::new(MASS, Vec3::zero(), moment);
    builder.add_body(hinge, "rotor", Se3::identity(), body);
    let model = builder.build().unwrap().model;
    let variational: [fn(f64) -> Method<'static>; 2] = [
        |step| Method::variational(step).unwrap(),
        |step| Method::maximal_variational(step).unwrap(),
    ];
    for method in variational {
        // Not much further do iterations lead; nine tenths of a radian are not told.
        let (angle, told) = spun(&model, method(0.1), 10.5);
        let [SimulationWarning::FastRotation { joint, behind, .. }] = &told[..] else {
            panic!("{told:?}");
        };
        // Steps are solved to some 1e-11 of the way.
        assert!(joint == "axle" && (angle - 10.5 * (1.0 - behind)).abs() < 1e-8);
        assert!(*behind > 0.21 && told[0].to_string().contains("21 % too little"));
        let (_, told) = spun(&model, method(0.1), 9.0);
        assert_eq!(told, []);
    }
    let (angle, told) = spun(
        &model,
        Method::steps(RungeKutta4::new(&model), 0.1).unwrap(),
        18.0,
    );
    assert!((angle - 18.0).abs() < 1e-12 && told.is_empty());
}
