//! The stability limits of a step.

/// The greatest products of a step and a rate at which a method still follows what forces do.
///
/// With R the method's stability function (E. Hairer and G. Wanner, *Solving Ordinary Differential
/// Equations II*, 1996, section IV.2) an explicit method follows a damper on the negative real
/// axis, and a spring on the imaginary one, as far as
/// |R| ≤ 1. Beyond, its velocities swing to and fro from step to step and grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stability {
    /// For a damper that takes a velocity away at a rate: the step times that.
    pub damping: f64,
    /// For a spring on which a mass swings: the step times the angular frequency.
    pub oscillation: f64,
}
