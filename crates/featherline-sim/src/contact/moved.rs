//! Bodies of the world whose motion is given.

use featherline::model::JointId;
use featherline::spatial::{Se3, Vec3, exp3, log3};
use thiserror::Error;

/// By how much a placement's rotation may miss a rotation.
const ROTATION: f64 = 1e-6;

/// The part of a step by which a motion may end after it, and ends with it: rounding.
const ROUNDING: f64 = 1e-9;

/// Bodies of the world that the user moves between steps: a `mocap` body of MJCF, a conveyor, a
/// pusher, the target of a teleoperated hand.
///
/// A moved body goes to its target straight, at constant velocity, in the time that is given, and
/// then stands. Its shapes go with it, and bodies that touch them feel that velocity. Nothing
/// pushes it back. [Couplings](Coupling) pull robots after it.
///
/// ```
/// use featherline::joint::JointKind;
/// use featherline::model::{JointId, JointSpec, ModelBuilder};
/// use featherline::spatial::{Inertia, Se3, Vec3};
/// use featherline_geometry::{CollisionModel, CollisionShape, Cuboid, Plane};
/// use featherline_sim::contact::{CollisionContacts, MovedBodies, Surface, TimeStepping};
///
/// // A belt goes at 0.5 m/s below a cube, which goes along after v/(μ g) = 0.1 s.
/// let mut builder = ModelBuilder::new("cube");
/// let root = JointSpec::new("root", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
/// let root = builder.add_joint(root);
/// let sides = Vec3::new(0.2, 0.2, 0.2);
/// builder.add_body(root, "cube", Se3::identity(), Inertia::cuboid(1.0, sides));
/// let model = builder.build()?.model;
/// let (body, origin) = (model.joint_id("root")?, Se3::identity());
/// let cube = CollisionShape::new("cube", body, origin, Cuboid::from_half_sides(sides * 0.5));
/// let belt = CollisionShape::new("belt", JointId::UNIVERSE, origin, Plane);
/// let collision = CollisionModel::new(&model, vec![belt, cube])?;
/// let rubber = Surface { friction: 0.5, restitution: 0.0 };
/// let contacts = CollisionContacts::uniform(collision, rubber);
/// let contacts = contacts.with_moved_shapes(vec![Some(0), None]);
/// let moved = MovedBodies::none().and_body("belt", origin, origin);
/// let mut stepping = TimeStepping::with(&model, (), contacts)?.with_moved(moved)?;
/// let (mut q, mut v) = (model.neutral_configuration(), vec![0.0; 6]);
/// q[2] = 0.1;
/// let there = Se3::from_translation(Vec3::new(0.5, 0.0, 0.0));
/// stepping.moved_mut().move_to("belt", there, 1.0)?;
/// for _ in 0..200 {
///     stepping.step(0.0, &mut q, &mut v, 1e-3)?;
/// }
/// assert!((v[0] - 0.5).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MovedBodies {
    names: Vec<String>,
    pub(super) bodies: Vec<MovedBody>,
    pub(super) couplings: Vec<Coupling>,
}

/// The motion of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MovedBody {
    /// Where the shapes and the couplings' frames are described.
    reference: Se3<f64>,
    pub(super) now: Se3<f64>,
    target: Se3<f64>,
    /// The time in s until it is there.
    remaining: f64,
    /// The velocity of its origin in the step, and its angular velocity, in the world.
    linear: Vec3<f64>,
    pub(super) angular: Vec3<f64>,
}

/// A weld or a point that pulls a robot after a moved body, as a spring and a damper in terms of
/// acceleration: MuJoCo's equality constraint, with its impedance beyond the width of `solimp`.
///
/// With the distance r of the two frames (of a weld also the rotation vector between them), the
/// robot's side gets the acceleration r̈ = −b ṙ − k r − R f at the end of the step, with the force
/// f on the robot and R = A (1 − d)/d. A is the mean diagonal of J M⁻¹ Jᵀ at the body's centre of
/// mass in the neutral configuration, of the three linear and of the three angular rows; of the
/// latter four times that, as MuJoCo has them of half the rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coupling {
    /// The moved body, by its index.
    pub moved: usize,
    /// The frame of the moved body in the world, while the body is at its reference.
    pub target: Se3<f64>,
    /// The joint that carries the other end.
    pub joint: JointId,
    /// The frame of that end in the joint's output frame.
    pub placement: Se3<f64>,
    /// Whether it holds the orientation too.
    pub is_weld: bool,
    /// k in 1/s².
    pub stiffness: f64,
    /// b in 1/s.
    pub damping: f64,
    /// d, more than 0 and less than 1.
    pub impedance: f64,
}

/// Why a body is not moved.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MovedBodyError {
    /// No moved body has the name.
    #[error("`{name}` is no body that is moved: {}", listed(.known))]
    Unknown {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// A placement that is none.
    #[error(
        "the placement of `{name}` is none: finite numbers and a rotation matrix or a unit quaternion are needed"
    )]
    BadPlacement {
        /// The name of the body.
        name: String,
    },
    /// A time that is no positive number.
    #[error(
        "`{name}` is to move in {seconds} s, where a positive number is needed. To put it elsewhere at once, place it"
    )]
    BadTime {
        /// The name of the body.
        name: String,
        /// The time in s.
        seconds: f64,
    },
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "there are none. MJCF has them as `mocap` bodies, and time stepping alone moves them"
            .to_owned(),
        _ => format!("there are `{}`", names.join("`, `")),
    }
}

impl MovedBodies {
    /// None.
    pub fn none() -> Self {
        Self::default()
    }

    /// The same with another body: its shapes and couplings are described for the placement
    /// `reference`, and it begins at `start`, at rest.
    #[must_use]
    pub fn and_body(
        mut self,
        name: impl Into<String>,
        reference: Se3<f64>,
        start: Se3<f64>,
    ) -> Self {
        self.names.push(name.into());
        self.bodies.push(MovedBody {
            reference,
            now: start,
            target: start,
            remaining: 0.0,
            linear: Vec3::zero(),
            angular: Vec3::zero(),
        });
        self
    }

    /// The same with another coupling. One of a body that there is not pulls nothing.
    #[must_use]
    pub fn and_coupling(mut self, coupling: Coupling) -> Self {
        if coupling.moved < self.bodies.len() {
            self.couplings.push(coupling);
        }
        self
    }

    /// Whether there are no moved bodies.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// The names of the bodies, in the order of their indices.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The couplings.
    pub fn couplings(&self) -> &[Coupling] {
        &self.couplings
    }

    fn index(&self, name: &str) -> Result<usize, MovedBodyError> {
        let found = self.names.iter().position(|it| it == name);
        found.ok_or_else(|| MovedBodyError::Unknown {
            name: name.to_owned(),
            known: self.names.clone(),
        })
    }

    /// The placement of a body in the world now.
    ///
    /// # Errors
    /// [`MovedBodyError::Unknown`].
    pub fn placement(&self, name: &str) -> Result<&Se3<f64>, MovedBodyError> {
        Ok(&self.bodies[self.index(name)?].now)
    }

    /// The placement to which a body was asked to go last.
    ///
    /// # Errors
    /// [`MovedBodyError::Unknown`].
    pub fn target(&self, name: &str) -> Result<&Se3<f64>, MovedBodyError> {
        Ok(&self.bodies[self.index(name)?].target)
    }

    /// Takes the places and motions of the same bodies in another simulation. Allocates nothing.
    pub fn set_motion(&mut self, of: &Self) {
        for (own, other) in self.bodies.iter_mut().zip(&of.bodies) {
            *own = *other;
        }
    }

    /// Moves a body to a placement in the world within `seconds` of the steps that follow: its
    /// origin goes straight, it rotates about a fixed axis by at most π, both at constant speed,
    /// and then it stands. A time shorter than a step is that step.
    ///
    /// # Errors
    /// [`MovedBodyError`].
    pub fn move_to(
        &mut self,
        name: &str,
        placement: Se3<f64>,
        seconds: f64,
    ) -> Result<(), MovedBodyError> {
        let index = self.checked(name, &placement)?;
        if !(seconds.is_finite() && seconds > 0.0) {
            let name = name.to_owned();
            return Err(MovedBodyError::BadTime { name, seconds });
        }
        let body = &mut self.bodies[index];
        (body.target, body.remaining) = (placement, seconds);
        Ok(())
    }

    /// Puts a body at a placement in the world at once, at rest: what touches it there feels no
    /// velocity, and what couplings hold is pulled as by a body that had always been there.
    ///
    /// # Errors
    /// [`MovedBodyError::Unknown`], [`MovedBodyError::BadPlacement`].
    pub fn place(&mut self, name: &str, placement: Se3<f64>) -> Result<(), MovedBodyError> {
        let index = self.checked(name, &placement)?;
        let body = &mut self.bodies[index];
        (body.now, body.target, body.remaining) = (placement, placement, 0.0);
        Ok(())
    }

    fn checked(&self, name: &str, placement: &Se3<f64>) -> Result<usize, MovedBodyError> {
        let index = self.index(name)?;
        let is_placed = placement.translation.is_finite();
        match is_placed && placement.rotation.is_rotation(ROTATION) {
            true => Ok(index),
            false => Err(MovedBodyError::BadPlacement {
                name: name.to_owned(),
            }),
        }
    }
}

impl MovedBody {
    /// Whether the motion ends within a step of `h` seconds.
    fn ends_within(&self, h: f64) -> bool {
        self.remaining <= h * (1.0 + ROUNDING)
    }

    /// Finds the velocities in a step of `h` seconds.
    #[inline(always)]
    pub(super) fn begin(&mut self, h: f64) {
        (self.linear, self.angular) = (Vec3::zero(), Vec3::zero());
        if self.remaining > 0.0 {
            let ends = self.ends_within(h);
            let rate = if ends { h } else { self.remaining }.recip();
            let turn = self.target.rotation.mul_mat(&self.now.rotation.transpose());
            self.linear = (self.target.translation - self.now.translation) * rate;
            self.angular = log3(&turn) * rate;
        }
    }

    /// Goes to the end of a step of `h` seconds.
    #[inline(always)]
    pub(super) fn end(&mut self, h: f64) {
        if self.remaining <= 0.0 {
            return;
        }
        if self.ends_within(h) {
            (self.now, self.remaining) = (self.target, 0.0);
            return;
        }
        self.remaining -= h;
        self.now.translation += self.linear * h;
        let turned = exp3(self.angular * h).mul_mat(&self.now.rotation);
        self.now.rotation = turned.orthonormalised();
    }

    /// A frame of the body, which is given in the world while the body is at its reference.
    pub(super) fn carry(&self, frame: &Se3<f64>) -> Se3<f64> {
        self.now.compose(&self.reference.inverse_compose(frame))
    }

    /// The velocity of a point of the body, in the world.
    #[inline(always)]
    pub(super) fn velocity_at(&self, point: Vec3<f64>) -> Vec3<f64> {
        self.linear + self.angular.cross(point - self.now.translation)
    }
}
