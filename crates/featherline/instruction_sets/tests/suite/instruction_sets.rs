//! Kernels give the same bits with every instruction set that has fused operations, and the same
//! numbers without.
#![cfg(target_arch = "x86_64")]

use crate::catalogue::{inputs_of, of_last};
use crate::common::{State, close, models};
use featherline::batch::{Batch, BatchStatus};
use featherline::quantity::{CATALOGUE, ListedQuantity};
use featherline::scalar::InstructionSet;
use featherline::{Model, Workspace};

/// Results by name.
type Results = Vec<(&'static str, Vec<f64>)>;

/// All quantities of the catalogue that a robot has.
fn results(model: &Model, seed: u64) -> Results {
    let ws = &mut Workspace::new(model);
    let run = |listed: &ListedQuantity| -> Option<_> {
        let entry = &listed.entry;
        let inputs = inputs_of(entry, model, seed);
        let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
        let outputs = entry.outputs.iter();
        let mut found: Vec<Vec<f64>> = outputs.map(|it| vec![0.0; it.len(model)]).collect();
        let mut places: Vec<&mut [f64]> = found.iter_mut().map(|it| &mut it[..]).collect();
        let done = of_last(listed, model).run(model, ws, &inputs, &mut places);
        done.is_ok().then(|| (entry.name, found.concat()))
    };
    CATALOGUE.iter().filter_map(run).collect()
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
            let results = results(model, *seed);
            let ws = &mut Workspace::new(model);
            let State { q, v, a, .. } = &state;
            let tau = model.rnea(ws, q, v, a).unwrap().to_vec();
            for threads in [1, 3] {
                for row in batch(model, &state, threads).chunks(model.nv().max(1)) {
                    close("rnea of a batch", row, &tau, 1e-13);
                }
            }
            results
        });
        InstructionSet::Avx512.limit();
        // On a processor without fused operations all three are the last.
        assert!(bits(&wide) == bits(&narrow));
        assert_eq!(unfused.len(), wide.len());
        for ((name, found), (_, expected)) in unfused.iter().zip(&wide) {
            // A few hundred roundings; what divides by inertias loses three more digits on the
            // worst of these robots, and derivatives of that two more.
            let divides = ["aba", "forward", "mass_matrix_", "ltdl", "articulated"];
            let tolerance = match divides.iter().any(|start| name.starts_with(start)) {
                true if name.ends_with("derivatives") => 1e-8,
                true => 1e-10,
                false => 1e-13,
            };
            close(name, found, expected, tolerance);
        }
    }
}
