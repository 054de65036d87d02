//! Cards, a ladder and a box that is pushed: statics decides, and the first step is known.

use super::{G, Touch, at_height, bodies, touching, turned};
use featherline::model::{JointId, Model};
use featherline::spatial::{Inertia, Vec3};
use featherline_sim::contact::TimeStepping;
use featherline_sim::integrator::forces::TorqueFunction;

const LENGTH: f64 = 1.0;
const WIDTH: f64 = 0.3;
const THICKNESS: f64 = 0.01;

/// A plank of 1 kg along z.
fn plank() -> Inertia<f64> {
    Inertia::cuboid(1.0, Vec3::new(THICKNESS, WIDTH, LENGTH))
}

/// Its inertia about an end: a body that turns about y while its centre keeps its distance from a
/// point has this one.
fn about_end() -> f64 {
    (THICKNESS * THICKNESS + LENGTH * LENGTH) / 12.0 + LENGTH * LENGTH / 4.0
}

/// The two corners of an end, `side` −1 or 1.
fn end(side: f64) -> [Vec3<f64>; 2] {
    [-0.5, 0.5].map(|y| Vec3::new(0.0, y * WIDTH, side * LENGTH / 2.0))
}

fn ids(model: &Model) -> Vec<JointId> {
    model
        .joint_ids()
        .filter(|id| *id != JointId::UNIVERSE)
        .collect()
}

/// Runs for some seconds: how far the state has moved, and the velocity after the first step.
fn run(
    model: &Model,
    touches: Vec<Touch>,
    start: &[f64],
    (h, seconds): (f64, f64),
) -> (f64, Vec<f64>) {
    let mut stepping = TimeStepping::with(model, (), touching(touches)).unwrap();
    let (mut q, mut v) = (start.to_vec(), vec![0.0; model.nv()]);
    let mut first = Vec::new();
    for k in 0..(seconds / h) as usize {
        let report = stepping.step(0.0, &mut q, &mut v, h).unwrap();
        assert!(report.outcome.has_converged, "step {k}: {report:?}");
        if k == 0 {
            first.clone_from(&v);
        }
    }
    let moved = q.iter().zip(start).map(|(a, b)| (a - b).abs());
    (moved.fold(0.0, f64::max), first)
}

/// Two cards that lean on each other at an angle β from the vertical stand iff μ ≥ tan β / 2: each
/// foot carries m g, and the moment about the top asks for m g tan β / 2 of friction.
#[test]
fn two_cards_stand_if_friction_is_half_the_tangent_of_their_angle() {
    let (h, mu) = (2e-3, 0.3);
    for ratio in [0.99_f64, 1.01] {
        let angle = f64::atan(2.0 * mu * ratio);
        let (sin, cos) = angle.sin_cos();
        let model = bodies(&[plank(), plank()], 0.0);
        let [left, right] = ids(&model)[..] else {
            panic!("two cards");
        };
        let mut touches = Vec::new();
        for card in [left, right] {
            touches.extend(end(-1.0).map(|point| Touch::ground(card, point, mu)));
        }
        // The tops meet at the plane x = 0.
        touches.extend(end(1.0).map(|point| Touch {
            face: left,
            origin: Vec3::new(0.0, 0.0, LENGTH / 2.0),
            normal: Vec3::new(cos, 0.0, sin),
            ..Touch::ground(right, point, mu)
        }));
        let half = LENGTH / 2.0;
        let start = [(-half * sin, angle), (half * sin, -angle)];
        let start = start
            .map(|(x, angle)| turned(x, half * cos, angle))
            .concat();
        let stands = ratio < 1.0;
        let seconds = if stands { 10.0 } else { 0.4 };
        let (moved, first) = run(&model, touches, &start, (h, seconds));
        println!("cards at {ratio}: moved {moved:.1e} m");
        if stands {
            assert!(moved < 1e-9, "{moved}");
            continue;
        }
        assert!(moved > 1e-4, "{moved}");
        // The tops fall straight, the feet slide: (J − ½ μ m L² s c) β̈ = m g L (½ s − μ c)
        let inertia = about_end() - 0.5 * mu * LENGTH * LENGTH * sin * cos;
        let rate = h * G * LENGTH * (0.5 * sin - mu * cos) / inertia;
        assert!((first[4] / rate - 1.0).abs() < 1e-6, "{first:?} {rate}");
        assert!((first[10] / rate + 1.0).abs() < 1e-6, "{first:?} {rate}");
    }
}

/// A ladder at a smooth wall stands iff tan α ≥ 1 / (2 μ), α its angle to the ground.
#[test]
fn a_ladder_at_a_smooth_wall_stands_if_it_is_steep() {
    let (h, mu) = (2e-3, 0.4);
    for ratio in [1.005_f64, 0.995] {
        let angle = f64::atan(ratio / (2.0 * mu));
        let (sin, cos) = angle.sin_cos();
        let model = bodies(&[plank()], 0.0);
        let ladder = ids(&model)[0];
        let mut touches = Vec::new();
        touches.extend(end(-1.0).map(|point| Touch::ground(ladder, point, mu)));
        touches.extend(end(1.0).map(|point| Touch {
            normal: Vec3::unit(0),
            ..Touch::ground(ladder, point, 0.0)
        }));
        let half = LENGTH / 2.0;
        let start = turned(half * cos, half * sin, angle - std::f64::consts::FRAC_PI_2);
        let stands = ratio > 1.0;
        let seconds = if stands { 10.0 } else { 0.4 };
        let (moved, first) = run(&model, touches, &start, (h, seconds));
        println!("ladder at {ratio}: moved {moved:.1e} m");
        if stands {
            assert!(moved < 1e-9, "{moved}");
            continue;
        }
        assert!(moved > 1e-4, "{moved}");
        // (J − ½ μ m L² s c) α̈ = m g L (μ s − ½ c)
        let inertia = about_end() - 0.5 * mu * LENGTH * LENGTH * sin * cos;
        let rate = h * G * LENGTH * (mu * sin - 0.5 * cos) / inertia;
        assert!((first[4] / rate - 1.0).abs() < 1e-6, "{first:?} {rate}");
    }
}

/// A box of base b that is pushed at a height h tips iff μ > b / (2 h), else it slides.
#[test]
fn a_box_that_is_pushed_tips_or_slides() {
    let (step, mass) = (1e-3, 2.0);
    let half = Vec3::new(0.1, 0.15, 0.2);
    let (base, height) = (2.0 * half.x, 0.35);
    for ratio in [0.995, 1.005] {
        let mu = ratio * base / (2.0 * height);
        // Half way between what slides, μ m g, and what tips, m g b / (2 h).
        let force = 0.5 * (1.0 + ratio) * mass * G * base / (2.0 * height);
        let model = bodies(&[Inertia::cuboid(mass, half * 2.0)], 0.0);
        let moment = force * (height - half.z);
        let push = TorqueFunction::new(move |_: f64, _: &[f64], _: &[f64], tau: &mut [f64]| {
            tau[0] += force;
            tau[4] += moment;
        });
        let contacts = super::cube_on_plane(&model, half, mu);
        let mut stepping = TimeStepping::with(&model, push, contacts).unwrap();
        let (mut q, mut v) = (at_height(half.z), [0.0; 6]);
        for k in 1..=20 {
            let report = stepping.step(0.0, &mut q, &mut v, step).unwrap();
            assert!(
                report.outcome.has_converged,
                "{ratio}, step {k}: {report:?}"
            );
            if ratio < 1.0 {
                let speed = f64::from(k) * step * (force / mass - mu * G);
                assert!((v[0] / speed - 1.0).abs() < 1e-6, "{ratio}: {v:?} {speed}");
                assert!(v[4].abs() < 1e-9, "{ratio}: {v:?}");
            } else if k == 1 {
                // About the edge that stays: (I + m r²) ω̇ = F h − m g b / 2
                let own = mass * (half.x * half.x + half.z * half.z);
                let inertia = own / 3.0 + own;
                let rate = step * (force * height - mass * G * half.x) / inertia;
                assert!((v[4] / rate - 1.0).abs() < 1e-6, "{ratio}: {v:?} {rate}");
            }
        }
        let edge = super::corners(half)[1];
        let slid = q[0] + edge.x * (1.0 - 2.0 * q[4] * q[4]) + 2.0 * q[4] * q[6] * edge.z - half.x;
        assert_eq!(slid.abs() < 1e-9, ratio > 1.0, "{ratio}: {slid} {q:?}");
    }
}
