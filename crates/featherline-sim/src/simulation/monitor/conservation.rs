//! Conservation of energy, momentum and closed loops along a motion.

use super::drift::{Drift, Trend};
use super::energy_monitor::EnergyMonitor;
use super::{Recorder, RecorderError, Sample, SimulationWarning};
use featherline::kernel::free_base;
use featherline::model::Model;
use featherline::spatial::{Force, Vec3};
use std::ops::ControlFlow;

/// Kinetic energy at rest relative to the greatest energy: the square of rounded velocities.
const REST: f64 = 1e-24;

/// The kinetic energy about the centre of mass that is left by rounding, and by steps that are
/// solved to some 10⁻¹¹ of the whole velocity. It is relative to the whole kinetic energy: the
/// square of these errors.
const INNER_REST: f64 = 1e-20;

/// The part of kinetic energy below which the centre of mass rests, but for other motions' errors.
const CENTER_REST: f64 = 1e-12;

/// The error of the energy from which on a motion is not taken for the robot's.
const TOLERATED: f64 = 0.1;

/// A recorder that keeps account of energy, momentum and loops, in constant memory.
///
/// The changes of energy and momentum by an [event](crate::simulation::Event) are no errors: the
/// values of the first sample change by as much.
///
/// The energy is one that gravity alone changes in form; controllers and passive forces change it
/// in amount. Momentum is kept by robots that [float freely](Self::floats_freely), but for what
/// gravity adds.
///
/// The energy of a robot that floats freely is that about its centre of mass
/// ([`InnerEnergy`](super::InnerEnergy)), and the centre's is judged [by
/// itself](Self::center_energy_error): after a long fall both are there, one 10¹² times the other,
/// and errors of one relative to the other would mean nothing.
#[derive(Clone, Debug)]
pub struct Conservation {
    weight: Vec3<f64>,
    /// The mass of a robot that floats freely.
    floating_mass: Option<f64>,
    samples: u64,
    first: Option<First>,
    last_momentum: Force<f64>,
    whole: EnergyMonitor,
    /// Those of a robot that floats freely.
    inner: EnergyMonitor,
    center: EnergyMonitor,
    trend: Trend,
    greatest_linear: f64,
    peak_linear: f64,
    peak_angular: f64,
    peak_gap: f64,
    peak_gap_rate: f64,
}

/// The change of energy and momentum since the first sample.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// The energy gained, in J; that about the centre of mass of a robot that floats freely.
    pub energy: f64,
    /// The momentum gained, in N·s and N·m·s; that of a robot that floats freely without what
    /// gravity gave.
    pub momentum: Force<f64>,
}

#[derive(Clone, Copy, Debug)]
struct First {
    t: f64,
    momentum: Force<f64>,
}

impl Conservation {
    /// An empty account for a robot.
    pub fn new(model: &Model) -> Self {
        let floating_mass = free_base(model).map(|_| model.total_mass());
        Self {
            weight: model.gravity() * floating_mass.unwrap_or(0.0),
            floating_mass,
            samples: 0,
            first: None,
            last_momentum: Force::zero(),
            whole: EnergyMonitor::default(),
            inner: EnergyMonitor::default(),
            center: EnergyMonitor::default(),
            trend: Trend::new(),
            greatest_linear: 0.0,
            peak_linear: 0.0,
            peak_angular: 0.0,
            peak_gap: 0.0,
            peak_gap_rate: 0.0,
        }
    }

    /// Whether nothing but gravity can act on the robot from outside: its base is a free body
    /// without armature, and no loop goes through the world.
    pub fn floats_freely(&self) -> bool {
        self.floating_mass.is_some()
    }

    /// How many samples there were.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// The energy at the first and at the last sample, in J, that of the centre of mass among it.
    pub fn energies(&self) -> (f64, f64) {
        self.whole.ends()
    }

    /// The scale of energy errors, in J: the greatest kinetic energy. The zero of the potential
    /// energy is anyone's choice, so that a part of the energy itself would mean nothing.
    ///
    /// Samples count whose energy is wrong by at most half of their own kinetic energy (all of
    /// them, if there is no such sample): a motion that blows up has a kinetic energy that is all
    /// error, and would hide it.
    ///
    /// Of a robot that [floats freely](Self::floats_freely) it is the greatest kinetic energy about
    /// the centre of mass, T − p²/(2 m) with the linear momentum p: the longer it falls, the
    /// greater is T itself, and the smaller would the same error look. Where nothing moves but the
    /// centre of mass, T counts ([`scale_is_inner`](Self::scale_is_inner) tells). Zero where
    /// nothing moves but by rounding.
    pub fn energy_scale(&self) -> f64 {
        if self.scale_is_inner() {
            self.inner.scale()
        } else if self.whole.rests(REST) {
            0.0
        } else {
            self.whole.scale()
        }
    }

    /// Whether energy errors are relative to a kinetic energy about the centre of mass.
    pub fn scale_is_inner(&self) -> bool {
        self.inner.scale() > INNER_REST * self.whole.scale()
    }

    /// The greatest change of the energy since the first sample, of a robot that floats freely of
    /// that about its centre of mass, relative to the [scale](Self::energy_scale). Zero where
    /// nothing moved.
    pub fn peak_energy_error(&self) -> f64 {
        self.relative(self.kept().peak())
    }

    /// The greatest change of the energy of the centre of mass of a robot that floats freely, p²/(2
    /// m) − m g·c, relative to the greatest p²/(2 m). Zero where the centre rests, and for robots
    /// that the world holds.
    pub fn center_energy_error(&self) -> f64 {
        let scale = self.center.scale();
        if scale > CENTER_REST * self.whole.scale() {
            self.center.peak() / scale
        } else {
            0.0
        }
    }

    /// [`SimulationWarning::EnergyNotKept`] if the energy changed by more than a tenth of the
    /// [scale](Self::energy_scale), which is for those to ask who know that nothing but gravity
    /// acts: neither controllers nor force models.
    ///
    /// ```
    /// use featherline_sim::integrator::RungeKutta4;
    /// use featherline_sim::simulation::{Conservation, Method, Simulator};
    /// use featherline::samples;
    ///
    /// // A double pendulum falls from nearly upright, in steps that are much too long for it.
    /// let model = samples::double_pendulum();
    /// let method = Method::steps(RungeKutta4::new(&model), 0.3)?;
    /// let mut simulation = Simulator::new(&model, method).start(0.0, &[3.0, 0.0], &[0.0, 0.0])?;
    /// let mut conservation = Conservation::new(&model);
    /// simulation.run(3.0, 0.3, &mut conservation)?;
    /// let warning = conservation.warning().map(|warning| warning.to_string());
    /// assert!(warning.is_some_and(|warning| warning.contains("steps half as long")));
    /// # Ok::<(), featherline_sim::simulation::SimulationError>(())
    /// ```
    pub fn warning(&self) -> Option<SimulationWarning> {
        let change = self.peak_energy_error();
        let doubtful = change > TOLERATED && self.kept().shows();
        doubtful.then(|| SimulationWarning::EnergyNotKept {
            change,
            about_center: self.scale_is_inner(),
        })
    }

    /// The slope of a straight line fitted to the energy over time by least squares, relative to
    /// the [scale](Self::energy_scale), in 1/s.
    ///
    /// The error is that of the means of 64 to 128 equal parts of the motion, with deviations from
    /// the line that are alike in neighbouring parts counted for what they are worth
    /// ([`Drift::through`]). An energy that oscillates about one value has a slope of the order of
    /// its error, however long the run.
    pub fn energy_drift(&self) -> Drift {
        let Drift { slope, error } = self.trend.drift();
        Drift {
            slope: self.relative(slope),
            error: self.relative(error),
        }
    }

    /// The change of energy and momentum from the first recorded sample to this one.
    pub fn change(&self, sample: &Sample<'_>) -> Change {
        let Some(first) = self.first else {
            return Change {
                energy: 0.0,
                momentum: Force::zero(),
            };
        };
        let mut momentum = sample.momentum - first.momentum;
        momentum.linear -= self.weight * (sample.t - first.t);
        let energy = match self.inner_energy(sample) {
            Some([kinetic, potential]) => kinetic + potential,
            None => sample.energy(),
        };
        let energy = self.kept().change(energy);
        Change { energy, momentum }
    }

    /// The greatest change of the linear momentum since the first sample, in N·s; of a robot that
    /// floats freely, beyond that by gravity.
    pub fn linear_momentum_error(&self) -> f64 {
        self.peak_linear
    }

    /// The greatest linear momentum, in N·s: what rounding of it is a part of.
    pub fn linear_momentum_scale(&self) -> f64 {
        self.greatest_linear
    }

    /// The greatest change of the angular momentum about the centre of mass since the first sample,
    /// in N·m·s.
    ///
    /// Without gravity the variational integrator keeps that about a fixed point to rounding
    /// ([`momentum`](crate::integrator::VariationalIntegrator::momentum)); its centre of mass is as
    /// far from the true one as its order says, and so is the momentum about it.
    pub fn angular_momentum_error(&self) -> f64 {
        self.peak_angular
    }

    /// The greatest gap of a loop, in m and rad, and the greatest velocity at which one opened, in
    /// m/s and rad/s.
    pub fn loop_error(&self) -> (f64, f64) {
        (self.peak_gap, self.peak_gap_rate)
    }

    fn relative(&self, energy: f64) -> f64 {
        let scale = self.energy_scale();
        if scale > 0.0 { energy / scale } else { 0.0 }
    }

    /// The energy that stays where nothing but gravity acts.
    fn kept(&self) -> &EnergyMonitor {
        if self.inner.has_begun() {
            &self.inner
        } else {
            &self.whole
        }
    }

    /// Kinetic and potential energy about the centre of mass of a robot that floats freely.
    fn inner_energy(&self, sample: &Sample<'_>) -> Option<[f64; 2]> {
        let inner = sample.inner_energy.filter(|_| self.floats_freely())?;
        Some([inner.kinetic, inner.potential])
    }
}

impl Recorder for Conservation {
    fn record(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
        let first = *self.first.get_or_insert(First {
            t: sample.t,
            momentum: sample.momentum,
        });
        self.samples += 1;
        self.whole
            .add(sample.kinetic_energy, sample.potential_energy);
        if let (Some(mass), Some([kinetic, potential])) =
            (self.floating_mass, self.inner_energy(sample))
        {
            self.inner.add(kinetic, potential);
            if mass > 0.0 {
                let of_center = sample.momentum.linear.norm_squared() / (2.0 * mass);
                self.center
                    .add(of_center, sample.potential_energy - potential);
            }
        }
        let change = self.change(sample);
        self.trend.add(sample.t - first.t, change.energy);
        self.greatest_linear = self.greatest_linear.max(sample.momentum.linear.norm());
        self.peak_linear = self.peak_linear.max(change.momentum.linear.norm());
        self.peak_angular = self.peak_angular.max(change.momentum.angular.norm());
        self.peak_gap = self.peak_gap.max(sample.loop_gap.position);
        self.peak_gap_rate = self.peak_gap_rate.max(sample.loop_gap.velocity);
        self.last_momentum = sample.momentum;
        Ok(ControlFlow::Continue(()))
    }

    /// Records the sample after an event. The event's change of energy and momentum is no error of
    /// the motion: the first values change by as much.
    fn record_change(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
        self.whole.allow(sample.energy());
        if let Some([kinetic, potential]) = self.inner_energy(sample) {
            self.inner.allow(kinetic + potential);
            if let Some(mass) = self.floating_mass.filter(|mass| *mass > 0.0) {
                let of_center = sample.momentum.linear.norm_squared() / (2.0 * mass);
                self.center
                    .allow(of_center + sample.potential_energy - potential);
            }
        }
        if let Some(first) = &mut self.first {
            first.momentum = first.momentum + sample.momentum - self.last_momentum;
        }
        self.record(sample)
    }
}
