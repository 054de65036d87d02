//! Simplified graphs: the same function for less.

use crate::common::{assert_close, inputs, kernel, models, of, quantities, tolerance};
use crate::folding::expression;
use crate::soak::cases;
use featherline::scalar::Scalar;
use featherline_compile::{Graph, Interpreter, Options, Program, Trace};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Additions and multiplications after simplification.
fn simplified(inputs: usize, work: impl FnOnce(&[Trace]) -> Vec<Trace>) -> (u64, u64) {
    let graph = Graph::record(inputs, work);
    let simplified = graph.simplified();
    let x: Vec<f64> = (0..inputs).map(|i| 0.7 + 0.4 * i as f64).collect();
    let (found, expected) = (simplified.evaluate(&x), graph.evaluate(&x));
    // A handful of operations on numbers of size one.
    assert_close(
        &found.expect("sizes agree"),
        &expected.expect("sizes agree"),
        1e-14,
        "value",
    );
    let count = simplified.count();
    (count.additions, count.multiplications)
}

#[test]
fn constants_that_are_no_numbers_are_left_alone() {
    for constant in [f64::NAN, f64::INFINITY] {
        let graph = Graph::record(3, |x| {
            let c = Trace::constant(constant);
            vec![c * x[0] + c * x[1] + x[2], c * x[0] - c * x[2]]
        });
        let simplified = graph.simplified();
        assert_eq!(simplified.count(), graph.count());
        let outputs = simplified.evaluate(&[1.0, 2.0, 3.0]).expect("three inputs");
        assert!(outputs.iter().all(|output| !output.is_finite()));
    }
}

#[test]
fn common_factors_are_taken_out() {
    let c = Trace::constant;
    assert_eq!(simplified(3, |x| vec![x[0] * x[1] + x[0] * x[2]]), (1, 1));
    assert_eq!(simplified(3, |x| vec![x[0] * x[1] - x[2] * x[0]]), (1, 1));
    assert_eq!(
        simplified(2, |x| vec![c(3.0) * x[0] + c(3.0) * x[1]]),
        (1, 1)
    );
    assert_eq!(
        simplified(3, |x| vec![x[0] * x[0] * x[1] + x[0] * x[2] + x[0]]),
        (2, 2)
    );
    assert_eq!(simplified(4, |x| vec![x[0] * x[1] + x[2] * x[3]]), (1, 2));
}

#[test]
fn like_terms_are_collected() {
    let c = Trace::constant;
    assert_eq!(
        simplified(1, |x| vec![c(2.0) * x[0] + c(0.5) * x[0]]),
        (0, 1)
    );
    assert_eq!(simplified(2, |x| vec![(x[0] + x[1]) - x[0]]), (0, 0));
    assert_eq!(
        simplified(2, |x| vec![x[0] * x[1] * c(2.0) - c(2.0) * x[1] * x[0]]),
        (0, 0)
    );
    assert_eq!(
        simplified(2, |x| vec![(x[0] + c(1.0)) + (x[1] + c(2.0))]),
        (2, 0)
    );
}

#[test]
fn squares_of_sine_and_cosine_add_up() {
    let squares = |x: &[Trace], a: f64, b: f64| {
        let (sin, cos) = x[0].sin_cos();
        Trace::constant(a) * sin * sin * x[1] + Trace::constant(b) * (cos * cos) * x[1]
    };
    assert_eq!(simplified(2, |x| vec![squares(x, 1.0, 1.0)]), (0, 0));
    assert_eq!(simplified(2, |x| vec![squares(x, 2.0, 2.0)]), (0, 1));
    // x₁ (2 + 3 cos²)
    assert_eq!(simplified(2, |x| vec![squares(x, 2.0, 5.0)]), (1, 3));
}

#[test]
fn parts_of_sums_are_shared() {
    assert_eq!(
        simplified(4, |x| vec![x[0] + x[1] + x[2], x[0] + x[3] + x[1]]),
        (3, 0)
    );
    // With the opposite sign, too; and where one sum is the part.
    assert_eq!(
        simplified(3, |x| vec![x[0] - x[1], x[2] + x[1] - x[0]]),
        (2, 0)
    );
    let sums = |x: &[Trace]| {
        (2..6)
            .map(|k| x[0] + x[k] + Trace::constant(2.0) * x[1])
            .collect::<Vec<_>>()
    };
    assert_eq!(simplified(6, sums), (5, 1));
}

#[test]
fn parts_of_products_are_shared() {
    assert_eq!(
        simplified(4, |x| vec![x[0] * x[2] * x[1], x[3] * x[0] * x[1]]),
        (0, 3)
    );
    let scaled = |x: &[Trace]| {
        let c = Trace::constant(0.3);
        vec![c * (x[0] * x[1]), c * (x[0] * x[2])]
    };
    assert_eq!(simplified(3, scaled), (0, 3));
}

#[test]
fn simplified_kernels_compute_what_the_kernels_compute() -> Result<(), Box<dyn std::error::Error>> {
    for (seed, model) in models(cases(10, 24)).iter().enumerate() {
        for quantity in quantities(model) {
            let function = quantity.trace(model)?;
            let simplified = function.simplified();
            let (before, after) = (function.graph.count(), simplified.graph.count());
            assert!(
                after.total() <= before.total(),
                "{quantity:?}: {after:?} {before:?}"
            );
            let program = Program::new(
                &simplified,
                &Options {
                    fuse: seed % 2 == 0,
                },
            );
            let x = inputs(&quantity, model, seed as u64);
            let mut y = vec![0.0; program.output_count()];
            Interpreter::new(&program).run(&x, &mut y)?;
            let what = format!("{quantity:?} of {}", model.name());
            // Factors taken out and terms collected round otherwise than the kernel does, ten times
            // as much at worst.
            assert_close(
                &y,
                &kernel(&quantity, model, &x)?,
                10.0 * tolerance(&quantity),
                &what,
            );
        }
    }
    Ok(())
}

#[test]
fn simplification_saves_operations_on_every_robot() -> Result<(), featherline::Error> {
    for robot in ["ur5", "panda", "quadruped"] {
        let model = featherline_robots::model(robot, &Default::default()).expect("it is embedded");
        for quantity in [of("rnea"), of("crba"), of("aba")] {
            let function = quantity.trace(&model)?;
            let simplified = function.simplified();
            let (before, after) = (function.graph.count(), simplified.graph.count());
            assert!(
                after.total() < before.total(),
                "{robot} {quantity:?} {before:?} {after:?}"
            );
            // A simplified graph stays as it is.
            assert_eq!(simplified.simplified().graph.count().total(), after.total());
        }
    }
    Ok(())
}

#[test]
fn simplified_random_expressions_keep_their_values() {
    for seed in 0..64 {
        let mut rng = ChaCha8Rng::seed_from_u64(2000 + seed);
        let x: Vec<f64> = (0..4).map(|_| rng.random_range(-2.0..2.0)).collect();
        let graph = Graph::record(4, |x: &[Trace]| {
            expression(x, &mut ChaCha8Rng::seed_from_u64(seed))
        });
        let found = graph.simplified().evaluate(&x).expect("four inputs");
        let expected = expression(&x, &mut ChaCha8Rng::seed_from_u64(seed));
        assert_close(&found, &expected, 1e-11, &format!("expression {seed}"));
    }
}
