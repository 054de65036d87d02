//! The memory of constrained dynamics.

use super::constraint::{FrameConstraint, FrameConstraintKind};
use super::derivatives::DerivativeMemory;
use super::system::System;
use crate::loops::workspace::{Loop, prepare};
use crate::loops::{LoopError, Result, Stabilisation};
use featherline::kernel::{check_workspace, elimination_tree, links};
use featherline::kinematics::ReferenceFrame;
use featherline::model::{JointId, Model};
use featherline::spatial::{Force, Se3};
use featherline::{Error, Workspace};
use std::ops::Range;

/// All the memory of constrained dynamics: made once for a model and the constraints that a
/// controller may state, used for every call.
///
/// The model's loop joints come first, and always act; then the frame constraints, which
/// [`set_active`](Self::set_active) switches on and off, as feet are set down and lifted. Only the
/// rows of those that act are computed. O(n²) numbers, and m n + m² for m rows.
///
/// ```
/// use featherline::samples;
/// use featherline_constraint::{ConstraintWorkspace, FrameConstraint};
///
/// let model = samples::double_pendulum();
/// let constraints = [FrameConstraint::point(&model, "elbow")?];
/// let mut ws = ConstraintWorkspace::new(&model, &constraints)?;
/// assert_eq!((ws.rows(), ws.rows_of(0)?), (3, 0..3));
/// ws.set_active(&model, 0, false)?;
/// assert_eq!(ws.rows(), 0);
/// # Ok::<(), featherline_constraint::LoopError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConstraintWorkspace {
    pub(super) tree: Workspace<f64>,
    /// Loop joints and constraints, those that act first.
    pub(super) held: Vec<Loop>,
    /// The settings of each of `held`, in its order.
    pub(super) settings: Vec<Settings>,
    /// How many of `held` act.
    pub(super) acting: usize,
    pub(super) loop_joints: usize,
    pub(super) system: System,
    pub(super) accelerations: Vec<f64>,
    /// λ, in the held frames.
    pub(super) multipliers: Vec<f64>,
    /// λ, in the references.
    pub(super) stated: Vec<f64>,
    pub(super) forces: Vec<Force<f64>>,
    /// Zeros, nv of them.
    pub(super) still: Vec<f64>,
    /// A change of velocity.
    pub(super) change: Vec<f64>,
    pub(super) derivatives: DerivativeMemory,
}

/// The data of a constraint besides its loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    /// Its place among loop joints and constraints, as they were given.
    pub index: usize,
    /// None for loop joints.
    pub kind: Option<FrameConstraintKind>,
    pub reference: ReferenceFrame,
    pub stabilisation: Stabilisation,
    pub acts: bool,
    /// The held frame in the world, where the reference needs it.
    pub placement: Se3<f64>,
}

impl Settings {
    /// Where the rows' axes are those of the loop joint or the held frame.
    pub(super) fn is_local(&self) -> bool {
        self.reference == ReferenceFrame::Local
    }
}

impl ConstraintWorkspace {
    /// Memory for a model with its loop joints, and constraints that all act to begin with.
    ///
    /// # Errors
    /// [`LoopError::HeldToItself`]; [`LoopError::Tree`] for a joint that the model does not have;
    /// [`LoopError::DependentMotions`] for a loop joint of constant motions that depend on each
    /// other.
    pub fn new(model: &Model, constraints: &[FrameConstraint]) -> Result<Self> {
        let mut held = Vec::new();
        let mut settings = Vec::new();
        for (index, closing) in model.loop_joints().iter().enumerate() {
            held.push(prepare(model, closing, 0)?);
            settings.push(Settings {
                index,
                kind: None,
                reference: ReferenceFrame::Local,
                stabilisation: Stabilisation::NONE,
                acts: true,
                placement: Se3::identity(),
            });
        }
        let loop_joints = held.len();
        for (index, constraint) in constraints.iter().enumerate() {
            for joint in [constraint.joint, constraint.base] {
                if joint.index() >= model.joints().len() {
                    return Err(Error::ForeignId {
                        kind: "joint",
                        index: joint.index(),
                        count: model.joints().len(),
                        model: model.name().to_owned(),
                    }
                    .into());
                }
            }
            if constraint.joint == constraint.base {
                return Err(LoopError::HeldToItself { index });
            }
            let mut own = prepare(model, &constraint.loop_joint(index), 0)?;
            own.basis = constraint.kind.basis();
            held.push(own);
            settings.push(Settings {
                index: loop_joints + index,
                kind: Some(constraint.kind),
                reference: match (constraint.kind, constraint.reference) {
                    (FrameConstraintKind::Point, ReferenceFrame::World) => {
                        ReferenceFrame::LocalWorldAligned
                    }
                    (_, reference) => reference,
                },
                stabilisation: constraint.stabilisation,
                acts: true,
                placement: Se3::identity(),
            });
        }
        let rows = held.iter().map(|h| h.basis.rigid()).sum();
        let n = model.nv();
        let mut ws = Self {
            tree: Workspace::new(model),
            acting: 0,
            loop_joints,
            system: System::new(n, rows),
            accelerations: vec![0.0; n],
            multipliers: vec![0.0; rows],
            stated: vec![0.0; rows],
            forces: vec![Force::zero(); held.len()],
            still: vec![0.0; n],
            change: vec![0.0; n],
            derivatives: DerivativeMemory::new(model, &held, rows),
            held,
            settings,
        };
        ws.arrange(model);
        Ok(ws)
    }

    /// How many frame constraints there are, acting or not.
    pub fn constraints(&self) -> usize {
        self.held.len() - self.loop_joints
    }

    /// How many rows act: those of loop joints and of the constraints that are active.
    pub fn rows(&self) -> usize {
        self.system.rows
    }

    /// Where the rows of a frame constraint are among all; empty for one that does not act.
    ///
    /// # Errors
    /// [`LoopError::NoConstraint`].
    pub fn rows_of(&self, constraint: usize) -> Result<Range<usize>> {
        let at = self.position(constraint)?;
        Ok(if self.settings[at].acts {
            self.held[at].rows()
        } else {
            0..0
        })
    }

    /// Whether a frame constraint acts.
    ///
    /// # Errors
    /// [`LoopError::NoConstraint`].
    pub fn is_active(&self, constraint: usize) -> Result<bool> {
        Ok(self.settings[self.position(constraint)?].acts)
    }

    /// Switches a frame constraint on or off: the rows that act keep the order in which they were
    /// given. Cost O(n m); allocates nothing.
    ///
    /// # Errors
    /// [`LoopError::NoConstraint`], and [`LoopError::Tree`] for another model.
    pub fn set_active(&mut self, model: &Model, constraint: usize, active: bool) -> Result<()> {
        check_workspace(&self.tree, model)?;
        let at = self.position(constraint)?;
        if self.settings[at].acts != active {
            self.settings[at].acts = active;
            self.arrange(model);
        }
        Ok(())
    }

    /// Sets where a frame is held, in the output frame of its base: of the world, for most.
    ///
    /// # Errors
    /// [`LoopError::NoConstraint`], and [`LoopError::Tree`] for another model.
    pub fn set_base_placement(
        &mut self,
        model: &Model,
        constraint: usize,
        placement: &Se3<f64>,
    ) -> Result<()> {
        check_workspace(&self.tree, model)?;
        let at = self.position(constraint)?;
        let held = &mut self.held[at];
        held.joint.predecessor_placement = *placement;
        let base = &links(model)[held.joint.predecessor.index()];
        held.input = base.frame.inverse_compose(placement);
        Ok(())
    }

    /// Holds a frame where it is in a configuration, as a foot when it is set down. Cost O(n).
    ///
    /// # Errors
    /// [`LoopError::NoConstraint`], and [`LoopError::Tree`] as
    /// [`forward_kinematics`](Model::forward_kinematics).
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_constraint::{
    ///     ConstraintWorkspace, FrameConstraint, Stabilisation, constrained_dynamics,
    /// };
    ///
    /// let model = samples::double_pendulum();
    /// let pull = Stabilisation::with_gains(100.0, 20.0);
    /// let foot = FrameConstraint::point(&model, "elbow")?.stabilised(pull);
    /// let mut ws = ConstraintWorkspace::new(&model, &[foot])?;
    /// ws.hold_at(&model, 0, &[0.3, -0.2])?;
    /// // There the pull has nothing to do, and the pendulum rests.
    /// let (q, still) = ([0.3, -0.2], [0.0; 2]);
    /// let gravity = model.gravity_torque(&mut featherline::Workspace::new(&model), &q)?.to_vec();
    /// let found = constrained_dynamics(&model, &mut ws, &q, &still, &gravity, &[])?;
    /// assert!(found.accelerations.iter().all(|a| a.abs() < 1e-9));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn hold_at(&mut self, model: &Model, constraint: usize, q: &[f64]) -> Result<()> {
        let at = self.position(constraint)?;
        let joint = &self.held[at].joint;
        let placed = model.forward_kinematics(&mut self.tree, q)?;
        let in_world = |body: JointId, frame: &Se3<f64>| {
            if body == JointId::UNIVERSE {
                *frame
            } else {
                placed.placement(body).compose(frame)
            }
        };
        let held = in_world(joint.successor, &joint.successor_placement);
        let base = in_world(joint.predecessor, &Se3::identity()).inverse_compose(&held);
        self.set_base_placement(model, constraint, &base)
    }

    /// Sets the gains of a frame constraint.
    ///
    /// # Errors
    /// [`LoopError::NoConstraint`].
    pub fn set_stabilisation(
        &mut self,
        constraint: usize,
        stabilisation: Stabilisation,
    ) -> Result<()> {
        let at = self.position(constraint)?;
        self.settings[at].stabilisation = stabilisation;
        Ok(())
    }

    /// Sets the gains of the model's loop joints, which have none to begin with.
    pub fn set_loop_stabilisation(&mut self, stabilisation: Stabilisation) {
        for settings in self.settings.iter_mut().filter(|s| s.kind.is_none()) {
            settings.stabilisation = stabilisation;
        }
    }

    /// Forgets what the loop joints read in earlier calls: the next call gives what the first one
    /// of a new workspace gives. Cost O(loops); allocates nothing.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_constraint::{ConstraintWorkspace, constrained_dynamics};
    ///
    /// let model = samples::four_bar();
    /// let mut used = ConstraintWorkspace::new(&model, &[])?;
    /// let mut new = used.clone();
    /// let (q, still) = (model.neutral_configuration(), [0.0; 3]);
    /// constrained_dynamics(&model, &mut used, &q, &[1.0; 3], &still, &[])?;
    /// used.forget_readings();
    /// let again = constrained_dynamics(&model, &mut used, &q, &still, &still, &[])?;
    /// let first = constrained_dynamics(&model, &mut new, &q, &still, &still, &[])?;
    /// assert_eq!(again.multipliers, first.multipliers);
    /// # Ok::<(), featherline_constraint::LoopError>(())
    /// ```
    pub fn forget_readings(&mut self) {
        for held in &mut self.held {
            let kind = &held.joint.kind;
            kind.neutral(&mut held.coordinates[..kind.nq()]);
        }
    }

    /// Where a frame constraint is in `held`.
    fn position(&self, constraint: usize) -> Result<usize> {
        let index = constraint.checked_add(self.loop_joints);
        let found = self.settings.iter().position(|s| Some(s.index) == index);
        found.ok_or(LoopError::NoConstraint {
            index: constraint,
            constraints: self.constraints(),
        })
    }

    /// Puts what acts before what does not, each in the order given, and numbers the rows.
    fn arrange(&mut self, model: &Model) {
        // Few, and nearly sorted.
        for i in 1..self.settings.len() {
            let mut j = i;
            while j > 0 && self.key(j) < self.key(j - 1) {
                self.settings.swap(j, j - 1);
                self.held.swap(j, j - 1);
                self.derivatives.swap(j, j - 1);
                j -= 1;
            }
        }
        self.acting = self.settings.iter().filter(|s| s.acts).count();
        let mut rows = 0;
        for held in &mut self.held[..self.acting] {
            held.row = rows;
            rows += held.basis.rigid();
        }
        self.system.set_rows(rows);
        self.reach(model);
    }

    fn key(&self, at: usize) -> (bool, usize) {
        (!self.settings[at].acts, self.settings[at].index)
    }

    /// Finds which columns of L⁻ᵀ Kᵀ each coordinate has entries in, and which rows it moves.
    fn reach(&mut self, model: &Model) {
        let (reach, paths) = (&mut self.system.reach, &mut self.system.paths);
        reach.fill(0..0);
        paths.fill(0..0);
        for held in &self.held[..self.acting] {
            let rows = held.rows();
            for end in [held.joint.predecessor, held.joint.successor] {
                let mut body = end.index();
                let mut is_apart = true;
                while body != 0 {
                    is_apart &= body != held.common;
                    let link = &links(model)[body];
                    for k in link.idx_v..link.idx_v + link.columns {
                        join(&mut paths[k], &rows);
                        if is_apart {
                            join(&mut reach[k], &rows);
                        }
                    }
                    body = link.parent;
                }
            }
        }
        let parents = elimination_tree(model).parents();
        for k in (0..parents.len()).rev() {
            if let Some(parent) = parents[k] {
                let own = reach[k].clone();
                join(&mut reach[parent], &own);
            }
        }
    }

    /// Fails unless the workspace was made for this model's tree and loops.
    pub(super) fn check(&self, model: &Model) -> Result<(), Error> {
        check_workspace(&self.tree, model)?;
        let own = self.held[..self.loop_joints].iter().map(|h| &h.joint);
        if own.eq(model.loop_joints()) {
            Ok(())
        } else {
            Err(Error::WorkspaceMismatch)
        }
    }

    /// Whether any constraint that acts is stabilised by its gap.
    pub(super) fn needs_gaps(&self) -> bool {
        let acting = &self.settings[..self.acting];
        acting.iter().any(|s| s.stabilisation.stiffness != 0.0)
    }
}

/// The range that holds both.
fn join(range: &mut Range<usize>, other: &Range<usize>) {
    if other.start >= other.end {
        return;
    }
    *range = if range.start >= range.end {
        other.clone()
    } else {
        range.start.min(other.start)..range.end.max(other.end)
    };
}
