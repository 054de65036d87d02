//! How well a motion keeps what it should keep.

use super::drift::{Drift, Trend};
use super::{Recorder, RecorderError, Sample};
use crate::joint::JointKind;
use crate::model::{JointId, Model};
use crate::spatial::{Force, Vec3};
use std::ops::ControlFlow;

/// A recorder that keeps account of energy, momentum and loops, in constant memory.
///
/// The energy is one that gravity alone changes in form; controllers and passive forces change it in amount. Momentum is
/// kept by robots that [float freely](Self::floats_freely), but for what gravity adds.
#[derive(Clone, Debug)]
pub struct Conservation {
    weight: Vec3<f64>,
    floats_freely: bool,
    samples: u64,
    first: Option<First>,
    greatest_kinetic: f64,
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
        let floats_freely = floats_freely(model);
        let weight = if floats_freely {
            model.gravity() * model.total_mass()
        } else {
            Vec3::zero()
        };
        Self {
            weight,
            floats_freely,
            samples: 0,
            first: None,
            greatest_kinetic: 0.0,
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
        self.floats_freely
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

    /// The greatest change of the energy since the first sample, by the greatest kinetic energy: the zero of the potential
    /// energy is anyone's choice, so that a part of the energy itself would mean nothing. Zero where nothing moved.
    pub fn peak_energy_error(&self) -> f64 {
        self.by_kinetic(self.peak_energy)
    }

    /// The slope of a straight line fitted to the energy over time by least squares, by the greatest kinetic energy, in 1/s.
    ///
    /// The error is that of the means of 64 to 128 equal parts of the motion, with deviations from the line that are alike in
    /// neighbouring parts counted for what they are worth ([`Drift::through`]). An energy that oscillates about one value
    /// has a slope of the order of its error, however long the run.
    pub fn energy_drift(&self) -> Drift {
        let Drift { slope, error } = self.trend.drift();
        Drift {
            slope: self.by_kinetic(slope),
            error: self.by_kinetic(error),
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

    fn by_kinetic(&self, energy: f64) -> f64 {
        if self.greatest_kinetic > 0.0 {
            energy / self.greatest_kinetic
        } else {
            0.0
        }
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
        self.peak_energy = self.peak_energy.max(change.energy.abs());
        self.trend.add(sample.t - first.t, change.energy);
        self.peak_linear = self.peak_linear.max(change.momentum.linear.norm());
        self.peak_angular = self.peak_angular.max(change.momentum.angular.norm());
        self.peak_gap = self.peak_gap.max(sample.loop_gap.position);
        self.peak_gap_rate = self.peak_gap_rate.max(sample.loop_gap.velocity);
        Ok(ControlFlow::Continue(()))
    }
}

fn floats_freely(model: &Model) -> bool {
    let mut roots = model.children(JointId::UNIVERSE);
    let only = (roots.next(), roots.next());
    let (Some(base), None) = only else {
        return false;
    };
    let in_world = |body: JointId| body == JointId::UNIVERSE;
    let held = model
        .loop_joints()
        .iter()
        .any(|closing| in_world(closing.predecessor) || in_world(closing.successor));
    model.joint(base).kind == JointKind::FreeFlyer && !held
}
