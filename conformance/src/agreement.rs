//! When two numbers agree.
//!
//! The **error** of a quantity is the largest difference of its entries, divided by the largest
//! entry that the reference has of the same quantity in the same state. No fixed floor stands in
//! for small numbers: light robots are compared as sharply as heavy ones.
//!
//! The exception is a quantity that is zero but for rounding, like the rate of the centroidal
//! matrix of a robot all of whose joints are propellers on one plate: what is left of terms that
//! cancel has no digits that two programs could share. How large the terms were, the [`Family`] of
//! the quantity tells: what has one unit, or one unit up to rates, like all joint forces of a
//! state, all velocities in one frame, or a Jacobian together with its rate. (States have
//! velocities and accelerations of about 1 rad/s, 1 m/s, so that a rate has the size of what it is
//! the rate of.) Terms of the size of the family's largest entry lose some 50 roundings, 10⁻¹⁴ of
//! it, on their way through a robot; so where the largest entry of a quantity is below
//! [`CANCELLED`] of that of its family, the error is relative to this bound instead. That is no
//! milder: 10⁻¹⁰ of 10⁻⁴ is 10⁻¹⁴ of the family's largest entry. The report counts the states where
//! it is so.
//!
//! An error of [`TOLERANCE`] is accepted. Accelerations that follow from forces, and the inverse of
//! the mass matrix, lose digits with the condition number κ of the mass matrix, whatever algorithm
//! finds them: two of them, each as accurate as double precision allows, differ by about κ · 2⁻⁵²
//! (N. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., 2002, section 7.1). Hence
//! for those, in states with
//!
//! | κ | accepted error |
//! |---|---|
//! | to [`BADLY_CONDITIONED`] | [`TOLERANCE`] |
//! | to [`BEYOND_COMPARISON`] | [`INVERSE_TOLERANCE`] |
//! | beyond | κ · 2⁻⁵¹, and a residual (below) of [`TOLERANCE`]; for M⁻¹ also [`close_to_singular`](crate::close_to_singular) |
//!
//! The residual of accelerations is M q̈ + b − τ, divided by the largest entry of |M| |q̈| + |b| +
//! |τ|; that of an inverse is M M⁻¹ − 1, divided by the largest entry of |M| |M⁻¹|; M and b are the
//! reference's. It measures how much the equations would have to be changed for the result to be
//! exact, and does not grow with κ (Higham 2002, sections 7.1 and 14.1).

/// The error that is accepted.
pub const TOLERANCE: f64 = 1e-10;
/// The error that is accepted of accelerations and inverses where the mass matrix is badly
/// conditioned.
pub const INVERSE_TOLERANCE: f64 = 1e-8;
/// The condition number up to which rounding, amplified by it, stays below [`TOLERANCE`]: 10⁵ ·
/// 2⁻⁵² = 2·10⁻¹¹.
pub const BADLY_CONDITIONED: f64 = 1e5;
/// The condition number up to which rounding, amplified by it, stays below [`INVERSE_TOLERANCE`]:
/// 2·10⁷ · 2⁻⁵¹ = 9·10⁻⁹.
pub const BEYOND_COMPARISON: f64 = 2e7;
/// The error that is accepted beyond, as a multiple of the condition number: the roundings of two
/// sides.
const AMPLIFIED: f64 = 2.0 * f64::EPSILON;

/// The largest entry of a quantity, as a part of the largest one of its family, below which it is
/// what is left of terms that cancel.
pub const CANCELLED: f64 = 1e-4;

/// Quantities that are sums of terms of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// Joint forces.
    JointForce,
    /// The mass matrix and its rate.
    MassMatrix,
    /// The inverse of the mass matrix.
    Inverse,
    /// Accelerations of coordinates that follow from forces.
    JointAcceleration,
    /// Accelerations of coordinates, some of them given.
    HybridAcceleration,
    /// Placements.
    Placement,
    /// Velocities of frames.
    Velocity(Frame),
    /// Accelerations of frames.
    Acceleration(Frame),
    /// Jacobians of frames, their rates and derivatives.
    Jacobian(Frame),
    /// Centre of mass, its velocity, acceleration and Jacobian.
    CentreOfMass,
    /// Masses of subtrees.
    SubtreeMass,
    /// Masses of subtrees times their centres of mass.
    SubtreeMoment,
    /// Centroidal momentum, its matrix and rates.
    Centroidal,
    /// Energies.
    Energy,
    /// Dynamic parameters of bodies.
    Parameters,
    /// Joint forces by dynamic parameters.
    TorqueRegressor,
    /// Momenta of the joints by dynamic parameters.
    MomentumRegressor,
    /// Energies by dynamic parameters.
    EnergyRegressor,
    /// The centre of mass by masses and first moments.
    StaticRegressor,
    /// Forces on bodies by their dynamic parameters.
    BodyRegressor,
    /// Configurations.
    Configuration,
    /// Differences of configurations.
    Difference,
    /// Jacobians of operations on configurations.
    TangentMap,
    /// A number that is relative already.
    Residual,
}

/// In which coordinates six-vectors are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Frame {
    /// The moving frame's.
    Local,
    /// The world's, at the world's origin.
    World,
    /// The world's axes at the moving frame's origin.
    Aligned,
}

/// How much error a quantity may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sensitivity {
    /// No more than rounding.
    Rounding,
    /// Rounding amplified by the condition number.
    Conditioned,
}

/// A quantity from both sides, in the reference's layout.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The name of the quantity.
    pub quantity: &'static str,
    /// The family of terms that it is a sum of.
    pub family: Family,
    /// How much error it may have.
    pub sensitivity: Sensitivity,
    /// Our numbers.
    pub ours: Vec<f64>,
    /// The reference's numbers.
    pub theirs: Vec<f64>,
}

/// The error of one quantity of one state.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The name of the quantity.
    pub quantity: &'static str,
    /// The family of terms that it is a sum of.
    pub family: Family,
    /// Its error; infinite if one side has a number that the other lacks.
    pub error: f64,
    /// The largest difference relative to the largest entry of the family.
    pub of_family: f64,
    /// Whether the quantity is what is left of terms that cancel.
    pub cancelled: bool,
    /// The error that is accepted.
    pub tolerance: f64,
    /// How much error it may have.
    pub sensitivity: Sensitivity,
}

impl Judged {
    /// Whether the error is accepted.
    pub fn passes(&self) -> bool {
        self.error <= self.tolerance
    }

    /// The error as a multiple of the tolerance.
    pub fn excess(&self) -> f64 {
        self.error / self.tolerance
    }
}

/// The error that is accepted.
pub fn tolerance(sensitivity: Sensitivity, condition: f64) -> f64 {
    match sensitivity {
        Sensitivity::Rounding => TOLERANCE,
        Sensitivity::Conditioned if condition <= BADLY_CONDITIONED => TOLERANCE,
        Sensitivity::Conditioned if condition <= BEYOND_COMPARISON => INVERSE_TOLERANCE,
        Sensitivity::Conditioned => condition * AMPLIFIED,
    }
}

/// Judges all quantities of a state.
pub fn judge(pairs: &[Pair], condition: f64) -> Vec<Judged> {
    let verdicts = pairs.iter().map(|pair| {
        let difference = difference(&pair.ours, &pair.theirs);
        // A residual is to be zero, and is relative already.
        let (own, family) = if pair.family == Family::Residual {
            (1.0, 1.0)
        } else {
            (largest(&pair.theirs), scale(pairs, pair.family))
        };
        let bound = CANCELLED * family;
        Judged {
            quantity: pair.quantity,
            family: pair.family,
            error: relative(difference, own.max(bound)),
            of_family: relative(difference, family),
            cancelled: own < bound,
            tolerance: tolerance(pair.sensitivity, condition),
            sensitivity: pair.sensitivity,
        }
    });
    verdicts.collect()
}

/// The largest entry that the reference has in a family.
fn scale(pairs: &[Pair], family: Family) -> f64 {
    let members = pairs.iter().filter(|pair| pair.family == family);
    members
        .map(|pair| largest(&pair.theirs))
        .fold(0.0, f64::max)
}

/// A difference relative to a scale; no difference at all is none on any scale.
pub fn relative(difference: f64, scale: f64) -> f64 {
    if difference == 0.0 {
        0.0
    } else if scale.is_finite() && difference.is_finite() {
        difference / scale
    } else {
        f64::INFINITY
    }
}

/// The largest magnitude; not finite if an entry is not.
pub fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, x| {
        if x.is_nan() {
            f64::INFINITY
        } else {
            most.max(x.abs())
        }
    })
}

/// The largest difference; infinite if lengths differ or an entry is NaN.
fn difference(ours: &[f64], theirs: &[f64]) -> f64 {
    if ours.len() != theirs.len() {
        return f64::INFINITY;
    }
    ours.iter().zip(theirs).fold(0.0, |most, (x, y)| {
        let distance = (x - y).abs();
        if distance.is_nan() {
            f64::INFINITY
        } else {
            most.max(distance)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(family: Family, ours: &[f64], theirs: &[f64]) -> Pair {
        Pair {
            quantity: "x",
            family,
            sensitivity: Sensitivity::Rounding,
            ours: ours.to_vec(),
            theirs: theirs.to_vec(),
        }
    }

    #[test]
    fn errors_are_relative_to_the_largest_entry_of_the_quantity() {
        let pairs = [
            pair(Family::JointForce, &[1.0, 3.0], &[1.0, 4.0]),
            pair(Family::JointForce, &[0.5], &[128.0]),
            pair(Family::Placement, &[1e-6], &[2e-6]),
        ];
        let judged = judge(&pairs, 1.0);
        let errors: Vec<f64> = judged.iter().map(|j| j.error).collect();
        assert_eq!(errors, [0.25, 127.5 / 128.0, 0.5]);
        assert_eq!(judged[0].of_family, 1.0 / 128.0);
        assert!(judged.iter().all(|j| !j.cancelled));
    }

    #[test]
    fn what_is_left_of_terms_that_cancel_is_relative_to_their_size() {
        let pairs = [
            pair(Family::JointForce, &[1e3], &[1e3]),
            pair(Family::JointForce, &[3e-13], &[-2e-13]),
            pair(Family::JointForce, &[3e-11], &[-2e-11]),
            pair(Family::Centroidal, &[3e-13], &[-2e-13]),
        ];
        let judged = judge(&pairs, 1.0);
        let cancelled: Vec<bool> = judged.iter().map(|j| j.cancelled).collect();
        assert_eq!(cancelled, [false, true, true, false]);
        let passes: Vec<bool> = judged.iter().map(Judged::passes).collect();
        assert_eq!(passes, [true, true, false, false]);
        assert!((judged[1].error - 5e-12).abs() < 1e-20);
    }

    #[test]
    fn a_residual_is_an_error_by_itself() {
        let judged = judge(&[pair(Family::Residual, &[3e-7], &[0.0])], 1.0);
        assert!((judged[0].error - 3e-7).abs() < 1e-20);
    }

    #[test]
    fn what_cannot_be_compared_fails() {
        let cases = [
            pair(Family::Energy, &[f64::NAN], &[1.0]),
            pair(Family::Energy, &[1.0], &[f64::NAN]),
            pair(Family::Energy, &[f64::INFINITY], &[1.0]),
            pair(Family::Energy, &[1.0, 2.0], &[1.0]),
            pair(Family::Energy, &[1e-300], &[0.0]),
        ];
        for case in cases {
            assert!(!judge(&[case], 1.0)[0].passes());
        }
        assert!(judge(&[pair(Family::Energy, &[0.0], &[0.0])], 1.0)[0].passes());
    }

    #[test]
    fn only_what_the_condition_number_amplifies_is_judged_by_it() {
        for condition in [1.0, 1e7, 1e12, f64::INFINITY] {
            assert_eq!(tolerance(Sensitivity::Rounding, condition), TOLERANCE);
        }
        let conditioned = |condition| tolerance(Sensitivity::Conditioned, condition);
        assert_eq!(conditioned(1e4), TOLERANCE);
        assert_eq!(conditioned(1e7), INVERSE_TOLERANCE);
        assert_eq!(conditioned(1e12), 1e12 * AMPLIFIED);
        assert!(conditioned(BEYOND_COMPARISON * 1.001) < INVERSE_TOLERANCE);
    }
}
