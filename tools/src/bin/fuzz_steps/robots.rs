//! Scenes with an embedded robot, at which bodies are thrown.

use crate::Outcome;
use crate::scene::Parts;
use featherline_constraint::nonsmooth::clamp_to_limits;
use featherline_formats::{LoadOptions, load_str_with};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::fmt::Write as _;

const ROBOTS: [&str; 6] = [
    "quadruped",
    "humanoid",
    "panda",
    "ur5",
    "hand",
    "double_pendulum",
];

/// A robot near its start, and up to three bodies beside it.
pub fn scene(rng: &mut ChaCha8Rng) -> Outcome<Parts> {
    let name = ROBOTS[rng.random_range(0..ROBOTS.len())];
    let mut text = format!("[[robot]]\nfile = '{name}'\nname = 'robot'\nposition = [0, 0, 1]\n");
    if rng.random::<f64>() < 0.3 {
        text.push_str("base = 'floating'\n");
    }
    for k in 0..rng.random_range(0..4) {
        let shape = match rng.random_range(0..4) {
            0 => "sphere = 0.1",
            1 => "capsule = [0.05, 0.2]",
            2 => "cylinder = [0.08, 0.1]",
            _ => "box = [0.2, 0.1, 0.15]",
        };
        let density = rng.random_range(1.0_f64..8.0).exp();
        let mut number = || rng.random_range(-0.6..0.6);
        let (x, y, z) = (number(), number(), 1.0 + number());
        writeln!(
            text,
            "[[body]]\nname = 'body_{k}'\n{shape}\ndensity = {density:?}\nposition = [{x:?}, {y:?}, {z:?}]"
        )?;
    }
    let options = LoadOptions::new().library(featherline_robots::library());
    let scene = load_str_with(&text, &options)?;
    let contact = scene.contact_model(None)?;
    let model = scene.model;
    let start = model.reference_configurations().get("start");
    let mut q = start.ok_or("a scene has a start state")?.clone();
    clamp_to_limits(&model, &mut q);
    let anywhere = model.random_configuration(rng);
    let far = model.interpolate(&q, &anywhere, rng.random_range(0.0..0.5))?;
    for joint in model.joints().iter().skip(1).filter(|it| it.nv == 1) {
        let own = joint.idx_q..joint.idx_q + joint.nq;
        q[own.clone()].copy_from_slice(&far[own]);
    }
    clamp_to_limits(&model, &mut q);
    Ok(Parts {
        kind: "robot",
        shapes: contact.collision.shapes().to_vec(),
        pairs: Some(contact.collision.pairs().to_vec()),
        model,
        q,
    })
}
