//! Recorders, which take the samples of a motion.

use crate::contact::ContactSample;
use featherline::spatial::Force;
use featherline_constraint::LoopGap;
use std::ops::ControlFlow;

/// The robot at an instant.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The time, in s.
    pub t: f64,
    /// The configuration, nq entries.
    pub q: &'a [f64],
    /// The velocity, nv entries.
    pub v: &'a [f64],
    /// The joint forces of controller and [drives](crate::contact::Drives) together, nv entries in
    /// N·m (N); those of force models are not included. The controller's act from here on, those of
    /// drives are those of the step that led here.
    pub tau: &'a [f64],
    /// The kinetic energy, in J.
    pub kinetic_energy: f64,
    /// The potential energy in the model's gravity, in J; springs are not counted.
    pub potential_energy: f64,
    /// The energy about the centre of mass, of a robot that floats freely: its base is a free body
    /// and no loop goes through the world. Measured without the centre's motion, and so with all
    /// its digits however fast the robot falls.
    pub inner_energy: Option<InnerEnergy>,
    /// The linear momentum in N·s, and the angular momentum about the centre of mass in N·m·s,
    /// along the world's axes.
    pub momentum: Force<f64>,
    /// How far the loops are from closed; zero without loops.
    pub loop_gap: LoopGap,
    /// Contacts, with the account of errors and losses; of [time
    /// stepping](super::Method::time_stepping) only.
    pub contact: Option<ContactSample<'a>>,
}

/// The energy of a robot as seen from its centre of mass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InnerEnergy {
    /// The kinetic energy, in J: T − p²/(2 m) with the linear momentum p (König's theorem).
    pub kinetic: f64,
    /// The potential energy without that of the weight, in J: zero in a simulation, which counts no
    /// springs.
    pub potential: f64,
}

impl Sample<'_> {
    /// The mechanical energy, in J: kinetic plus potential.
    pub fn energy(&self) -> f64 {
        self.kinetic_energy + self.potential_energy
    }
}

/// Why a recorder could not take a sample: its own error.
pub type RecorderError = Box<dyn std::error::Error + Send + Sync>;

/// Takes the samples of a simulation.
///
/// `()` takes none, a closure on a sample is a recorder that never fails, and a tuple of recorders
/// hands each sample to all of them.
pub trait Recorder {
    /// Takes a sample, and says by `Break` if the simulation shall end with it.
    ///
    /// # Errors
    /// The recorder's own, which ends the simulation.
    fn record(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError>;

    /// Takes the sample of a state whose velocity an [event](super::Event) has changed, at the time
    /// of the one before: a sample like others, unless a recorder wants to know.
    ///
    /// # Errors
    /// As [`record`](Self::record).
    fn record_change(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
        self.record(sample)
    }
}

impl<F: FnMut(&Sample<'_>)> Recorder for F {
    fn record(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
        self(sample);
        Ok(ControlFlow::Continue(()))
    }
}

impl Recorder for () {
    fn record(&mut self, _: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
        Ok(ControlFlow::Continue(()))
    }
}

macro_rules! tuples_of_recorders {
    ($($recorder:ident)+) => {
        impl<$($recorder: Recorder + ?Sized),+> Recorder for ($(&mut $recorder,)+) {
            #[allow(non_snake_case)] // each recorder has the name of its type
            fn record(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
                let ($($recorder,)+) = self;
                let mut flow = ControlFlow::Continue(());
                $(
                    if $recorder.record(sample)?.is_break() {
                        flow = ControlFlow::Break(());
                    }
                )+
                Ok(flow)
            }

            #[allow(non_snake_case)] // as above
            fn record_change(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
                let ($($recorder,)+) = self;
                let mut flow = ControlFlow::Continue(());
                $(
                    if $recorder.record_change(sample)?.is_break() {
                        flow = ControlFlow::Break(());
                    }
                )+
                Ok(flow)
            }
        }
    };
}

tuples_of_recorders!(A B);
tuples_of_recorders!(A B C);
tuples_of_recorders!(A B C D);
