//! The scene files in `examples/scenes`: each is read, and does what it says.

use super::G;
use featherline::model::JointId;
use featherline_formats::{LoadOptions, Robot, load_with};
use featherline_sim::contact::Drives;
use featherline_sim::setup::Setup;
use featherline_sim::simulation::Simulation;
use std::path::PathBuf;

const STEP: f64 = 1e-3;

fn scene(name: &str) -> Robot {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let file = folder.join("../../examples/scenes").join(name);
    let options = LoadOptions::new().library(featherline_robots::library());
    load_with(file, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// Simulates a scene from its start, and gives what is left at the end to a check.
fn simulate(scene: &Robot, is_held: bool, seconds: f64, check: impl FnOnce(&Simulation<'_>)) {
    let mut start = Setup::default().decide(scene).unwrap();
    if !is_held {
        start = start.with_drives(Drives::none());
    }
    start.step = STEP;
    let simulator = start.simulator().unwrap();
    let mut simulation = simulator.start(0.0, &start.q, &start.v).unwrap();
    simulation.run(seconds, seconds, &mut ()).unwrap();
    // Drives at their limit make some impacts hard: those are found to 1e-5 m/s.
    assert!(is_held || simulation.warnings().is_empty());
    check(&simulation);
}

#[test]
fn a_quadruped_that_is_let_go_stands_on_blocks() {
    let scene = scene("quadruped_on_blocks.toml");
    let base = scene.model.joint_id("go/root_joint").unwrap();
    let height = scene.model.joint(base).idx_q + 2;
    simulate(&scene, true, 1.0, |simulation| {
        let touching = simulation.contacts().iter();
        let up = touching.map(|it| it.impulse.z);
        let up = up.filter(|up| *up > 0.0);
        let up: Vec<f64> = up.collect();
        assert!(up.len() >= 3, "{} feet on blocks", up.len());
        let weight = scene.model.total_mass() * G;
        let carried = up.iter().sum::<f64>() / STEP;
        // It still rocks a little.
        assert!((carried - weight).abs() < 0.01 * weight, "{carried}");
        // It falls by less than its legs are long.
        let height = simulation.configuration()[height];
        assert!((0.2..0.42).contains(&height), "{height}");
    });
}

#[test]
fn a_gripper_holds_its_cube() {
    let scene = scene("gripper_with_cube.toml");
    let cube = scene
        .model
        .joint(scene.model.joint_id("cube").unwrap())
        .idx_q;
    let id = scene.model.joint_id("cube").unwrap();
    simulate(&scene, false, 0.2, |simulation| {
        let height = simulation.configuration()[cube + 2];
        assert!((height - 0.3).abs() < 1e-9, "{height}");
        // The fingers carry the weight of 50 g.
        let sign = |bodies: [JointId; 2]| if bodies[1] == id { 1.0 } else { -1.0 };
        let contacts = simulation.contacts().iter();
        let up: f64 = contacts
            .map(|it| sign(it.contact.bodies) * it.impulse.z)
            .sum();
        assert!((up / STEP - 0.05 * G).abs() < 1e-6, "{}", up / STEP);
    });
}

#[test]
fn the_lightest_box_carries_a_thousand_times_its_weight() {
    let scene = scene("mass_ratio_1000.toml");
    let start = scene.model.reference_configurations()["start"].clone();
    simulate(&scene, false, 0.2, |simulation| {
        let moved = simulation.configuration().iter().zip(&start);
        let moved = moved.fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
        assert!(moved < 1e-9, "{moved}");
        let ground = simulation.contacts().iter();
        let ground = ground.filter(|it| it.contact.bodies[0] == JointId::UNIVERSE);
        let up: f64 = ground.map(|it| it.impulse.z).sum();
        let weight = 1111.0 * G;
        assert!((up / STEP - weight).abs() < 1e-6 * weight, "{}", up / STEP);
    });
}

#[test]
fn the_last_ball_of_a_cradle_takes_the_speed_of_the_first() {
    let scene = scene("cradle.toml");
    // A pendulum of 0.5 m is at the bottom after 0.36 s: soon after, the first four rest.
    simulate(&scene, false, 0.45, |simulation| {
        // v² (m l² + I) / 2 = m g l (1 − cos θ)
        let (mass, length, inertia) = (4.1, 0.5, 0.0041);
        let fall: f64 = mass * G * length * (1.0 - 0.5_f64.cos());
        let fastest = (2.0 * fall / (mass * length * length + inertia)).sqrt();
        // On its way up, 90 ms after the bottom, it has cos(ω t) of that.
        let last = -simulation.velocity()[4];
        assert!((0.85..1.0).contains(&(last / fastest)), "{last} {fastest}");
        for rest in &simulation.velocity()[..4] {
            assert!(rest.abs() < 0.02 * fastest, "{rest}");
        }
    });
}
