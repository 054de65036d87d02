//! Robots with loops, in states in which the loops are closed.

use featherline::Model;
use featherline::samples::{self, RandomTree, random_loops};
use featherline_constraint::LoopWorkspace;
use featherline_constraint::{assemble, project_velocity};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A state of a robot whose loops are closed and stay so.
pub struct Closed {
    pub model: Model,
    pub ws: LoopWorkspace,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub tau: Vec<f64>,
}

/// All linkages among the samples.
pub fn linkages() -> Vec<Model> {
    vec![
        samples::four_bar(),
        samples::parallelogram(),
        samples::six_bar(),
        samples::bennett(),
        samples::stewart(),
        samples::delta(),
    ]
}

/// Where a sample's loops are closed by construction.
pub fn drawn(model: &Model) -> Vec<f64> {
    match model.reference_configurations().get("closed") {
        Some(q) => q.clone(),
        None => model.neutral_configuration(),
    }
}

/// A linkage some way from where it was drawn, in motion.
pub fn moved(model: Model, seed: u64) -> Closed {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut tangent = |size: f64| -> Vec<f64> {
        (0..model.nv())
            .map(|_| size * rng.random_range(-1.0..1.0))
            .collect()
    };
    let (step, mut v, tau) = (tangent(0.15), tangent(1.0), tangent(1.0));
    let mut ws = LoopWorkspace::new(&model).unwrap();
    let mut q = model.integrate(&drawn(&model), &step).unwrap();
    assemble(&model, &mut ws, &mut q).unwrap();
    project_velocity(&model, &mut ws, &q, &mut v).unwrap();
    Closed {
        model,
        ws,
        q,
        v,
        tau,
    }
}

/// Every linkage, and random trees in which joints of every kind close loops.
pub fn closed() -> Vec<Closed> {
    let mut all: Vec<Closed> = linkages()
        .into_iter()
        .zip(1..)
        .map(|(m, s)| moved(m, s))
        .collect();
    for seed in 0..40 {
        let shape = RandomTree {
            joints: 6 + (seed as usize * 5) % 9,
            branching: (seed % 5) as f64 / 4.0,
            every_kind: seed % 4 != 0,
            mimic_joints: false,
            floating: seed % 3 == 0,
        };
        all.push(random(seed, &shape, 1 + seed as usize % 3));
    }
    all
}

/// A random robot where its loops are closed, in motion if it can move.
pub fn random(seed: u64, shape: &RandomTree, loops: usize) -> Closed {
    let model = random_loops(seed, shape, loops);
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x100b);
    let mut tangent = || -> Vec<f64> {
        (0..model.nv())
            .map(|_| rng.random_range(-1.0..1.0))
            .collect()
    };
    let (mut v, tau) = (tangent(), tangent());
    let q = drawn(&model);
    let mut ws = LoopWorkspace::new(&model).unwrap();
    project_velocity(&model, &mut ws, &q, &mut v).unwrap();
    Closed {
        model,
        ws,
        q,
        v,
        tau,
    }
}
