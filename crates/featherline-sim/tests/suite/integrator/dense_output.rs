//! Dense output: its order, events, samples.

use super::robots::{Case, State, cases, differences, pendulum, size};
use featherline_sim::integrator::{
    DenseOutput, DormandPrince, ForwardDynamics, IntegratorError, RungeKutta4, Sampling, Stepper,
    Tolerance,
};
use std::ops::ControlFlow;

/// The state after `h`, exact to rounding beside a step of any method.
fn exact(case: &Case, h: f64) -> State {
    let mut field = ForwardDynamics::new(&case.model);
    let (mut q, mut v) = (case.q.clone(), case.v.clone());
    let mut method = RungeKutta4::new(&case.model);
    for k in 0..64 {
        let part = h / 64.0;
        method
            .step(&mut field, part * k as f64, &mut q, &mut v, part)
            .unwrap();
    }
    (q, v)
}

/// The orders with which errors within one step shrink, for configurations and for velocities.
fn local_orders(case: &Case, steps: [f64; 2], fill: fn(&Case, f64) -> DenseOutput<'_>) -> [f64; 2] {
    let errors = steps.map(|h| {
        let mut dense = fill(case, h);
        let mut largest = [0.0_f64; 2];
        for part in [0.3, 0.5, 0.8] {
            let (q, v) = dense.at(part * h).unwrap();
            let found = (q.to_vec(), v.to_vec());
            let all = differences(&case.model, &[exact(case, part * h)], &[found]);
            let (of_q, of_v) = all.split_at(case.model.nv());
            largest = [largest[0].max(size(of_q)), largest[1].max(size(of_v))];
        }
        largest
    });
    let ratio = (steps[0] / steps[1]).log2();
    [0, 1].map(|k| (errors[0][k] / errors[1][k]).log2() / ratio)
}

/// One step of the adaptive method, with its own extension.
fn extension(case: &Case, h: f64) -> DenseOutput<'_> {
    let mut tolerance = Tolerance::of(1.0);
    tolerance.greatest_step = h;
    let mut method = DormandPrince::new(&case.model, tolerance).unwrap();
    let (mut t, mut q, mut v) = (0.0, case.q.clone(), case.v.clone());
    let mut kept = None;
    let mut field = ForwardDynamics::new(&case.model);
    method
        .integrate(&mut field, &mut t, &mut q, &mut v, h, |step| {
            kept = Some(step.clone());
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    let kept = kept.unwrap();
    // One step from beginning to end, or the order would mean nothing.
    assert_eq!((kept.begin(), kept.end()), (0.0, h));
    kept
}

/// The polynomials between two exact states.
fn between(case: &Case, h: f64) -> DenseOutput<'_> {
    let (q, v) = exact(case, h);
    let mut dense = DenseOutput::new(&case.model);
    dense.between((0.0, &case.q, &case.v), (h, &q, &v)).unwrap();
    dense
}

#[test]
fn the_continuous_extension_is_of_order_four() {
    for case in cases() {
        for order in local_orders(&case, [0.02, 0.01], extension) {
            assert!((order - 5.0).abs() < 0.35, "{}: {order}", case.name);
        }
    }
}

#[test]
fn two_states_give_a_cubic_between_them() {
    for case in cases() {
        let [of_q, of_v] = local_orders(&case, [0.02, 0.01], between);
        assert!((of_q - 4.0).abs() < 0.1, "{}: {of_q}", case.name);
        assert!((of_v - 3.0).abs() < 0.1, "{}: {of_v}", case.name);
    }
}

#[test]
fn it_meets_both_ends() {
    for case in cases() {
        let (q, v) = exact(&case, 0.01);
        let mut dense = DenseOutput::new(&case.model);
        dense
            .between((0.0, &case.q, &case.v), (0.01, &q, &v))
            .unwrap();
        for (t, (q, v)) in [(0.0, (&case.q, &case.v)), (0.01, (&q, &v))] {
            let (at_q, at_v) = dense.at(t).unwrap();
            let found = (at_q.to_vec(), at_v.to_vec());
            let error = size(&differences(
                &case.model,
                &[(q.clone(), v.clone())],
                &[found],
            ));
            // Rounding of some dozens of operations on numbers of size one.
            assert!(error < 1e-14, "{}: {error:e}", case.name);
        }
    }
}

#[test]
fn events_are_found_to_rounding() {
    // A free oscillator, whose zeros are known: q = cos(3 t).
    let model = pendulum();
    let mut field = |_: f64, q: &[f64], _: &[f64], a: &mut [f64]| -> Result<(), IntegratorError> {
        a[0] = -9.0 * q[0];
        Ok(())
    };
    let mut method = DormandPrince::new(&model, Tolerance::of(1e-13)).unwrap();
    let (mut t, mut q, mut v) = (0.0, [1.0], [0.0]);
    let mut zeros = Vec::new();
    method
        .integrate(&mut field, &mut t, &mut q, &mut v, 10.0, |step| {
            zeros.extend(step.locate(|_, q, _| q[0])?);
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    assert_eq!(zeros.len(), 10);
    for (k, zero) in zeros.iter().enumerate() {
        let exact = (k as f64 + 0.5) * std::f64::consts::PI / 3.0;
        // The tolerance of 1e-13 a step over some thousand steps.
        assert!((zero - exact).abs() < 1e-10, "{zero} {exact}");
    }
}

#[test]
fn events_are_found_whatever_the_size_of_their_functions() {
    let model = pendulum();
    let mut dense = DenseOutput::new(&model);
    let (from, to) = (([1.0], [-3.0]), ([-2.0], [-3.0]));
    dense
        .between((0.0, &from.0, &from.1), (1.0, &to.0, &to.1))
        .unwrap();
    // Products of the small ones are zero, and differences of the largest are infinite; the last
    // one's next numbers are 5e-324 apart.
    for (scale, bound) in [
        (1.0, 1e-15),
        (1e-200, 1e-15),
        (6e307, 1e-15),
        (1e-318, 1e-5),
    ] {
        let event = |_: f64, q: &[f64], _: &[f64]| scale * q[0];
        let zero = dense.locate(event).unwrap().expect("the signs differ");
        assert!((zero - 1.0 / 3.0).abs() < bound, "{scale:e}: {zero}");
    }
    // Zero at the beginning, or nowhere.
    for shift in [-1.0, 1.5] {
        let event = |_: f64, q: &[f64], _: &[f64]| 1e-200 * (q[0] * q[0].signum() + shift);
        assert_eq!(dense.locate(event).unwrap(), None, "{shift}");
    }
}

#[test]
fn samples_that_time_does_not_tell_apart_are_an_error() {
    let model = pendulum();
    let mut dense = DenseOutput::new(&model);
    let mut sample = |interval: f64, start: f64, [begin, end]: [f64; 2]| {
        dense
            .between((begin, &[0.3], &[0.1]), (end, &[0.4], &[0.1]))
            .unwrap();
        let mut count = 0;
        let mut samples = Sampling::every(interval, start).unwrap();
        let taken = samples.take(&mut dense, |_, _, _| count += 1);
        (taken, count)
    };
    // Numbers at 1 s are 2e-16 s apart, at -5 s 9e-16 s.
    for (interval, start, ends) in [
        (1e-18, 1.0, [1.0, 1.1]),
        (1e-18, 0.0, [0.0, 0.1]),
        (1e-17, -5.0, [-5.0, 0.0]),
    ] {
        let (taken, count) = sample(interval, start, ends);
        let error = taken.unwrap_err();
        let told = matches!(&error, IntegratorError::TimeStandsStill { interval: own, .. } if *own == interval);
        assert!(told && count == 0, "{error}");
    }
    // Neither samples that are due later nor short ones near zero are in the way.
    assert!(matches!(sample(1e-18, 1.0, [0.0, 0.5]), (Ok(()), 0)));
    assert!(matches!(sample(1e-18, 0.0, [0.0, 1e-17]), (Ok(()), 11)));
}

#[test]
fn samples_come_at_multiples_of_the_interval() {
    let model = pendulum();
    let mut field = ForwardDynamics::new(&model);
    let mut method = RungeKutta4::new(&model);
    let mut dense = DenseOutput::new(&model);
    let mut samples = Sampling::every(0.1, 0.0).unwrap();
    let (mut q, mut v) = ([1.0], [0.0]);
    let h = 0.03;
    let mut times = Vec::new();
    for k in 0..100 {
        let t = h * k as f64;
        let before = (q, v);
        method.step(&mut field, t, &mut q, &mut v, h).unwrap();
        let end = h * (k + 1) as f64;
        dense
            .between((t, &before.0, &before.1), (end, &q, &v))
            .unwrap();
        samples
            .take(&mut dense, |t, q, _| times.push((t, q[0])))
            .unwrap();
    }
    assert_eq!(times.len(), 31);
    for (k, &(t, _)) in times.iter().enumerate() {
        assert_eq!(t, 0.1 * k as f64);
    }
}
