//! Dry friction of the joints, smooth about rest.

use super::{ForceBounds, ForceModel, Loads, State, check_positive};
use crate::integrator::Result;
use featherline::model::Model;

/// Dry friction: −f v/√(v² + w²) for each degree of freedom, with the friction f of the model's
/// joints and a speed of transition w.
///
/// Coulomb's law −f sign(v) jumps at rest, and a jump costs every method its order. Here the force
/// passes through zero with the slope f/w: a joint at rest under a load τ below f does not stick
/// but creeps at w τ/√(f² − τ²). A smaller w is closer to Coulomb and stiffer; explicit methods
/// need steps below about 2 m w/f, with m the inertia that the joint moves. A square root and not a
/// hyperbolic tangent, because it is the same to the last bit on every platform. A mimic joint's
/// friction opposes its own motion.
#[derive(Clone, Debug, PartialEq)]
pub struct DryFriction {
    joints: Box<[JointFriction]>,
    squared_transition: f64,
}

/// One degree of freedom with friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JointFriction {
    pub coordinate: usize,
    pub ratio: f64,
    pub friction: f64,
}

impl JointFriction {
    /// Those of a model's joints.
    pub fn all(model: &Model) -> Vec<Self> {
        let mut all = Vec::new();
        for joint in model.joints() {
            for (degree, &friction) in joint.drive.friction.iter().enumerate() {
                if friction != 0.0 {
                    all.push(Self {
                        coordinate: joint.idx_v + degree,
                        ratio: joint.mimic.map_or(1.0, |mimic| mimic.ratio),
                        friction,
                    });
                }
            }
        }
        all
    }
}

impl DryFriction {
    /// The friction of a model's joints, with the given speed of transition in rad/s or m/s.
    ///
    /// # Errors
    /// [`BadParameter`](crate::integrator::IntegratorError::BadParameter) unless the speed is
    /// positive.
    pub fn new(model: &Model, transition: f64) -> Result<Self> {
        check_positive("the speed of transition of dry friction", transition)?;
        Ok(Self {
            joints: JointFriction::all(model).into(),
            squared_transition: transition * transition,
        })
    }
}

impl ForceModel for DryFriction {
    fn add(&mut self, state: &State<'_>, loads: &mut Loads<'_>) -> Result<()> {
        for joint in &self.joints {
            let speed = joint.ratio * state.v[joint.coordinate];
            let direction = speed / (speed * speed + self.squared_transition).sqrt();
            loads.tau[joint.coordinate] -= joint.ratio * joint.friction * direction;
        }
        Ok(())
    }

    fn is_nothing(&self) -> bool {
        self.joints.is_empty()
    }

    /// That at rest.
    fn add_bounds(&self, bounds: &mut ForceBounds) {
        let transition = self.squared_transition.sqrt();
        for joint in &self.joints {
            let slope = joint.friction / transition;
            bounds.damping[joint.coordinate] += joint.ratio * joint.ratio * slope;
        }
    }
}
