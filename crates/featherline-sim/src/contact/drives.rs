//! Drives that hold or move joints, implicit and with limited effort.

use crate::integrator::IntegratorError;
use featherline::Workspace;
use featherline::model::{Joint, JointId, Model};
use featherline_constraint::nonsmooth::{Law, Rows, Set, clamp_to_limits};

/// How far drives that hold yield under the robot's weight, in rad and m.
const YIELD_ANGLE: f64 = 0.01;
const YIELD_LENGTH: f64 = 1e-3;

/// The time in s in which they come back.
const RETURN: f64 = 0.05;

/// Proportional-derivative drives of the joints, τ = clamp(kp (q_d − q) − kd v + τ₀, ±effort),
/// taken at the end of each step: stable at any gain, and the effort is never exceeded.
///
/// Coordinates that are no angle or displacement of their own (of free-flyers, spherical joints and
/// (cos, sin) pairs) have no drive of this kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drives {
    drives: Vec<Drive>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Drive {
    q: usize,
    coordinate: usize,
    target: f64,
    stiffness: f64,
    damping: f64,
    /// τ₀
    force: f64,
    effort: f64,
    /// Whether the effort was at its limit in the last step: then the drive is a row.
    is_saturated: bool,
}

impl Drive {
    /// h kp + kd: what the drive adds to the momentum of a unit of speed, divided by h.
    #[inline(always)]
    fn gain(&self, h: f64) -> f64 {
        h.mul_add(self.stiffness, self.damping)
    }

    /// Whether it does nothing.
    #[inline(always)]
    fn is_idle(&self, h: f64) -> bool {
        (self.gain(h) <= 0.0 && self.force == 0.0) || self.effort <= 0.0
    }

    /// kp (q_d − q − h v) − kd v + τ₀
    #[inline(always)]
    fn asked(&self, q: &[f64], v: &[f64], h: f64) -> f64 {
        self.spring(q) - self.gain(h) * v[self.coordinate]
    }

    /// kp (q_d − q) + τ₀
    #[inline(always)]
    fn spring(&self, q: &[f64]) -> f64 {
        self.stiffness * (self.target - q[self.q]) + self.force
    }
}

/// The effort that a joint of one degree of freedom is limited to, in N·m (N).
fn effort_of(joint: &Joint) -> f64 {
    let bound = joint.limits.effort.first().copied();
    bound.unwrap_or(f64::INFINITY)
}

impl Drives {
    /// No drives.
    pub fn none() -> Self {
        Self::default()
    }

    /// Drives of all joints of one degree of freedom with given gains, in N·m/rad (N/m) and
    /// N·m·s/rad (N·s/m), towards a configuration of nq entries; effort as the model limits it.
    /// Mimic joints go where their joint goes.
    pub fn uniform(model: &Model, target: &[f64], stiffness: f64, damping: f64) -> Self {
        Self::with_gains(model, target, |_| (stiffness, damping))
    }

    /// The same with the gains of each coordinate.
    pub fn with_gains(model: &Model, target: &[f64], gains: impl Fn(usize) -> (f64, f64)) -> Self {
        let joints = model.joints().iter().skip(1);
        let simple = joints.filter(|j| j.nq == 1 && j.nv == 1 && j.mimic.is_none());
        let drives = simple.filter_map(|joint| {
            let (stiffness, damping) = gains(joint.idx_v);
            Some(Drive {
                q: joint.idx_q,
                coordinate: joint.idx_v,
                target: *target.get(joint.idx_q)?,
                stiffness,
                damping,
                force: 0.0,
                effort: effort_of(joint),
                is_saturated: false,
            })
        });
        Self {
            drives: drives.collect(),
        }
    }

    /// Drives that hold all joints of one degree of freedom in a configuration of nq entries, or at
    /// the limits that it is beyond: under the weight of the whole robot at its farthest body, by
    /// itself, each would yield 0.01 rad or 1 mm, up to its effort. They come back within a
    /// twentieth of a second.
    ///
    /// # Errors
    /// [`IntegratorError::Argument`] for a configuration that does not fit.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_sim::contact::{Drives, TimeStepping};
    ///
    /// let model = samples::double_pendulum();
    /// let (mut q, mut v) = ([0.5, -0.5], [0.0, 0.0]);
    /// let drives = Drives::holding(&model, &q)?;
    /// let mut stepping = TimeStepping::new(&model)?.with_drives(drives);
    /// for _ in 0..1000 {
    ///     stepping.step(0.0, &mut q, &mut v, 1e-3)?;
    /// }
    /// assert!((q[0] - 0.5).abs() < 0.01 && (q[1] + 0.5).abs() < 0.01);
    /// # Ok::<(), featherline_sim::integrator::IntegratorError>(())
    /// ```
    pub fn holding(model: &Model, q: &[f64]) -> Result<Self, IntegratorError> {
        let mut ws = Workspace::recursive(model);
        let placed = model.forward_kinematics(&mut ws, q)?;
        let joints = || model.joint_ids().map(|id| (id, model.joint(id)));
        let mass: f64 = joints().map(|(_, joint)| joint.inertia.mass).sum();
        let Some(first) = model.joint_ids().next() else {
            return Ok(Self::none());
        };
        let root = placed.placement(first).translation;
        let mut farthest: f64 = 0.0;
        for (id, joint) in joints() {
            let centre = placed.placement(id).act_point(joint.inertia.com);
            farthest = farthest.max((centre - root).norm());
        }
        let weight = mass * model.gravity().norm();
        let slides = |k: usize| {
            let own = joints().find(|(_, joint)| joint.idx_v == k);
            own.is_some_and(|(_, joint)| joint.kind.is_translation(0))
        };
        let mut target = q.to_vec();
        clamp_to_limits(model, &mut target);
        Ok(Self::with_gains(model, &target, |k| {
            let stiffness = match slides(k) {
                true => weight / YIELD_LENGTH,
                false => weight * farthest / YIELD_ANGLE,
            };
            (stiffness, stiffness * RETURN)
        }))
    }

    /// Adds a drive with the force τ = τ₀ − kp q − kd v of a joint of one degree of freedom, which
    /// mimics no other: an actuator of a motor, a spring or a damper. Other joints get none. With a
    /// stiffness, its target is τ₀ / kp. The effort is at most the model's.
    ///
    /// A joint may have several. Those that turn a joint without stiffness and damping are constant
    /// forces.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_sim::contact::{Drives, TimeStepping};
    ///
    /// let model = samples::double_pendulum().with_gravity([0.0; 3].into())?;
    /// let elbow = model.joint_id("elbow")?;
    /// // A spring of 20 N·m/rad that pulls to 0.5 rad.
    /// let drives = Drives::none().and_of(&model, elbow, 10.0, (20.0, 5.0), f64::INFINITY);
    /// let (mut q, mut v) = ([0.0, 0.0], [0.0, 0.0]);
    /// let mut stepping = TimeStepping::new(&model)?.with_drives(drives);
    /// for _ in 0..5000 {
    ///     stepping.step(0.0, &mut q, &mut v, 1e-3)?;
    /// }
    /// assert!((q[1] - 0.5).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn and_of(
        mut self,
        model: &Model,
        joint: JointId,
        force: f64,
        (stiffness, damping): (f64, f64),
        effort: f64,
    ) -> Self {
        let joint = model.joint(joint);
        if joint.nq != 1 || joint.nv != 1 || joint.mimic.is_some() {
            return self;
        }
        let effort = effort.min(effort_of(joint));
        let (target, force) = match stiffness > 0.0 {
            true => (force / stiffness, 0.0),
            // A constant force needs no row where it is beyond the effort.
            false if damping <= 0.0 => (0.0, force.max(-effort).min(effort)),
            false => (0.0, force),
        };
        self.drives.push(Drive {
            q: joint.idx_q,
            coordinate: joint.idx_v,
            target,
            stiffness,
            damping,
            force,
            effort,
            is_saturated: false,
        });
        self
    }

    /// These drives of actuators, and those of `held` for trees in which no joint has an actuator:
    /// robots of a scene that have none of their own are held.
    #[must_use]
    pub fn and_held(mut self, model: &Model, held: Self) -> Self {
        let mut roots = vec![JointId::UNIVERSE; model.nv()];
        for id in model.joint_ids() {
            let joint = model.joint(id);
            let mut root = id;
            while model.joint(root).parent != JointId::UNIVERSE {
                root = model.joint(root).parent;
            }
            roots[joint.idx_v..joint.idx_v + joint.nv].fill(root);
        }
        let driven: Vec<JointId> = self.drives.iter().map(|it| roots[it.coordinate]).collect();
        let others = held.without(|coordinate| driven.contains(&roots[coordinate]));
        self.drives.extend(others.drives);
        self
    }

    /// The drives of some coordinates alone.
    #[must_use]
    pub fn only(mut self, mut has_drive: impl FnMut(usize) -> bool) -> Self {
        self.drives.retain(|drive| has_drive(drive.coordinate));
        self
    }

    /// The same drives without limits of their effort.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_sim::contact::Drives;
    ///
    /// let model = samples::double_pendulum();
    /// let elbow = Drives::holding(&model, &[0.5, -0.5])?.only(|k| k == 1).without_effort_limits();
    /// assert_eq!(elbow.len(), 1);
    /// # Ok::<(), featherline_sim::integrator::IntegratorError>(())
    /// ```
    #[must_use]
    pub fn without_effort_limits(mut self) -> Self {
        for drive in &mut self.drives {
            drive.effort = f64::INFINITY;
        }
        self
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.drives.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.drives.is_empty()
    }

    /// Moves the targets, a configuration of nq entries.
    pub fn set_target(&mut self, target: &[f64]) {
        for drive in &mut self.drives {
            if let Some(target) = target.get(drive.q) {
                drive.target = *target;
            }
        }
    }

    /// The same with other efforts, in N·m (N), by coordinate.
    pub fn with_effort(mut self, effort: impl Fn(usize) -> f64) -> Self {
        for drive in &mut self.drives {
            drive.effort = effort(drive.coordinate);
        }
        self
    }

    /// Without the drives of some coordinates.
    pub fn without(mut self, left_out: impl Fn(usize) -> bool) -> Self {
        self.drives.retain(|drive| !left_out(drive.coordinate));
        self
    }

    /// The coordinates that have a drive, with their targets, in rad and m.
    pub fn targets(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.drives
            .iter()
            .map(|drive| (drive.coordinate, drive.target))
    }

    /// Moves the target of each coordinate that has a drive, in rad and m.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_sim::contact::{Drives, TimeStepping};
    ///
    /// let model = samples::double_pendulum();
    /// let (mut q, mut v) = ([0.0, 0.0], [0.0, 0.0]);
    /// let mut stepping = TimeStepping::new(&model)?.with_drives(Drives::holding(&model, &q)?);
    /// for k in 0..1000 {
    ///     let goal = [0.5, -0.5].map(|goal| goal * (1e-3 * f64::from(k)));
    ///     stepping.drives_mut().move_targets(|coordinate| goal[coordinate]);
    ///     stepping.step(0.0, &mut q, &mut v, 1e-3)?;
    /// }
    /// assert!((q[0] - 0.5).abs() < 0.05);
    /// # Ok::<(), featherline_sim::integrator::IntegratorError>(())
    /// ```
    pub fn move_targets(&mut self, target: impl Fn(usize) -> f64) {
        for drive in &mut self.drives {
            drive.target = target(drive.coordinate);
        }
    }

    /// Adds the joint forces of the step that led to the state (`q`, `v`), in N·m (N), to `tau`, nv
    /// entries: τ = clamp(kp (q_d − q) − kd v + τ₀, ±effort). After an impact with restitution v is
    /// that after the impact, and the forces are those of the next instant.
    pub fn add_forces(&self, q: &[f64], v: &[f64], tau: &mut [f64]) {
        for drive in &self.drives {
            let k = drive.coordinate;
            let pull = drive.spring(q) - drive.damping * v[k];
            tau[k] += pull.max(-drive.effort).min(drive.effort);
        }
    }

    /// The coordinate of each drive, and its impulse in a step of `h` from `q` to the velocity `v`:
    /// λ = clamp(h (kp (q_d − q − h v) − kd v + τ₀), ±h effort).
    pub(crate) fn impulses<'a>(
        &'a self,
        q: &'a [f64],
        v: &'a [f64],
        h: f64,
    ) -> impl Iterator<Item = (usize, f64)> + 'a {
        self.drives.iter().map(move |drive| {
            let bound = drive.effort.max(0.0);
            let asked = drive.asked(q, v, h).max(-bound).min(bound);
            (drive.coordinate, h * asked)
        })
    }

    /// The coordinates of drives that were at the limit of their effort in the last step.
    pub(super) fn saturated(&self) -> impl Iterator<Item = usize> + '_ {
        let saturated = self.drives.iter().filter(|drive| drive.is_saturated);
        saturated.map(|drive| drive.coordinate)
    }

    /// Takes the coordinates of those, in ascending order.
    pub(super) fn set_saturated(&mut self, coordinates: &[usize]) {
        for drive in &mut self.drives {
            drive.is_saturated = coordinates.binary_search(&drive.coordinate).is_ok();
        }
    }

    /// Adds the drives within their effort to h (τ − …) and to M̂: that is how they are implicit.
    /// `places` are those of the diagonal in M̂.
    #[inline(always)]
    pub(super) fn add_to(
        &self,
        (q, v, h): (&[f64], &[f64], f64),
        momentum: &mut [f64],
        (mass, places): (&mut [f64], &[usize]),
    ) {
        for drive in &self.drives {
            if drive.is_saturated || drive.is_idle(h) {
                continue;
            }
            // h (kp (q_d − q − h v⁺) − kd v⁺ + τ₀), with v⁺ on the left side
            let (k, gain) = (drive.coordinate, drive.gain(h));
            momentum[k] += h * (drive.spring(q) - gain * v[k]);
            mass[places[k]] += h * gain;
        }
    }

    /// Adds a row for each drive that was at the limit of its effort.
    pub(super) fn push(&self, q: &[f64], h: f64, rows: &mut Rows, mut found: impl FnMut(usize)) {
        for drive in self.drives.iter().filter(|drive| drive.is_saturated) {
            if drive.is_idle(h) {
                continue;
            }
            let gain = drive.gain(h);
            // λ = h (kp (q_d − q⁺) − kd v⁺ + τ₀), as v + b + R λ = 0
            let bound = drive.effort * h;
            let law = Law {
                set: Set::Interval { bound },
                bias: [-drive.spring(q) / gain, 0.0, 0.0],
                compliance: (h * gain).recip(),
            };
            rows.push_coordinate(drive.coordinate, 1.0, law);
            found(drive.coordinate);
        }
    }

    /// Takes the velocity v⁺ that was found: whether a drive would exceed its effort. It is then a
    /// row, and the step is to be solved again. Otherwise, the rows within their effort are
    /// released.
    #[inline(always)]
    pub(super) fn settle(&mut self, q: &[f64], v: &[f64], h: f64) -> bool {
        let mut exceeds = false;
        for drive in self.drives.iter_mut().filter(|drive| !drive.is_saturated) {
            if drive.asked(q, v, h).abs() > drive.effort {
                drive.is_saturated = true;
                exceeds = true;
            }
        }
        if !exceeds {
            for drive in &mut self.drives {
                drive.is_saturated &= drive.asked(q, v, h).abs() > drive.effort;
            }
        }
        exceeds
    }
}
