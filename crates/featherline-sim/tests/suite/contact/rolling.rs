//! A plate on 25 balls, pulled in any direction: the rolling test of SimBenchmark (J. Hwangbo and
//! others), with the plate's centre of mass at the level of the balls' tops.

use super::{G, bodies, exact};
use featherline::model::JointId;
use featherline::spatial::{Inertia, Se3, Vec3};
use featherline_constraint::nonsmooth::Contact;
use featherline_sim::contact::TimeStepping;
use featherline_sim::integrator::forces::TorqueFunction;

const RADIUS: f64 = 0.1;
const PLATE: f64 = 10.0;
const BALL: f64 = 1.0;
const FORCE: f64 = 150.0;

/// The accelerations of the plate and of a ball, as vectors in the plane, from the first and the
/// last of some steps.
fn accelerations(angle: f64, on_ground: f64, under_plate: f64) -> [[Vec3<f64>; 2]; 2] {
    let h = 1e-3;
    let mut inertias = vec![Inertia::cuboid(PLATE, Vec3::new(3.0, 3.0, 0.1))];
    inertias.extend([Inertia::sphere(BALL, RADIUS); 25]);
    let model = bodies(&inertias, 0.0);
    let ids: Vec<JointId> = model
        .joint_ids()
        .filter(|id| *id != JointId::UNIVERSE)
        .collect();
    let mut q = vec![0.0; model.nq()];
    for (k, q) in q.chunks_exact_mut(7).enumerate() {
        q[6] = 1.0;
        if let Some(ball) = k.checked_sub(1) {
            let place = |i: usize| 0.5 * (i as f64 - 2.0);
            (q[0], q[1], q[2]) = (place(ball / 5), place(ball % 5), RADIUS);
        } else {
            q[2] = 2.0 * RADIUS;
        }
    }
    let contacts = move |placements: &[Se3<f64>], range: f64, out: &mut Vec<Contact>| {
        let plate = placements[ids[0].index()];
        for (k, &ball) in ids[1..].iter().enumerate() {
            let up = Vec3::unit(2);
            let centre = placements[ball.index()].translation;
            let low = super::on_plane(ball, centre - up * RADIUS, on_ground, k as u64);
            let normal = plate.rotation.z;
            let gap = normal.dot(centre - plate.translation) + RADIUS;
            let high = Contact {
                bodies: [ball, ids[0]],
                point: centre + normal * RADIUS,
                normal,
                gap: -gap,
                friction: under_plate,
                anisotropy: None,
                restitution: 0.0,
                surface_velocity: Vec3::zero(),
                feature: k as u64,
            };
            out.extend([low, high].into_iter().filter(|it| it.gap <= range));
        }
    };
    let (sin, cos) = angle.sin_cos();
    let pull = TorqueFunction::new(move |_: f64, _: &[f64], _: &[f64], tau: &mut [f64]| {
        tau[0] += FORCE * cos;
        tau[1] += FORCE * sin;
    });
    let stepping = TimeStepping::with(&model, pull, contacts).unwrap();
    let mut stepping = stepping.with_options(exact());
    let mut v = vec![0.0; model.nv()];
    let mut speeds = Vec::new();
    for k in 0..10 {
        let before = q.clone();
        let report = stepping.step(0.0, &mut q, &mut v, h).unwrap();
        assert!(
            report.outcome.has_converged,
            "{angle}, step {k}: {report:?}"
        );
        // The velocities in the world. How 25 balls share the load is not determined, their sum is.
        let speed = |i: usize| {
            let way = |c: usize| (q[7 * i + c] - before[7 * i + c]) / h;
            Vec3::new(way(0), way(1), way(2))
        };
        let balls = (1..26).map(speed).fold(Vec3::zero(), |sum, it| sum + it);
        speeds.push([speed(0), balls * (1.0 / 25.0)]);
    }
    [0, 9].map(|k: usize| speeds[k].map(|speed| speed * (1.0 / (h * (k as f64 + 1.0)))))
}

/// f above and g below a ball of mass m that rolls on both sides: m a = f + g, 2/5 m a = f − g, so
/// f = 0.7 m a; the plate is twice as fast as the balls.
#[test]
fn a_plate_on_balls_rolls_or_slides_the_same_in_all_directions() {
    let rolls = FORCE / (PLATE + 25.0 * 0.7 * BALL / 2.0);
    // f = μ N above is too little to take the balls along at half the speed of the plate.
    let normal = PLATE * G / 25.0;
    let slides = (FORCE - 25.0 * 0.4 * normal) / PLATE;
    let cases = [
        (0.4, 0.8, [rolls, rolls / 2.0]),
        (0.8, 0.4, [slides, 0.4 * normal / (0.7 * BALL)]),
    ];
    for (on_ground, under_plate, expected) in cases {
        for angle in [0.0, 0.3, std::f64::consts::FRAC_PI_4, 1.2, 2.5, 4.4] {
            let direction = Vec3::new(f64::cos(angle), f64::sin(angle), 0.0);
            for found in accelerations(angle, on_ground, under_plate) {
                for (found, expected) in found.into_iter().zip(expected) {
                    let error = (found - direction * expected).norm() / expected;
                    assert!(error < 1e-9, "{on_ground}, {angle}: {found:?} {expected}");
                }
            }
        }
    }
}
