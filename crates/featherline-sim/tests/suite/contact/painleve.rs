//! A rod that slides in Painlevé's paradox: only an impulse at the first instant obeys the laws.

use super::{G, bodies, on_plane, turned};
use featherline::joint::JointKind;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::spatial::{Inertia, Se3, Vec3};
use featherline_constraint::nonsmooth::{Contact, FrictionLaw, SolverOptions};
use featherline_sim::contact::TimeStepping;

const LENGTH: f64 = 1.0;

/// A step, in s, of a rod of 1 kg that leans by an angle to the ground and slides at −1 m/s along x
/// on its lower end: the impulse and the energy that is lost, if the step is exact.
fn slide(angle: f64, friction: f64, law: FrictionLaw, h: f64) -> Option<(Vec3<f64>, f64)> {
    let thin = 1e-3;
    let model = bodies(&[Inertia::cuboid(1.0, Vec3::new(LENGTH, thin, thin))], 0.0);
    let rod = model.joint_id("root_0").unwrap();
    let end = Vec3::new(-0.5 * LENGTH, 0.0, 0.0);
    let contacts = move |placements: &[Se3<f64>], range: f64, out: &mut Vec<Contact>| {
        let point = placements[rod.index()].act_point(end);
        if point.z < range {
            out.push(on_plane(rod, point, friction, 0));
        }
    };
    let stepping = TimeStepping::with(&model, (), contacts).unwrap();
    let mut stepping = stepping.with_options(SolverOptions {
        law,
        ..SolverOptions::default()
    });
    let (sin, cos) = angle.sin_cos();
    let mut q = turned(0.0, 0.5 * LENGTH * sin, -angle);
    let mut v = [-cos, 0.0, sin, 0.0, 0.0, 0.0];
    let mut ws = featherline::Workspace::new(&model);
    let before = model.mechanical_energy(&mut ws, &q, &v).unwrap();
    let report = stepping.step(0.0, &mut q, &mut v, h).unwrap();
    let after = model.mechanical_energy(&mut ws, &q, &v).unwrap();
    let impulse = stepping.contacts()[0].impulse;
    println!("{law:?}, h = {h}: {impulse:?} {report:?}");
    let is_exact = report.outcome.has_converged;
    is_exact.then_some((impulse, before - after))
}

/// With 1 + 3 cos²θ < 3 μ sin θ cos θ a normal impulse brakes the slip so much that the end goes
/// into the ground faster: no finite force obeys the laws, and under gravity it does not open. What
/// is left is an impulse that stops the end within the step, λ = −W⁻¹ u, the same however short
/// the step is (F. Génot and B. Brogliato, "New results on Painlevé paradoxes", European Journal of
/// Mechanics A 18, 1999: an impact without a collision). Where all sticks, the convex law has the
/// same solution, and finds it; the exact law is solved from there.
#[test]
fn a_rod_in_painleves_paradox_is_stopped_by_an_impulse() {
    let (angle, friction) = (0.9_f64, 2.0);
    let (sin, cos) = angle.sin_cos();
    assert!(1.0 + 3.0 * cos * cos < 3.0 * friction * sin * cos);
    // W of the end along x and z, with the inertia m L²/12 (1 + 1e-6).
    let arm = 0.5 * LENGTH;
    let inverse = 12.0 / (LENGTH * LENGTH + 1e-6);
    let (xx, xz, zz) = (
        1.0 + inverse * (arm * sin).powi(2),
        -inverse * arm * arm * sin * cos,
        1.0 + inverse * (arm * cos).powi(2),
    );
    let determinant = xx * zz - xz * xz;
    for h in [1e-2, 1e-3, 1e-4, 1e-5] {
        let u = [-1.0, -G * h];
        let expected = [
            -(zz * u[0] - xz * u[1]) / determinant,
            -(xx * u[1] - xz * u[0]) / determinant,
        ];
        let convex = slide(angle, friction, FrictionLaw::Convex, h);
        let exact = slide(angle, friction, FrictionLaw::Exact, h);
        for found in [convex, exact] {
            let (impulse, lost) = found.expect("it is solved");
            // The residual, 1e-10 of 1 m/s, as an impulse of 1 kg.
            assert!(
                (impulse.x - expected[0]).abs() < 1e-8,
                "h = {h}: {impulse:?}"
            );
            assert!(
                (impulse.z - expected[1]).abs() < 1e-8,
                "h = {h}: {impulse:?}"
            );
            assert!(lost > 0.0, "h = {h}: {lost}");
        }
    }
    // Below the paradox it slides on.
    let slides = slide(angle, 1.0, FrictionLaw::Exact, 1e-3);
    let (impulse, lost) = slides.expect("it is solved");
    assert!(impulse.z < 0.1 && lost > 0.0, "{impulse:?} {lost}");
}

/// A strut on a ball joint, whose foot is 3 µm in the ground and inside the cone of friction, can't
/// move the foot up: friction holds it, with any impulse. No impulse obeys the laws, and a step
/// says so, however small what rounding makes of its own residual.
#[test]
fn a_strut_that_jams_has_no_exact_step() {
    let (angle, friction, depth, h) = (0.5_f64, 1.0, 3e-6, 1e-3);
    assert!(angle.tan() < friction);
    let mut builder = ModelBuilder::new("strut");
    let joint = JointSpec::new("hip", ModelBuilder::UNIVERSE, JointKind::Spherical);
    let height = LENGTH * angle.cos() - depth;
    let hip =
        builder.add_joint(joint.placement(Se3::from_translation(Vec3::new(0.0, 0.0, height))));
    let inertia = Inertia::cuboid(1.0, Vec3::new(LENGTH, 0.1, 0.1));
    builder.add_body(hip, "strut", Se3::identity(), inertia);
    let model = builder.build().unwrap().model;
    let hip = model.joint_id("hip").unwrap();
    let foot = Vec3::new(angle.sin(), 0.0, -angle.cos()) * LENGTH;
    let contacts = move |placements: &[Se3<f64>], _: f64, out: &mut Vec<Contact>| {
        let point = placements[hip.index()].act_point(foot);
        out.push(on_plane(hip, point, friction, 0));
    };
    let mut stepping = TimeStepping::with(&model, (), contacts).unwrap();
    let (mut q, mut v) = (model.neutral_configuration(), [0.0; 3]);
    for k in 0..10 {
        let outcome = stepping.step(0.0, &mut q, &mut v, h).unwrap().outcome;
        assert!(!outcome.has_converged, "step {k}: {outcome:?}");
        assert!(v.iter().all(|v| v.abs() < 1.0), "step {k}: {v:?}");
    }
}
