//! After a method is made, its steps allocate nothing.

use super::robots::cases;
use crate::common::external_forces;
use allocation_counter::measure;
use featherline_sim::integrator::forces::{
    self, BodyForces, Bumper, JointLimits, JointTorques, TorqueFunction,
};
use featherline_sim::integrator::{
    DenseOutput, DormandPrince, ForwardDynamics, ImplicitMidpoint, RungeKutta4, Sampling, Stepper,
    SymplecticEuler, Tolerance,
};
use std::ops::ControlFlow;

const BUMPER: Bumper = Bumper {
    stiffness: 100.0,
    damping: 1.0,
    depth: 0.01,
};

#[test]
fn steps_allocate_nothing() {
    // The counter counts.
    assert!(measure(|| drop(std::hint::black_box(vec![1.0; 3]))).count_total > 0);
    for case in cases() {
        let model = &case.model;
        let laws = (
            forces::passive(model, 0.1).unwrap(),
            JointLimits::new(model, BUMPER).unwrap(),
            JointTorques::new(vec![0.1; model.nv()]),
            TorqueFunction::new(|_: f64, _: &[f64], v: &[f64], tau: &mut [f64]| tau[0] -= v[0]),
            BodyForces::new(external_forces(model)),
        );
        let mut field = ForwardDynamics::with_forces(model, laws);
        let steppers: [Box<dyn Stepper>; 4] = [
            Box::new(SymplecticEuler::new(model)),
            Box::new(ImplicitMidpoint::new(model)),
            Box::new(RungeKutta4::new(model)),
            Box::new(DormandPrince::new(model, Tolerance::default()).unwrap()),
        ];
        for mut stepper in steppers {
            let (mut q, mut v) = (case.q.clone(), case.v.clone());
            let mut outcome = Ok(());
            let counted = measure(|| {
                outcome = stepper.step(&mut field, 0.0, &mut q, &mut v, 1e-4);
            });
            outcome.unwrap();
            assert_eq!(
                counted.count_total,
                0,
                "{} on {}",
                stepper.name(),
                case.name
            );
        }
    }
}

#[test]
fn an_adaptive_integration_with_samples_and_events_allocates_nothing() {
    for case in cases() {
        let mut field = ForwardDynamics::new(&case.model);
        let (mut t, mut q, mut v) = (0.0, case.q.clone(), case.v.clone());
        let mut method = DormandPrince::new(&case.model, Tolerance::default()).unwrap();
        let mut samples = Sampling::every(1e-3, 0.0).unwrap();
        let mut spline = DenseOutput::new(&case.model);
        let (mut outcome, mut seen) = (None, 0);
        let counted = measure(|| {
            outcome = Some(
                method.integrate(&mut field, &mut t, &mut q, &mut v, 0.05, |step| {
                    samples.take(step, |_, _, _| seen += 1)?;
                    step.locate(|t, _, _| t - 0.01)?;
                    Ok(ControlFlow::Continue(()))
                }),
            );
            spline
                .between((0.0, &case.q, &case.v), (0.05, &q, &v))
                .unwrap();
        });
        outcome.unwrap().unwrap();
        assert_eq!((counted.count_total, seen), (0, 51), "{}", case.name);
    }
}
