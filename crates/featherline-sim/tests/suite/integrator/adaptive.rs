//! The adaptive method: its tolerance, its end, its statistics.

use super::robots::{STATES, cases, differences, pendulum, reference, size};
use featherline_sim::integrator::{
    DenseOutput, DormandPrince, ForwardDynamics, IntegratorError, Tolerance,
};
use std::ops::ControlFlow;

fn go_on(_: &mut DenseOutput<'_>) -> Result<ControlFlow<()>, IntegratorError> {
    Ok(ControlFlow::Continue(()))
}

#[test]
fn a_tighter_tolerance_gives_a_smaller_error() {
    for case in cases() {
        let time = 0.5;
        let exact = reference(&case, (), time);
        let exact = &exact[STATES - 1..];
        let mut last = f64::INFINITY;
        for tolerance in [1e-5, 1e-7, 1e-9, 1e-11] {
            let mut field = ForwardDynamics::new(&case.model);
            let (mut t, mut q, mut v) = (0.0, case.q.clone(), case.v.clone());
            let mut method = DormandPrince::new(&case.model, Tolerance::of(tolerance)).unwrap();
            let statistics = method
                .integrate(&mut field, &mut t, &mut q, &mut v, time, go_on)
                .unwrap();
            assert_eq!(t, time);
            let error = size(&differences(&case.model, exact, &[(q, v)]));
            // Errors of single steps add up, and grow with a chaotic motion: by less than a
            // thousand in this time.
            assert!(
                error < 1e3 * tolerance && error < 0.3 * last,
                "{}: {error:e} at tolerance {tolerance:e}, {statistics:?}",
                case.name
            );
            // Six evaluations a step, one to begin with, one to find the first step's length.
            let steps = statistics.accepted + statistics.rejected;
            assert_eq!(statistics.evaluations, 6 * steps + 2);
            last = error;
        }
    }
}

#[test]
fn it_stops_where_it_is_told() {
    let model = pendulum();
    let mut field = ForwardDynamics::new(&model);
    let (mut t, mut q, mut v) = (0.0, [1.0], [0.0]);
    let mut method = DormandPrince::new(&model, Tolerance::default()).unwrap();
    let mut ends = Vec::new();
    method
        .integrate(&mut field, &mut t, &mut q, &mut v, 10.0, |step| {
            ends.push(step.end());
            let stop = ends.len() == 3;
            Ok(if stop {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })
        .unwrap();
    assert_eq!(t, ends[2]);
    // An integration resumed after a stop gives the same motion as one that did not stop, within
    // the tolerance.
    method
        .integrate(&mut field, &mut t, &mut q, &mut v, 10.0, go_on)
        .unwrap();
    let (mut t1, mut q1, mut v1) = (0.0, [1.0], [0.0]);
    method
        .integrate(&mut field, &mut t1, &mut q1, &mut v1, 10.0, go_on)
        .unwrap();
    assert!((q[0] - q1[0]).abs() < 1e-6 && (v[0] - v1[0]).abs() < 1e-6);
}

#[test]
fn a_force_that_jumps_costs_rejections_and_no_accuracy() {
    // A constant push of 1 rad/s² that begins at a third of a second: v and q are known.
    let model = pendulum();
    let mut field = |t: f64, _: &[f64], _: &[f64], a: &mut [f64]| -> Result<(), IntegratorError> {
        a[0] = if t < 1.0 / 3.0 { 0.0 } else { 1.0 };
        Ok(())
    };
    let (mut t, mut q, mut v) = (0.0, [0.0], [0.0]);
    let mut method = DormandPrince::new(&model, Tolerance::of(1e-9)).unwrap();
    let statistics = method
        .integrate(&mut field, &mut t, &mut q, &mut v, 1.0, go_on)
        .unwrap();
    assert!(statistics.rejected > 0);
    assert!((v[0] - 2.0 / 3.0).abs() < 1e-7, "{v:?}");
    assert!((q[0] - 2.0 / 9.0).abs() < 1e-7, "{q:?}");
}
