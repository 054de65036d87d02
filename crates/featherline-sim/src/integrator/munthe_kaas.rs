//! Explicit Runge-Kutta-Munthe-Kaas methods: the stages that all of them share.
//!
//! In the coordinates u of q = q₀ ⊕ u the motion is a differential equation in a vector space, u̇ =
//! Jᵣ(u)⁻¹ v, v̇ = f, to which any Runge-Kutta method applies with its order (H. Munthe-Kaas, "High
//! order Runge-Kutta methods on manifolds", Applied Numerical Mathematics 29, 1999; E. Hairer, C.
//! Lubich and G. Wanner, *Geometric Numerical Integration*, 2006, section IV.8.2). Jᵣ⁻¹, the dexp⁻¹
//! of those sources for velocities in the moving frame, is taken in closed form and not as the
//! truncated series that the order would allow: on SO(3) and SE(3) that costs about as much, needs
//! no choice for each order, and holds for every displacement below a whole turn.

use super::stepper::StepState;
use super::{IntegratorError, Result, VectorField};
use featherline::kernel;
use featherline::model::Model;

/// An explicit Runge-Kutta method of S stages.
#[derive(Debug)]
pub(super) struct Tableau<const S: usize> {
    pub nodes: [f64; S],
    /// Strictly lower triangular.
    pub stages: [[f64; S]; S],
    pub weights: [f64; S],
}

/// Memory for the stages, and after [`run`](Self::run) what was found there.
#[derive(Clone, Debug)]
pub(super) struct Stages<'m, const S: usize> {
    pub model: &'m Model,
    tableau: &'static Tableau<S>,
    /// u̇ of each stage, one after the other.
    pub rates: Box<[f64]>,
    /// v̇ of each stage.
    pub accelerations: Box<[f64]>,
    /// The displacement, configuration and velocity of a stage; after the run those at the end of
    /// the step.
    pub displacement: Box<[f64]>,
    pub configuration: Box<[f64]>,
    pub velocity: Box<[f64]>,
}

impl<'m, const S: usize> Stages<'m, S> {
    pub fn new(model: &'m Model, tableau: &'static Tableau<S>) -> Self {
        let tangents = |count: usize| vec![0.0; count * model.nv()].into();
        Self {
            model,
            tableau,
            rates: tangents(S),
            accelerations: tangents(S),
            displacement: tangents(1),
            configuration: vec![0.0; model.nq()].into(),
            velocity: tangents(1),
        }
    }

    /// The first stage, at the beginning of the step.
    pub fn begin(&mut self, field: &mut dyn VectorField, start: StepState<'_>) -> Result<()> {
        let nv = self.model.nv();
        self.rates[..nv].copy_from_slice(start.v);
        field.acceleration(start.t, start.q, start.v, &mut self.accelerations[..nv])
    }

    /// Makes the last stage the first one of the next step, for methods whose last stage is at the
    /// end of the step.
    pub fn begin_with_last(&mut self, v: &[f64]) {
        let nv = self.model.nv();
        self.rates[..nv].copy_from_slice(v);
        self.accelerations.copy_within((S - 1) * nv.., 0);
    }

    /// The other stages, and the state at the end of the step.
    pub fn run(&mut self, field: &mut dyn VectorField, start: StepState<'_>) -> Result<()> {
        let (model, nv) = (self.model, self.model.nv());
        for i in 1..S {
            let t = start.t + self.tableau.nodes[i] * start.h;
            self.place(start, &self.tableau.stages[i][..i], t)?;
            let own = i * nv..(i + 1) * nv;
            let (q, v, acceleration) =
                (&self.configuration, &self.velocity, &mut self.accelerations);
            field.acceleration(t, q, v, &mut acceleration[own.clone()])?;
            kernel::displacement_rate(model, &self.displacement, v, &mut self.rates[own])
                .map_err(|source| IntegratorError::at(model, t, v, source))?;
        }
        self.place(start, &self.tableau.weights, start.t + start.h)
    }

    /// The state that follows from the stages so far with the given weights.
    fn place(&mut self, start: StepState<'_>, weights: &[f64], t: f64) -> Result<()> {
        let mut scaled = [0.0; S];
        for (own, weight) in scaled.iter_mut().zip(weights) {
            *own = start.h * weight;
        }
        self.displacement.fill(0.0);
        add_combination(&scaled, &self.rates, &mut self.displacement);
        self.velocity.copy_from_slice(start.v);
        add_combination(&scaled, &self.accelerations, &mut self.velocity);
        let (displacement, end) = (&self.displacement, &mut self.configuration);
        start.check_velocity(self.model, t, &self.velocity)?;
        start.displace(self.model, t, displacement, end)
    }
}

/// `out += Σ factors[j] · rows[j]`.
#[inline]
fn add_combination(factors: &[f64], rows: &[f64], out: &mut [f64]) {
    let n = out.len();
    for (j, &factor) in factors.iter().enumerate() {
        if factor != 0.0 {
            for (x, row) in out.iter_mut().zip(&rows[j * n..(j + 1) * n]) {
                *x += factor * row;
            }
        }
    }
}
