//! Invariants of every step: determinism, the group, time's direction.

use super::robots::{cases, differences, size};
use featherline::Model;
use featherline_sim::integrator::{
    DormandPrince, ForwardDynamics, ImplicitMidpoint, RungeKutta4, Stepper, SymplecticEuler,
    Tolerance,
};

fn methods(model: &Model) -> [Box<dyn Stepper + '_>; 4] {
    [
        Box::new(SymplecticEuler::new(model)),
        Box::new(ImplicitMidpoint::new(model)),
        Box::new(RungeKutta4::new(model)),
        Box::new(DormandPrince::new(model, Tolerance::default()).unwrap()),
    ]
}

#[test]
fn the_same_step_gives_the_same_bits_whatever_came_before() {
    for case in cases() {
        for (mut used, mut fresh) in methods(&case.model).into_iter().zip(methods(&case.model)) {
            let mut field = ForwardDynamics::new(&case.model);
            let (mut q, mut v) = (case.q.clone(), case.v.clone());
            for k in 0..5 {
                used.step(&mut field, 0.0, &mut q, &mut v, 1e-3 * k as f64)
                    .unwrap();
            }
            let step = |method: &mut dyn Stepper, field: &mut ForwardDynamics<'_>| {
                let (mut q, mut v) = (case.q.clone(), case.v.clone());
                method.step(field, 0.0, &mut q, &mut v, 1e-2).unwrap();
                (q, v)
            };
            let again = step(&mut *used, &mut field);
            let first = step(&mut *fresh, &mut ForwardDynamics::new(&case.model));
            assert_eq!(again, first, "{}", used.name());
        }
    }
}

#[test]
fn rotations_keep_length_one() {
    for case in cases() {
        for mut method in methods(&case.model) {
            let mut field = ForwardDynamics::new(&case.model);
            let (mut q, mut v) = (case.q.clone(), case.v.clone());
            for k in 0..300 {
                method
                    .step(&mut field, 1e-3 * k as f64, &mut q, &mut v, 1e-3)
                    .unwrap();
            }
            // Every step ends with a normalisation: a few roundings.
            assert!(
                case.model.is_normalised(&q, 1e-15).unwrap(),
                "{}",
                method.name()
            );
        }
    }
}

#[test]
fn a_step_back_undoes_a_step() {
    for case in cases() {
        for mut method in methods(&case.model) {
            let mut field = ForwardDynamics::new(&case.model);
            let (mut q, mut v) = (case.q.clone(), case.v.clone());
            let h = 1e-4;
            method.step(&mut field, 0.0, &mut q, &mut v, h).unwrap();
            method.step(&mut field, h, &mut q, &mut v, -h).unwrap();
            let start = (case.q.clone(), case.v.clone());
            let error = size(&differences(&case.model, &[start], &[(q, v)]));
            // The local error, hᵖ⁺¹ times derivatives below ten thousand, and rounding.
            let bound = 1e4 * h.powi(method.order() as i32 + 1) + 1e-14;
            assert!(error < bound, "{}: {error:e}", method.name());
        }
    }
}
