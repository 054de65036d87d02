//! Kernels give the same bits with every instruction set.
#![cfg(target_arch = "x86_64")]

mod common;

use common::{State, models};
use featherline::Workspace;
use featherline::scalar::InstructionSet;

#[test]
fn results_do_not_depend_on_the_instruction_set() {
    let mut bits = Vec::new();
    let sets = [
        InstructionSet::Avx512,
        InstructionSet::Avx2,
        InstructionSet::Baseline,
    ];
    for set in sets {
        set.limit();
        let mut results = Vec::new();
        for (model, seed) in models().iter().step_by(4) {
            let state = State::random(model, *seed);
            let mut ws = Workspace::new(model);
            let tau = model.rnea(&mut ws, &state.q, &state.v, &state.a).unwrap();
            results.extend(tau.iter().map(|x| x.to_bits()));
            let a = model.aba(&mut ws, &state.q, &state.v, &state.tau).unwrap();
            results.extend(a.iter().map(|x| x.to_bits()));
            let mut x = state.tau.clone();
            model
                .ltdl(&mut ws, &state.q)
                .and_then(|factor| factor.solve(&mut x))
                .unwrap();
            results.extend(x.iter().map(|x| x.to_bits()));
            let inverse = model.mass_matrix_inverse(&mut ws, &state.q).unwrap();
            results.extend(inverse.iter().map(|x| x.to_bits()));
        }
        bits.push(results);
    }
    InstructionSet::Avx512.limit();
    assert!(bits[0].len() > 100);
    assert!(bits[0] == bits[1] && bits[0] == bits[2]);
}
