//! Lengths that depend on the configuration.

use super::{JointId, Model, Wrap};
use crate::spatial::{Force, Se3, Vec3};

/// A length that depends on the configuration: that of a tendon, or along which an actuator pulls.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Length {
    /// l = Σ c q + o of angles and displacements.
    Coordinates {
        /// The summands.
        terms: Vec<LengthTerm>,
        /// o, in m or rad.
        offset: f64,
    },
    /// l = Σ c l_i of pieces, which may go around shapes.
    Path(Vec<Piece>),
    /// l = g · x of the six displacements x of a frame against another one, linear and angular (the
    /// rotation vector), in the axes of the other. Against no other, l = 0 and l̇ = g · ν with the
    /// frame's own twist ν, in its own axes.
    Frame {
        /// The joint that carries the frame, and the frame in the joint's output frame.
        frame: (JointId, Se3<f64>),
        /// The other one.
        reference: Option<(JointId, Se3<f64>)>,
        /// g
        gear: [f64; 6],
    },
    /// l = a − √(a² + r² − ‖d‖²), the way of a slider along z of its frame to which a rod of length
    /// r connects a pin, with d from the frame to the pin and a its component along z.
    SliderCrank {
        /// The joint that carries the pin, and the pin in the joint's output frame.
        crank: (JointId, Vec3<f64>),
        /// The joint that carries the slider's frame, and that frame.
        slider: (JointId, Se3<f64>),
        /// r, in m.
        rod: f64,
    },
}

/// A summand c q of a length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LengthTerm {
    /// The entry of q, of a joint with one.
    pub q: usize,
    /// Its coordinate of the velocity.
    pub coordinate: usize,
    /// c
    pub factor: f64,
}

/// A piece of a path between points of two bodies: straight, or around a shape where that is in the
/// way.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The joints that carry the bodies.
    pub bodies: [JointId; 2],
    /// The points in the joints' output frames, in m.
    pub points: [Vec3<f64>; 2],
    /// c: by how much it counts.
    pub factor: f64,
    /// The shape that it goes around.
    pub around: Option<Box<Wrap>>,
}

impl Piece {
    /// A straight piece.
    pub fn straight(bodies: [JointId; 2], points: [Vec3<f64>; 2], factor: f64) -> Self {
        Self {
            bodies,
            points,
            factor,
            around: None,
        }
    }

    fn evaluate(&self, placements: &[Se3<f64>], gradient: &mut LengthGradient) -> f64 {
        let ends = [0, 1].map(|k| placements[self.bodies[k].index()].act_point(self.points[k]));
        match &self.around {
            None => gradient.push_straight(self.bodies, ends, self.factor),
            Some(wrap) => wrap.evaluate(self.bodies, ends, self.factor, placements, gradient),
        }
    }
}

/// The gradient of a length: what a force of one along it does to coordinates and bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LengthGradient {
    /// Coordinates of the velocity, with the force on each.
    pub coordinates: Vec<(usize, f64)>,
    /// Bodies by their joints, with the force on each: in the world, at its origin.
    pub bodies: Vec<(JointId, Force<f64>)>,
}

impl LengthGradient {
    /// Adds that of c times the distance of two points, which it returns.
    pub(super) fn push_straight(
        &mut self,
        bodies: [JointId; 2],
        [first, second]: [Vec3<f64>; 2],
        factor: f64,
    ) -> f64 {
        let way = second - first;
        let length = way.norm();
        // Points that coincide have no direction.
        if length > 0.0 {
            let along = way * (factor / length);
            self.push(bodies[1], second, along, Vec3::zero());
            self.push(bodies[0], first, -along, Vec3::zero());
        }
        factor * length
    }

    pub(super) fn push(
        &mut self,
        body: JointId,
        point: Vec3<f64>,
        force: Vec3<f64>,
        couple: Vec3<f64>,
    ) {
        if body != JointId::UNIVERSE {
            let own = Force::new(force, point.cross(force) + couple);
            self.bodies.push((body, own));
        }
    }
}

impl Length {
    /// The length in m (rad of angles), and its gradient, which replaces what `gradient` has.
    /// `placements` are those of the joints' output frames in the world, the universe's first. Cost
    /// O(its parts).
    ///
    /// ```
    /// use featherline::model::{JointId, Length, LengthGradient, Piece};
    /// use featherline::spatial::{Se3, Vec3};
    /// use featherline::{Workspace, samples};
    ///
    /// // From the world to the elbow of a pendulum that hangs: 1 m to the side, 1 m down.
    /// let model = samples::double_pendulum();
    /// let elbow = model.joint_id("elbow")?;
    /// let ends = [JointId::UNIVERSE, elbow];
    /// let piece = Piece::straight(ends, [Vec3::unit(0), Vec3::zero()], 1.0);
    /// let mut ws = Workspace::new(&model);
    /// let mut placements = vec![Se3::identity(); model.joints().len()];
    /// model.forward_kinematics(&mut ws, &[0.0; 2])?.joint_placements_into(&mut placements)?;
    /// let mut gradient = LengthGradient::default();
    /// let length = Length::Path(vec![piece]);
    /// let length = length.evaluate(&[0.0; 2], &placements, &mut gradient);
    /// assert!((length - 2f64.sqrt()).abs() < 1e-12);
    /// assert_eq!(gradient.bodies[0].0, elbow);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `q` or `placements` is shorter than the joints that it names.
    pub fn evaluate(
        &self,
        q: &[f64],
        placements: &[Se3<f64>],
        gradient: &mut LengthGradient,
    ) -> f64 {
        gradient.coordinates.clear();
        gradient.bodies.clear();
        let at = |(body, frame): &(JointId, Se3<f64>)| placements[body.index()].compose(frame);
        match self {
            Self::Coordinates { terms, offset } => {
                let own = terms.iter().map(|it| (it.coordinate, it.factor));
                gradient.coordinates.extend(own);
                let sum: f64 = terms.iter().map(|it| it.factor * q[it.q]).sum();
                sum + offset
            }
            Self::Path(pieces) => {
                let each = pieces.iter();
                each.map(|piece| piece.evaluate(placements, gradient)).sum()
            }
            Self::Frame {
                frame,
                reference,
                gear: [x, y, z, a, b, c],
            } => {
                let own = at(frame);
                let (linear, angular) = (Vec3::new(*x, *y, *z), Vec3::new(*a, *b, *c));
                let Some(other) = reference else {
                    let [force, couple] = [linear, angular].map(|it| own.rotation.mul_vec(it));
                    gradient.push(frame.0, own.translation, force, couple);
                    return 0.0;
                };
                let reference = at(other);
                let [force, couple] = [linear, angular].map(|it| reference.rotation.mul_vec(it));
                // At the same point: bodies that carry both feel nothing.
                gradient.push(frame.0, own.translation, force, couple);
                gradient.push(other.0, own.translation, -force, -couple);
                let seen = reference.inverse_compose(&own);
                let (axis, angle) = seen.rotation.to_axis_angle();
                linear.dot(seen.translation) + angle * angular.dot(axis)
            }
            Self::SliderCrank { crank, slider, rod } => {
                let pin = placements[crank.0.index()].act_point(crank.1);
                let own = at(slider);
                let (axis, d) = (own.rotation.z, pin - own.translation);
                let along = axis.dot(d);
                // Where the rod does not reach, the slider is beside the pin.
                let root = (along * along + rod * rod - d.dot(d)).max(0.0).sqrt();
                let (share, force) = match root > 0.0 {
                    true => {
                        let share = 1.0 - along / root;
                        (share, axis * share + d * root.recip())
                    }
                    false => (1.0, axis),
                };
                let couple = axis.cross(d) * share;
                gradient.push(crank.0, pin, force, Vec3::zero());
                gradient.push(slider.0, own.translation, -force, couple);
                along - root
            }
        }
    }

    /// A coordinate of the velocity of each part: its own, or the first one of the joint that
    /// carries it, if that has one.
    pub fn coordinates(&self, model: &Model) -> impl Iterator<Item = usize> {
        let own = match self {
            Self::Coordinates { terms, .. } => terms.iter().map(|it| it.coordinate).collect(),
            Self::Path(_) | Self::Frame { .. } | Self::SliderCrank { .. } => Vec::new(),
        };
        let joints = self.bodies().into_iter().map(|body| model.joint(body));
        let of_joints = joints.filter(|it| it.nv > 0).map(|it| it.idx_v);
        own.into_iter().chain(of_joints.collect::<Vec<_>>())
    }

    /// The joints that carry what it is measured between, but for those of
    /// [coordinates](Self::Coordinates).
    pub fn bodies(&self) -> Vec<JointId> {
        match self {
            Self::Coordinates { .. } => Vec::new(),
            Self::Path(pieces) => {
                let of_shape = |piece: &Piece| piece.around.as_ref().map(|it| it.shape.0);
                let both = pieces.iter();
                both.flat_map(|it| it.bodies.into_iter().chain(of_shape(it)))
                    .collect()
            }
            Self::Frame {
                frame, reference, ..
            } => {
                let other = reference.iter().map(|it| it.0);
                other.chain([frame.0]).collect()
            }
            Self::SliderCrank { crank, slider, .. } => vec![crank.0, slider.0],
        }
    }
}

/// A tendon: a [length](Length) with a spring, a damper, dry friction, bounds and inertia. A
/// spatial one is a cable or a muscle's line; a sum of coordinates couples joints.
///
/// Algorithms of the model do not see tendons; simulations by time stepping do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tendon {
    /// Its name.
    pub name: String,
    /// Its length.
    pub length: Length,
    /// The stiffness of its spring, in N/m (N·m/rad).
    pub stiffness: f64,
    /// The least and the greatest length at which the spring is at rest, in m (rad).
    pub rest: [f64; 2],
    /// Viscous damping, in N·s/m (N·m·s/rad).
    pub damping: f64,
    /// Dry friction, in N (N·m).
    pub friction: f64,
    /// Inertia of changes of its length, in kg (kg·m²).
    pub armature: f64,
    /// The least and the greatest length, in m (rad); infinite without a bound.
    pub range: [f64; 2],
}

impl Tendon {
    /// A tendon without forces and bounds.
    pub fn new(name: impl Into<String>, length: Length) -> Self {
        Self {
            name: name.into(),
            length,
            stiffness: 0.0,
            rest: [0.0; 2],
            damping: 0.0,
            friction: 0.0,
            armature: 0.0,
            range: [f64::NEG_INFINITY, f64::INFINITY],
        }
    }

    /// Whether it exerts any force.
    pub fn acts(&self) -> bool {
        let forces = [self.stiffness, self.damping, self.friction, self.armature];
        forces.iter().any(|it| *it != 0.0) || self.range.iter().any(|it| it.is_finite())
    }

    /// How far a length is beyond the rest of the spring, in m (rad); negative where it is shorter.
    pub fn stretch(&self, length: f64) -> f64 {
        length - length.max(self.rest[0]).min(self.rest[1])
    }
}

/// A polynomial between two lengths, y = p(x): an equality that simulations by time stepping keep.
#[derive(Clone, Debug, PartialEq)]
pub struct LengthEquality {
    /// Its name.
    pub name: String,
    /// y
    pub length: Length,
    /// x, or none for a constant y.
    pub other: Option<Length>,
    /// y₀ and x₀, in which the polynomial is y − y₀ = Σ a_k (x − x₀)^k.
    pub reference: [f64; 2],
    /// a₀ to a₄.
    pub polynomial: [f64; 5],
}

impl LengthEquality {
    /// Moves the coordinate that alone makes y to where the equality holds; nothing where y or x is
    /// no sum of coordinates. `q` has nq entries.
    ///
    /// ```
    /// use featherline::model::{Length, LengthEquality, LengthTerm};
    ///
    /// let of = |q| Length::Coordinates {
    ///     terms: vec![LengthTerm { q, coordinate: q, factor: 1.0 }],
    ///     offset: 0.0,
    /// };
    /// let square = LengthEquality::new("y = x²", of(1), Some(of(0)), [0.0, 0.0, 1.0, 0.0, 0.0]);
    /// let mut q = [3.0, 0.0];
    /// square.settle(&mut q);
    /// assert_eq!(q, [3.0, 9.0]);
    /// ```
    pub fn settle(&self, q: &mut [f64]) {
        let mut gradient = LengthGradient::default();
        let x = match &self.other {
            None => self.reference[1],
            Some(sum @ Length::Coordinates { .. }) => sum.evaluate(q, &[], &mut gradient),
            Some(_) => return,
        };
        if let Length::Coordinates { terms, .. } = &self.length
            && let [own] = terms[..]
            && own.factor != 0.0
        {
            let error = self.at(x).0 - self.length.evaluate(q, &[], &mut gradient);
            q[own.q] += error / own.factor;
        }
    }

    /// The equality y = Σ a_k x^k, with x and y from zero.
    pub fn new(
        name: impl Into<String>,
        length: Length,
        other: Option<Length>,
        polynomial: [f64; 5],
    ) -> Self {
        Self {
            name: name.into(),
            length,
            other,
            reference: [0.0; 2],
            polynomial,
        }
    }

    /// p(x) in y = p(x), and its slope.
    pub fn at(&self, x: f64) -> (f64, f64) {
        let x = x - self.reference[1];
        let (mut value, mut slope) = (0.0, 0.0);
        for a in self.polynomial.into_iter().rev() {
            slope = f64::mul_add(slope, x, value);
            value = f64::mul_add(value, x, a);
        }
        (self.reference[0] + value, slope)
    }
}
