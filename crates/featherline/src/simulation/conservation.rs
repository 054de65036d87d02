//! How well a motion keeps what it should keep.

use super::drift::{Drift, Trend};
use super::{Recorder, RecorderError, Sample};
use crate::model::Model;
use crate::spatial::{Force, Vec3};
use std::ops::ControlFlow;

/// The part of a kinetic energy below which a difference of two is rounding.
const ROUNDING: f64 = 1e-12;

/// The part of an energy below which the kinetic one is that of rounding, which has the square of its size.
const REST: f64 = 1e-24;

/// A recorder that keeps account of energy, momentum and loops, in constant memory.
///
/// The energy is one that gravity alone changes in form; controllers and passive forces change it in amount. Momentum is
/// kept by robots that [float freely](Self::floats_freely), but for what gravity adds.
#[derive(Clone, Debug)]
pub struct Conservation {
    weight: Vec3<f64>,
    /// The mass of a robot that floats freely.
    floating_mass: Option<f64>,
    samples: u64,
    first: Option<First>,
    greatest_kinetic: f64,
    greatest_inner: f64,
    greatest_energy: f64,
    peak_energy: f64,
    last_energy: f64,
    trend: Trend,
    peak_linear: f64,
    peak_angular: f64,
    peak_gap: f64,
    peak_gap_rate: f64,
}

/// What has changed since the first sample.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// The energy gained, in J.
    pub energy: f64,
    /// The momentum gained, in N·s and N·m·s; that of a robot that floats freely without what gravity gave.
    pub momentum: Force<f64>,
}

#[derive(Clone, Copy, Debug)]
struct First {
    t: f64,
    energy: f64,
    momentum: Force<f64>,
}

impl Conservation {
    /// An empty account for a robot.
    pub fn new(model: &Model) -> Self {
        let floating_mass = model.free_base().map(|_| model.total_mass());
        Self {
            weight: model.gravity() * floating_mass.unwrap_or(0.0),
            floating_mass,
            samples: 0,
            first: None,
            greatest_kinetic: 0.0,
            greatest_inner: 0.0,
            greatest_energy: 0.0,
            peak_energy: 0.0,
            last_energy: 0.0,
            trend: Trend::new(),
            peak_linear: 0.0,
            peak_angular: 0.0,
            peak_gap: 0.0,
            peak_gap_rate: 0.0,
        }
    }

    /// Whether nothing but gravity can act on the robot from outside: its base is a free body and no loop goes through
    /// the world.
    pub fn floats_freely(&self) -> bool {
        self.floating_mass.is_some()
    }

    /// How many samples there were.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// The energy at the first and at the last sample, in J.
    pub fn energies(&self) -> (f64, f64) {
        let first = self.first.map_or(0.0, |first| first.energy);
        (first, self.last_energy)
    }

    /// What energy errors are relative to, in J: the greatest kinetic energy. The zero of the potential energy is anyone's
    /// choice, so that a part of the energy itself would mean nothing.
    ///
    /// Of a robot that [floats freely](Self::floats_freely) it is the greatest kinetic energy about the centre of mass, T − p²/(2 m)
    /// with the linear momentum p: the longer it falls, the greater is T itself, and the smaller would the same error look. Where
    /// nothing moves but the centre of mass, T counts ([`scale_is_inner`](Self::scale_is_inner) tells). Zero where nothing moves but
    /// by rounding.
    pub fn energy_scale(&self) -> f64 {
        if self.scale_is_inner() {
            self.greatest_inner
        } else if self.greatest_kinetic > REST * self.greatest_energy {
            self.greatest_kinetic
        } else {
            0.0
        }
    }

    /// Whether energy errors are relative to a kinetic energy about the centre of mass.
    pub fn scale_is_inner(&self) -> bool {
        self.floats_freely() && self.greatest_inner > 0.0
    }

    /// The greatest change of the energy since the first sample, relative to the [scale](Self::energy_scale). Zero where nothing
    /// moved.
    pub fn peak_energy_error(&self) -> f64 {
        self.relative(self.peak_energy)
    }

    /// The slope of a straight line fitted to the energy over time by least squares, relative to the
    /// [scale](Self::energy_scale), in 1/s.
    ///
    /// The error is that of the means of 64 to 128 equal parts of the motion, with deviations from the line that are alike in
    /// neighbouring parts counted for what they are worth ([`Drift::through`]). An energy that oscillates about one value
    /// has a slope of the order of its error, however long the run.
    pub fn energy_drift(&self) -> Drift {
        let Drift { slope, error } = self.trend.drift();
        Drift {
            slope: self.relative(slope),
            error: self.relative(error),
        }
    }

    /// What has changed from the first sample that was recorded to this one.
    pub fn change(&self, sample: &Sample<'_>) -> Change {
        let Some(first) = self.first else {
            return Change {
                energy: 0.0,
                momentum: Force::zero(),
            };
        };
        let mut momentum = sample.momentum - first.momentum;
        momentum.linear -= self.weight * (sample.t - first.t);
        Change {
            energy: sample.energy() - first.energy,
            momentum,
        }
    }

    /// The greatest change of the linear momentum since the first sample, in N·s; of a robot that floats freely, beyond that
    /// by gravity.
    pub fn linear_momentum_error(&self) -> f64 {
        self.peak_linear
    }

    /// The greatest change of the angular momentum about the centre of mass since the first sample, in N·m·s.
    ///
    /// Without gravity the variational integrator keeps that about a fixed point to rounding
    /// ([`momentum`](crate::integrator::VariationalIntegrator::momentum)); its centre of mass is as far from the true one as
    /// its order says, and so is the momentum about it.
    pub fn angular_momentum_error(&self) -> f64 {
        self.peak_angular
    }

    /// The greatest gap of a loop, in m and rad, and the greatest velocity at which one opened, in m/s and rad/s.
    pub fn loop_error(&self) -> (f64, f64) {
        (self.peak_gap, self.peak_gap_rate)
    }

    fn relative(&self, energy: f64) -> f64 {
        let scale = self.energy_scale();
        if scale > 0.0 { energy / scale } else { 0.0 }
    }

    /// The kinetic energy about the centre of mass, as far as it is more than the rounding of the whole.
    fn inner_energy(&self, sample: &Sample<'_>) -> f64 {
        let whole = sample.kinetic_energy;
        let of_centre = match self.floating_mass {
            Some(mass) if mass > 0.0 => sample.momentum.linear.norm_squared() / (2.0 * mass),
            _ => 0.0,
        };
        let inner = whole - of_centre;
        if inner > ROUNDING * whole { inner } else { 0.0 }
    }
}

impl Recorder for Conservation {
    fn record(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
        let first = *self.first.get_or_insert(First {
            t: sample.t,
            energy: sample.energy(),
            momentum: sample.momentum,
        });
        let change = self.change(sample);
        self.samples += 1;
        self.last_energy = sample.energy();
        self.greatest_kinetic = self.greatest_kinetic.max(sample.kinetic_energy);
        self.greatest_energy = self.greatest_energy.max(sample.energy().abs());
        self.greatest_inner = self.greatest_inner.max(self.inner_energy(sample));
        self.peak_energy = self.peak_energy.max(change.energy.abs());
        self.trend.add(sample.t - first.t, change.energy);
        self.peak_linear = self.peak_linear.max(change.momentum.linear.norm());
        self.peak_angular = self.peak_angular.max(change.momentum.angular.norm());
        self.peak_gap = self.peak_gap.max(sample.loop_gap.position);
        self.peak_gap_rate = self.peak_gap_rate.max(sample.loop_gap.velocity);
        Ok(ControlFlow::Continue(()))
    }
}
