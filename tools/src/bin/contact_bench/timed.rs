//! A scene that is read from MJCF, timed and measured at rest.

use crate::Outcome;
use featherline::Workspace;
use featherline::joint::JointKind;
use featherline::model::{JointId, Model};
use featherline::spatial::{Se3, Vec3};
use featherline_formats::LoadOptions;
use featherline_formats::description::{Setting, Transmission};
use featherline_sim::contact::{ContactImpulse, Drives};
use featherline_sim::setup::Setup;
use serde_json::json;
use std::time::Instant;

/// The step, in s.
const STEP: f64 = 1e-3;
const RUNS: usize = 5;

/// Simulates a file and prints the times of a step in µs, and what the bodies do at rest.
pub fn run(file: &str, settle: usize, steps: usize) -> Outcome<()> {
    let scene = featherline_formats::load_with(file, &LoadOptions::mujoco())?;
    let model = &scene.model;
    let start = Setup {
        configuration: Some("start".into()),
        ..Setup::default()
    }
    .decide(&scene)?;
    let (mut q, mut v) = (start.q.clone(), vec![0.0; model.nv()]);

    let mut gains = vec![(0.0, 0.0); model.nv()];
    let mut efforts = vec![f64::INFINITY; model.nv()];
    let mut target = q.clone();
    for actuator in &scene.description.actuators {
        let Transmission::Joint(joint) = actuator.transmission else {
            return Err("an actuator that drives no joint".into());
        };
        let joint = model.joint(model.joint_id(&scene.description.joints[joint].name)?);
        let settings = &actuator.settings;
        let of = |name: &str| number(settings, name);
        gains[joint.idx_v] = (of("kp")?, of("kv")?);
        target[joint.idx_q] = of("user")?;
        if let Some([_, effort]) = actuator.force_range {
            efforts[joint.idx_v] = effort;
        }
    }
    let drives = Drives::with_gains(model, &target, |k| gains[k])
        .with_effort(|k| efforts[k])
        .only(|k| gains[k].0 > 0.0);
    let driven = drives.len();
    let mut stepping = start.with_drives(drives).time_stepping()?;

    let free = free_trees(model);
    let weight: f64 = (model.joints().iter().zip(&free))
        .filter(|(_, is_free)| **is_free)
        .map(|(joint, _)| joint.inertia.mass * model.gravity().norm())
        .sum();
    let begin = placements(model, &q)?;
    let first = stepping.step(0.0, &mut q, &mut v, STEP)?;
    let count =
        |contacts: &[ContactImpulse]| contacts.iter().filter(|it| it.contact.gap < 1e-4).count();
    let first_contacts = count(stepping.contacts());
    for _ in 1..settle {
        stepping.step(0.0, &mut q, &mut v, STEP)?;
    }
    let before = placements(model, &q)?;
    let mut times = Vec::with_capacity(RUNS);
    let (mut factorisations, mut residual, mut inexact) = (0, 0.0_f64, 0);
    let mut penetration: f64 = 0.0;
    for _ in 0..RUNS {
        let clock = Instant::now();
        for _ in 0..steps {
            let report = stepping.step(0.0, &mut q, &mut v, STEP)?;
            factorisations += report.outcome.factorisations;
            residual = residual.max(report.outcome.residual);
            inexact += usize::from(!report.outcome.has_converged);
            penetration = penetration.max(report.penetration);
        }
        times.push(clock.elapsed().as_secs_f64() * 1e6 / steps as f64);
    }
    let after = placements(model, &q)?;
    let duration = (RUNS * steps) as f64 * STEP;
    let is_free = |id: JointId| free[id.index()];
    let mut force = Vec3::zero();
    for it in stepping.contacts() {
        match it.contact.bodies.map(is_free) {
            [false, true] => force += it.impulse * STEP.recip(),
            [true, false] => force -= it.impulse * STEP.recip(),
            _ => {}
        }
    }
    let line = json!({
        "step_us": times,
        "mass": model.joints().iter().map(|it| it.inertia.mass).sum::<f64>(),
        "freedoms": model.nv(),
        "drives": driven,
        "first_contacts": first_contacts,
        "contacts": count(stepping.contacts()),
        "positions": begin.iter().map(|it| it.to_array()).collect::<Vec<_>>(),
        "joints": model.joints().iter().map(|it| it.name.clone()).collect::<Vec<_>>(),
        "penetration": penetration,
        "first_penetration": first.penetration,
        "settled": greatest(&begin, &before),
        "creep": greatest(&before, &after) / duration,
        "force": force.to_array(),
        "weight": weight,
        "factorisations": factorisations as f64 / (RUNS * steps) as f64,
        "residual": residual,
        "inexact": inexact,
    });
    println!("{line}");
    Ok(())
}

fn number(settings: &[Setting], name: &str) -> Outcome<f64> {
    let found = settings.iter().find(|it| it.name == name);
    let found = found.ok_or_else(|| format!("an actuator without `{name}`"))?;
    Ok(found.value.trim().parse()?)
}

/// For each joint, whether it hangs on one that moves freely.
fn free_trees(model: &Model) -> Vec<bool> {
    let mut free = vec![false; model.joints().len()];
    for id in model.joint_ids() {
        let joint = model.joint(id);
        free[id.index()] = match joint.parent == JointId::UNIVERSE {
            true => joint.kind == JointKind::FreeFlyer,
            false => free[joint.parent.index()],
        };
    }
    free
}

/// Where the joints' frames are.
fn placements(model: &Model, q: &[f64]) -> Outcome<Vec<Vec3<f64>>> {
    let mut joints = vec![Se3::identity(); model.joints().len()];
    let mut ws = Workspace::<f64>::recursive(model);
    model
        .forward_kinematics(&mut ws, q)?
        .joint_placements_into(&mut joints)?;
    Ok(joints.iter().map(|it| it.translation).collect())
}

/// The greatest distance in m between points and where they were.
fn greatest(before: &[Vec3<f64>], after: &[Vec3<f64>]) -> f64 {
    let pairs = before.iter().zip(after);
    pairs.fold(0.0, |most, (a, b)| most.max((*b - *a).norm()))
}
