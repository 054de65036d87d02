//! The motions of a joint from the places of its frames are those of its configuration.

use super::kinds::{all_kinds, parts, rng, uniform};
use featherline::spatial::Motion;

/// Sines and cosines of angles that were found from these again: some ten roundings, and divisions
/// by a cosine of no less than a third.
const TOLERANCE: f64 = 1e-13;

fn largest(motion: Motion<f64>) -> f64 {
    motion
        .to_array()
        .into_iter()
        .fold(0.0, |m, x| f64::max(m, x.abs()))
}

#[test]
fn frames_tell_the_motions_of_every_joint_that_is_not_a_list_of_others() {
    let mut random = rng(11);
    let mut refused = 0;
    for kind in all_kinds() {
        if !kind.has_motions_between() {
            assert!(parts(&kind).len() > 1, "{}", kind.name());
            refused += 1;
            continue;
        }
        for _ in 0..20 {
            let n = kind.nv();
            let mut q = vec![0.0; kind.nq()];
            let mut neutral = q.clone();
            kind.neutral(&mut neutral);
            // Middle angles within a quarter of a turn.
            kind.integrate(&neutral, &uniform(&mut random, n, 1.2), &mut q);
            let v = uniform(&mut random, n, 2.0);
            let mut expected = vec![Motion::zero(); n];
            let placement = kind.evaluate(&q, &mut expected);
            let mut rates = vec![Motion::zero(); n];
            kind.subspace_rates(&q, &v, &mut rates);
            let sum = |columns: &[Motion<f64>]| {
                let terms = columns.iter().zip(&v);
                terms.fold(Motion::zero(), |sum, (column, &v)| column.mul_add(v, &sum))
            };
            let mut found = vec![Motion::zero(); n];
            let bias = kind.motions_between(&placement, &sum(&expected), &mut found);
            for (found, expected) in found.iter().zip(&expected) {
                assert!(
                    largest(*found - *expected) < TOLERANCE,
                    "{} at {q:?}",
                    kind.name()
                );
            }
            let missed = largest(bias - sum(&rates));
            assert!(
                missed < 10.0 * TOLERANCE,
                "{} at {q:?}: {missed:e}",
                kind.name()
            );
        }
    }
    assert!(refused > 1);
}
