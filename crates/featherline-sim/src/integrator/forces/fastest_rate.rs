//! The fastest rates of a robot under damping and stiffness, by the power method.

use crate::integrator::error::largest;
use crate::integrator::{IntegratorError, Result};
use featherline::Workspace;
use featherline::kernel::mass_matrix_inverse_diagonal;
use featherline::model::Model;
use featherline_constraint::kernel::loop_dynamics_within_step;
use featherline_constraint::{LoopError, LoopWorkspace, Stabilisation};

/// The part of the greatest compliance as which that of coordinates counts that loops fix.
const ROUNDING: f64 = 1e-9;

/// How many products the power method makes at least and at most.
const LEAST_PRODUCTS: usize = 10;
const MOST_PRODUCTS: usize = 50;

/// More products than the least are made while one is longer than the one before by this factor.
const ENOUGH: f64 = 1.003;

/// The acceleration of each coordinate of a robot at rest under a unit of its own force, others
/// free: the diagonal of M⁻¹, less what loops constrain.
pub(crate) struct ForceResponse<'a> {
    of_tree: Vec<f64>,
    model: &'a Model,
    q: &'a [f64],
    dynamics: Dynamics,
    tau: Vec<f64>,
    still: Vec<f64>,
    /// The accelerations under gravity alone.
    falling: Vec<f64>,
}

enum Dynamics {
    OfTree(Box<Workspace<f64>>),
    OfLoops(Box<LoopWorkspace>),
}

impl<'a> ForceResponse<'a> {
    /// At the configuration `q`. Memory and cost of some evaluations of forward dynamics.
    pub fn new(model: &'a Model, q: &'a [f64]) -> Result<Self> {
        let mut ws = Workspace::recursive(model);
        let still = vec![0.0; model.nv()];
        let of_tree = mass_matrix_inverse_diagonal(model, &mut ws, q)?;
        let dynamics = match model.loop_joints() {
            [] => Dynamics::OfTree(Box::new(ws)),
            _ => Dynamics::OfLoops(Box::new(LoopWorkspace::new(model).map_err(of_loops)?)),
        };
        let mut response = Self {
            of_tree,
            model,
            q,
            dynamics,
            tau: still.clone(),
            falling: still.clone(),
            still,
        };
        response.falling = response.accelerations()?.to_vec();
        Ok(response)
    }

    /// Those of all coordinates.
    pub fn of_all(mut self) -> Result<Vec<f64>> {
        if let Dynamics::OfTree(_) = self.dynamics {
            return Ok(self.of_tree);
        }
        let accelerations = (0..self.of_tree.len()).map(|k| self.own_acceleration(k));
        let accelerations = accelerations.collect::<Result<Vec<f64>, _>>()?;
        let rounding = ROUNDING * accelerations.iter().copied().fold(0.0, f64::max);
        Ok(accelerations.into_iter().map(|x| x.max(rounding)).collect())
    }

    /// The coordinate that forces accelerate most, and how much; loops, which take only, come last.
    fn greatest(&mut self, forces: &[f64]) -> Result<(usize, f64)> {
        self.tau.fill(0.0);
        let rates = forces.iter().zip(&self.of_tree);
        let mut at_most: Vec<(usize, f64)> = rates.map(|(f, a)| f * a).enumerate().collect();
        at_most.retain(|(_, rate)| *rate > 0.0);
        // By decreasing rate, of equal ones the first.
        at_most.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut worst = (0, 0.0);
        for (k, most) in at_most {
            if most <= worst.1 {
                break;
            }
            let rate = match self.dynamics {
                Dynamics::OfTree(_) => most,
                Dynamics::OfLoops(_) => forces[k] * self.own_acceleration(k)?,
            };
            if rate > worst.1 {
                worst = (k, rate);
            }
        }
        Ok(worst)
    }

    /// The fastest rate of the robot under forces of these `slopes` on all of its coordinates,
    /// and the one that has the greatest share in that: the largest eigenvalue of S^½ M⁻¹ S^½, from
    /// below, by the power method. The products of unit vectors with the matrix are never longer,
    /// and grow from one to the next.
    pub fn fastest(&mut self, slopes: &[f64]) -> Result<(usize, f64)> {
        let (mut worst, mut rate) = self.greatest(slopes)?;
        if rate == 0.0 {
            return Ok((worst, rate));
        }
        let roots: Vec<f64> = slopes.iter().map(|slope| slope.sqrt()).collect();
        // A motion of no symmetry, in which coordinates have shares by their own rates.
        let start = roots.iter().zip(&self.of_tree).enumerate();
        let mut shares: Vec<f64> = start
            .map(|(k, (root, acceleration))| root * acceleration.sqrt() * (2.3 * k as f64).cos())
            .collect();
        let length = |vector: &[f64]| vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut before = length(&shares);
        shares.iter_mut().for_each(|share| *share /= before);
        before = 0.0;
        for count in 1..=MOST_PRODUCTS {
            for (k, tau) in self.tau.iter_mut().enumerate() {
                *tau = roots[k] * shares[k];
            }
            shares.copy_from_slice(self.accelerations()?);
            for ((share, root), fall) in shares.iter_mut().zip(&roots).zip(&self.falling) {
                *share = (*share - fall) * root;
            }
            let size = length(&shares);
            if !(size.is_finite() && size > 0.0) {
                break;
            }
            shares.iter_mut().for_each(|share| *share /= size);
            if size > rate {
                (worst, rate) = (largest(&shares), size);
            }
            if count >= LEAST_PRODUCTS && size <= ENOUGH * before {
                break;
            }
            before = size;
        }
        Ok((worst, rate))
    }

    fn accelerations(&mut self) -> Result<&[f64]> {
        let (model, q, still, tau) = (self.model, self.q, &self.still, &self.tau);
        match &mut self.dynamics {
            Dynamics::OfTree(ws) => Ok(model.aba(ws, q, still, tau)?),
            Dynamics::OfLoops(ws) => {
                let none = &Stabilisation::NONE;
                let result = loop_dynamics_within_step(model, ws, (q, still), (tau, &[]), none);
                Ok(result.map_err(of_loops)?.accelerations)
            }
        }
    }

    fn own_acceleration(&mut self, k: usize) -> Result<f64> {
        self.tau[k] = 1.0;
        let moved = self.accelerations()?[k];
        self.tau[k] = 0.0;
        Ok(moved - self.falling[k])
    }
}

fn of_loops(error: LoopError) -> IntegratorError {
    if let LoopError::Tree(source) = error {
        source.into()
    } else {
        IntegratorError::field(0.0, error)
    }
}
