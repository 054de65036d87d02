//! Forces that are too stiff or too strongly damped for the step of a method.

use super::{FastForce, SimulationWarning};
use crate::integrator::error::joint_of_coordinate;
use crate::integrator::forces::{ForceBounds, ForceModel, ForceResponse};
use crate::integrator::{IntegratorError, Stability};
use featherline::model::Model;

/// The fastest rates of the applied forces at the start of a simulation.
///
/// Those of the whole robot, in the motion that is fastest: the largest eigenvalues of D^½ M⁻¹ D^½
/// and K^½ M⁻¹ K^½ with the dampings D and the stiffnesses K. They are found from below: what is
/// found here is true, and there may be a little more.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct StiffForces {
    damping: Fastest,
    swing: Fastest,
}

#[derive(Clone, Debug, Default)]
struct Fastest {
    joint: String,
    rate: f64,
}

impl StiffForces {
    /// Of a force model at the configuration `q`.
    pub(in super::super) fn of(model: &Model, q: &[f64], force_model: &impl ForceModel) -> Self {
        let mut bounds = ForceBounds::none(model.nv());
        force_model.add_bounds(&mut bounds);
        let ForceBounds { damping, stiffness } = bounds;
        if damping.iter().chain(&stiffness).all(|&x| x == 0.0) {
            return Self::default();
        }
        // A robot without accelerations fails in its first step, with the reason.
        Self::at(model, q, &damping, &stiffness).unwrap_or_default()
    }

    fn at(
        model: &Model,
        q: &[f64],
        damping: &[f64],
        stiffness: &[f64],
    ) -> Result<Self, IntegratorError> {
        let mut answers = ForceResponse::new(model, q)?;
        let mut fastest = |slopes: &[f64]| -> Result<Fastest, IntegratorError> {
            let (coordinate, rate) = answers.fastest(slopes)?;
            let joint = joint_of_coordinate(model, coordinate);
            Ok(Fastest { joint, rate })
        };
        let mut swing = fastest(stiffness)?;
        swing.rate = swing.rate.sqrt();
        let damping = fastest(damping)?;
        Ok(Self { damping, swing })
    }

    /// Warnings of damping and oscillation beyond a method's stability in steps of `step` seconds.
    pub(in super::super) fn beyond(
        &self,
        method: &'static str,
        stability: Stability,
        step: f64,
    ) -> Vec<SimulationWarning> {
        let beyond = |Fastest { joint, rate }: &Fastest, stable: f64| {
            (rate * step > stable).then(|| FastForce {
                joint: joint.clone(),
                rate: *rate,
                method,
                step,
                followed: stable / step,
                longest: stable / rate,
            })
        };
        let damping = beyond(&self.damping, stability.damping);
        let swing = beyond(&self.swing, stability.oscillation);
        let damping = damping.map(SimulationWarning::FastDamping);
        let swing = swing.map(SimulationWarning::FastOscillation);
        damping.into_iter().chain(swing).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrator::forces::{Loads, State};
    use featherline::Workspace;
    use featherline::samples::{RandomTree, random_tree, snake};
    use nalgebra::DMatrix;

    /// Damping and stiffness of so much in each coordinate.
    struct Slopes(Vec<f64>);

    impl ForceModel for Slopes {
        fn add(&mut self, _: &State<'_>, _: &mut Loads<'_>) -> Result<(), IntegratorError> {
            Ok(())
        }

        fn add_bounds(&self, bounds: &mut ForceBounds) {
            bounds.damping.copy_from_slice(&self.0);
            bounds.stiffness.copy_from_slice(&self.0);
        }
    }

    #[test]
    fn rates_are_those_of_the_fastest_motion() -> Result<(), featherline::Error> {
        let mut models = vec![snake(1), snake(60)];
        for seed in 0..60 {
            let shape = RandomTree {
                joints: 1 + seed as usize % 15,
                branching: (seed % 7) as f64 / 6.0,
                ..RandomTree::default()
            };
            models.push(random_tree(seed, &shape));
        }
        for (case, model) in models.iter().enumerate() {
            let q = model.neutral_configuration();
            let slopes: Vec<f64> = (0..model.nv())
                .map(|k| 1.0 + (2.3 * k as f64).sin())
                .collect();
            let mut ws = Workspace::new(model);
            let inverse = model.mass_matrix_inverse(&mut ws, &q)?;
            let matrix = DMatrix::from_fn(model.nv(), model.nv(), |i, j| {
                inverse[(i, j)] * (slopes[i] * slopes[j]).sqrt()
            });
            let fastest = matrix.symmetric_eigenvalues().max();
            let found = StiffForces::of(model, &q, &Slopes(slopes));
            let part = found.damping.rate / fastest;
            // Rounding above; below, the power method may stop where its products hardly grow.
            assert!(part < 1.0 + 1e-9 && part > 0.9, "{case}: {part}");
            let swing = found.swing.rate.powi(2);
            assert!((swing - found.damping.rate).abs() <= 1e-12 * swing);
        }
        Ok(())
    }
}
