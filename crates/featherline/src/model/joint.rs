//! A joint of a model, with the body that it moves.

use super::JointId;
use crate::joint::JointKind;
use crate::spatial::{Inertia, Se3};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// A joint and the body that it moves.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Joint {
    /// The joint's name, unique among joints.
    pub name: String,
    /// How the joint moves.
    pub kind: JointKind,
    /// The joint whose body carries this one: λ.
    pub parent: JointId,
    /// The placement of the joint's input frame in the parent's output frame.
    pub placement: Se3<f64>,
    /// The inertia of the moving body in the joint's output frame, with everything that is fixed to
    /// it.
    pub inertia: Inertia<f64>,
    /// Where the joint's configuration begins in q; for a mimic joint, the mimicked joint's.
    pub idx_q: usize,
    /// How many entries of q are the joint's own; 0 for a mimic joint.
    pub nq: usize,
    /// Where the joint's velocity begins in v; for a mimic joint, the mimicked joint's.
    pub idx_v: usize,
    /// How many entries of v are the joint's own; 0 for a mimic joint.
    pub nv: usize,
    /// Set for a mimic joint.
    pub mimic: Option<Mimic>,
    /// Bounds of the joint's motion and effort.
    pub limits: Limits,
    /// Armature, rotor inertia, damping, dry friction and springs of the joint.
    pub drive: Drive,
}

impl Joint {
    /// The first joint of every model.
    pub(super) fn universe() -> Self {
        Self {
            name: "universe".to_owned(),
            kind: JointKind::Fixed,
            parent: JointId::UNIVERSE,
            placement: Se3::identity(),
            inertia: Inertia::zero(),
            idx_q: 0,
            nq: 0,
            idx_v: 0,
            nv: 0,
            mimic: None,
            limits: Limits::unbounded(0, 0),
            drive: Drive::none(&JointKind::Fixed),
        }
    }
}

/// The law of a mimic joint: q = `ratio` · q_source + `offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Mimic {
    /// The joint that it mimics; never itself a mimic joint (chains are resolved when the model is
    /// built).
    #[cfg_attr(feature = "serde", serde(alias = "master"))]
    pub source: JointId,
    /// Displacement of this joint for each unit of the mimicked joint's.
    pub ratio: f64,
    /// Displacement of this joint where the mimicked joint's is zero, in rad or m.
    pub offset: f64,
}

/// Bounds of a joint's motion and effort. An absent bound is infinite.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Limits {
    /// Least configuration, one for each entry of the joint's q.
    #[cfg_attr(feature = "serde", serde(with = "no_lower_bound"))]
    pub lower: Vec<f64>,
    /// Greatest configuration, one for each entry of the joint's q.
    #[cfg_attr(feature = "serde", serde(with = "no_upper_bound"))]
    pub upper: Vec<f64>,
    /// Greatest speed, one for each degree of freedom, in rad/s or m/s.
    #[cfg_attr(feature = "serde", serde(with = "no_upper_bound"))]
    pub velocity: Vec<f64>,
    /// Greatest torque or force, one for each degree of freedom, in N·m or N.
    #[cfg_attr(feature = "serde", serde(with = "no_upper_bound"))]
    pub effort: Vec<f64>,
    /// Greatest acceleration, one for each degree of freedom, in rad/s² or m/s².
    #[cfg_attr(feature = "serde", serde(with = "no_upper_bound"))]
    pub acceleration: Vec<f64>,
}

impl Limits {
    /// No bounds, for a joint with `nq` configuration entries and `nv` degrees of freedom.
    pub fn unbounded(nq: usize, nv: usize) -> Self {
        Self {
            lower: vec![f64::NEG_INFINITY; nq],
            upper: vec![f64::INFINITY; nq],
            velocity: vec![f64::INFINITY; nv],
            effort: vec![f64::INFINITY; nv],
            acceleration: vec![f64::INFINITY; nv],
        }
    }
}

/// The joint's own terms of the dynamics, one entry for each of its kind's degrees of freedom.
///
/// Armature and reflected rotor inertia are part of the mass matrix and every algorithm counts
/// them. Damping, dry friction and springs are [passive forces](crate::dynamics).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Drive {
    /// Inertia added on the joint's side of the gear, in kg·m² (kg for a prismatic joint).
    pub armature: Vec<f64>,
    /// Inertia of the rotor on the motor's side of the gear, in kg·m²; it counts with the squared
    /// gear ratio.
    pub rotor_inertia: Vec<f64>,
    /// Motor turns for each turn of the joint.
    pub gear_ratio: Vec<f64>,
    /// Viscous damping, in N·m·s/rad (N·s/m).
    pub damping: Vec<f64>,
    /// Dry (Coulomb) friction, in N·m (N).
    pub friction: Vec<f64>,
    /// Stiffness of the joint's spring, in N·m/rad (N/m).
    pub stiffness: Vec<f64>,
    /// Configuration in which the spring is at rest: `nq` entries of the joint's kind.
    pub spring_reference: Vec<f64>,
}

impl Drive {
    /// A drive that adds nothing, for a kind of joint.
    pub fn none(kind: &JointKind) -> Self {
        let zeros = vec![0.0; kind.nv()];
        let mut spring_reference = vec![0.0; kind.nq()];
        kind.neutral(&mut spring_reference);
        Self {
            armature: zeros.clone(),
            rotor_inertia: zeros.clone(),
            gear_ratio: vec![1.0; kind.nv()],
            damping: zeros.clone(),
            friction: zeros.clone(),
            stiffness: zeros,
            spring_reference,
        }
    }

    /// Armature plus reflected rotor inertia of one degree of freedom.
    pub fn reflected_inertia(&self, degree: usize) -> f64 {
        let gear = self.gear_ratio[degree];
        self.armature[degree] + self.rotor_inertia[degree] * gear * gear
    }
}

#[cfg(feature = "serde")]
macro_rules! bounds_as_options {
    ($module:ident, $absent:expr) => {
        /// JSON has no infinity: an absent bound is written as null.
        mod $module {
            use serde::{Deserialize, Deserializer, Serialize, Serializer};

            pub fn serialize<W: Serializer>(bounds: &[f64], writer: W) -> Result<W::Ok, W::Error> {
                let options: Vec<Option<f64>> = bounds
                    .iter()
                    .map(|&b| (b != $absent).then_some(b))
                    .collect();
                options.serialize(writer)
            }

            pub fn deserialize<'de, R: Deserializer<'de>>(reader: R) -> Result<Vec<f64>, R::Error> {
                let options = Vec::<Option<f64>>::deserialize(reader)?;
                Ok(options.into_iter().map(|b| b.unwrap_or($absent)).collect())
            }
        }
    };
}

#[cfg(feature = "serde")]
bounds_as_options!(no_lower_bound, f64::NEG_INFINITY);
#[cfg(feature = "serde")]
bounds_as_options!(no_upper_bound, f64::INFINITY);
