//! Simplifications that a graph makes as it is built.

use featherline::scalar::Scalar;
use featherline_compile::{Graph, Trace};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[test]
fn the_same_is_said_once() {
    let mut g = Graph::new();
    let (x, y) = (g.input(), g.input());
    assert_eq!(g.add(x, y), g.add(y, x));
    assert_eq!(g.mul(x, -y), -g.mul(y, x));
    assert_eq!(g.sub(x, y), -g.sub(y, x));
    assert_eq!(g.add(-x, -y), -g.add(x, y));
    assert_eq!(g.div(-x, -y), g.div(x, y));
    assert_eq!(g.sin_cos(-x), (-g.sin_cos(x).0, g.sin_cos(x).1));
    assert_eq!(g.max(-x, -y), -g.min(x, y));
    assert_eq!(g.abs(-x), g.abs(x));
    assert_eq!(-(-x), x);
    // x, y, and seven operations.
    assert_eq!(g.len(), 2 + 8);
}

#[test]
fn neutral_operations_vanish() {
    let mut g = Graph::new();
    let x = g.input();
    let [zero, one, two] = [0.0, 1.0, 2.0].map(|c| g.constant(c));
    assert_eq!(g.add(x, zero), x);
    assert_eq!(g.sub(zero, x), -x);
    assert_eq!(g.mul(x, -one), -x);
    assert_eq!(g.mul(zero, x), zero);
    assert_eq!(g.div(x, one), x);
    assert_eq!(g.div(zero, x), zero);
    assert_eq!(g.sub(x, x), zero);
    let double = g.mul(two, x);
    let quadruple = g.mul(two, double);
    let half = g.div(quadruple, two);
    assert_eq!(half, double);
    let whole = g.div(half, two);
    assert_eq!(whole, x);
}

#[test]
fn constants_are_kept_to_the_last_bit() {
    let mut g = Graph::new();
    for bits in [
        0.1_f64,
        f64::MIN_POSITIVE / 3.0,
        f64::MAX,
        f64::INFINITY,
        -1e-308,
        0.1_f64.next_up(),
    ] {
        let c = g.constant(bits);
        assert_eq!(g.constant_value(c).map(f64::to_bits), Some(bits.to_bits()));
    }
    assert_ne!(g.constant(0.1), g.constant(0.1_f64.next_up()));
    let nan = g.constant(f64::NAN);
    assert!(g.constant_value(nan).is_some_and(f64::is_nan));
}

#[test]
fn selections_are_recognised() {
    let mut g = Graph::new();
    let (x, y) = (g.input(), g.input());
    let zero = g.constant(0.0);
    assert_eq!(g.select_less(x, y, x, y), g.min(x, y));
    assert_eq!(g.select_less(x, y, y, x), g.max(y, x));
    assert_eq!(g.select_less(x, zero, -x, x), g.abs(x));
    assert_eq!(g.select_less(zero, x, x, -x), g.abs(x));
    assert_eq!(g.select_less(x, y, x, x), x);
    assert_eq!(g.select_less(zero, zero, x, y), y);
    assert_eq!(
        g.select_less(-x, -y, -x, zero),
        -g.select_less(y, x, x, zero)
    );
}

/// A random expression of every operation, whose intermediate numbers stay moderate.
pub fn expression<S: Scalar>(x: &[S], rng: &mut ChaCha8Rng) -> Vec<S> {
    let mut known = x.to_vec();
    known.extend([0.0, 1.0, -1.0, 0.5, -3.0].map(S::constant));
    for _ in 0..60 {
        let mut any = || known[rng.random_range(0..known.len())];
        let (a, b, c, d) = (any(), any(), any(), any());
        let bounded = |s: S| s / (S::one() + s.abs());
        let new = match rng.random_range(0..13) {
            0 => a + b,
            1 => a - b,
            2 => bounded(a * b),
            3 => a / (S::constant(1.5) + b.abs()),
            4 => -a,
            5 => a.sin_cos().0,
            6 => a.sin_cos().1,
            7 => a.abs().sqrt(),
            8 => a.atan2(S::constant(1.5) + b.abs()),
            9 => S::select(a.less(b), c, d),
            10 => S::select(a.less(b), -a, a),
            11 => S::select(a.less(b), a, b),
            _ => bounded(a.mul_add(b, c)),
        };
        known.push(new);
    }
    known
}

#[test]
fn random_expressions_keep_their_values() {
    for seed in 0..64 {
        let mut numbers = ChaCha8Rng::seed_from_u64(1000 + seed);
        let x: Vec<f64> = (0..4).map(|_| numbers.random_range(-2.0..2.0)).collect();
        let graph = Graph::record(4, |x: &[Trace]| {
            expression(x, &mut ChaCha8Rng::seed_from_u64(seed))
        });
        let found = graph.evaluate(&x).expect("four inputs");
        let expected = expression(&x, &mut ChaCha8Rng::seed_from_u64(seed));
        for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
            // Some ten roundings deep, where only merged constants and quotients by constants round
            // otherwise.
            let tolerance = 1e-12 * expected.abs().max(1.0);
            assert!(
                (found - expected).abs() <= tolerance,
                "{seed}, {i}: {found} {expected}"
            );
        }
    }
}
