//! The chain that peers are given is the sample that scaling is measured on.

use featherline::{Error, Model, Workspace, samples};
use featherline_bench_protocol::chain;
use featherline_formats::load_str;

#[test]
fn the_chain_is_the_sample() -> Result<(), Box<dyn std::error::Error>> {
    let read = load_str(&chain::urdf(5))?.model;
    let (q, v) = ([0.3, -0.2, 0.5, 0.7, -1.0], [1.0, -0.5, 0.3, 0.2, 0.9]);
    let bias = |model: &Model| -> Result<Vec<f64>, Error> {
        let mut ws = Workspace::new(model);
        model.bias(&mut ws, &q, &v).map(<[f64]>::to_vec)
    };
    let (ours, theirs) = (bias(&read)?, bias(&samples::snake(5))?);
    assert_eq!(ours.len(), 5);
    for (a, b) in ours.iter().zip(&theirs) {
        // Both do the same sums; only decimal fractions are read once more.
        assert!((a - b).abs() < 1e-14, "{ours:?} {theirs:?}");
    }
    Ok(())
}
