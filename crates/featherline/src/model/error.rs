//! Why a model can't be built, and what is doubtful about one.

use crate::joint::JointError;
use thiserror::Error;

/// Why a model can't be built.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A number is infinite or NaN.
    #[error("{what} of `{name}` is not a finite number")]
    NotFinite {
        /// Which quantity.
        what: &'static str,
        /// Whose.
        name: String,
    },
    /// A quantity that can't be negative is.
    #[error("{what} of `{name}` is negative ({})", figure(*.value))]
    Negative {
        /// Which quantity.
        what: &'static str,
        /// Whose.
        name: String,
        /// Its value.
        value: f64,
    },
    /// A rotational inertia has a negative principal moment: no body has it.
    #[error(
        "the rotational inertia of body `{body}` is not positive semidefinite: a principal moment is {} kg·m²",
        figure(*.moment)
    )]
    InertiaNotPositive {
        /// The body.
        body: String,
        /// The negative principal moment.
        moment: f64,
    },
    /// The kind of a joint makes no sense.
    #[error("joint `{joint}`: {source}")]
    Kind {
        /// The joint.
        joint: String,
        /// The invalid parameter of the kind.
        source: JointError,
    },
    /// A placement's rotation is not orthonormal.
    #[error("the placement of `{name}` has a rotation that is not orthonormal")]
    NotARotation {
        /// The joint or frame.
        name: String,
    },
    /// Two things of one kind have one name.
    #[error("two {kind} are named `{name}`")]
    DuplicateName {
        /// `joints`, or `frames` of one kind.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A list of a joint's limits or parameters has the wrong length.
    #[error("{what} of joint `{joint}` has {found} entries where its kind needs {expected}")]
    Length {
        /// Which list.
        what: &'static str,
        /// The joint.
        joint: String,
        /// The length needed.
        expected: usize,
        /// The length given.
        found: usize,
    },
    /// A lower limit lies above the upper one.
    #[error(
        "joint `{joint}` has a lower limit {} above its upper limit {}",
        figure(*.lower), figure(*.upper)
    )]
    EmptyRange {
        /// The joint.
        joint: String,
        /// Lower limit.
        lower: f64,
        /// Upper limit.
        upper: f64,
    },
    /// A mimic joint can't mimic the joint that is given.
    #[error("joint `{joint}` can't mimic `{mimicked}`: {reason}")]
    BadMimic {
        /// The mimic joint.
        joint: String,
        /// The joint that it should mimic.
        mimicked: String,
        /// Why not.
        reason: &'static str,
    },
    /// A loop joint closes no loop.
    #[error("loop joint `{joint}` closes no loop: {reason}")]
    BadLoop {
        /// The loop joint.
        joint: String,
        /// Why not.
        reason: &'static str,
    },
    /// A reference configuration does not fit the model.
    #[error(
        "reference configuration `{name}` has {found} entries where the model needs {expected}"
    )]
    ConfigurationLength {
        /// Its name.
        name: String,
        /// The length needed.
        expected: usize,
        /// The length given.
        found: usize,
    },
    /// A quaternion or a (cos, sin) pair among a description's own figures has not length one.
    #[error(
        "{what} has a quaternion or (cos, sin) for joint `{joint}` whose length is not one; normalise it"
    )]
    NotNormalised {
        /// Where it stands: a named reference configuration, or a spring's reference.
        what: String,
        /// The joint.
        joint: String,
    },
    /// A handle belongs to another builder.
    #[error("a handle passed for `{name}` does not belong to this builder")]
    ForeignHandle {
        /// The name of the item that was being added.
        name: String,
    },
    /// A stored model is not a depth-first tree, or its indices do not fit.
    #[error("the stored model is damaged at joint {joint}: {reason}")]
    Damaged {
        /// Index of the joint or frame.
        joint: usize,
        /// The entry that does not fit.
        reason: &'static str,
    },
}

/// A doubtful property of a model that occurs in real files.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ModelWarning {
    /// The principal moments violate the triangle inequality: no distribution of mass has them.
    #[error(
        "the principal moments of body `{body}` ({}, {}, {} kg·m²) violate the triangle inequality: \
         no distribution of mass has them", figure(.moments[0]), figure(.moments[1]), figure(.moments[2])
    )]
    TriangleInequality {
        /// The body.
        body: String,
        /// Principal moments, ascending.
        moments: [f64; 3],
    },
    /// A body's rotational inertia has a negative principal moment, that of the bodies it is fixed
    /// to outweighs it.
    #[error(
        "the rotational inertia of body `{body}` is not positive semidefinite (a principal moment is {} kg·m²); it is \
         used, because that of all bodies that are fixed together is", figure(*.moment)
    )]
    InertiaNotPositive {
        /// The body.
        body: String,
        /// The negative principal moment.
        moment: f64,
    },
    /// A body has a negative mass, which the builder was told to permit.
    #[error(
        "the mass of body `{body}` is {} kg, which no body has; it is used as stated", figure(*.mass)
    )]
    NegativeMass {
        /// The body.
        body: String,
        /// Its mass.
        mass: f64,
    },
    /// A body's rotational inertia has a negative principal moment, which the builder was told to
    /// permit.
    #[error(
        "the rotational inertia of body `{body}` is not positive semidefinite (a principal moment is {} kg·m²), which no \
         body has; it is used as stated", figure(*.moment)
    )]
    NegativeMoment {
        /// The body.
        body: String,
        /// The negative principal moment.
        moment: f64,
    },
    /// A body has mass but no rotational inertia, or next to none: a radius of gyration below a
    /// micrometre.
    #[error(
        "body `{body}` has mass {} kg and the rotational inertia of a point; it is used as stated",
        figure(*.mass)
    )]
    PointMass {
        /// The body.
        body: String,
        /// Its mass.
        mass: f64,
    },
    /// A body has rotational inertia but no mass.
    #[error("body `{body}` has rotational inertia and no mass; it adds to turning motions only")]
    MasslessInertia {
        /// The body.
        body: String,
    },
    /// A joint moves no inertia at all, so that the mass matrix is singular.
    #[error(
        "joint `{joint}` moves no inertia: the mass matrix is singular, and accelerations do not follow from forces \
         (give a link that it moves mass and rotational inertia, or the joint an armature)"
    )]
    MovesNothing {
        /// The joint.
        joint: String,
    },
    /// The degrees of freedom of a joint that have no armature are redundant, so that
    /// the mass matrix is singular.
    #[error(
        "of the {degrees} degrees of freedom of joint `{joint}` that have no armature only {independent} move its body \
         independently: the mass matrix is singular, and accelerations do not follow from forces (leave out the parts \
         that are redundant, or give the joint an armature)"
    )]
    DependentMotions {
        /// The joint.
        joint: String,
        /// How many degrees of freedom have neither armature nor rotor inertia.
        degrees: usize,
        /// How many of them are independent in a general configuration.
        independent: usize,
    },
    /// A figure is so large that what is computed from it overflows.
    #[error(
        "{what} of {kind} `{name}` is {value:e}: no robot has that, and what is computed from it overflows; check its unit"
    )]
    TooLarge {
        /// Which figure.
        what: &'static str,
        /// `body`, `joint` or `frame`.
        kind: &'static str,
        /// Whose.
        name: String,
        /// Its greatest entry, by absolute value.
        value: f64,
    },
    /// A joint and its mimic joints, or two of its mimic joints, have limits that no configuration
    /// respects.
    #[error(
        "no configuration keeps joint `{mimicked}` and its mimic joints within their limits: those of `{mimic}` leave \
         no range; random configurations respect the limits of `{mimicked}` alone"
    )]
    ContradictoryLimits {
        /// The mimicked joint.
        mimicked: String,
        /// The first mimic joint whose limits leave no range.
        mimic: String,
    },
    /// The cosine and sine of the mimicked joint do not determine the position of a mimic joint,
    /// which depends on the number of full rotations.
    #[error(
        "joint `{mimic}` mimics {} times joint `{mimicked}`, whose cosine and sine do not count full rotations, so that \
         `{mimic}` jumps at half a rotation; give `{mimicked}` an angle as coordinate", figure(*.ratio)
    )]
    MimicJumps {
        /// The mimic joint.
        mimic: String,
        /// The joint that it mimics.
        mimicked: String,
        /// Its displacement for each radian of the mimicked joint. Revolute joints jump unless this
        /// is an integer.
        ratio: f64,
    },
    /// A joint that lost its own coordinates stands elsewhere in a reference configuration.
    #[error(
        "reference configuration `{configuration}` had joint `{joint}` where it no longer stands: its bodies have moved"
    )]
    ReferenceMoved {
        /// The reference configuration's name.
        configuration: String,
        /// The joint that was locked, or that mimics another one now.
        joint: String,
    },
}

/// A number in a message: six significant digits, without trailing zeros.
fn figure(value: f64) -> String {
    let rounded = format!("{value:.5e}").parse().unwrap_or(value);
    match f64::abs(rounded) {
        0.0 => "0".to_owned(),
        size if (1e-4..1e7).contains(&size) => rounded.to_string(),
        _ => format!("{rounded:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::figure;

    #[test]
    fn numbers_in_messages_are_short() {
        for (value, shown) in [
            (0.1 + 0.2, "0.3"),
            (-0.0, "0"),
            (1e-320, "1e-320"),
            (-2.5e-9, "-2.5e-9"),
            (0.012345678, "0.0123457"),
            (1e60, "1e60"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(figure(value), shown);
        }
    }
}
