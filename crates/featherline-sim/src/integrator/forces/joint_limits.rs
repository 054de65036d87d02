//! Joint limits as one-sided springs and dampers.

use super::{
    ForceBounds, ForceModel, ForceResponse, Loads, State, check_not_negative, check_positive,
};
use crate::integrator::Result;
use featherline::model::{JointId, Model};
use featherline_constraint::nonsmooth::{Displacement, Limited, limited_displacements};
use std::ops::Range;

/// The number of steps in which stops act.
const STEPS_TO_STOP: f64 = 20.0;

/// How a joint's end stop yields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bumper {
    /// Stiffness far inside the stop, in N·m/rad (N/m).
    pub stiffness: f64,
    /// Damping far inside the stop, in N·m·s/rad (N·s/m).
    pub damping: f64,
    /// How far inside the stop half of both is reached, in rad (m).
    pub depth: f64,
}

/// Joint limits as end stops that yield: with x how far a coordinate is beyond its limit and ẋ how
/// fast it goes there, the force back is s(x) (k x + d ẋ), s(x) = x/(x + w), and nothing where that
/// would pull.
///
/// The ramp s over the [`depth`](Bumper::depth) w lets the force begin with zero and with slope
/// zero for a joint at rest at its limit, and with zero for one that arrives with speed (as in K.
/// Hunt and F. Crossley, "Coefficient of restitution interpreted as damping in vibroimpact",
/// Journal of Applied Mechanics 42, 1975). The stop is one-sided and outside of it there is no
/// force at all.
///
/// Limits of angles and displacements act on their own coordinates, a mimic joint's on the mimicked
/// joint's with the ratio. Those of a planar joint or a free-flyer bound the position, and push
/// along the axes of the input frame. Bounds of quaternions and (cos, sin) pairs mean nothing and
/// are passed over.
#[derive(Clone, Debug, PartialEq)]
pub struct JointLimits {
    stops: Box<[Stop]>,
}

/// A displacement with limits and the bumper of both ends.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stop {
    limited: Limited,
    bumper: Bumper,
}

impl JointLimits {
    /// The limits of a model's joints, all with the same bumper.
    ///
    /// # Errors
    /// [`BadParameter`](crate::integrator::IntegratorError::BadParameter) unless stiffness and
    /// depth are positive and the damping is not negative.
    pub fn new(model: &Model, bumper: Bumper) -> Result<Self> {
        bumper.check()?;
        Ok(Self::of(model, |_, _| bumper))
    }

    /// The limits of a model's joints with bumpers that suit what each joint moves: k = m/T², d = 2
    /// m/T with the given time T in s, so that a joint that is far inside its stop leaves it
    /// without oscillation. m is the inertia that the joint feels at the configuration `q` (nq
    /// entries) when all others are free, as far as loops let them: 1/(M⁻¹)ₖₖ in a tree. Others
    /// that are held make it heavier, and the stop slower. Explicit methods need steps well below
    /// T. The depth is in rad (m). Costs some evaluations of forward dynamics, O(n), or with loops
    /// nv evaluations of theirs.
    ///
    /// ```
    /// use featherline_sim::integrator::forces::JointLimits;
    /// use featherline::samples;
    ///
    /// let platform = samples::stewart();
    /// let q = platform.neutral_configuration();
    /// let strokes = JointLimits::critical(&platform, &q, 0.01, 1e-3)?;
    /// # Ok::<(), featherline_sim::integrator::IntegratorError>(())
    /// ```
    ///
    /// # Errors
    /// [`BadParameter`](crate::integrator::IntegratorError::BadParameter) unless time and depth are
    /// positive; [`Argument`](crate::integrator::IntegratorError::Argument) for a configuration
    /// that does not fit, and where the mass matrix is singular.
    pub fn critical(model: &Model, q: &[f64], time: f64, depth: f64) -> Result<Self> {
        check_positive("the time in which joint limits act", time)?;
        check_positive("the depth of joint limits", depth)?;
        let answers = ForceResponse::new(model, q)?.of_all()?;
        Ok(Self::of(model, |coordinates, ratio| {
            let most = answers[coordinates].iter().copied().fold(0.0, f64::max);
            let inertia = 1.0 / (most * ratio * ratio);
            Bumper {
                stiffness: inertia / (time * time),
                damping: 2.0 * inertia / time,
                depth,
            }
        }))
    }

    /// A depth, in rad or m, of end stops of robots of human size.
    pub const DEPTH: f64 = 1e-3;

    /// The limits with stops that are as stiff as steps of `step` seconds allow:
    /// [`critical`](Self::critical) ones that act in twenty steps, since each is stiffer than by
    /// itself where several joints of a limb are at their limits together.
    ///
    /// # Errors
    /// As [`critical`](Self::critical).
    pub fn for_step(model: &Model, q: &[f64], step: f64) -> Result<Self> {
        Self::critical(model, q, STEPS_TO_STOP * step, Self::DEPTH)
    }

    /// The same limits with another bumper for one joint; no change for a joint without limits.
    ///
    /// ```
    /// use featherline_sim::integrator::forces::{Bumper, JointLimits};
    /// use featherline::samples;
    ///
    /// let arm = samples::double_pendulum();
    /// let soft = Bumper { stiffness: 100.0, damping: 1.0, depth: 1e-3 };
    /// let stiff = Bumper { stiffness: 1e4, ..soft };
    /// let limits = JointLimits::new(&arm, soft)?.with_bumper(arm.joint_id("elbow")?, stiff)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_bumper(mut self, joint: JointId, bumper: Bumper) -> Result<Self> {
        bumper.check()?;
        let own = |stop: &&mut Stop| stop.limited.joint == joint;
        for stop in self.stops.iter_mut().filter(own) {
            stop.bumper = bumper;
        }
        Ok(self)
    }

    /// The limits of a model's joints, with a bumper for coordinates and a ratio.
    fn of(model: &Model, bumper: impl Fn(Range<usize>, f64) -> Bumper) -> Self {
        let limits = limited_displacements(model).into_iter();
        let stops = limits.map(|limited| {
            let (coordinates, ratio) = limited.displacement.coordinates();
            let bumper = bumper(coordinates, ratio);
            Stop { limited, bumper }
        });
        Self {
            stops: stops.collect(),
        }
    }
}

impl Bumper {
    fn check(&self) -> Result<()> {
        check_positive("the stiffness of joint limits", self.stiffness)?;
        check_positive("the depth of joint limits", self.depth)?;
        check_not_negative("the damping of joint limits", self.damping)
    }

    /// The force on a coordinate at `x` that moves at `rate`.
    fn force(&self, x: f64, rate: f64, lower: f64, upper: f64) -> f64 {
        self.push(lower - x, -rate) - self.push(x - upper, rate)
    }

    /// The force against a coordinate that is `inside` a stop and goes further at `rate`.
    fn push(&self, inside: f64, rate: f64) -> f64 {
        if inside <= 0.0 {
            return 0.0;
        }
        let ramp = inside / (inside + self.depth);
        (ramp * (self.stiffness * inside + self.damping * rate)).max(0.0)
    }
}

impl ForceModel for JointLimits {
    fn add(&mut self, state: &State<'_>, loads: &mut Loads<'_>) -> Result<()> {
        for Stop { limited, bumper } in &self.stops {
            let displacement = &limited.displacement;
            let x = displacement.at(state.q);
            let rate = displacement.rate(state.q, state.v);
            let force = bumper.force(x, rate, limited.lower, limited.upper);
            if force != 0.0 {
                for (k, factor) in displacement.row(state.q) {
                    loads.tau[k] += factor * force;
                }
            }
        }
        Ok(())
    }

    fn is_nothing(&self) -> bool {
        self.stops.is_empty()
    }

    /// That far inside the stops.
    fn add_bounds(&self, bounds: &mut ForceBounds) {
        // Those of a position that turns are along any axis.
        let mut positions = Vec::new();
        for Stop { limited, bumper } in &self.stops {
            let (coordinates, ratio) = limited.displacement.coordinates();
            if let Displacement::Position { idx_v, .. } = limited.displacement {
                if positions.contains(&idx_v) {
                    continue;
                }
                positions.push(idx_v);
            }
            for coordinate in coordinates {
                bounds.damping[coordinate] += ratio * ratio * bumper.damping;
                bounds.stiffness[coordinate] += ratio * ratio * bumper.stiffness;
            }
        }
    }
}
