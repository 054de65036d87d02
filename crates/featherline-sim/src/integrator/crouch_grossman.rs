//! Crouch-Grossman methods of order 3 and 4.

use super::stepper::{check_step, check_velocity, combine, displace};
use super::{IntegratorError, Stability, Stepper, VectorField};
use featherline::model::Model;

/// The coefficients of a method of S stages.
#[derive(Debug)]
struct Coefficients<const S: usize> {
    name: &'static str,
    order: usize,
    stability: Stability,
    stages: [[f64; S]; S],
    weights: [f64; S],
}

/// P. Crouch and R. Grossman, "Numerical integration of ordinary differential equations on
/// manifolds", Journal of Nonlinear Science 3, 1993; Hairer, Lubich and Wanner 2006, table IV.8.1.
const THIRD: Coefficients<3> = Coefficients {
    name: "Crouch-Grossman 3",
    order: 3,
    // Where |1 + z + z²/2 + z³/6| = 1.
    stability: Stability {
        damping: 2.51,
        oscillation: 1.73,
    },
    stages: [
        [0.0, 0.0, 0.0],
        [3.0 / 4.0, 0.0, 0.0],
        [119.0 / 216.0, 17.0 / 108.0, 0.0],
    ],
    weights: [13.0 / 51.0, -2.0 / 3.0, 24.0 / 17.0],
};

/// B. Owren and A. Marthinsen, "Runge-Kutta methods adapted to manifolds and based on rigid
/// frames", BIT 39, 1999; the digits as in Z. Jackiewicz, A. Marthinsen and B. Owren, "Construction
/// of Runge-Kutta methods of Crouch-Grossman type of high order", Advances in Computational
/// Mathematics 13, 2000.
const FOURTH: Coefficients<5> = Coefficients {
    name: "Crouch-Grossman 4",
    order: 4,
    // The same with z⁴/24 + 0.0218 z⁵. On the imaginary axis |R| is greater than one from the
    // beginning, but by more than a hundredth only from here on.
    stability: Stability {
        damping: 2.33,
        oscillation: 0.9,
    },
    stages: [
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [0.817_722_798_812_485_2, 0.0, 0.0, 0.0, 0.0],
        [
            0.319_987_637_547_642_7,
            0.065_986_426_355_602_2,
            0.0,
            0.0,
            0.0,
        ],
        [
            0.921_441_719_446_494_6,
            0.499_785_777_677_357_3,
            -1.096_998_444_837_158_2,
            0.0,
            0.0,
        ],
        [
            0.355_235_855_902_332_2,
            0.239_095_837_230_732_6,
            1.391_856_572_420_324_6,
            -1.109_297_939_211_346_5,
            0.0,
        ],
    ],
    weights: [
        0.137_083_152_063_075_5,
        -0.018_369_853_156_402,
        0.739_781_398_537_078,
        -0.190_714_256_550_588_9,
        0.332_219_559_106_837_4,
    ],
};

/// A Crouch-Grossman method: each stage is reached by the velocities of the earlier ones in turn,
/// each held for its part of the step, so that only exponentials are needed and no derivative of
/// one.
///
/// [`third`](Self::third) is of order 3 with three evaluations a step,
/// [`fourth`](CrouchGrossman::fourth) of order 4 with five: that many more than in a vector space,
/// because motions do not commute. Beside [`RungeKutta4`](super::RungeKutta4) they are the
/// independent check. Velocities are a vector space, for which the method is an
/// ordinary Runge-Kutta method.
///
/// ```
/// use featherline_sim::integrator::{CrouchGrossman, ForwardDynamics, Stepper};
/// use featherline::samples;
///
/// let model = samples::double_pendulum();
/// let mut field = ForwardDynamics::new(&model);
/// let (mut q, mut v) = ([1.0, 0.0], [0.0, 0.0]);
/// let mut stepper = CrouchGrossman::fourth(&model);
/// stepper.step(&mut field, 0.0, &mut q, &mut v, 0.01)?;
/// assert_eq!(stepper.order(), 4);
/// # Ok::<(), featherline_sim::integrator::IntegratorError>(())
/// ```
#[derive(Clone, Debug)]
pub struct CrouchGrossman<'m, const S: usize> {
    model: &'m Model,
    coefficients: &'static Coefficients<S>,
    velocities: Box<[f64]>,
    accelerations: Box<[f64]>,
    displacement: Box<[f64]>,
    configuration: Box<[f64]>,
    next_configuration: Box<[f64]>,
    velocity: Box<[f64]>,
}

impl<'m> CrouchGrossman<'m, 3> {
    /// The method of order 3.
    pub fn third(model: &'m Model) -> Self {
        Self::new(model, &THIRD)
    }
}

impl<'m> CrouchGrossman<'m, 5> {
    /// The method of order 4.
    pub fn fourth(model: &'m Model) -> Self {
        Self::new(model, &FOURTH)
    }
}

impl<'m, const S: usize> CrouchGrossman<'m, S> {
    fn new(model: &'m Model, coefficients: &'static Coefficients<S>) -> Self {
        let tangents = |count: usize| vec![0.0; count * model.nv()].into();
        let configuration = || vec![0.0; model.nq()].into();
        Self {
            model,
            coefficients,
            velocities: tangents(S),
            accelerations: tangents(S),
            displacement: tangents(1),
            configuration: configuration(),
            next_configuration: configuration(),
            velocity: tangents(1),
        }
    }

    /// The state to which the stages so far lead with the given weights.
    fn place(
        &mut self,
        q: &[f64],
        v: &[f64],
        (t, h): (f64, f64),
        weights: &[f64],
    ) -> Result<(), IntegratorError> {
        let nv = v.len();
        let mut scaled = [0.0; S];
        self.configuration.copy_from_slice(q);
        for (j, weight) in weights.iter().enumerate() {
            scaled[j] = h * weight;
            if scaled[j] == 0.0 {
                continue;
            }
            let velocity = &self.velocities[j * nv..(j + 1) * nv];
            for (u, rate) in self.displacement.iter_mut().zip(velocity) {
                *u = scaled[j] * rate;
            }
            displace(
                self.model,
                t,
                &self.configuration,
                (&self.displacement, v),
                &mut self.next_configuration,
            )?;
            std::mem::swap(&mut self.configuration, &mut self.next_configuration);
        }
        combine(v, &scaled, &self.accelerations, &mut self.velocity);
        check_velocity(self.model, t, &self.velocity, v)
    }
}

impl<const S: usize> Stepper for CrouchGrossman<'_, S> {
    fn name(&self) -> &'static str {
        self.coefficients.name
    }

    fn order(&self) -> usize {
        self.coefficients.order
    }

    fn stability(&self) -> Option<Stability> {
        Some(self.coefficients.stability)
    }

    fn step(
        &mut self,
        field: &mut dyn VectorField,
        t: f64,
        q: &mut [f64],
        v: &mut [f64],
        h: f64,
    ) -> Result<(), IntegratorError> {
        check_step(self.model, t, q, v, h)?;
        let (nv, coefficients) = (v.len(), self.coefficients);
        for i in 0..S {
            let weights = &coefficients.stages[i][..i];
            let time = t + h * weights.iter().sum::<f64>();
            self.place(q, v, (time, h), weights)?;
            let own = i * nv..(i + 1) * nv;
            self.velocities[own.clone()].copy_from_slice(&self.velocity);
            field.acceleration(
                time,
                &self.configuration,
                &self.velocity,
                &mut self.accelerations[own],
            )?;
        }
        self.place(q, v, (t + h, h), &coefficients.weights)?;
        q.copy_from_slice(&self.configuration);
        v.copy_from_slice(&self.velocity);
        Ok(())
    }
}
