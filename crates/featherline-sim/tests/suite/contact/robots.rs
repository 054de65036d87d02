//! Robots of the program on the ground.

use super::G;
use featherline::spatial::Vec3;
use featherline_formats::LoadOptions;
use featherline_sim::setup::Setup;

/// A robot that has stood for some seconds.
struct Standing {
    mass: f64,
    /// The points of contact and the forces there.
    forces: Vec<(Vec3<f64>, Vec3<f64>)>,
    /// How far the base has moved in the last half of the time.
    moved: f64,
}

/// Stands a robot on the ground, held by drives.
fn stand(name: &str, seconds: f64) -> Standing {
    let robot = featherline_robots::load(name, &LoadOptions::new().floating_base(true)).unwrap();
    let model = &robot.model;
    let start = Setup::default().decide(&robot).unwrap();
    let mut stepping = start.time_stepping().unwrap();
    let (mut q, mut v) = (start.q, start.v);
    let h = 1e-3;
    let steps = (seconds / h) as usize;
    let mut half = Vec::new();
    for k in 0..steps {
        if k == steps / 2 {
            half = q[..3].to_vec();
        }
        let report = stepping.step(0.0, &mut q, &mut v, h).unwrap();
        assert!(report.outcome.has_converged, "{name}, step {k}: {report:?}");
    }
    let moved = half.iter().zip(&q).map(|(a, b)| (a - b).abs());
    let mass: f64 = model.joints().iter().map(|joint| joint.inertia.mass).sum();
    let contacts = stepping.contacts().iter();
    // On the robot, whichever body is the first of the pair.
    let forces = contacts.map(|it| {
        let sign = if it.contact.normal.z < 0.0 { -1.0 } else { 1.0 };
        (it.contact.point, it.impulse * (sign / h))
    });
    Standing {
        mass,
        forces: forces.collect(),
        moved: moved.fold(0.0, f64::max),
    }
}

#[test]
fn robots_carry_their_weight_evenly_where_they_begin() {
    // In 2 s the drives have settled, which let the joints move by 0.01 rad at most.
    let Standing { mass, forces, .. } = stand("quadruped", 2.0);
    for (point, force) in &forces {
        let share = force.z / (mass * G);
        assert!((share - 0.25).abs() < 0.005, "{point:?}: {share}");
    }
    // The middle of the force on each sole is within 5 mm of the middle of the sole's corners.
    let Standing { mass, forces, .. } = stand("humanoid", 2.0);
    for is_left in [true, false] {
        let sole: Vec<_> = forces
            .iter()
            .filter(|(point, _)| (point.y > 0.0) == is_left)
            .collect();
        let carried: f64 = sole.iter().map(|(_, force)| force.z).sum();
        assert!((carried / (mass * G) - 0.5).abs() < 1e-3, "{carried}");
        let corners: f64 = sole.iter().map(|(point, _)| point.x).sum();
        let pressed: f64 = sole.iter().map(|(point, force)| point.x * force.z).sum();
        let off = pressed / carried - corners / sole.len() as f64;
        assert!(off.abs() < 5e-3, "{off}");
    }
}

#[test]
fn robots_stand_and_do_not_creep() {
    for (name, count) in [("quadruped", 4), ("humanoid", 8)] {
        let Standing {
            mass,
            forces,
            moved,
        } = stand(name, 12.0);
        assert_eq!(forces.len(), count, "{name}");
        let sum = forces
            .iter()
            .fold(Vec3::zero(), |sum, (_, force)| sum + *force);
        let error = (sum - Vec3::unit(2) * (mass * G)).norm() / (mass * G);
        assert!(error < 1e-9, "{name}: {error}");
        assert!(moved < 1e-9, "{name}: {moved}");
        // A symmetric robot stands symmetrically.
        let mut asymmetry = 0.0_f64;
        for (point, force) in &forces {
            let mirrored = Vec3::new(point.x, -point.y, point.z);
            let other = forces.iter().find(|(p, _)| (*p - mirrored).norm() < 1e-4);
            let (_, other) = other.unwrap();
            let apart = *force - Vec3::new(other.x, -other.y, other.z);
            asymmetry = asymmetry.max(apart.norm() / (mass * G));
        }
        assert!(asymmetry < 1e-6, "{name}: {asymmetry}");
        println!(
            "{name}: weight to {error:.1e}, symmetric to {asymmetry:.1e}, base moved {moved:.1e} m in 6 s"
        );
    }
}
