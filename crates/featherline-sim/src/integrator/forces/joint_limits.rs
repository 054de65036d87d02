//! Joint limits as one-sided springs and dampers.

use super::{ForceBounds, ForceModel, ForceResponse, Loads, State, check_positive};
use crate::integrator::IntegratorError;
use featherline::joint::JointKind;
use featherline::kernel::SimpleJoints;
use featherline::model::{JointId, Model};
use featherline::spatial::{Quaternion, Vec3};
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
    positions: Box<[Position]>,
}

/// A coordinate with limits: its displacement is `ratio · q + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stop {
    joint: JointId,
    source: Source,
    coordinate: usize,
    ratio: f64,
    offset: f64,
    lower: f64,
    upper: f64,
    bumper: Bumper,
}

/// Where a displacement is read.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    Entry(usize),
    /// The angle of a (cos, sin) pair, which only mimic joints have limits for.
    Pair(usize),
}

/// A position with limits, whose velocity is given in the moving frame.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Position {
    joint: JointId,
    idx_q: usize,
    idx_v: usize,
    planar: bool,
    lower: Vec3<f64>,
    upper: Vec3<f64>,
    bumper: Bumper,
}

impl JointLimits {
    /// The limits of a model's joints, all with the same bumper.
    ///
    /// # Errors
    /// [`IntegratorError::BadParameter`] unless stiffness and depth are positive and the damping is
    /// not negative.
    pub fn new(model: &Model, bumper: Bumper) -> Result<Self, IntegratorError> {
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
    /// [`IntegratorError::BadParameter`] unless time and depth are positive;
    /// [`IntegratorError::Argument`] for a configuration that does not fit, and where the mass
    /// matrix is singular.
    pub fn critical(
        model: &Model,
        q: &[f64],
        time: f64,
        depth: f64,
    ) -> Result<Self, IntegratorError> {
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
    pub fn for_step(model: &Model, q: &[f64], step: f64) -> Result<Self, IntegratorError> {
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
    pub fn with_bumper(mut self, joint: JointId, bumper: Bumper) -> Result<Self, IntegratorError> {
        bumper.check()?;
        for stop in self.stops.iter_mut().filter(|stop| stop.joint == joint) {
            stop.bumper = bumper;
        }
        for position in self.positions.iter_mut().filter(|it| it.joint == joint) {
            position.bumper = bumper;
        }
        Ok(self)
    }

    /// The limits of a model's joints, with a bumper for coordinates that are a ratio of what is
    /// limited.
    fn of(model: &Model, bumper: impl Fn(Range<usize>, f64) -> Bumper) -> Self {
        let (mut stops, mut positions) = (Vec::new(), Vec::new());
        for id in model.joint_ids() {
            let joint = model.joint(id);
            let (lower, upper) = (&joint.limits.lower[..], &joint.limits.upper[..]);
            let bounded = |k: usize| lower[k].is_finite() || upper[k].is_finite();
            if let Some(mimic) = &joint.mimic {
                let of_pair =
                    |kind: &JointKind| matches!(kind, JointKind::RevoluteUnbounded { .. });
                if !of_pair(&joint.kind) && bounded(0) && mimic.ratio != 0.0 {
                    let source = if of_pair(&model.joint(mimic.source).kind) {
                        Source::Pair(joint.idx_q)
                    } else {
                        Source::Entry(joint.idx_q)
                    };
                    stops.push(Stop {
                        joint: id,
                        source,
                        coordinate: joint.idx_v,
                        ratio: mimic.ratio,
                        offset: mimic.offset,
                        lower: lower[0],
                        upper: upper[0],
                        bumper: bumper(joint.idx_v..joint.idx_v + 1, mimic.ratio),
                    });
                }
                continue;
            }
            for part in SimpleJoints::of(&joint.kind) {
                let (idx_q, idx_v) = (joint.idx_q + part.q.start, joint.idx_v + part.v.start);
                match part.kind {
                    JointKind::RevoluteUnbounded { .. } | JointKind::Spherical => {}
                    JointKind::Planar | JointKind::FreeFlyer => {
                        let planar = *part.kind == JointKind::Planar;
                        let count = if planar { 2 } else { 3 };
                        if (0..count).any(|k| bounded(part.q.start + k)) {
                            let mut ends = [[f64::NEG_INFINITY; 3], [f64::INFINITY; 3]];
                            for k in 0..count {
                                ends[0][k] = lower[part.q.start + k];
                                ends[1][k] = upper[part.q.start + k];
                            }
                            positions.push(Position {
                                joint: id,
                                idx_q,
                                idx_v,
                                planar,
                                lower: Vec3::from(ends[0]),
                                upper: Vec3::from(ends[1]),
                                bumper: bumper(idx_v..idx_v + count, 1.0),
                            });
                        }
                    }
                    _ => {
                        let bounded = part.q.clone().filter(|&k| bounded(k));
                        stops.extend(bounded.map(|k| {
                            let coordinate = idx_v + k - part.q.start;
                            Stop {
                                joint: id,
                                source: Source::Entry(joint.idx_q + k),
                                coordinate,
                                ratio: 1.0,
                                offset: 0.0,
                                lower: lower[k],
                                upper: upper[k],
                                bumper: bumper(coordinate..coordinate + 1, 1.0),
                            }
                        }));
                    }
                }
            }
        }
        Self {
            stops: stops.into(),
            positions: positions.into(),
        }
    }
}

impl Bumper {
    fn check(&self) -> Result<(), IntegratorError> {
        check_positive("the stiffness of joint limits", self.stiffness)?;
        check_positive("the depth of joint limits", self.depth)?;
        if self.damping.is_finite() && self.damping >= 0.0 {
            return Ok(());
        }
        Err(IntegratorError::BadParameter {
            what: "the damping of joint limits",
            value: self.damping,
            need: "a number not below zero is needed",
        })
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
    fn add(&mut self, state: &State<'_>, loads: &mut Loads<'_>) -> Result<(), IntegratorError> {
        for stop in &self.stops {
            let own = match stop.source {
                Source::Entry(k) => state.q[k],
                Source::Pair(k) => state.q[k + 1].atan2(state.q[k]),
            };
            let (x, rate) = (
                stop.ratio * own + stop.offset,
                stop.ratio * state.v[stop.coordinate],
            );
            let force = stop.bumper.force(x, rate, stop.lower, stop.upper);
            loads.tau[stop.coordinate] += stop.ratio * force;
        }
        for position in &self.positions {
            position.add(state, loads);
        }
        Ok(())
    }

    fn is_nothing(&self) -> bool {
        self.stops.is_empty() && self.positions.is_empty()
    }

    /// That far inside the stops.
    fn add_bounds(&self, bounds: &mut ForceBounds) {
        let mut add = |coordinate: usize, ratio: f64, bumper: &Bumper| {
            bounds.damping[coordinate] += ratio * ratio * bumper.damping;
            bounds.stiffness[coordinate] += ratio * ratio * bumper.stiffness;
        };
        for stop in &self.stops {
            add(stop.coordinate, stop.ratio, &stop.bumper);
        }
        for position in &self.positions {
            for coordinate in 0..if position.planar { 2 } else { 3 } {
                add(position.idx_v + coordinate, 1.0, &position.bumper);
            }
        }
    }
}

impl Position {
    fn add(&self, state: &State<'_>, loads: &mut Loads<'_>) {
        let (q, v) = (&state.q[self.idx_q..], &state.v[self.idx_v..]);
        let (position, velocity, turn) = if self.planar {
            let turn = Quaternion::from_axis_angle(Vec3::unit(2), q[3].atan2(q[2]));
            (Vec3::new(q[0], q[1], 0.0), Vec3::new(v[0], v[1], 0.0), turn)
        } else {
            let turn = Quaternion::new(q[3], q[4], q[5], q[6]).normalised();
            (
                Vec3::new(q[0], q[1], q[2]),
                Vec3::new(v[0], v[1], v[2]),
                turn,
            )
        };
        let rate = turn.rotate(velocity);
        let along =
            |x: f64, rate: f64, lower: f64, upper: f64| self.bumper.force(x, rate, lower, upper);
        let force = Vec3::new(
            along(position.x, rate.x, self.lower.x, self.upper.x),
            along(position.y, rate.y, self.lower.y, self.upper.y),
            along(position.z, rate.z, self.lower.z, self.upper.z),
        );
        let seen = turn.conjugate().rotate(force).to_array();
        let count = if self.planar { 2 } else { 3 };
        for k in 0..count {
            loads.tau[self.idx_v + k] += seen[k];
        }
    }
}
