//! A scene from its start to its end, with the checks after each step.

use crate::Outcome;
use crate::checks::{Laws, Momentum};
use crate::scene::{Scene, generator, scene};
use crate::tally::{REPORTED_GAIN, Tally};
use featherline::Workspace;
use featherline::model::Model;
use featherline_sim::contact::{CollisionContacts, Drives, TimeStepping};
use featherline_sim::simulation::Bookkeeper;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// How often a scene is thrown, and the steps after each throw.
const THROWS: usize = 3;
const STEPS: usize = 150;

/// The natural map of an exact step: 1e-8 of that without impulses or 1e-9 m/s, in each row. Here
/// it is the length of three rows, and the largest of all islands counts.
const LAW: f64 = 2.0;
/// The rounding of momentum, some operations deep.
const MOMENTUM: f64 = 1e-11;
/// The kinetic energy that may be there, as a multiple of what conservation allows: methods of
/// order one, at steps that are a twentieth of a radian.
const ENERGY: f64 = 1.5;
/// How far in rad or m a step may go for energy, limits and overlap to be what they are in the
/// limit of small steps, and for the rest.
const SMALL_STEP: f64 = 0.1;
const LARGE_STEP: f64 = 10.0;
/// How far beyond its limit a joint may be, in rad or m.
const LIMIT: f64 = 1e-7;
/// How far two bodies may overlap, in m, and in multiples of what they move in a step.
const OVERLAP: (f64, f64) = (0.01, 3.0);

/// Runs the scene of a seed.
pub fn run(seed: u64, tally: &mut Tally) {
    let mut rng = generator(seed);
    match scene(&mut rng, seed) {
        Ok(scene) => {
            tally.scene(scene.kind);
            if let Err(error) = simulate(&scene, &mut rng, seed, tally) {
                tally.error(&*error, seed);
            }
        }
        Err(error) => {
            tally.error(&*error, seed);
            tally.count("scene", seed, 1.0);
        }
    }
}

fn simulate(scene: &Scene, rng: &mut ChaCha8Rng, seed: u64, tally: &mut Tally) -> Outcome<()> {
    let Scene { model, step: h, .. } = scene;
    let h = *h;
    let mut target = scene.q.clone();
    let drives = |target: &[f64]| {
        Drives::with_gains(model, target, |k| scene.gains[k])
            .with_effort(|k| scene.efforts[k])
            .only(|k| scene.gains[k].0 > 0.0)
    };
    let source = CollisionContacts::new(scene.collision.clone(), scene.surfaces.clone());
    let mut stepping = TimeStepping::with(model, (), source)?.with_drives(drives(&target));
    let (mut q, mut v) = (scene.q.clone(), vec![0.0; model.nv()]);
    let mut ws = Workspace::new(model);
    let mut laws = Laws::new(model);
    let stiffening = stiffening(scene);
    if tally.is_verbose {
        eprintln!(
            "{}, h = {h:.2e} s, gentle: {}, rebounds: {}, {} coordinates, {:?} m/s rad/s",
            scene.kind,
            scene.is_gentle,
            scene.rebounds,
            model.nv(),
            scene.speeds
        );
    }
    let bodies_are_free = matches!(scene.kind, "bodies" | "stack");
    // Newton's law of impact can gain energy, and throws do not keep loops closed.
    let knows_energy = scene.kind != "loops" && knows_springs(model) && !scene.rebounds;
    let mut start_overlap = None;
    // From a step on that is flagged or large, overlap, limits and energy may be wrong.
    let mut is_sound = scene.is_gentle && !jumps(model);
    for throw in 0..THROWS {
        throw_all(scene, rng, &mut v, if throw == 0 { 1.0 } else { 0.3 });
        for entry in &mut target {
            *entry += rng.random_range(-0.2..0.2);
        }
        *stepping.drives_mut() = drives(&target);
        let mut momentum = Momentum::of(model, &q, &v);
        let mut pushed = 0.0;
        let mut books = Bookkeeper::new(model);
        let given = model.mechanical_energy(&mut ws, &q, &v)?
            + spring_energy(model, &q)
            + drive_energy(scene, &target, &q);
        for _ in 0..STEPS {
            let before = (q.clone(), v.clone());
            let state = (&mut q[..], &mut v[..]);
            let report = books.step(&mut stepping, |()| (&[], &[]), 0.0, state, h)?;
            let outcome = report.outcome;
            let before_and_after = before.1.iter().chain(&v);
            let way = h * before_and_after.fold(0.0_f64, |most, v| most.max(v.abs()));
            tally.step(scene.kind, outcome.has_converged, way < SMALL_STEP);
            is_sound &= outcome.has_converged && way < SMALL_STEP;
            let contacts = stepping.contacts();
            let pushing = contacts.iter().filter(|it| it.normal_impulse() > 0.0);
            tally.contacts += pushing.count() as u64;
            if !q.iter().chain(&v).all(|x| x.is_finite())
                || (outcome.has_converged && !outcome.residual.is_finite())
            {
                tally.count("not finite", seed, 1.0);
                return Ok(());
            }
            if !model.is_normalised(&q, 1e-9)? {
                tally.count("not normalised", seed, 1.0);
            }
            // In motion, what was asked for is all that is promised.
            let promised = outcome.asked.max(outcome.residual);
            let allowed = (1e-8 * outcome.scale).max(1e-9).max(promised);
            if outcome.has_converged && way < LARGE_STEP {
                // The response of the first part is about that of all.
                let part = h / stepping.parts() as f64;
                let found = laws.natural_map(model, (&before.0, part), &stiffening, contacts)?;
                tally.worst_law = tally.worst_law.max(found / allowed);
                if found > LAW * allowed {
                    tally.count("law", seed, found / allowed);
                }
            }
            if bodies_are_free && !scene.rebounds && way < LARGE_STEP {
                let found = momentum.imbalance(model, (&q, &v, h), contacts);
                tally.worst_momentum = tally.worst_momentum.max(found);
                if found > MOMENTUM {
                    tally.count("momentum", seed, found);
                }
            }
            for it in contacts {
                let speed = it.velocity.dot(it.contact.normal).max(0.0);
                pushed += it.normal_impulse() * speed;
            }
            if !is_sound {
                continue;
            }
            let beyond = beyond_limits(model, &q);
            if beyond > LIMIT + 2.0 * h * allowed {
                tally.count("limit", seed, beyond);
            }
            let start = *start_overlap.get_or_insert(report.penetration);
            if report.penetration > start + OVERLAP.0 + OVERLAP.1 * way {
                tally.count("overlap", seed, report.penetration);
            }
            if knows_energy {
                let kinetic = model.kinetic_energy(&mut ws, &q, &v)?;
                let stored = model.potential_energy(&mut ws, &q)? + spring_energy(model, &q);
                let left = given + pushed - stored;
                let scale = model.total_mass() * 9.81 * 0.01;
                if kinetic > ENERGY * left.max(0.0) + scale {
                    let is_reported = books.account().gains_energy();
                    let failure = if is_reported { REPORTED_GAIN } else { "energy" };
                    tally.count(failure, seed, kinetic / (left.max(0.0) + scale));
                    is_sound = false; // once is enough
                }
            }
        }
    }
    Ok(())
}

/// Adds random velocities.
fn throw_all(scene: &Scene, rng: &mut ChaCha8Rng, v: &mut [f64], part: f64) {
    let (speed, rate) = scene.speeds;
    for joint in scene.model.joints().iter().skip(1) {
        for k in 0..joint.nv {
            let most = match joint.kind.is_translation(k) {
                true => speed,
                false => rate,
            };
            v[joint.idx_v + k] += part * most * rng.random_range(-1.0..1.0);
        }
    }
}

/// h D + h² K and the same of the drives, on the diagonal of the mass matrix.
fn stiffening(scene: &Scene) -> Vec<f64> {
    let h = scene.step;
    let mut sum: Vec<f64> = scene.gains.iter().map(|(k, d)| h * (h * k + d)).collect();
    for joint in scene.model.joints().iter().skip(1) {
        let ratio = joint.mimic.map_or(1.0, |mimic| mimic.ratio);
        for k in 0..joint.drive.damping.len() {
            let own = joint.drive.damping[k] + h * joint.drive.stiffness[k];
            sum[joint.idx_v + k] += h * ratio * ratio * own;
        }
    }
    sum
}

/// Whether bodies jump where an angle that is known modulo 2π passes π: a displacement or another
/// rate mimics it.
fn jumps(model: &Model) -> bool {
    let mut joints = model.joints().iter();
    joints.any(|joint| {
        let source = joint
            .mimic
            .map(|mimic| &model.joints()[mimic.source.index()]);
        source.is_some_and(|source| source.nq != source.nv)
    })
}

/// Whether the energy of all springs is known: those of mimic joints share a coordinate.
fn knows_springs(model: &Model) -> bool {
    let mut joints = model.joints().iter();
    joints.all(|joint| joint.mimic.is_none() || joint.drive.stiffness.iter().all(|k| *k == 0.0))
}

/// ½ F²/k of all springs.
fn spring_energy(model: &Model, q: &[f64]) -> f64 {
    let (mut rest, mut forces) = (vec![0.0; model.nq()], vec![0.0; model.nv()]);
    featherline::kernel::spring_forces(model, q, &mut rest, &mut forces);
    let mut energy = 0.0;
    for joint in model.joints().iter().skip(1) {
        for (k, stiffness) in joint.drive.stiffness.iter().enumerate() {
            if *stiffness > 0.0 && joint.mimic.is_none() {
                energy += 0.5 * forces[joint.idx_v + k].powi(2) / stiffness;
            }
        }
    }
    energy
}

/// The work that drives can do on the way to their targets.
fn drive_energy(scene: &Scene, target: &[f64], q: &[f64]) -> f64 {
    let joints = scene.model.joints().iter().skip(1);
    let driven = joints.filter(|joint| joint.nq == 1 && joint.nv == 1 && joint.mimic.is_none());
    let energies = driven.map(|joint| {
        let way = (target[joint.idx_q] - q[joint.idx_q]).abs();
        let spring = 0.5 * scene.gains[joint.idx_v].0 * way * way;
        spring.min(scene.efforts[joint.idx_v] * way)
    });
    energies.sum()
}

/// How far a displacement is beyond its limits.
fn beyond_limits(model: &Model, q: &[f64]) -> f64 {
    let mut worst: f64 = 0.0;
    for joint in model.joints().iter().skip(1) {
        if joint.nq != 1 || joint.nv != 1 || joint.mimic.is_some() {
            continue;
        }
        let x = q[joint.idx_q];
        worst = worst.max(joint.limits.lower[0] - x);
        worst = worst.max(x - joint.limits.upper[0]);
    }
    worst
}
