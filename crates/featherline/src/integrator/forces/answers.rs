//! How coordinates answer to forces.

use crate::Workspace;
use crate::integrator::IntegratorError;
use crate::loops::{LoopError, LoopWorkspace, Stabilisation};
use crate::model::Model;

/// What loops hold altogether answers by rounding: it counts as this part of the greatest answer.
const ROUNDING: f64 = 1e-9;

/// How each coordinate answers to a unit of its own force, others free: the diagonal of M⁻¹, less what loops hold.
pub(crate) struct Answers<'a> {
    of_tree: Vec<f64>,
    held: Option<Held<'a>>,
}

/// What loops hold, for one coordinate at a time.
struct Held<'a> {
    model: &'a Model,
    q: &'a [f64],
    ws: LoopWorkspace,
    tau: Vec<f64>,
    still: Vec<f64>,
    /// The accelerations under gravity alone.
    falling: Vec<f64>,
}

impl<'a> Answers<'a> {
    /// At the configuration `q`. Memory and cost of some evaluations of forward dynamics.
    pub fn new(model: &'a Model, q: &'a [f64]) -> Result<Self, IntegratorError> {
        let mut ws = Workspace::recursive(model);
        Ok(Self {
            of_tree: model.mass_matrix_inverse_diagonal(&mut ws, q)?,
            held: match model.loop_joints() {
                [] => None,
                _ => Some(Held::new(model, q)?),
            },
        })
    }

    /// Those of all coordinates.
    pub fn of_all(mut self) -> Result<Vec<f64>, IntegratorError> {
        let Some(held) = &mut self.held else {
            return Ok(self.of_tree);
        };
        let answers = (0..self.of_tree.len()).map(|k| held.answer(k));
        let answers = answers.collect::<Result<Vec<f64>, _>>()?;
        let rounding = ROUNDING * answers.iter().copied().fold(0.0, f64::max);
        Ok(answers.into_iter().map(|x| x.max(rounding)).collect())
    }

    /// The coordinate that answers most to so much of its own force, and how much: with loops, which take away and never add, those are
    /// asked only for coordinates that might.
    pub fn greatest(&mut self, forces: &[f64]) -> Result<(usize, f64), IntegratorError> {
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
            let rate = match &mut self.held {
                Some(held) => forces[k] * held.answer(k)?,
                None => most,
            };
            if rate > worst.1 {
                worst = (k, rate);
            }
        }
        Ok(worst)
    }
}

impl<'a> Held<'a> {
    fn new(model: &'a Model, q: &'a [f64]) -> Result<Self, IntegratorError> {
        let still = vec![0.0; model.nv()];
        let mut held = Self {
            model,
            q,
            ws: LoopWorkspace::new(model).map_err(of_loops)?,
            tau: still.clone(),
            falling: still.clone(),
            still,
        };
        held.falling = held.accelerations()?.to_vec();
        Ok(held)
    }

    fn accelerations(&mut self) -> Result<&[f64], IntegratorError> {
        let (model, none) = (self.model, &Stabilisation::NONE);
        let result = model.loop_dynamics(&mut self.ws, self.q, &self.still, &self.tau, &[], none);
        Ok(result.map_err(of_loops)?.accelerations)
    }

    fn answer(&mut self, k: usize) -> Result<f64, IntegratorError> {
        self.tau[k] = 1.0;
        let moved = self.accelerations()?[k];
        self.tau[k] = 0.0;
        Ok(moved - self.falling[k])
    }
}

fn of_loops(error: LoopError) -> IntegratorError {
    match error {
        LoopError::Tree(source) => source.into(),
        source => IntegratorError::field(0.0, source),
    }
}
