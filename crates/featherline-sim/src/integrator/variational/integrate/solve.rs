//! The solution of the equations of a step: quasi-Newton iterations, then Newton's method.

use super::VariationalIntegrator;
use crate::integrator::error::{joint_of_coordinate, largest};
use crate::integrator::forces::ForceModel;
use crate::integrator::variational::convergence::Change;
use crate::integrator::variational::correction::{Balance, correct_velocities};
use crate::integrator::variational::displacements::{
    LinkDisplacements, furthest_turned, turns_too_far,
};
use crate::integrator::variational::newton::Equations;
use crate::integrator::{IntegratorError, Result};
use featherline::kernel;
use featherline::kernel::{scratch, scratch_mut};

/// Why corrections did not lead to the displacement.
#[derive(Clone, Copy, Debug)]
enum Lost {
    /// The body of this joint rotated by π.
    HalfTurn(usize),
    /// Numbers ceased to be finite.
    Diverged,
    /// This coordinate still changed most, this fast.
    NotConverged {
        iterations: usize,
        coordinate: usize,
        speed: f64,
    },
}

/// The equations of a step of `h`.
struct StepEquations<'a, 'm, L> {
    motion: &'a mut VariationalIntegrator<'m, L>,
    h: f64,
}

impl<L: ForceModel> Equations for StepEquations<'_, '_, L> {
    fn correct(&mut self, velocities: &[f64]) -> Option<Change> {
        for (d, velocity) in self.motion.d.iter_mut().zip(velocities) {
            *d = self.h * velocity;
        }
        self.motion.correct(self.h)
    }

    fn correction(&self) -> (&[f64], &[f64]) {
        (
            &scratch(&self.motion.ws).vector,
            &self.motion.anderson.weighted,
        )
    }
}

impl<L: ForceModel> VariationalIntegrator<'_, L> {
    /// Solves the discrete Euler-Lagrange equations for the displacement.
    pub(super) fn solve(&mut self, h: f64) -> Result<()> {
        self.extrapolation.guess(h, &mut self.d);
        self.iterate(h).or_else(|lost| {
            self.anderson.forget();
            if self.seek(h) {
                Ok(())
            } else {
                Err(self.explain(h, lost))
            }
        })
    }

    /// Seeks the displacement by Newton's method, from the last velocities. Whether it was found.
    #[cold]
    fn seek(&mut self, h: f64) -> bool {
        let mut newton = std::mem::take(&mut self.newton);
        newton.velocities.copy_from_slice(self.extrapolation.last());
        let convergence = self.convergence;
        let changes = newton.solve(&mut StepEquations { motion: self, h }, &convergence);
        self.newton = newton;
        self.iterations = changes.unwrap_or(self.iterations);
        changes.is_some()
    }

    /// Corrects the displacement until it is found.
    fn iterate(&mut self, h: f64) -> Result<(), Lost> {
        let most = self.convergence.most_iterations;
        self.anderson.begin_step(h);
        let mut change = match self.correct(h) {
            Some(change) if !change.is_all() => change,
            // The guess was too bold.
            _ => {
                self.extrapolation.hold(h, &mut self.d);
                self.correct(h).ok_or_else(|| self.lost())?
            }
        };
        for iteration in 1..=most {
            let correction = &scratch(&self.ws).vector;
            let velocities = if change.may_be_rounding() {
                correction
            } else {
                self.anderson.improve(correction)
            };
            for (d, velocity) in self.d.iter_mut().zip(velocities) {
                *d += h * velocity;
            }
            // The residual at the end stays with the links: errors of momenta don't add up.
            let left = self.correct(h).ok_or_else(|| self.lost())?;
            if !change.may_be_rounding() {
                self.anderson.learn(&scratch(&self.ws).vector);
            }
            if left.may_be_left((iteration, &change), self.convergence.tolerance) {
                self.iterations = iteration;
                return Ok(());
            }
            if left.leads_away(&change) {
                return Err(self.not_converged(iteration));
            }
            change = left;
        }
        Err(self.not_converged(most))
    }

    /// That so many iterations have not led to the displacement.
    #[cold]
    fn not_converged(&self, iterations: usize) -> Lost {
        let velocities = &scratch(&self.ws).vector;
        let coordinate = largest(velocities);
        Lost::NotConverged {
            iterations,
            coordinate,
            speed: velocities[coordinate].abs(),
        }
    }

    /// Writes the correction per second to the workspace's vector; none where the motion is lost.
    fn correct(&mut self, h: f64) -> Option<Change> {
        let model = self.model;
        self.find_lack(h);
        let mut doubled_energies = [0.0; 2];
        correct_velocities(
            Balance {
                moving: LinkDisplacements {
                    model,
                    q: &self.q,
                    d: &self.d,
                    displacement: &mut self.displacement,
                    cosine: &mut self.cosine,
                    configuration: &mut self.next,
                    columns: &mut self.columns,
                },
                ws: scratch_mut(&mut self.ws),
                rate: 1.0 / h,
                momentum: &self.momentum,
                load: &self.load,
                time: 0.5 * (self.before + h),
            },
            &self.leaving,
            &mut doubled_energies,
            &mut self.anderson.weighted,
        );
        if turns_too_far(&self.cosine) {
            return None;
        }
        let [correction, mut motion] = doubled_energies;
        for (inertia, d) in kernel::reflected_inertias(model).iter().zip(&self.d) {
            motion += inertia * d * d / (h * h);
        }
        self.doubled_energy = motion;
        // A robot at rest is as still as rounding of its weight leaves it.
        let weight = model.total_mass() * self.frame.weight.norm_squared() * h * h;
        let change = Change::new(correction, self.inner_energy + weight, motion + weight);
        change.is_finite().then_some(change)
    }

    /// Why there was no correction.
    #[cold]
    fn lost(&self) -> Lost {
        furthest_turned(self.model, &self.cosine, self.extrapolation.last())
            .map_or(Lost::Diverged, Lost::HalfTurn)
    }

    /// The error of a step that was lost, and not found otherwise.
    #[cold]
    fn explain(&self, h: f64, lost: Lost) -> IntegratorError {
        let (model, t, last) = (self.model, self.t, self.extrapolation.last());
        match lost {
            Lost::HalfTurn(joint) => IntegratorError::HalfTurn {
                t,
                h,
                joint: model.joints()[joint].name.clone(),
                shorter: None,
            },
            Lost::Diverged => IntegratorError::diverged(model, t + h, last, last),
            Lost::NotConverged {
                iterations,
                coordinate,
                speed,
            } => IntegratorError::NotConverged {
                t,
                h,
                iterations,
                joint: joint_of_coordinate(model, coordinate),
                change: h * speed,
                shorter: None,
            },
        }
    }

    /// Writes what the coordinates' own momenta are too small by at the beginning of the step.
    fn find_lack(&mut self, h: f64) {
        let inertia = kernel::reflected_inertias(self.model);
        let time = 0.5 * (self.before + h);
        for k in 0..self.leaving.len() {
            let leaving = inertia[k] * self.d[k] / h;
            self.leaving[k] = self.reflected[k] + time * self.tau[k] - leaving;
        }
    }
}
