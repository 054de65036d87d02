//! Kernels give the same bits with every instruction set that has fused operations, and the same
//! numbers without.
#![cfg(target_arch = "x86_64")]

use crate::common::{State, close, models};
use featherline::batch::{Batch, BatchStatus};
use featherline::scalar::InstructionSet;
use featherline::{Model, Workspace};

/// Results by name.
type Results = Vec<(&'static str, Vec<f64>)>;

fn results(model: &Model, state: &State) -> Results {
    let State { q, v, a, tau } = state;
    let ws = &mut Workspace::new(model);
    let mut results = Results::new();
    let mut keep = |name, values: &[f64]| results.push((name, values.to_vec()));
    keep("rnea", model.rnea(ws, q, v, a).unwrap());
    keep("bias", model.bias(ws, q, v).unwrap());
    keep("gravity", model.gravity_torque(ws, q).unwrap());
    keep("crba", model.crba(ws, q).unwrap().as_slice());
    keep("map", model.centroidal_map(ws, q).unwrap().as_slice());
    keep(
        "coriolis",
        model.coriolis_matrix(ws, q, v).unwrap().as_slice(),
    );
    keep("energy", &[model.kinetic_energy(ws, q, v).unwrap()]);
    let acceleration = model.aba(ws, q, v, tau).unwrap();
    keep("aba", acceleration);
    let mut x = tau.clone();
    let solved = model.ltdl(ws, q).and_then(|factor| factor.solve(&mut x));
    solved.unwrap();
    keep("solution", &x);
    let inverse = model.mass_matrix_inverse(ws, q).unwrap();
    keep("inverse", inverse.as_slice());
    results
}

/// Inverse dynamics of the same state several times, shared out among threads.
fn batch(model: &Model, state: &State, threads: usize) -> Vec<f64> {
    const STATES: usize = 7;
    let rows = |row: &[f64]| row.repeat(STATES);
    let (q, v, a) = (rows(&state.q), rows(&state.v), rows(&state.a));
    let (mut tau, mut status) = (v.clone(), [BatchStatus::default(); STATES]);
    let mut batch = Batch::new(model, threads).unwrap();
    let failed = batch.rnea(&q, &v, &a, &mut tau, &mut status);
    assert_eq!(failed, Ok(0));
    tau
}

fn bits(results: &Results) -> Vec<u64> {
    let values = results.iter().flat_map(|(_, values)| values);
    values.map(|x| x.to_bits()).collect()
}

#[test]
fn results_do_not_depend_on_the_instruction_set() {
    assert_ne!(
        option_env!("FEATHERLINE_DEBUG_SET"),
        Some("avx2"),
        "one set alone is compiled: cargo xtask ci --only instruction-sets compiles all"
    );
    for (model, seed) in models().iter().step_by(4) {
        let state = State::random(model, *seed);
        let [wide, narrow, unfused] = [
            InstructionSet::Avx512,
            InstructionSet::Avx2,
            InstructionSet::Baseline,
        ]
        .map(|set| {
            set.limit();
            let results = results(model, &state);
            let (_, tau) = &results[0];
            for threads in [1, 3] {
                for row in batch(model, &state, threads).chunks(model.nv().max(1)) {
                    close("rnea of a batch", row, tau, 1e-13);
                }
            }
            results
        });
        InstructionSet::Avx512.limit();
        // On a processor without fused operations all three are the last.
        assert!(bits(&wide) == bits(&narrow));
        for ((name, found), (_, expected)) in unfused.iter().zip(&wide) {
            // A few hundred roundings; what divides by inertias loses three more digits on the
            // worst of these robots.
            let tolerance = match *name {
                "aba" | "solution" | "inverse" => 1e-10,
                _ => 1e-13,
            };
            close(name, found, expected, tolerance);
        }
    }
}
