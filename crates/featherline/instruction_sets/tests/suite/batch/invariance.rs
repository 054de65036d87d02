//! A result does not depend on what stands beside a state, nor on who computes it: not in one bit.

use super::every::{Results, Rows, robots, row, states, together};
use featherline::batch::{Batch, BatchStatus};
use featherline::scalar::InstructionSet;

fn bits(results: &Results<f64>) -> Vec<u64> {
    results
        .iter()
        .flat_map(|(_, values)| values)
        .map(|x| x.to_bits())
        .collect()
}

#[test]
fn threads_and_lanes_do_not_matter() {
    for (model, _) in robots().into_iter().step_by(6) {
        let rows = Rows::<f64>::of(&states(&model, 75));
        let mut all = Vec::new();
        // Those with fused operations, whose results have the same bits: other tests run meanwhile.
        for set in [InstructionSet::Avx512, InstructionSet::Avx2] {
            set.limit();
            for threads in [1, 2, 5] {
                let mut batch = Batch::new(&model, threads).unwrap();
                assert_eq!(batch.threads(), threads);
                all.push(bits(&together(&mut batch, &rows).0));
            }
        }
        InstructionSet::Avx512.limit();
        for by_set in all.chunks(3) {
            assert!(by_set[0] == by_set[1] && by_set[0] == by_set[2]);
        }
        assert!(all[0] == all[3], "eight lanes give what four give");
    }
}

#[test]
fn the_place_in_the_batch_does_not_matter() {
    for (model, _) in robots().into_iter().step_by(4) {
        let there = states(&model, 21);
        let mut back = states(&model, 21);
        back.reverse();
        let mut batch = Batch::new(&model, 2).unwrap();
        let (first, _) = together(&mut batch, &Rows::<f64>::of(&there));
        let (second, _) = together(&mut batch, &Rows::of(&back));
        for ((name, a), (_, b)) in first.iter().zip(&second) {
            for k in 0..21 {
                let same = row(a, 21, k)
                    .iter()
                    .zip(row(b, 21, 20 - k))
                    .all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(same, "{name}, state {k}");
            }
        }
    }
}

#[test]
fn a_batch_may_be_empty() {
    let model = featherline::samples::double_pendulum();
    let mut batch = Batch::<f64>::new(&model, 2).unwrap();
    let mut status: [BatchStatus; 0] = [];
    assert_eq!(batch.rnea(&[], &[], &[], &mut [], &mut status), Ok(0));
}
