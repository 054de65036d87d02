//! Drives that hold or move joints, implicit and with limited effort.

mod lengths;
mod step;

use crate::integrator::Result;
use featherline::Workspace;
use featherline::model::{Joint, JointId, Model};
use featherline_constraint::nonsmooth::clamp_to_limits;
use lengths::DrivenLength;

/// How far drives that hold yield under the robot's weight, in rad and m.
const YIELD_ANGLE: f64 = 0.01;
const YIELD_LENGTH: f64 = 1e-3;

/// The time in s in which they come back.
const RETURN: f64 = 0.05;

/// Proportional-derivative drives of the joints, taken at the end of each step: stable at any gain.
///
/// A drive gives clamp(kp (q_d − q) − kd v + τ₀, range) with the force range of its own, such as
/// that of an actuator. A joint may have several, and controllers may add to them: their sum is
/// kept within ±effort of the joint.
///
/// Coordinates that are no angle or displacement of their own (of free-flyers, spherical joints and
/// (cos, sin) pairs) have no drive of this kind. Others act [along lengths](Self::and_along), such
/// as tendons, with l and l̇ in place of q and v.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drives {
    joints: Vec<DrivenJoint>,
    lengths: Vec<DrivenLength>,
}

/// The drive that a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DriveRow {
    Joint { coordinate: usize },
    Length { index: usize, drive: usize },
}

/// A joint with its drives.
#[derive(Clone, Debug, PartialEq)]
struct DrivenJoint {
    q: usize,
    coordinate: usize,
    drives: Vec<Drive>,
    /// The bound of the sum of the drives' forces and of [`given`](Self::given).
    effort: f64,
    /// The force of controllers in this step, before its bound.
    given: f64,
    /// Whether the sum was at the bound in the last step: then the joint is a row.
    is_saturated: bool,
    /// How often the row was corrected in this step.
    corrections: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Drive {
    target: f64,
    stiffness: f64,
    damping: f64,
    /// τ₀
    force: f64,
    /// How what is asked for comes to act: the target of a drive with stiffness, else τ₀.
    response: Response,
    /// The target or force of a filter or integrator, now and after the step that was made.
    active: f64,
    next: Option<f64>,
    /// The force range, middle ± range.
    middle: f64,
    range: f64,
    /// Whether the force was at the end of its range in the last step: then the drive is a row.
    is_saturated: bool,
    /// The end of the range that the drive has within the row of its joint.
    held: Option<f64>,
}

/// How a drive follows what is asked of it, with the first state.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    not(feature = "formats"),
    expect(dead_code, reason = "files alone have filters and integrators")
)]
pub(super) enum Response {
    Direct,
    /// T w' = w_d − w, within bounds.
    Filter {
        start: f64,
        time_constant: f64,
        bounds: [f64; 2],
    },
    /// w' is given, within bounds.
    Integrator {
        rate: f64,
        bounds: [f64; 2],
    },
}

impl Drive {
    /// Towards a target, with kp and kd, without a range.
    fn new(target: f64, (stiffness, damping): (f64, f64)) -> Self {
        Self {
            target,
            stiffness,
            damping,
            force: 0.0,
            response: Response::Direct,
            active: 0.0,
            next: None,
            middle: 0.0,
            range: f64::INFINITY,
            is_saturated: false,
            held: None,
        }
    }

    /// With the force f₀ − kp q − kd v of a control, and its least and greatest force.
    fn responding(
        (force, response): (f64, Response),
        (stiffness, damping): (f64, f64),
        [least, greatest]: [f64; 2],
    ) -> Self {
        let mut drive = Self::new(0.0, (stiffness, damping));
        drive.range = 0.5 * (greatest - least);
        if drive.range.is_finite() {
            drive.middle = 0.5 * (least + greatest);
        }
        let unit = if stiffness > 0.0 { stiffness } else { 1.0 };
        match stiffness > 0.0 {
            true => drive.target = force / stiffness,
            false => drive.force = force,
        }
        (drive.response, drive.active) = match response {
            Response::Direct => (response, 0.0),
            Response::Filter {
                start,
                time_constant,
                bounds,
            } => {
                let (start, bounds) = (start / unit, bounds.map(|it| it / unit));
                let response = Response::Filter {
                    start,
                    time_constant,
                    bounds,
                };
                (response, start)
            }
            Response::Integrator { rate, bounds } => {
                let (rate, bounds) = (rate / unit, bounds.map(|it| it / unit));
                (Response::Integrator { rate, bounds }, force / unit)
            }
        };
        drive
    }
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
        let mut all = Self::none();
        for joint in simple {
            if let Some(&target) = target.get(joint.idx_q) {
                all.add(joint, Drive::new(target, gains(joint.idx_v)));
            }
        }
        all
    }

    /// Adds a drive to those of its joint.
    fn add(&mut self, joint: &Joint, drive: Drive) {
        let mut joints = self.joints.iter_mut();
        match joints.find(|it| it.coordinate == joint.idx_v) {
            Some(own) => own.drives.push(drive),
            None => self.joints.push(DrivenJoint {
                q: joint.idx_q,
                coordinate: joint.idx_v,
                drives: vec![drive],
                effort: joint.limits.effort.first().map_or(f64::INFINITY, |it| *it),
                given: 0.0,
                is_saturated: false,
                corrections: 0,
            }),
        }
    }

    /// Drives that hold all joints of one degree of freedom in a configuration of nq entries, or at
    /// the limits that it is beyond: under the weight of the whole robot at its farthest body, by
    /// itself, each would yield 0.01 rad or 1 mm, up to its effort. They come back within a
    /// twentieth of a second.
    ///
    /// # Errors
    /// [`Argument`](crate::integrator::IntegratorError::Argument) for a configuration that does not
    /// fit.
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
    pub fn holding(model: &Model, q: &[f64]) -> Result<Self> {
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
    /// stiffness, its target is τ₀ / kp. Its force is at most `range` either way, and the sum of
    /// the drives of a joint at most the model's effort.
    ///
    /// A joint may have several. Those without stiffness and damping are constant forces.
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
        self,
        model: &Model,
        joint: JointId,
        force: f64,
        gains: (f64, f64),
        range: f64,
    ) -> Self {
        let asked = (force, Response::Direct);
        self.and_responding(model, joint, asked, gains, [-range, range])
    }

    /// The same with a filter or integrator in its first state, and the least and greatest force.
    #[must_use]
    pub(super) fn and_responding(
        mut self,
        model: &Model,
        joint: JointId,
        asked: (f64, Response),
        gains: (f64, f64),
        range: [f64; 2],
    ) -> Self {
        let joint = model.joint(joint);
        if joint.nq != 1 || joint.nv != 1 || joint.mimic.is_some() {
            return self;
        }
        let drive = Drive::responding(asked, gains, range);
        self.add(joint, drive);
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
        let mut driven: Vec<JointId> = self.joints.iter().map(|it| roots[it.coordinate]).collect();
        for own in &self.lengths {
            driven.extend(own.along.length.coordinates(model).map(|k| roots[k]));
        }
        let others = held.without(|coordinate| driven.contains(&roots[coordinate]));
        self.joints.extend(others.joints);
        self
    }

    /// The drives of some coordinates alone, and none along lengths.
    #[must_use]
    pub fn only(mut self, mut has_drive: impl FnMut(usize) -> bool) -> Self {
        self.lengths.clear();
        self.joints.retain(|joint| has_drive(joint.coordinate));
        self
    }

    /// The same drives without limits of their effort and without force ranges.
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
        for joint in &mut self.joints {
            joint.effort = f64::INFINITY;
        }
        for drive in self.each_mut() {
            (drive.middle, drive.range) = (0.0, f64::INFINITY);
        }
        self
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.each().count()
    }

    /// All drives: those of joints, then those along lengths.
    fn each(&self) -> impl Iterator<Item = &Drive> {
        let joints = self.joints.iter().flat_map(|it| &it.drives);
        joints.chain(self.lengths.iter().flat_map(|it| &it.drives))
    }

    fn each_mut(&mut self) -> impl Iterator<Item = &mut Drive> {
        let joints = self.joints.iter_mut().flat_map(|it| &mut it.drives);
        joints.chain(self.lengths.iter_mut().flat_map(|it| &mut it.drives))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty() && self.lengths.is_empty()
    }

    /// Moves the targets, a configuration of nq entries.
    pub fn set_target(&mut self, target: &[f64]) {
        for joint in &mut self.joints {
            if let Some(&target) = target.get(joint.q) {
                joint.drives.iter_mut().for_each(|it| it.target = target);
            }
        }
    }

    /// The same with other limits of the effort, in N·m (N), by coordinate, in place of the
    /// model's. Force ranges of single drives stay.
    pub fn with_effort(mut self, effort: impl Fn(usize) -> f64) -> Self {
        for joint in &mut self.joints {
            joint.effort = effort(joint.coordinate);
        }
        self
    }

    /// Without the drives of some coordinates.
    pub fn without(mut self, left_out: impl Fn(usize) -> bool) -> Self {
        self.joints.retain(|joint| !left_out(joint.coordinate));
        self
    }

    /// The coordinates that have a drive, with their targets, in rad and m. A drive whose control
    /// is a speed has no target.
    pub fn targets(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.joints.iter().flat_map(|joint| {
            let moves = |drive: &&Drive| !matches!(drive.response, Response::Integrator { .. });
            let drives = joint.drives.iter().filter(moves);
            drives.map(|drive| (joint.coordinate, drive.target))
        })
    }

    /// The states of filters and integrators, in the order of the drives that have one: targets in
    /// rad and m of drives with stiffness, else forces in N·m and N.
    pub fn activations(&self) -> impl Iterator<Item = f64> + '_ {
        let own = self
            .each()
            .filter(|drive| drive.response != Response::Direct);
        own.map(|drive| drive.next.unwrap_or(drive.active))
    }

    /// Sets these states.
    pub fn set_activations(&mut self, activations: &[f64]) {
        let own = self
            .each_mut()
            .filter(|drive| drive.response != Response::Direct);
        for (drive, &activation) in own.zip(activations) {
            (drive.active, drive.next) = (activation, None);
        }
    }

    /// Takes the targets, forces and gains of other drives of the same joints and lengths, such as
    /// those of [other controls](featherline_formats::Robot::actuation_by) of the same actuators;
    /// states of filters and integrators stay. Whether the drives were of the same: otherwise
    /// nothing changes.
    ///
    /// ```
    /// use featherline_sim::contact::Drives;
    /// use featherline_sim::setup::Setup;
    ///
    /// // A motor of 2 N·m on a joint of 0.1 kg·m².
    /// let robot = featherline_formats::load_str(
    ///     "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j'/>
    ///      <inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/></body></worldbody>
    ///      <actuator><motor joint='j'/></actuator></mujoco>",
    /// )?;
    /// let mut simulation = Setup::default().simulation(&robot)?;
    /// let asked = Drives::of_actuators(&robot.model, &robot.actuation_by(&[2.0])?);
    /// assert!(simulation.drives_mut().is_some_and(|drives| drives.follow(&asked)));
    /// simulation.run(0.5, 0.1, &mut ())?;
    /// assert!((simulation.velocity()[0] - 10.0).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn follow(&mut self, asked: &Self) -> bool {
        let is_of_joint = |(own, other): (&DrivenJoint, &DrivenJoint)| {
            own.coordinate == other.coordinate && own.drives.len() == other.drives.len()
        };
        let is_along = |(own, other): (&DrivenLength, &DrivenLength)| {
            own.along.length == other.along.length && own.drives.len() == other.drives.len()
        };
        let is_same = self.joints.len() >= asked.joints.len()
            && self.lengths.len() == asked.lengths.len()
            && self.joints.iter().zip(&asked.joints).all(is_of_joint)
            && self.lengths.iter().zip(&asked.lengths).all(is_along);
        if is_same {
            for (own, asked) in self.joints.iter_mut().zip(&asked.joints) {
                follow(&mut own.drives, &asked.drives);
            }
            for (own, asked) in self.lengths.iter_mut().zip(&asked.lengths) {
                follow(&mut own.drives, &asked.drives);
            }
        }
        is_same
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
        for joint in &mut self.joints {
            let target = target(joint.coordinate);
            joint.drives.iter_mut().for_each(|it| it.target = target);
        }
    }
}

/// Takes targets, forces and gains of others of the same kind.
fn follow(drives: &mut [Drive], asked: &[Drive]) {
    for (own, asked) in drives.iter_mut().zip(asked) {
        (own.target, own.force) = (asked.target, asked.force);
        (own.stiffness, own.damping) = (asked.stiffness, asked.damping);
        own.response = asked.response;
    }
}
