//! Restitution: bounces, walls, Newton's cradle, and a floating robot that is hit.

use super::{G, at_height, bodies, bodies_under, on_plane};
use featherline::Workspace;
use featherline::model::{JointId, Model};
use featherline::spatial::{Inertia, Se3, Vec3};
use featherline_constraint::nonsmooth::{Contact, SolverOptions};
use featherline_formats::{LoadOptions, load_str_with};
use featherline_sim::contact::{CollisionContacts, ContactLaws, ImpactLaw, Surface, TimeStepping};

const RADIUS: f64 = 0.05;

/// Balls in a row along x that touch their neighbours.
fn row_of_balls(model: &Model) -> impl FnMut(&[Se3<f64>], f64, &mut Vec<Contact>) {
    let ids: Vec<JointId> = model
        .joint_ids()
        .filter(|id| *id != JointId::UNIVERSE)
        .collect();
    move |placements, range, out| {
        for two in ids.windows(2) {
            let [a, b] = [0, 1].map(|k: usize| placements[two[k].index()].translation);
            let apart = b - a;
            let normal = apart * (1.0 / apart.norm());
            let gap = apart.norm() - 2.0 * RADIUS;
            if gap <= range {
                out.push(Contact {
                    bodies: [two[0], two[1]],
                    point: a + normal * RADIUS,
                    normal,
                    gap,
                    friction: 0.0,
                    anisotropy: None,
                    restitution: 1.0,
                    surface_velocity: Vec3::zero(),
                    feature: 0,
                });
            }
        }
    }
}

/// The speeds of five balls after the first one has come with 1 m/s, `gap` between neighbours.
fn cradle(gap: f64, impact: ImpactLaw) -> Vec<f64> {
    let model = bodies_under(&[Inertia::sphere(0.3, RADIUS); 5], Vec3::zero());
    let stepping = TimeStepping::with(&model, (), row_of_balls(&model)).unwrap();
    let stepping = stepping.with_laws(ContactLaws::default().with_impact(impact));
    let mut stepping = stepping.with_options(SolverOptions {
        tolerance: 1e-15,
        ..SolverOptions::default()
    });
    let mut q: Vec<f64> = (0..5).flat_map(|_| at_height(0.0)).collect();
    for k in 0..5 {
        q[7 * k] = (2.0 * RADIUS + gap) * k as f64;
    }
    q[0] -= 0.05;
    let mut v = vec![0.0; model.nv()];
    v[0] = 1.0;
    for k in 0..400 {
        let report = stepping.step(0.0, &mut q, &mut v, 1e-3).unwrap();
        assert!(report.outcome.has_converged, "step {k}: {report:?}");
        let sum = |power: i32| v.chunks_exact(6).map(|v| v[0].powi(power)).sum::<f64>();
        assert!(
            (sum(1) - 1.0).abs() < 1e-12,
            "step {k}: momentum {}",
            sum(1)
        );
        assert!(sum(2) < 1.0 + 1e-12, "step {k}: energy {}", sum(2));
    }
    v.iter().step_by(6).copied().collect()
}

/// Balls that are apart hit each other one by one: the last one leaves with the speed of the first.
#[test]
fn a_cradle_with_gaps_hands_the_speed_to_the_last_ball() {
    for impact in [ImpactLaw::Newton, ImpactLaw::Reflections] {
        let speeds = cradle(0.01, impact);
        for (speed, expected) in speeds.iter().zip([0.0, 0.0, 0.0, 0.0, 1.0]) {
            assert!((speed - expected).abs() < 1e-12, "{impact:?}: {speeds:?}");
        }
    }
}

/// Balls that touch are one impact of Newton's law, in which only the first contact rebounds: the
/// four behind it leave together. Momentum: −0.6 + 4 · 0.4 = 1, energy: 0.36 + 4 · 0.16 = 1.
#[test]
fn a_cradle_that_touches_keeps_momentum_and_energy() {
    let speeds = cradle(0.0, ImpactLaw::Newton);
    for (speed, expected) in speeds.iter().zip([-0.6, 0.4, 0.4, 0.4, 0.4]) {
        assert!((speed - expected).abs() < 1e-9, "{speeds:?}");
    }
}

/// By reflections the last ball alone leaves, with the speed of the first: rounding of some ten
/// reflections.
#[test]
fn a_cradle_that_touches_hands_the_speed_to_the_last_ball_by_reflections() {
    let speeds = cradle(0.0, ImpactLaw::Reflections);
    for (speed, expected) in speeds.iter().zip([0.0, 0.0, 0.0, 0.0, 1.0]) {
        assert!((speed - expected).abs() < 1e-12, "{speeds:?}");
    }
}

/// A ball that bounces under gravity with e = 1 a thousand times, by reflections: its
/// energy stays, to the rounding of 10⁵ steps.
#[test]
fn a_ball_keeps_its_energy_for_a_thousand_bounces_by_reflections() {
    let model = bodies(&[Inertia::sphere(1.0, RADIUS)], 0.0);
    let laws = ContactLaws::default().with_impact(ImpactLaw::Reflections);
    let stepping = TimeStepping::with(&model, (), ball_over_plane(&model, 1.0)).unwrap();
    let options = SolverOptions {
        tolerance: 1e-15,
        ..SolverOptions::default()
    };
    let mut stepping = stepping.with_options(options).with_laws(laws);
    let (mut q, mut v) = (at_height(RADIUS + 0.1), [0.0; 6]);
    let mut bounces = 0;
    while bounces < 1000 {
        let before = v[2];
        stepping.step(0.0, &mut q, &mut v, 2e-3).unwrap();
        bounces += u32::from(before < 0.0 && v[2] > 0.0);
        let energy = 0.5 * v[2] * v[2] + G * (q[2] - RADIUS);
        assert!(
            (energy / (G * 0.1) - 1.0).abs() < 1e-9,
            "{bounces}: {energy}"
        );
        assert!(q[2] > RADIUS - 1e-9, "{bounces}: {q:?}");
    }
}

/// Two balls that hit a third one at once, oblique and with friction and spin: reflections keep the
/// balance of energy, and gain none. Without friction and with e = 1 none is lost.
#[test]
fn oblique_impacts_by_reflections_gain_no_energy() {
    for (friction, restitution) in [(0.0, 1.0), (0.5, 1.0), (0.5, 0.6)] {
        let model = bodies_under(&[Inertia::sphere(0.3, RADIUS); 3], Vec3::zero());
        let mut row = row_of_balls(&model);
        let contacts = move |placements: &[Se3<f64>], range: f64, out: &mut Vec<Contact>| {
            row(placements, range, out);
            for contact in out {
                (contact.friction, contact.restitution) = (friction, restitution);
            }
        };
        let laws = ContactLaws::default().with_impact(ImpactLaw::Reflections);
        let stepping = TimeStepping::with(&model, (), contacts).unwrap();
        let options = SolverOptions {
            tolerance: 1e-14,
            ..SolverOptions::default()
        };
        let mut stepping = stepping.with_options(options).with_laws(laws);
        let mut q: Vec<f64> = (0..3).flat_map(|_| at_height(0.0)).collect();
        (q[0], q[1], q[14], q[15]) = (-0.15, 0.03, 0.15, -0.02);
        let mut v = vec![0.0; 18];
        (v[0], v[5], v[12], v[13], v[15]) = (1.5, 7.0, -1.5, 0.2, -4.0);
        let mut ws = Workspace::new(&model);
        let mut energy = |q: &[f64], v: &[f64]| model.kinetic_energy(&mut ws, q, v).unwrap();
        let first = energy(&q, &v);
        let mut last = first;
        let mut hits = 0;
        for k in 0..200 {
            stepping.step(0.0, &mut q, &mut v, 1e-3).unwrap();
            let now = energy(&q, &v);
            assert!(
                now < last * (1.0 + 1e-12),
                "{friction}, {restitution}, {k}: {last} {now}"
            );
            hits += usize::from(
                stepping
                    .contacts()
                    .iter()
                    .any(|it| it.normal_impulse() > 0.0),
            );
            last = now;
        }
        assert!(hits >= 2, "{hits}");
        let is_elastic = friction == 0.0 && restitution == 1.0;
        assert_eq!(
            (last / first - 1.0).abs() < 1e-11,
            is_elastic,
            "{first} {last}"
        );
    }
}

/// Without gravity nothing is lost at e = 1, however often walls are hit.
#[test]
fn a_ball_between_walls_keeps_its_speed_for_a_thousand_bounces() {
    let model = bodies_under(&[Inertia::sphere(1.0, RADIUS)], Vec3::zero());
    let ball = model
        .joint_ids()
        .find(|id| *id != JointId::UNIVERSE)
        .unwrap();
    let contacts = move |placements: &[Se3<f64>], range: f64, out: &mut Vec<Contact>| {
        let z = placements[ball.index()].translation.z;
        for (side, feature) in [(1.0, 0), (-1.0, 1)] {
            // Walls at z = ±0.1.
            let gap = 0.1 - RADIUS + side * z;
            if gap <= range {
                out.push(Contact {
                    normal: Vec3::unit(2) * side,
                    gap,
                    anisotropy: None,
                    restitution: 1.0,
                    ..on_plane(ball, Vec3::unit(2) * (z - side * RADIUS), 0.5, feature)
                });
            }
        }
    };
    let stepping = TimeStepping::with(&model, (), contacts).unwrap();
    let mut stepping = stepping.with_options(SolverOptions {
        tolerance: 1e-15,
        ..SolverOptions::default()
    });
    let (mut q, mut v) = (at_height(0.0), [0.0, 0.0, 7.3, 0.0, 0.0, 0.0]);
    let mut bounces = 0;
    while bounces < 1000 {
        let before = v[2];
        stepping.step(0.0, &mut q, &mut v, 5e-3).unwrap();
        bounces += u32::from(before * v[2] < 0.0);
        assert!((v[2].abs() / 7.3 - 1.0).abs() < 1e-10, "{bounces}: {v:?}");
        assert!(q[2].abs() < 0.1 - RADIUS + 1e-9, "{bounces}: {q:?}");
    }
}

/// A ball that may touch the plane z = 0.
fn ball_over_plane(
    model: &Model,
    restitution: f64,
) -> impl FnMut(&[Se3<f64>], f64, &mut Vec<Contact>) + use<> {
    let ball = model
        .joint_ids()
        .find(|id| *id != JointId::UNIVERSE)
        .unwrap();
    move |placements, range, out| {
        let lowest = placements[ball.index()].translation - Vec3::unit(2) * RADIUS;
        if lowest.z <= range {
            out.push(Contact {
                anisotropy: None,
                restitution,
                ..on_plane(ball, lowest, 0.5, 0)
            });
        }
    }
}

/// The times and speeds of bounces, t_k = √(2H/g) (1 + 2 (e + … + e^(k−1))) and e^k √(2 g H).
fn bounces(h: f64, restitution: f64, count: usize) -> Vec<(f64, f64)> {
    let model = bodies(&[Inertia::sphere(1.0, RADIUS)], 0.0);
    let contacts = ball_over_plane(&model, restitution);
    let mut stepping = TimeStepping::with(&model, (), contacts).unwrap();
    let (mut q, mut v) = (at_height(RADIUS + 1.0), [0.0; 6]);
    let (mut found, mut t) = (Vec::new(), 0.0);
    while found.len() < count {
        let before = v[2];
        stepping.step(0.0, &mut q, &mut v, h).unwrap();
        t += h;
        if before < -1e-6 && v[2] >= -1e-9 {
            found.push((t, v[2]));
        }
    }
    found
}

#[test]
fn bounces_have_the_times_and_speeds_of_restitution() {
    let fall = f64::sqrt(2.0 / G);
    for restitution in [0.0_f64, 0.5, 0.9, 1.0] {
        let count = if restitution == 0.0 { 1 } else { 4 };
        let errors = [4e-4, 2e-4, 1e-4].map(|h| {
            let mut worst: f64 = 0.0;
            let (mut time, mut speed) = (fall, restitution * G * fall);
            for (found_time, found_speed) in bounces(h, restitution, count) {
                worst = worst
                    .max((found_time - time).abs())
                    .max((found_speed - speed).abs() / G);
                time += 2.0 * speed / G;
                speed *= restitution;
            }
            // Each bounce is right to a step, its speed to 2 g h; later flights have the errors of
            // all.
            assert!(
                worst < 2.0 * h * (count * count) as f64,
                "{restitution}, {h}: {worst}"
            );
            worst
        });
        println!("e = {restitution}: {errors:?} s");
    }
}

/// The sum of all momenta of a floating quadruped and a ball that hits it, without gravity: its
/// largest change relative to the ball's momentum, linear and angular.
fn momentum_change(h: f64, impact: ImpactLaw) -> [f64; 2] {
    let scene = "
        gravity = [0, 0, 0]
        [[robot]]
        file = 'quadruped'
        name = 'go'
        position = [0, 0, 0.4]
        [[body]]
        name = 'ball'
        sphere = 0.05
        mass = 2
        position = [0.4, 0.3, 0.42]
        velocity = [-4, -2.5, 0, 0, 0, 0]";
    let options = LoadOptions::new().library(featherline_robots::library());
    let scene = load_str_with(scene, &options).unwrap();
    let contact = scene.contact_model(None).unwrap();
    let surface = Surface {
        friction: 0.6,
        restitution: 0.5,
    };
    let contacts = CollisionContacts::uniform(contact.collision, surface);
    let model = &scene.model;
    let stepping = TimeStepping::with(model, (), contacts).unwrap();
    let mut stepping = stepping.with_laws(ContactLaws::default().with_impact(impact));
    let mut q = model.reference_configurations()["start"].clone();
    let mut v = scene.velocity("start").unwrap().to_vec();
    let mut ws = Workspace::new(model);
    let mut momentum = |q: &[f64], v: &[f64]| model.centroidal_momentum(&mut ws, q, v).unwrap();
    let first = momentum(&q, &v);
    let (mut worst, mut pushed) = ([0.0_f64; 2], 0.0_f64);
    for k in 0..(0.3 / h).round() as usize {
        let report = stepping.step(0.0, &mut q, &mut v, h).unwrap();
        assert!(report.outcome.has_converged, "step {k}: {report:?}");
        for contact in stepping.contacts() {
            pushed = pushed.max(contact.impulse.norm());
        }
        let now = momentum(&q, &v);
        worst[0] = worst[0].max((now.linear - first.linear).norm() / first.linear.norm());
        worst[1] = worst[1].max((now.angular - first.angular).norm() / first.angular.norm());
    }
    assert!(pushed > 0.1, "the ball hits: {pushed}");
    worst
}

/// Some hundred steps of rounding, whatever the step is.
#[test]
fn the_momentum_of_a_floating_robot_that_is_hit_is_kept() {
    let (newton, reflections) = (ImpactLaw::Newton, ImpactLaw::Reflections);
    for (h, impact) in [(2e-3, newton), (1e-3, newton), (1e-3, reflections)] {
        let change = momentum_change(h, impact);
        println!("{h}, {impact:?}: {change:?}");
        assert!(change[0] < 1e-13 && change[1] < 1e-13, "{h}: {change:?}");
    }
}
