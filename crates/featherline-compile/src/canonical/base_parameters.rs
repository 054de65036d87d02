//! Inertial parameters regrouped: what the joint forces cannot tell apart is moved towards the
//! root.
//!
//! Mass on the axis of a revolute joint turns with the body and stays where it is: nothing can tell
//! whether it belongs to the body or to its parent. Hence the mass m, the first moment ∫ z dm and
//! the second moment ∫ z² dm may be moved from each body to its parent; seven of ten parameters are
//! left (Khalil and Kleinfinger 1987; Gautier and Khalil 1990, who write YY for ∫ z² dm). A body on
//! a prismatic joint does not turn in its parent: all of its second moments may be moved, as those
//! of a body without mass.
//!
//! This is not [`structural_base_parameters`](featherline::Model::structural_base_parameters) of
//! the core, on purpose. There a basis is asked for, with the columns of the regressor in the
//! bodies' own frames, and all that no motion shows is moved. Here zeros are asked for: frames have
//! their z axes on the joint axes, so that what may be moved is one entry each, and a search
//! decides for each body how much of ∫ z² dm to move, so that products vanish in the parent, too.
//! Parameters that first joints do not feel need no rule: folding constants drops them.
//!
//! Joint forces, the mass matrix and hence the accelerations stay the same; forces inside the robot
//! do not, and bodies may be left with negative mass.

use super::elementary::Mobility;
use super::frames::{Body, Choice};
use super::transformation::{Axis, Carried, Moments, PLACE};
use featherline::spatial::DynamicParameters;

/// Mass, first moment ∫ r dm and second moments ∫ r rᵀ dm (xx, xy, xz, yy, yz, zz) in a body's
/// canonical frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct BaseParameters {
    pub mass: f64,
    pub first: [f64; 3],
    pub second: [f64; 6],
}

/// Parameters that are smaller by this factor than what they go with are rounding errors of zero.
const ROUNDING: f64 = 1e-13;

/// How much of ∫ z² dm is moved over a revolute joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Regrouping {
    /// All of it.
    #[default]
    Whole,
    /// Nothing.
    Nothing,
    /// As much as makes ∫ y z dm vanish in the parent.
    Flatten,
}

impl Regrouping {
    pub const ALL: [Self; 3] = [Self::Whole, Self::Nothing, Self::Flatten];
}

impl BaseParameters {
    /// The parameters of a body. With J the rotational inertia about the origin, ∫ r rᵀ dm is
    /// tr(J)/2 − J.
    pub fn of(parameters: &DynamicParameters<f64>) -> Self {
        let j = parameters.second_moment;
        let half = 0.5 * j.trace();
        let [xx, xy, xz, yy, yz, zz] = j.to_elements();
        Self {
            mass: parameters.mass,
            first: parameters.first_moment.to_array(),
            second: [half - xx, -xy, -xz, half - yy, -yz, half - zz],
        }
    }

    /// The same as moments of constants.
    pub fn moments(&self) -> Moments<f64> {
        Moments {
            mass: self.mass,
            first: self.first,
            second: self.second,
        }
    }

    fn add(&mut self, other: &Moments<f64>) {
        let sum = self.moments().plus(other);
        *self = Self {
            mass: sum.mass,
            first: sum.first,
            second: sum.second,
        };
    }

    /// Without what is only rounding.
    fn clean(&mut self, scale: &Self) {
        let first = ROUNDING * scale.first.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let second = ROUNDING * scale.second.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let drop = |x: &mut f64, bound: f64| {
            if x.abs() <= bound {
                *x = 0.0;
            }
        };
        // Mass times what a length of one metre is rounded to.
        let first = first.max(1e-3 * ROUNDING * scale.mass.abs());
        self.first.iter_mut().for_each(|x| drop(x, first));
        self.second.iter_mut().for_each(|x| drop(x, second));
        drop(&mut self.mass, ROUNDING * scale.mass.abs());
    }
}

/// Moves parameters from the leaves to the root.
pub(super) fn regroup(bodies: &mut [Body], choices: &[Choice]) {
    // The magnitudes before anything is moved tell what is rounding.
    let mut scale: Vec<BaseParameters> = bodies.iter().map(|b| magnitude(&b.parameters)).collect();
    for i in (1..bodies.len()).rev() {
        let own = bodies[i].parameters;
        let (edge, parent) = (bodies[i].edge, bodies[i].parent);
        let mut moved = match bodies[i].mobility {
            Mobility::None | Mobility::Free { .. } => {
                bodies[i].parameters.clean(&scale[i]);
                continue;
            }
            Mobility::Revolute(..) => Moments {
                mass: own.mass,
                first: [0.0, 0.0, own.first[2]],
                second: [0.0, 0.0, 0.0, 0.0, 0.0, own.second[5]],
            },
            Mobility::Prismatic(..) => Moments {
                mass: 0.0,
                first: [0.0; 3],
                second: own.second,
            },
        };
        // In the universe nothing matters, so that all may go.
        if parent != 0
            && let Mobility::Revolute(..) = bodies[i].mobility
        {
            match choices[i].regrouping {
                Regrouping::Whole => {}
                Regrouping::Nothing => moved.second[5] = 0.0,
                Regrouping::Flatten => {
                    let mixed = PLACE[1][2];
                    let unit = |zz: f64| {
                        let second = [0.0, 0.0, 0.0, 0.0, 0.0, zz];
                        in_parent(&Moments { second, ..moved }, &bodies[i]).second[mixed]
                    };
                    let (rest, rate) = (unit(0.0), unit(1.0) - unit(0.0));
                    if rate.abs() > 1e-3 {
                        let there = bodies[parent].parameters.second[mixed];
                        moved.second[5] = -(rest + there) / rate;
                    }
                }
            }
        }
        let left = &mut bodies[i].parameters;
        left.mass -= moved.mass;
        for k in 0..3 {
            left.first[k] -= moved.first[k];
        }
        for k in 0..6 {
            left.second[k] -= moved.second[k];
        }
        left.clean(&scale[i]);
        if parent != 0 {
            let arriving = in_parent(&moved, &bodies[i]);
            scale[parent].add(&magnitude_of(&arriving, &edge.p));
            bodies[parent].parameters.add(&arriving);
        }
    }
}

/// Moments on the joint's axis, or of a body without mass, in the parent's frame.
fn in_parent(moments: &Moments<f64>, body: &Body) -> Moments<f64> {
    let edge = &body.edge;
    let along = match body.mobility {
        Mobility::Prismatic(..) => 0.0,
        Mobility::None | Mobility::Free { .. } | Mobility::Revolute(..) => edge.d,
    };
    moments
        .moved([0.0, 0.0, along])
        .out(&edge.theta, Axis::Z)
        .out(&edge.alpha, Axis::X)
        .out(&edge.gamma, Axis::Z)
        .moved(edge.p)
}

fn magnitude(parameters: &BaseParameters) -> BaseParameters {
    BaseParameters {
        mass: parameters.mass.abs(),
        first: parameters.first.map(f64::abs),
        second: parameters.second.map(f64::abs),
    }
}

fn magnitude_of(moments: &Moments<f64>, p: &[f64; 3]) -> Moments<f64> {
    let mass = moments.mass.abs();
    Moments {
        mass,
        first: std::array::from_fn(|k| moments.first[k].abs() + mass * p[k].abs()),
        second: moments.second.map(f64::abs),
    }
}
