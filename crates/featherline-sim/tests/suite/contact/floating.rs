//! Bodies and robots that float: momentum, energy, and what follows from them.

use super::{at_height, bodies, bodies_under};
use featherline::Workspace;
use featherline::model::Model;
use featherline::random::{RandomSource, SplitMix64};
use featherline::spatial::{Force, Inertia, Sym3, Vec3};
use featherline_formats::LoadOptions;
use featherline_sim::contact::{CollisionContacts, Drives, Surface, TimeStepping};

/// How often each thing is dropped.
const DROPS: usize = 8;

fn momentum(model: &Model, q: &[f64], v: &[f64]) -> Force<f64> {
    let mut ws = Workspace::new(model);
    model.centroidal_momentum(&mut ws, q, v).unwrap()
}

fn kinetic_energy(model: &Model, q: &[f64], v: &[f64]) -> f64 {
    let mut ws = Workspace::new(model);
    model.kinetic_energy(&mut ws, q, v).unwrap()
}

/// A handle that spins about its middle axis turns over again and again: for a minute its energy
/// and its angular momentum stay, to the rounding of 60,000 steps.
#[test]
fn a_handle_tumbles_without_end() {
    let inertia = Inertia::new(
        0.5,
        Vec3::zero(),
        Sym3::diagonal(Vec3::new(3e-4, 6e-4, 8e-4)),
    );
    let model = bodies_under(&[inertia], Vec3::zero());
    let mut stepping = TimeStepping::new(&model).unwrap();
    let (mut q, mut v) = (at_height(0.0), [0.1, 0.0, 0.2, 0.01, 10.0, 0.01]);
    let first = momentum(&model, &q, &v);
    let energy = kinetic_energy(&model, &q, &v);
    let (mut flips, mut side) = (0, 1.0);
    let (mut turned, mut lost) = (0.0_f64, 0.0_f64);
    for _ in 0..60_000 {
        stepping.step(0.0, &mut q, &mut v, 1e-3).unwrap();
        if v[4] * side < -9.0 {
            (flips, side) = (flips + 1, -side);
        }
        let now = momentum(&model, &q, &v);
        turned = turned.max((now.angular - first.angular).norm() / first.angular.norm());
        lost = lost.max((kinetic_energy(&model, &q, &v) / energy - 1.0).abs());
    }
    println!("{flips} flips, momentum to {turned:.1e}, energy to {lost:.1e}");
    assert!(flips > 10, "{flips}");
    assert!(turned < 1e-11 && lost < 1e-11, "{turned} {lost}");
}

/// Thin bodies that spin and are hit: a step rotates them far, and the little inertia about their
/// axis does not make energy of it. The energy gained in a step is less than the 1e-4 that are
/// allowed.
#[test]
fn thin_bodies_that_are_hit_gain_no_energy() {
    let bodies = [
        "capsule = [0.0035, 0.17]",
        "capsule = [0.001, 0.3]",
        "box = [0.09, 0.06, 0.0003]",
    ];
    for (geometry, spin) in bodies.into_iter().flat_map(|it| [(it, 0.0), (it, 30.0)]) {
        let text = format!(
            "[ground]\n[[body]]\nname = 'thin'\n{geometry}\nrpy = [0.3, 0.1, 0]\nposition = [0, 0, 1]"
        );
        let scene = featherline_formats::load_str_with(&text, &LoadOptions::new()).unwrap();
        let model = &scene.model;
        let surface = Surface {
            friction: 0.8,
            restitution: 0.0,
        };
        let contacts = scene.contact_model(None).unwrap().collision;
        let contacts = CollisionContacts::uniform(contacts, surface);
        let mut stepping = TimeStepping::with(model, (), contacts).unwrap();
        let mut q = model.reference_configurations()["start"].clone();
        let mut v = vec![0.0, 0.0, 0.0, spin, 0.3 * spin, 0.0];
        let mut ws = Workspace::new(model);
        let mut energy = |q: &[f64], v: &[f64]| {
            let kinetic = model.kinetic_energy(&mut ws, q, v).unwrap();
            kinetic + model.potential_energy(&mut ws, q).unwrap()
        };
        let first = energy(&q, &v);
        for k in 0..400 {
            stepping.step(0.0, &mut q, &mut v, 5e-3).unwrap();
            let now = energy(&q, &v);
            assert!(
                now <= 1.02 * first,
                "{geometry} {spin}, step {k}: {now} of {first}"
            );
        }
    }
}

/// Spin is integrated accurately up to half a radian a step; faster spin loses accuracy, but keeps
/// its momentum.
#[test]
fn fast_spin_keeps_its_momentum() {
    let inertia = Inertia::cuboid(1.0, Vec3::new(0.1, 0.2, 0.3));
    let model = bodies_under(&[inertia], Vec3::zero());
    for speed in [100.0, 1000.0, 10_000.0] {
        let mut stepping = TimeStepping::new(&model).unwrap();
        let (mut q, mut v) = (at_height(0.0), [0.0, 0.0, 0.0, speed, 0.3 * speed, -speed]);
        let first = momentum(&model, &q, &v).angular;
        for _ in 0..1000 {
            stepping.step(0.0, &mut q, &mut v, 1e-3).unwrap();
        }
        let error = (momentum(&model, &q, &v).angular - first).norm() / first.norm();
        assert!(error < 1e-12, "{speed}: {error}");
    }
}

/// Bodies up to 2,400 times as hard to turn about one axis as about another keep momentum and
/// energy, up to a step of 1 rad, about any axis. The midpoint rule keeps both; an explicit
/// rotation turns a needle by 0.05 rad and explodes.
#[test]
fn bodies_of_any_shape_keep_momentum_and_energy() {
    let mut source = SplitMix64::new(1);
    for (thin, broad) in [
        (1.0, 1.0),
        (0.3, 0.7),
        (1.0 / 50.0, 0.99),
        (1.0 / 2400.0, 1.0),
        (1.0 / 2400.0, 0.9997),
    ] {
        let moments = Sym3::diagonal(Vec3::new(2e-3, 2e-3 * broad, 2e-3 * thin));
        let model = bodies_under(&[Inertia::new(1.0, Vec3::zero(), moments)], Vec3::zero());
        for turn in [0.01, 0.1, 0.5, 1.0] {
            let mut draw = || 2.0 * source.uniform() - 1.0;
            let axis = Vec3::new(draw(), draw(), draw());
            let omega = (axis * (turn / 1e-3 / axis.norm())).to_array();
            let (mut q, mut v) = (
                at_height(0.0),
                [0.0, 0.0, 0.0, omega[0], omega[1], omega[2]],
            );
            let mut stepping = TimeStepping::new(&model).unwrap();
            let (first, energy) = (
                momentum(&model, &q, &v).angular,
                kinetic_energy(&model, &q, &v),
            );
            let (mut turned, mut gained) = (0.0_f64, 0.0_f64);
            for _ in 0..300 {
                stepping.step(0.0, &mut q, &mut v, 1e-3).unwrap();
                let now = momentum(&model, &q, &v).angular;
                turned = turned.max((now - first).norm() / first.norm());
                gained = gained.max((kinetic_energy(&model, &q, &v) / energy - 1.0).abs());
            }
            println!("{thin:.4} {broad:.4} {turn}: {turned:.1e} {gained:.1e}");
            assert!(
                turned < 1e-10 && gained < 1e-10,
                "{thin} {broad} {turn}: {turned} {gained}"
            );
        }
    }
}

/// Slender things dropped from half a metre, in any orientation, spinning, also fast: no step gains
/// more than 1e-3 of the energy at the start.
#[test]
fn slender_things_that_are_dropped_gain_no_energy() {
    let things = [
        "capsule = [0.0035, 0.18]",
        "capsule = [0.0005, 0.06]",
        "box = [0.3, 0.03, 0.002]",
        "cylinder = [0.012, 0.002]",
        "box = [0.3, 0.21, 0.001]",
        "box = [0.2, 0.1, 0.06]",
    ];
    let mut source = SplitMix64::new(3);
    for thing in things {
        for (step, fast) in [
            (5e-4, 3.0),
            (1e-3, 3.0),
            (2e-3, 3.0),
            (5e-3, 3.0),
            (1e-3, 300.0),
            (5e-3, 300.0),
        ] {
            let (mut worst, mut gaining) = (0.0_f64, 0);
            for _ in 0..DROPS {
                let mut draw =
                    |most: f64| std::array::from_fn(|_| most * (2.0 * source.uniform() - 1.0));
                let (turn, spin): ([f64; 3], [f64; 3]) = (draw(3.0), draw(fast));
                let text = format!(
                    "[ground]\nfriction = 0.5\n[[body]]\nname = 'thing'\n{thing}\nfriction = 0.5\nrpy = {turn:?}\nposition = [0, 0, 0.6]"
                );
                let scene = featherline_formats::load_str_with(&text, &LoadOptions::new()).unwrap();
                let model = &scene.model;
                let contacts = CollisionContacts::from(scene.contact_model(None).unwrap());
                let mut stepping = TimeStepping::with(model, (), contacts).unwrap();
                let mut q = model.reference_configurations()["start"].clone();
                let mut v = vec![0.0, 0.0, 0.0, spin[0], spin[1], spin[2]];
                let mut ws = Workspace::new(model);
                let mut energy = |q: &[f64], v: &[f64]| {
                    let kinetic = model.kinetic_energy(&mut ws, q, v).unwrap();
                    kinetic + model.potential_energy(&mut ws, q).unwrap()
                };
                let spun = model
                    .kinetic_energy(&mut Workspace::new(model), &q, &v)
                    .unwrap();
                let scale = 0.5 * 9.81 * model.total_mass() + spun;
                let (mut last, mut gain) = (energy(&q, &v), 0.0_f64);
                for _ in 0..(1.0 / step) as usize {
                    if stepping.step(0.0, &mut q, &mut v, step).is_err() {
                        gain = f64::INFINITY;
                        break;
                    }
                    let now = energy(&q, &v);
                    gain = gain.max((now - last) / scale);
                    last = now;
                }
                worst = worst.max(gain);
                gaining += usize::from(gain > 1e-3);
            }
            println!("{thing}, {step}, {fast}: {gaining} of {DROPS} gain, at most {worst:.1e}");
            // A body that turns by half a radian in a step falls a little into the ground.
            let most = if fast > 100.0 { 1e-2 } else { 1e-4 };
            assert!(worst < most, "{thing}, {step}, {fast}: {worst}");
        }
    }
}

/// The centre of mass of what falls and turns, with its frame far from there, falls as a point
/// does: c = c₀ + t v₀ + t² g/2.
#[test]
fn the_center_of_mass_falls_straight() {
    let round = Sym3::diagonal(Vec3::new(0.01, 0.02, 0.025));
    let center = Vec3::new(0.2, -0.1, 0.3);
    let model = bodies(&[Inertia::new(2.0, center, round)], 0.4);
    let mut stepping = TimeStepping::new(&model).unwrap();
    let (mut q, mut v) = (at_height(1.0), [0.3, -0.2, 1.0, 4.0, -3.0, 5.0]);
    let mut ws = Workspace::new(&model);
    let mut com = |q: &[f64]| model.center_of_mass(&mut ws, q).unwrap();
    let (h, mass) = (1e-3, 2.0);
    // For a second.
    let start = com(&q);
    let first = momentum(&model, &q, &v);
    for _ in 0..1000 {
        stepping.step(0.0, &mut q, &mut v, h).unwrap();
    }
    let expected = start + first.linear * (1.0 / mass) + model.gravity() * 0.5;
    assert!(
        (com(&q) - expected).norm() < 1e-11,
        "{:?} {expected:?}",
        com(&q)
    );
    // Gravity does not turn it.
    let spin = momentum(&model, &q, &v).angular;
    assert!((spin - first.angular).norm() < 1e-12, "{spin:?}");
}

/// A quadruped that floats and moves its legs, held by drives or loose: it keeps its momentum, and
/// the energy that it loses to drives and to the friction of its joints is found to the order of
/// the step.
#[test]
fn a_floating_quadruped_keeps_its_momentum() {
    let options = LoadOptions::new().floating_base(true);
    let model = featherline_robots::load("quadruped", &options)
        .unwrap()
        .model;
    let model = model.with_gravity(Vec3::zero()).unwrap();
    let start = model.neutral_configuration();
    let speed = |k: usize| ((3 * k + 1) as f64).sin();
    for stiffness in [0.0, 100.0] {
        let losses = [2e-3, 1e-3, 5e-4].map(|h: f64| {
            let mut q = start.clone();
            let mut v: Vec<f64> = (0..model.nv()).map(speed).collect();
            let drives = Drives::uniform(&model, &q, stiffness, 0.02 * stiffness);
            let mut stepping = TimeStepping::new(&model).unwrap().with_drives(drives);
            let first = momentum(&model, &q, &v);
            let energy = kinetic_energy(&model, &q, &v);
            for _ in 0..(0.2 / h).round() as usize {
                stepping.step(0.0, &mut q, &mut v, h).unwrap();
            }
            let now = momentum(&model, &q, &v);
            let linear = (now.linear - first.linear).norm() / first.linear.norm();
            let angular = (now.angular - first.angular).norm() / first.angular.norm();
            assert!(linear < 1e-13 && angular < 1e-13, "{linear} {angular}");
            1.0 - kinetic_energy(&model, &q, &v) / energy
        });
        println!("stiffness {stiffness}: energy lost {losses:?}");
        assert!(losses.iter().all(|loss| *loss > 0.0), "{losses:?}");
        let apart = [losses[0] - losses[1], losses[1] - losses[2]];
        assert!(apart.iter().all(|it| it.abs() < 1e-6), "{losses:?}");
        if stiffness == 0.0 {
            // Half the step, half the error; a fifth for the next order.
            assert!((apart[1] / apart[0] - 0.5).abs() < 0.1, "{losses:?}");
        }
    }
}
