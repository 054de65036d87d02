//! A simulation in progress allocates nothing.

use allocation_counter::measure;
use featherline::Model;
use featherline::joint::JointKind;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::samples;
use featherline::spatial::{Inertia, Se3, Vec3};
use featherline_geometry::{CollisionModel, CollisionShape, Sphere};
use featherline_sim::contact::{CollisionContacts, Surface, TimeStepping, overlapping_pairs};
use featherline_sim::integrator::{DormandPrince, RungeKutta4, Tolerance, forces};
use featherline_sim::simulation::{
    Conservation, GravityCompensation, LoopMonitor, Method, ProportionalDerivative, Simulator,
};

#[test]
fn steps_samples_controllers_and_projections_allocate_nothing() {
    // The counter counts.
    assert!(measure(|| drop(std::hint::black_box(vec![1.0; 3]))).count_total > 0);
    for model in [
        samples::double_pendulum(),
        featherline_robots::humanoid(),
        samples::four_bar(),
        samples::stewart(),
    ] {
        let q = model.neutral_configuration();
        let rest = vec![0.0; model.nv()];
        let methods = [
            Method::steps(RungeKutta4::new(&model), 1e-3).unwrap(),
            Method::tolerance(DormandPrince::new(&model, Tolerance::default()).unwrap()),
        ];
        let trees = model.loop_joints().is_empty();
        let variational = trees.then(|| Method::variational(1e-3).unwrap());
        let maximal = Method::maximal_variational(1e-3).unwrap();
        for method in methods.into_iter().chain(variational).chain([maximal]) {
            let control = ProportionalDerivative::critical(&model, &q, 1.0).unwrap();
            let mut simulation = Simulator::new(&model, method)
                .with_controller(control)
                .with_forces(forces::passive(&model, 1e-3).unwrap())
                .start(0.0, &q, &rest)
                .unwrap();
            // A warning of stiff forces allocates, once.
            simulation.run(0.0, 0.01, &mut ()).unwrap();
            let mut conservation = Conservation::new(&model);
            let mut outcome = Ok(());
            let counted = measure(|| outcome = simulation.run(0.02, 0.01, &mut conservation));
            outcome.unwrap();
            assert_eq!(
                (counted.count_total, conservation.samples()),
                (0, 3),
                "{}",
                model.name()
            );
        }
        let control = GravityCompensation::new(&model);
        let method = Method::steps(RungeKutta4::new(&model), 1e-3).unwrap();
        let mut simulation = Simulator::new(&model, method)
            .with_controller(control)
            .start(0.0, &q, &rest)
            .unwrap();
        let counted = measure(|| simulation.run(0.01, 0.01, &mut ()).unwrap());
        assert_eq!(counted.count_total, 0, "{}", model.name());
    }
}

#[test]
fn a_long_chain_with_dampers_starts_in_memory_that_grows_with_its_length() {
    let greatest = |links: usize| {
        let model = samples::snake(links);
        let q = model.neutral_configuration();
        let still = vec![0.0; model.nv()];
        let damped = vec![100.0; model.nv()];
        let control = ProportionalDerivative::new(&model, &q, &still, &damped).unwrap();
        let method = Method::steps(RungeKutta4::new(&model), 1e-4).unwrap();
        let simulator = Simulator::new(&model, method).with_controller(control);
        let mut warnings = 0;
        let counted = measure(|| {
            let mut simulation = simulator.start(0.0, &q, &still).unwrap();
            simulation.run(1e-4, 1e-4, &mut ()).unwrap();
            warnings = simulation.warnings().len();
        });
        // The dampers were looked at.
        assert_eq!(warnings, 1);
        counted.bytes_max
    };
    // Twice, but for what does not grow at all.
    let (half, whole) = (greatest(10_000), greatest(20_000));
    assert!(whole as f64 <= 2.01 * half as f64, "{half} {whole}");
}

/// A long chain with a loop over four of its links at the end.
fn chain_with_loop(links: usize) -> Model {
    let bar = Inertia::cuboid(1.0, Vec3::new(0.02, 0.02, 0.1));
    let mut builder = ModelBuilder::new("chain");
    let mut handles = vec![ModelBuilder::UNIVERSE];
    for k in 0..links {
        let place = Se3::from_translation(Vec3::new(0.0, 0.0, if k == 0 { 0.0 } else { 0.1 }));
        let kind = JointKind::revolute(Vec3::unit(k % 2));
        let parent = handles[k];
        let spec = JointSpec::new(format!("joint_{k}"), parent, kind).placement(place);
        let handle = builder.add_joint(spec);
        builder.add_body(handle, format!("link_{k}"), Se3::identity(), bar);
        handles.push(handle);
    }
    let at = |z: f64| Se3::from_translation(Vec3::new(0.0, 0.0, z));
    let (first, last) = (handles[links - 4], handles[links]);
    builder.close_loop(
        "loop",
        JointKind::Spherical,
        (first, at(0.4)),
        (last, at(0.0)),
    );
    builder.build().unwrap().model
}

#[test]
fn bodies_with_loops_take_memory_as_they_are_many() {
    let peak = |links: usize| {
        let model = chain_with_loop(links);
        let (q, v) = (model.neutral_configuration(), vec![0.0; model.nv()]);
        let simulate = || {
            let method = Method::maximal_variational(1e-4).unwrap();
            let mut simulation = Simulator::new(&model, method).start(0.0, &q, &v).unwrap();
            let mut loops = LoopMonitor::new(&model).unwrap();
            simulation.run(2e-4, 1e-4, &mut loops).unwrap();
        };
        measure(simulate).bytes_max as f64
    };
    // A mass matrix would take four times as much.
    assert!(peak(1000) < 2.1 * peak(500));
}

/// A row of balls that may all touch each other, in one step. Tables of their pairs take 164 MB; a
/// square matrix would take 288 MB, and all of a workspace twelve times as much.
#[test]
fn a_thousand_balls_take_no_square_matrix() {
    const BALLS: usize = 1000;
    let mut builder = ModelBuilder::new("balls");
    let mut shapes = Vec::new();
    for k in 0..BALLS {
        let spec = JointSpec::new(
            format!("ball_{k}"),
            ModelBuilder::UNIVERSE,
            JointKind::FreeFlyer,
        );
        let ball = builder.add_joint(spec);
        let inertia = Inertia::sphere(0.1, 0.01);
        builder.add_body(ball, format!("body_{k}"), Se3::identity(), inertia);
    }
    let model = builder.build().unwrap().model;
    let mut q = model.neutral_configuration();
    for k in 0..BALLS {
        q[7 * k] = 0.1 * k as f64;
        let body = model.joint_id(&format!("ball_{k}")).unwrap();
        let name = format!("shape_{k}");
        let ball = CollisionShape::new(name, body, Se3::identity(), Sphere::new(0.01));
        shapes.push(ball);
    }
    let mut v = vec![0.0; model.nv()];
    let collision = CollisionModel::new(&model, shapes).unwrap();
    let simulate = || {
        let surface = Surface {
            friction: 0.5,
            restitution: 0.0,
        };
        let contacts = CollisionContacts::uniform(collision, surface);
        let overlapping = overlapping_pairs(&model, contacts.model(), &q).unwrap();
        assert!(overlapping.is_empty());
        let mut stepping = TimeStepping::with(&model, (), contacts).unwrap();
        stepping.step(0.0, &mut q.clone(), &mut v, 1e-3).unwrap();
    };
    let peak = measure(simulate).bytes_max;
    let square = 8 * (model.nv() as u64).pow(2);
    assert!(peak < square, "{peak}");
    assert!(v.iter().all(|v| v.is_finite()));
}
