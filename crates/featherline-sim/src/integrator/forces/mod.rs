//! Force models, one a file, to be combined at will.
//!
//! A force model adds joint forces (tau) or forces on the bodies. A tuple or a vector of models is
//! one, and so is `()`, which adds nothing. Everything is a function of time,
//! configuration and velocity, so that methods may evaluate it within a step; what changes only
//! between steps is a field of the model that the caller sets.
//!
//! | model | what it adds |
//! |---|---|
//! | [`Damping`] | −d v in each of the model's joints |
//! | [`DryFriction`] | the model's dry friction, smooth about rest |
//! | [`Springs`] | the model's joint springs |
//! | [`JointLimits`] | one-sided springs and dampers where a joint leaves its limits |
//! | [`JointTorques`] | joint forces that the caller sets |
//! | [`TorqueFunction`] | joint forces from a callback |
//! | [`BodyForces`] | forces on bodies that the caller sets |
//! | [`WeightCompensation`] | forces that carry a part of the weight of bodies |

mod body_forces;
mod damping;
mod dry_friction;
mod fastest_rate;
mod joint_limits;
mod joint_torques;
mod loading;
mod springs;
mod torque_function;
mod weight_compensation;

pub use body_forces::BodyForces;
pub use damping::Damping;
pub use dry_friction::DryFriction;
pub(crate) use dry_friction::JointFriction;
pub(crate) use fastest_rate::ForceResponse;
pub use joint_limits::{Bumper, JointLimits};
pub use joint_torques::JointTorques;
pub(crate) use loading::Loading;
pub use springs::Springs;
pub use torque_function::TorqueFunction;
pub use weight_compensation::WeightCompensation;

use super::error::joint_of_coordinate;
use super::{IntegratorError, Result};
use featherline::model::{Drive, Model};
use featherline::spatial::Force;

/// Where a robot is and how it moves.
#[derive(Clone, Copy, Debug)]
pub struct State<'a> {
    /// The time, in s.
    pub t: f64,
    /// The configuration, nq entries.
    pub q: &'a [f64],
    /// The velocity, nv entries.
    pub v: &'a [f64],
}

/// The total applied force on a robot besides gravity; force models add to it.
#[derive(Debug)]
pub struct Loads<'a> {
    /// Joint forces, nv entries, in N·m (N).
    pub tau: &'a mut [f64],
    /// Forces on the bodies, one for each joint (the universe's first, unused), in the joints'
    /// output frames.
    pub bodies: &'a mut [Force<f64>],
}

/// Upper bounds on the stiffness and damping of the applied forces, which bound the steps of a
/// method: see [`Stability`](crate::integrator::Stability). Force models add to it.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceBounds {
    /// In N·m·s/rad (N·s/m), nv entries.
    pub damping: Box<[f64]>,
    /// In N·m/rad (N/m), nv entries.
    pub stiffness: Box<[f64]>,
}

impl ForceBounds {
    /// None, for so many coordinates.
    pub fn none(nv: usize) -> Self {
        Self {
            damping: vec![0.0; nv].into(),
            stiffness: vec![0.0; nv].into(),
        }
    }
}

/// The source of a force in errors, where no other is known.
const A_FORCE_MODEL: &str = "a force model";

/// Speeds in m/s and rad/s beyond those of any robot: a motion that has come there was lost before.
const LOST: f64 = 1e15;

impl Loads<'_> {
    /// Sets the forces to those of a force model, or to zero where it fails.
    pub(crate) fn set(
        &mut self,
        force_model: &mut (impl ForceModel + ?Sized),
        model: &Model,
        state: &State<'_>,
    ) -> Result<()> {
        self.clear();
        let outcome = force_model.add(state, self);
        let outcome = outcome.and_then(|()| self.check(A_FORCE_MODEL, model, state));
        if outcome.is_err() {
            self.clear();
        }
        outcome
    }

    fn clear(&mut self) {
        self.tau.fill(0.0);
        self.bodies.fill(Force::zero());
    }

    /// Fails if a force, which `by` gave, is no number in a state that is sound.
    pub(crate) fn check(&self, by: &'static str, model: &Model, state: &State<'_>) -> Result<()> {
        let of_body = |force: &Force<f64>| force.to_array().into_iter().find(|x| !x.is_finite());
        let of_joint = self.tau.iter().position(|x| !x.is_finite());
        let (on, joint, force) = match of_joint {
            Some(k) => ("joint", joint_of_coordinate(model, k), self.tau[k]),
            None => {
                let bodies = self.bodies.iter().zip(model.joints());
                let mut bad = bodies.filter_map(|(f, joint)| Some((of_body(f)?, joint)));
                match bad.next() {
                    Some((force, joint)) => ("the body of joint", joint.name.clone(), force),
                    None => return Ok(()),
                }
            }
        };
        let is_lost =
            state.q.iter().any(|q| !q.is_finite()) || !state.v.iter().all(|v| v.abs() < LOST);
        if is_lost {
            return Ok(());
        }
        Err(IntegratorError::NoForce {
            t: state.t,
            by,
            on,
            joint,
            force,
        })
    }
}

/// A force model.
pub trait ForceModel {
    /// Adds the applied force in a state.
    ///
    /// # Errors
    /// [`IntegratorError`] where the model has no value.
    fn add(&mut self, state: &State<'_>, loads: &mut Loads<'_>) -> Result<()>;

    /// Whether the model ever adds to [`Loads::bodies`]. Where none does, they are left out.
    fn acts_on_bodies(&self) -> bool {
        false
    }

    /// Whether the model never adds anything.
    fn is_nothing(&self) -> bool {
        false
    }

    /// Adds upper bounds on the model's stiffness and damping; none by default.
    fn add_bounds(&self, _: &mut ForceBounds) {}

    /// The joint forces that controllers asked for in the last [`add`](Self::add), nv entries in
    /// N·m (N), of a model that has bounded them by the joints' effort: drives of the same joint
    /// share that bound. Empty by default.
    fn controls(&self) -> &[f64] {
        &[]
    }
}

/// No forces.
impl ForceModel for () {
    fn add(&mut self, _: &State<'_>, _: &mut Loads<'_>) -> Result<()> {
        Ok(())
    }

    fn is_nothing(&self) -> bool {
        true
    }
}

/// A model behind a reference, or in a box, is one.
macro_rules! behind {
    ($($place:ty),*) => {$(
        impl<L: ForceModel + ?Sized> ForceModel for $place {
            fn add_bounds(&self, bounds: &mut ForceBounds) {
                (**self).add_bounds(bounds);
            }

            fn add(&mut self, state: &State<'_>, loads: &mut Loads<'_>) -> Result<()> {
                (**self).add(state, loads)
            }

            fn acts_on_bodies(&self) -> bool {
                (**self).acts_on_bodies()
            }

            fn is_nothing(&self) -> bool {
                (**self).is_nothing()
            }

            fn controls(&self) -> &[f64] {
                (**self).controls()
            }
        }
    )*};
}

behind!(&mut L, Box<L>);

/// Models that are chosen while the program runs.
impl<L: ForceModel> ForceModel for Vec<L> {
    fn add(&mut self, state: &State<'_>, loads: &mut Loads<'_>) -> Result<()> {
        self.iter_mut()
            .try_for_each(|model| model.add(state, loads))
    }

    fn acts_on_bodies(&self) -> bool {
        self.iter().any(L::acts_on_bodies)
    }

    fn is_nothing(&self) -> bool {
        self.iter().all(L::is_nothing)
    }

    fn add_bounds(&self, bounds: &mut ForceBounds) {
        for model in self {
            model.add_bounds(bounds);
        }
    }
}

macro_rules! tuples_of_models {
    ($($model:ident)+) => {
        #[allow(non_snake_case)] // each model has the name of its type
        impl<$($model: ForceModel),+> ForceModel for ($($model,)+) {
            fn add(&mut self, state: &State<'_>, loads: &mut Loads<'_>) -> Result<()> {
                let ($($model,)+) = self;
                $($model.add(state, loads)?;)+
                Ok(())
            }

            fn acts_on_bodies(&self) -> bool {
                let ($($model,)+) = self;
                $($model.acts_on_bodies())||+
            }

            fn is_nothing(&self) -> bool {
                let ($($model,)+) = self;
                $($model.is_nothing())&&+
            }

            fn add_bounds(&self, bounds: &mut ForceBounds) {
                let ($($model,)+) = self;
                $($model.add_bounds(bounds);)+
            }
        }
    };
}

tuples_of_models!(A);
tuples_of_models!(A B);
tuples_of_models!(A B C);
tuples_of_models!(A B C D);
tuples_of_models!(A B C D E);

/// A speed in rad/s or m/s of transition of dry friction that suits robots of human size, for those
/// who know no better.
pub const FRICTION_TRANSITION: f64 = 1e-2;

/// All that the model's joints themselves resist with: damping, dry friction with the given speed
/// of transition (in rad/s or m/s, see [`DryFriction`]) and springs.
///
/// But for the friction about rest, the sum is [`Model::passive_forces`].
///
/// # Errors
/// [`IntegratorError::BadParameter`] unless the speed is positive.
pub fn passive(model: &Model, transition: f64) -> Result<(Damping, DryFriction, Springs<'_>)> {
    let friction = DryFriction::new(model, transition)?;
    Ok((Damping::new(model), friction, Springs::new(model)))
}

/// Adds a coefficient of joints, such as damping, for each coordinate: mimic joints' by ratio².
pub(crate) fn add_coefficients(model: &Model, of: impl Fn(&Drive) -> &[f64], sums: &mut [f64]) {
    for joint in model.joints() {
        let ratio = joint.mimic.map_or(1.0, |mimic| mimic.ratio);
        for (sum, coefficient) in sums[joint.idx_v..].iter_mut().zip(of(&joint.drive)) {
            *sum += ratio * ratio * coefficient;
        }
    }
}

/// Fails unless a parameter is as it has to be.
pub(crate) fn check_parameter(
    what: &'static str,
    value: f64,
    is_valid: bool,
    need: &'static str,
) -> Result<()> {
    match is_valid {
        true => Ok(()),
        false => Err(IntegratorError::BadParameter { what, value, need }),
    }
}

/// Fails unless a parameter is positive and finite.
pub(crate) fn check_positive(what: &'static str, value: f64) -> Result<()> {
    let is_valid = value.is_finite() && value > 0.0;
    check_parameter(what, value, is_valid, "a positive number is needed")
}

/// Fails unless a parameter is finite and not negative.
pub(crate) fn check_not_negative(what: &'static str, value: f64) -> Result<()> {
    let is_valid = value.is_finite() && value >= 0.0;
    check_parameter(what, value, is_valid, "a number not below zero is needed")
}
