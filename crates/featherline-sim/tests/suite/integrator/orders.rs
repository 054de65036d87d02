//! The order of each method, observed.

use super::robots::{Case, State, cases, differences, reference, run, size};
use featherline::Model;
use featherline_sim::integrator::{
    DormandPrince, ForwardDynamics, ImplicitMidpoint, RungeKutta4, Stepper, SymplecticEuler,
    Tolerance,
};

const TIME: f64 = 1.0;
/// A hundred times the rounding error.
const FLOOR: f64 = 1e-12;

fn methods(model: &Model) -> Vec<Box<dyn Stepper + '_>> {
    vec![
        Box::new(SymplecticEuler::new(model)),
        Box::new(ImplicitMidpoint::new(model)),
        Box::new(RungeKutta4::new(model)),
        Box::new(DormandPrince::new(model, Tolerance::default()).unwrap()),
    ]
}

/// The number of steps to begin with, and how often it is doubled.
fn steps(order: usize) -> (usize, usize) {
    match order {
        1 => (2000, 4),
        2 => (50, 4),
        4 => (40, 7),
        _ => (20, 8),
    }
}

/// The order between the smallest steps whose errors are not rounding.
///
/// A step h leaves the errors a hᵖ + b hᵖ⁺¹ + …; what is compared is their part without b, from two
/// steps each, so that slowly shrinking terms of higher order don't blur the slope.
fn observed_order(case: &Case, method: &mut dyn Stepper, exact: &[State]) -> f64 {
    let mut field = ForwardDynamics::new(&case.model);
    let (first, doublings) = steps(method.order());
    let mut errors: Vec<Vec<f64>> = Vec::new();
    for k in 0..doublings {
        let motion = run(method, &mut field, case, TIME, first << k);
        let error = differences(&case.model, exact, &motion);
        if size(&error) < FLOOR {
            break;
        }
        errors.push(error);
    }
    let next = 2.0_f64.powi(method.order() as i32 + 1);
    let leading = |pair: &[Vec<f64>]| {
        let parts = pair[0].iter().zip(&pair[1]);
        size(
            &parts
                .map(|(at_h, at_half)| next * at_half - at_h)
                .collect::<Vec<_>>(),
        )
    };
    let leading: Vec<f64> = errors.windows(2).map(leading).collect();
    let last = &leading[leading.len() - 2..];
    (last[0] / last[1]).log2()
}

#[test]
fn every_method_has_its_order_on_every_kind_of_joint() {
    for case in cases() {
        let exact = reference(&case, (), TIME);
        for mut method in methods(&case.model) {
            let observed = observed_order(&case, &mut *method, &exact);
            let expected = method.order() as f64;
            assert!(
                (observed - expected).abs() < 0.1,
                "{} on {}: order {observed:.3}",
                method.name(),
                case.name
            );
        }
    }
}
