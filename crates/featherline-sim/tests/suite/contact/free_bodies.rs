//! Blocks and balls on a plane.

use super::{G, at_height, bodies, corners, cube_on_plane, exact, on_plane};
use featherline::model::JointId;
use featherline::spatial::{Inertia, Se3, Vec3};
use featherline_constraint::nonsmooth::{Contact, FrictionLaw};
use featherline_sim::contact::{CollisionContacts, ContactLaws, Surface, TimeStepping};

fn cube(mass: f64, half: f64) -> (Inertia<f64>, Vec3<f64>) {
    let half = Vec3::new(half, half, half);
    (Inertia::cuboid(mass, half * 2.0), half)
}

/// Below the angle of friction a block rests for a minute; above, it slides as Coulomb's law says.
#[test]
fn a_block_on_an_incline_rests_or_slides() {
    let (h, mu) = (5e-3, 0.6);
    let (inertia, half) = cube(2.0, 0.1);
    for ratio in [0.5, 0.9, 0.999, 1.001, 1.1, 2.0] {
        let angle = f64::atan(mu * ratio);
        let model = bodies(&[inertia], angle);
        let contacts = cube_on_plane(&model, half, mu);
        let rests = ratio < 1.0;
        // A thousandth above the angle, what accelerates is a thousandth of what rubs.
        let mut options = exact();
        if !rests {
            options.tolerance = 1e-13;
        }
        let stepping = TimeStepping::with(&model, (), contacts).unwrap();
        let mut stepping = stepping.with_options(options);
        let (mut q, mut v) = (at_height(0.1), [0.0; 6]);
        let steps = if rests { 12_000 } else { 400 };
        for k in 1..=steps {
            let report = stepping.step(0.0, &mut q, &mut v, h).unwrap();
            assert!(
                report.outcome.has_converged,
                "{ratio}, step {k}: {report:?}"
            );
            if !rests {
                let speed = f64::from(k) * h * G * (angle.sin() - mu * angle.cos());
                assert!(
                    (v[0] / speed - 1.0).abs() < 1e-9,
                    "{ratio}, step {k}: {}",
                    v[0]
                );
            }
        }
        if rests {
            let drift = q[0].hypot(q[1]).hypot(q[2] - 0.1);
            assert!(drift < 1e-9, "{ratio}: {drift}");
        }
    }
}

/// A cube that is thrown flat is braked, never lifts, and stops where Coulomb says.
#[test]
fn a_cube_that_slides_stays_on_the_ground() {
    let (h, mu) = (5e-3, 0.5);
    let (inertia, half) = cube(1.0, 0.05);
    let model = bodies(&[inertia], 0.0);
    let stepping = TimeStepping::with(&model, (), cube_on_plane(&model, half, mu)).unwrap();
    let mut stepping = stepping.with_options(exact());
    let (mut q, mut v) = (at_height(0.05), [6.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    for k in 1..300 {
        let report = stepping.step(0.0, &mut q, &mut v, h).unwrap();
        assert!(report.outcome.has_converged, "step {k}: {report:?}");
        let speed = (6.0 - mu * G * h * f64::from(k)).max(0.0);
        assert!((v[0] - speed).abs() < 1e-9, "step {k}: {} {speed}", v[0]);
        assert!((q[2] - 0.05).abs() < 1e-6, "step {k}: {}", q[2]);
        assert!(q[3].hypot(q[4]) < 1e-6, "step {k}: {q:?}");
    }
    let way = 36.0 / (2.0 * mu * G);
    assert!((q[0] - way).abs() < 6.0 * h, "{} {way}", q[0]);
}

fn ball_on_plane(
    body: JointId,
    radius: f64,
    mu: f64,
) -> impl FnMut(&[Se3<f64>], f64, &mut Vec<Contact>) {
    move |placements, range, out| {
        let centre = placements[body.index()].translation;
        let lowest = centre - Vec3::unit(2) * radius;
        if lowest.z < range {
            out.push(on_plane(body, lowest, mu, 0));
        }
    }
}

/// A ball that is thrown without spin slides, then rolls at five sevenths of its speed.
#[test]
fn a_ball_that_slides_begins_to_roll() {
    let (h, mu, radius, first) = (1e-3, 0.3, 0.1, 2.0);
    let model = bodies(&[Inertia::sphere(1.0, radius)], 0.0);
    let body = model.joint_id("root_0").unwrap();
    let contacts = ball_on_plane(body, radius, mu);
    let mut stepping = TimeStepping::with(&model, (), contacts).unwrap();
    let (mut q, mut v) = (at_height(radius), [first, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let mut rolls = None;
    for k in 1..=1000 {
        stepping.step(0.0, &mut q, &mut v, h).unwrap();
        let slip = stepping.contacts()[0].velocity;
        if rolls.is_none() && slip.x.hypot(slip.y) < 1e-9 {
            rolls = Some(f64::from(k) * h);
        }
    }
    let expected = 2.0 * first / (7.0 * mu * G);
    assert!(
        (rolls.unwrap() - expected).abs() <= h,
        "{rolls:?} {expected}"
    );
    // The velocity is in the frame of the ball, which has turned.
    let speed = v[0].hypot(v[1]).hypot(v[2]);
    assert!((speed / (5.0 / 7.0 * first) - 1.0).abs() < 1e-6, "{speed}");
}

/// On an incline a ball accelerates at 5/7 g sin θ, a cylinder at 2/3, as long as friction lets
/// them roll.
#[test]
fn balls_and_cylinders_roll_down_an_incline() {
    let (h, radius, mu) = (1e-3, 0.1, 0.3);
    let length = 0.3;
    // A cylinder's axis is y: its own frame is turned.
    let across = 0.5 * radius * radius;
    let along = (3.0 * radius * radius + length * length) / 12.0;
    let round = featherline::spatial::Sym3::diagonal(Vec3::new(along, across, along));
    let cylinder = Inertia::new(1.0, Vec3::zero(), round);
    for (inertia, factor, limit, half) in [
        (Inertia::sphere(1.0, radius), 5.0 / 7.0, 3.5 * mu, 0.0),
        (cylinder, 2.0 / 3.0, 3.0 * mu, length / 2.0),
    ] {
        for ratio in [0.5, 0.999, 1.001] {
            let angle = f64::atan(limit * ratio);
            let model = bodies(&[inertia], angle);
            let body = model.joint_id("root_0").unwrap();
            let contacts = move |placements: &[Se3<f64>], range: f64, out: &mut Vec<Contact>| {
                let placement = placements[body.index()];
                let axis = placement.rotation.mul_vec(Vec3::unit(1));
                let ends: &[f64] = if half == 0.0 { &[0.0] } else { &[-1.0, 1.0] };
                for (k, end) in ends.iter().enumerate() {
                    let low = placement.translation + axis * (half * end) - Vec3::unit(2) * radius;
                    if low.z < range {
                        out.push(on_plane(body, low, mu, k as u64));
                    }
                }
            };
            let mut stepping = TimeStepping::with(&model, (), contacts).unwrap();
            let (mut q, mut v) = (at_height(radius), [0.0; 6]);
            let steps = 500;
            for _ in 0..steps {
                let report = stepping.step(0.0, &mut q, &mut v, h).unwrap();
                assert!(report.outcome.has_converged, "{report:?}");
            }
            let speed = v[0].hypot(v[1]).hypot(v[2]) / (f64::from(steps) * h);
            let expected = if ratio < 1.0 {
                factor * G * angle.sin()
            } else {
                G * (angle.sin() - mu * angle.cos())
            };
            assert!(
                (speed / expected - 1.0).abs() < 1e-9,
                "{ratio}: {speed} {expected}"
            );
        }
    }
}

/// Ten cubes, the lighter below, rest for a minute; the lowest carries the weight of all.
#[test]
fn a_stack_rests() {
    let (h, mu, half) = (5e-3, 0.5, 0.05);
    let masses: Vec<f64> = (0..10).map(|k| 1000_f64.powf(f64::from(k) / 9.0)).collect();
    let inertias: Vec<_> = masses.iter().map(|m| cube(*m, half).0).collect();
    let model = bodies(&inertias, 0.0);
    let roots: Vec<JointId> = (0..10)
        .map(|k| model.joint_id(&format!("root_{k}")).unwrap())
        .collect();
    let own = roots.clone();
    let contacts = move |placements: &[Se3<f64>], range: f64, out: &mut Vec<Contact>| {
        for (i, body) in own.iter().enumerate() {
            for (k, corner) in corners(Vec3::new(half, half, half))
                .into_iter()
                .enumerate()
                .take(4)
            {
                let point = placements[body.index()].act_point(corner);
                let mut contact = on_plane(*body, point, mu, k as u64);
                if i > 0 {
                    let below = own[i - 1];
                    contact.bodies[0] = below;
                    let frame = &placements[below.index()];
                    let up = frame.rotation.z;
                    contact.normal = up;
                    contact.gap = up.dot(point - frame.translation) - half;
                    contact.point = point - up * contact.gap;
                }
                if contact.gap < range {
                    out.push(contact);
                }
            }
        }
    };
    let mut stepping = TimeStepping::with(&model, (), contacts).unwrap();
    let mut q: Vec<f64> = (0..10)
        .flat_map(|k| at_height(half * f64::from(2 * k + 1)))
        .collect();
    let start = q.clone();
    let mut v = vec![0.0; 60];
    let mut factorisations = 0;
    for k in 0..12_000 {
        let report = stepping.step(0.0, &mut q, &mut v, h).unwrap();
        assert!(report.outcome.has_converged, "step {k}: {report:?}");
        factorisations += report.outcome.factorisations;
    }
    println!("{factorisations} factorisations in 12000 steps");
    for (now, start) in q.iter().zip(&start) {
        assert!((now - start).abs() < 1e-6);
    }
    let carried: f64 = stepping.contacts()[..4].iter().map(|c| c.impulse.z).sum();
    let weight = masses.iter().sum::<f64>() * G * h;
    assert!((carried / weight - 1.0).abs() < 1e-8, "{carried} {weight}");
}

/// A plane stops a ball of 100 m/s, whatever part of a step is left.
#[test]
fn a_fast_ball_does_not_pass_through_a_plane() {
    let (h, radius) = (1e-3, 0.01);
    let model = bodies(&[Inertia::sphere(1.0, radius)], 0.0);
    let body = model.joint_id("root_0").unwrap();
    let mut stepping = TimeStepping::with(&model, (), ball_on_plane(body, radius, 0.5)).unwrap();
    let (mut q, mut v) = (at_height(0.55), [30.0, 0.0, -100.0, 0.0, 0.0, 0.0]);
    for _ in 0..20 {
        stepping.step(0.0, &mut q, &mut v, h).unwrap();
        assert!(q[2] > radius - 1e-9, "{q:?}");
    }
    assert!((q[2] - radius).abs() < 1e-9, "{q:?}");
}

/// A ball rebounds to e² of its height, again and again, and lies still in the end.
#[test]
fn a_ball_bounces_to_its_height_by_restitution() {
    let (h, radius, height) = (1e-4, 0.05, 1.0);
    for e in [0.0, 0.5, 0.9] {
        let model = bodies(&[Inertia::sphere(1.0, radius)], 0.0);
        let body = model.joint_id("root_0").unwrap();
        let mut on_plane = ball_on_plane(body, radius, 0.5);
        let contacts = move |placements: &[Se3<f64>], range: f64, out: &mut Vec<Contact>| {
            on_plane(placements, range, out);
            out.iter_mut().for_each(|contact| contact.restitution = e);
        };
        let mut stepping = TimeStepping::with(&model, (), contacts).unwrap();
        let (mut q, mut v) = (at_height(radius + height), [0.0; 6]);
        let mut tops = Vec::new();
        let mut last = 0.0;
        let fall = f64::sqrt(2.0 * height / G);
        let rest = fall * (1.0 + e) / (1.0 - e);
        let steps = (1.2 * rest / h) as usize;
        for _ in 0..steps {
            stepping.step(0.0, &mut q, &mut v, h).unwrap();
            assert!(q[2] > radius - 1e-9);
            if last > 1e-6 && v[2] <= 0.0 {
                tops.push(q[2] - radius);
            }
            last = v[2];
        }
        for (k, top) in tops.iter().take(3).enumerate() {
            let expected = height * e.powi(2 * (k as i32 + 1));
            assert!(
                (top - expected).abs() < 40.0 * h * fall,
                "{e}: {k} {top} {expected}"
            );
        }
        assert_eq!(tops.is_empty(), e == 0.0);
        assert!(
            v[2].abs() < 1e-9 && (q[2] - radius).abs() < 1e-4,
            "{e}: {q:?} {v:?}"
        );
    }
}

/// The convex law lets what slides lift off at μ‖u_t‖: the defect of most engines, by name.
#[test]
fn a_cube_that_slides_lifts_off_by_the_convex_law_alone() {
    let (h, mu) = (5e-3, 0.5);
    let (inertia, half) = cube(1.0, 0.05);
    let model = bodies(&[inertia], 0.0);
    for (law, lifts) in [(FrictionLaw::Convex, true), (FrictionLaw::Exact, false)] {
        let stepping = TimeStepping::with(&model, (), cube_on_plane(&model, half, mu)).unwrap();
        let mut stepping = stepping.with_laws(ContactLaws::default().with_cone(law));
        let (mut q, mut v) = (at_height(0.05), [6.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        stepping.step(0.0, &mut q, &mut v, h).unwrap();
        // The whole cube slides, and the contact law is one of its points: u_n = μ ‖u_t‖.
        let expected = if lifts { mu * v[0] } else { 0.0 };
        assert!((v[2] - expected).abs() < 1e-8, "{law:?}: {v:?}");
        assert!(v[0] > 4.0, "{law:?}: {v:?}");
    }
}

/// Cubes that begin 1 cm deep in each other and in the ground stand on each other after a step,
/// without speed; without gravity and ground, two of them part in inverse proportion to their
/// masses.
#[test]
fn what_overlaps_is_put_apart_without_speed() {
    let (half, h) = (0.05, 1e-3);
    let scene = |ground: &str, gravity: f64, masses: [f64; 2], z: f64| {
        let body = |k: usize, mass: f64, z: f64| {
            format!(
                "[[body]]\nname = 'b{k}'\nbox = [0.1, 0.1, 0.1]\nmass = {mass}\n\
                 position = [0, 0, {z}]\n"
            )
        };
        let text = format!(
            "gravity = [0, 0, {gravity}]\n{ground}{}{}",
            body(0, masses[0], z),
            body(1, masses[1], z + 0.09)
        );
        featherline_formats::load_str(&text).unwrap()
    };
    for (ground, gravity, masses, z, expected) in [
        ("[ground]\n", -9.81, [1.0, 2.0], 0.04, [half, 3.0 * half]),
        ("", 0.0, [1.0, 3.0], 0.0, [-0.0075, 0.0925]),
    ] {
        let scene = scene(ground, gravity, masses, z);
        let contact = scene.contact_model(None).unwrap();
        let surface = Surface {
            friction: 0.5,
            restitution: 0.0,
        };
        let contacts = CollisionContacts::uniform(contact.collision, surface);
        let model = &scene.model;
        let mut stepping = TimeStepping::with(model, (), contacts).unwrap();
        let mut q = model.reference_configurations()["start"].clone();
        let mut v = vec![0.0; model.nv()];
        let mut ws = featherline::Workspace::new(model);
        for k in 0..200 {
            let report = stepping.step(0.0, &mut q, &mut v, h).unwrap();
            assert!(report.outcome.has_converged, "step {k}: {report:?}");
            assert_eq!(report.penetration > 1e-3, k == 0, "step {k}: {report:?}");
            // The remaining overlap is corrected at 1e-7 m a step.
            let energy = model.kinetic_energy(&mut ws, &q, &v).unwrap();
            assert!(energy < 1e-8, "step {k}: {energy}");
        }
        for (k, height) in expected.into_iter().enumerate() {
            assert!((q[7 * k + 2] - height).abs() < 1e-6, "{q:?} {expected:?}");
        }
        let speed = v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        assert!(speed < 1e-9 || ground.is_empty(), "{v:?}");
    }
}
