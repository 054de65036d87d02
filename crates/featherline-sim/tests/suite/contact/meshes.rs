//! Meshes that are not convex: balls in a bowl, and a robot on uneven ground.

use super::G;
use featherline::model::{JointId, Model};
use featherline_formats::{LoadOptions, Robot, load_with};
use featherline_sim::contact::Drives;
use featherline_sim::setup::Setup;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const STEP: f64 = 1e-3;

fn load(file: &Path) -> Robot {
    let options = LoadOptions::new().library(featherline_robots::library());
    load_with(file, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// The state after some seconds, the force of the world in N, and the deepest penetration in m.
struct End {
    q: Vec<f64>,
    v: Vec<f64>,
    force: [f64; 3],
    deepest: f64,
}

fn simulate(scene: &Robot, is_held: bool, seconds: f64) -> End {
    let mut start = Setup::default().decide(scene).unwrap();
    assert!(start.left_out.is_empty(), "{:?}", start.left_out);
    if !is_held {
        start = start.with_drives(Drives::none());
    }
    start.step = STEP;
    let simulator = start.simulator().unwrap();
    let mut simulation = simulator.start(0.0, &start.q, &start.v).unwrap();
    simulation.run(seconds, seconds, &mut ()).unwrap();
    let mut force = [0.0; 3];
    for it in simulation.contacts() {
        if it.contact.bodies[0] == JointId::UNIVERSE {
            let own = it.impulse.to_array();
            force
                .iter_mut()
                .zip(own)
                .for_each(|(sum, it)| *sum += it / STEP);
        }
    }
    let gaps = simulation.contacts().iter().map(|it| it.contact.gap);
    End {
        force,
        deepest: -gaps.fold(0.0, f64::min),
        q: simulation.configuration().to_vec(),
        v: simulation.velocity().to_vec(),
    }
}

fn weight(model: &Model) -> f64 {
    model.total_mass() * G
}

/// The wall of a bowl, half of a hollow ball with an outer and an inner radius, above z = 0.
fn bowl(inner: f64, outer: f64) -> String {
    let (rings, around) = (10_usize, 24_usize);
    let mut text = String::new();
    for radius in [inner, outer] {
        for ring in 0..=rings {
            let (sin, cos) = (0.5 * std::f64::consts::PI * ring as f64 / rings as f64).sin_cos();
            for k in 0..around {
                let (s, c) = (2.0 * std::f64::consts::PI * k as f64 / around as f64).sin_cos();
                let (x, y, z) = (radius * sin * c, radius * sin * s, outer - radius * cos);
                writeln!(text, "v {x} {y} {z}").unwrap();
            }
        }
    }
    let vertex =
        |wall: usize, ring: usize, k: usize| 1 + (wall * (rings + 1) + ring) * around + k % around;
    let mut quad = |[a, b, c, d]: [usize; 4]| writeln!(text, "f {a} {b} {c} {d}").unwrap();
    for k in 0..around {
        for ring in 0..rings {
            let corners = |wall| {
                [(ring, k), (ring, k + 1), (ring + 1, k + 1), (ring + 1, k)]
                    .map(|(ring, k)| vertex(wall, ring, k))
            };
            quad(corners(0));
            let [a, b, c, d] = corners(1);
            quad([d, c, b, a]);
        }
        quad([(0, k), (0, k + 1), (1, k + 1), (1, k)].map(|(wall, k)| vertex(wall, rings, k)));
    }
    text
}

fn written(name: &str, text: &str) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, text).unwrap();
    file
}

/// A ball let go in a bowl comes to rest there by friction among balls, or rocks; all stay within
/// the wall, and the bowl carries them.
#[test]
fn balls_that_fall_into_a_bowl_stay_in_it_and_it_carries_them() {
    written("bowl.obj", &bowl(0.3, 0.32));
    let scene = written(
        "bowl.toml",
        "[[body]]\nname = 'bowl'\nmesh = 'bowl.obj'\nfixed = true\n\
         [[body]]\nname = 'ball'\nsphere = 0.04\nposition = [-0.1, -0.1, 0.3]\n\
         repeat = [2, 2, 1]\nspacing = [0.17, 0.19, 0.1]\n",
    );
    let scene = load(&scene);
    assert!(scene.contact_model(None).unwrap().warnings.is_empty());
    let end = simulate(&scene, false, 4.0);
    // Each ball's centre is in the hollow: its distance from the middle is at most the radius of
    // the wall less its own, and the facets are flatter than the sphere.
    for ball in end.q.chunks(7) {
        let &[x, y, z, ..] = ball else { panic!() };
        let from_middle = (x * x + y * y + (z - 0.32).powi(2)).sqrt();
        assert!(from_middle < 0.26 + 1e-6 && z < 0.2, "{ball:?}");
    }
    assert!(end.deepest < 1e-6, "{}", end.deepest);
    let own = weight(&scene.model);
    assert!(
        (end.force[2] - own).abs() < 0.02 * own,
        "{:?} {own}",
        end.force
    );
}

/// The hull of the same bowl is a half ball, which has balls inside at the start.
#[test]
fn the_hull_of_a_bowl_is_full_where_the_scene_asks_for_it() {
    written("full.obj", &bowl(0.3, 0.32));
    let scene = written(
        "full.toml",
        "[[body]]\nname = 'bowl'\nmesh = 'full.obj'\nfixed = true\nconvex = true\n\
         [[body]]\nname = 'ball'\nsphere = 0.04\nposition = [0, 0, 0.37]\n",
    );
    let end = simulate(&load(&scene), false, 1.0);
    // The ball lies on the lid.
    assert!((end.q[2] - 0.36).abs() < 1e-6, "{:?}", end.q);
}

#[test]
fn a_quadruped_stands_on_uneven_ground() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/scenes");
    let scene = load(&folder.join("quadruped_on_terrain.toml"));
    let end = simulate(&scene, true, 3.0);
    let own = weight(&scene.model);
    let [x, y, z] = end.force;
    assert!(x.abs().max(y.abs()) < 1e-3 * own, "{:?}", end.force);
    assert!((z - own).abs() < 1e-3 * own, "{:?} {own}", end.force);
    let fastest = end.v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    assert!(fastest < 1e-3, "{:?}", end.v);
    assert!(end.deepest < 1e-6, "{}", end.deepest);
    // The ground is at most 0.04 m high or deep, and legs are 0.3 m long.
    assert!((0.2..0.4).contains(&end.q[2]), "{:?}", end.q);
}
