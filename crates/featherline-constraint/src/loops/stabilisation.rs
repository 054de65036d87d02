//! Baumgarte stabilisation of drifting loops.

use featherline::kernel::ConstraintBasis;
use featherline::spatial::Motion;
use nalgebra::Vector6;

/// Baumgarte stabilisation: accelerations must satisfy K q̈ = k − 2α K v − β² e, with e the gaps of
/// the loops. A gap then decays as a damped oscillation.
///
/// Source: J. Baumgarte, "Stabilization of constraints and integrals of motion in dynamical
/// systems", Computer Methods in Applied Mechanics and Engineering 1, 1972.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stabilisation {
    /// α, in 1/s.
    pub damping: f64,
    /// β, in 1/s.
    pub stiffness: f64,
}

impl Stabilisation {
    /// No forces but those of constraint.
    pub const NONE: Self = Self {
        damping: 0.0,
        stiffness: 0.0,
    };

    /// 2α Tᵀ v + β² Tᵀ e for one joint's velocity and gap.
    #[inline(always)]
    pub fn pulls(
        &self,
        basis: &ConstraintBasis,
        gap: &Motion<f64>,
        velocity: &Motion<f64>,
    ) -> [f64; 6] {
        let pull = self.pull(gap, velocity);
        basis.columns.tr_mul(&Vector6::from(pull)).into()
    }

    /// 2α v + β² e, where no motion is free.
    #[inline(always)]
    pub fn pull(&self, gap: &Motion<f64>, velocity: &Motion<f64>) -> Motion<f64> {
        *velocity * (2.0 * self.damping) + *gap * (self.stiffness * self.stiffness)
    }

    /// The pull kd K v + kp e: kd = 2α in 1/s, kp = β² in 1/s², neither of them negative.
    ///
    /// ```
    /// use featherline_constraint::Stabilisation;
    ///
    /// assert_eq!(Stabilisation::with_gains(100.0, 20.0), Stabilisation::critical(0.1));
    /// ```
    pub fn with_gains(kp: f64, kd: f64) -> Self {
        Self {
            damping: kd / 2.0,
            stiffness: kp.sqrt(),
        }
    }

    /// Gaps decay without oscillation, in proportion to (1 + t/T) e^(−t/T) with T the given time in
    /// s. Some ten steps of an integrator are a good choice; less than two make it unstable.
    ///
    /// ```
    /// use featherline_constraint::Stabilisation;
    ///
    /// let pull = Stabilisation::critical(0.01);
    /// assert_eq!((pull.damping, pull.stiffness), (100.0, 100.0));
    /// ```
    pub fn critical(time: f64) -> Self {
        Self {
            damping: time.recip(),
            stiffness: time.recip(),
        }
    }
}
