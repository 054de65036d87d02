//! Accelerations of bodies, and the forces in the joints that hold them together.

use super::elimination::pattern::BlockCount;
use super::equations::Equations;
use super::graph::Graph;
use super::recursion::{JointMemory, Recursion};
use super::small_matrix::Row;
use super::state::{check_motions, refuse_followers};
use super::{MaximalError, MaximalState};
use crate::error::check_size;
use crate::joint::ConstraintBasis;
use crate::loops::Stabilisation;
use crate::model::{Class, Joint, Model};
use crate::scalar::{Kernel, dispatch};
use crate::spatial::{Force, Motion};
use crate::{Error, Workspace};

/// The memory of [`Model::maximal_dynamics`]: O(n), and O(length) for each loop.
#[derive(Clone, Debug)]
pub struct MaximalWorkspace {
    tree: Workspace<f64>,
    /// The forces that each joint transmits: constant for most kinds.
    bases: Vec<ConstraintBasis>,
    coordinates: Vec<f64>,
    accelerations: Vec<Motion<f64>>,
    joint_forces: Vec<Force<f64>>,
    stabilisation: Stabilisation,
    /// The system of a model with loops.
    looped: Option<Looped>,
}

#[derive(Clone, Debug)]
struct Looped {
    equations: Vec<Equations>,
    graph: Graph,
}

impl MaximalWorkspace {
    /// Memory for a model.
    ///
    /// # Errors
    /// [`MaximalError::Follower`] for models with loops in which a joint follows another, [`MaximalError::DependentMotions`] for
    /// composite joints of more than six degrees of freedom.
    pub fn new(model: &Model) -> Result<Self, MaximalError> {
        check_motions(model)?;
        if !model.loop_joints().is_empty() {
            refuse_followers(model)?;
        }
        let count = model.joints().len();
        let bases: Vec<ConstraintBasis> = model
            .joints()
            .iter()
            .map(constant_basis)
            .collect::<Result<_, _>>()?;
        let mut tree = Workspace::recursive(model);
        for (joint, link) in model.joints().iter().zip(&model.links) {
            if link.class == Class::General {
                let mut q = vec![0.0; joint.kind.nq()];
                joint.kind.neutral(&mut q);
                let columns = &mut tree.scratch.subspaces.column[link.column_range()];
                joint.kind.evaluate(&q, columns);
                if let Some(mimic) = &joint.mimic {
                    columns.iter_mut().for_each(|c| *c = *c * mimic.ratio);
                }
            }
        }
        let looped = if model.loop_joints().is_empty() {
            None
        } else {
            let pairs = model.joints().iter().zip(&bases);
            let equations: Vec<_> = pairs.map(|(j, b)| Equations::new(j, b)).collect();
            let graph = Graph::new(model, &equations)?;
            Some(Looped { equations, graph })
        };
        Ok(Self {
            tree,
            bases,
            coordinates: vec![0.0; model.nq()],
            accelerations: vec![Motion::zero(); count],
            joint_forces: vec![Force::zero(); count],
            stabilisation: Stabilisation::NONE,
            looped,
        })
    }

    /// Sets what is asked of the accelerations where joints, those of loops and others, have drifted apart: from now on, and
    /// nothing at first.
    pub fn stabilise(&mut self, stabilisation: Stabilisation) -> &mut Self {
        self.stabilisation = stabilisation;
        self
    }

    /// How many blocks the elimination of a model with loops keeps and computes with, which is its cost; none for a tree.
    ///
    /// ```
    /// use featherline::maximal::MaximalWorkspace;
    /// use featherline::samples;
    ///
    /// // Three bodies, three joints and the loop: a path of seven blocks with the ground at both ends of it.
    /// let count = MaximalWorkspace::new(&samples::four_bar())?.blocks();
    /// assert!(count.is_some_and(|c| c.nodes == 7 && c.edges == 6));
    /// # Ok::<(), featherline::maximal::MaximalError>(())
    /// ```
    pub fn blocks(&self) -> Option<BlockCount> {
        self.looped.as_ref().map(|l| l.graph.count())
    }
}

/// What the forces do to the bodies.
#[derive(Clone, Copy, Debug)]
pub struct BodyAccelerations<'w> {
    /// Spatial accelerations, each in its body's joint frame; the universe's, which stands still, first.
    pub accelerations: &'w [Motion<f64>],
    /// The force that each joint passes on to its body, in the body's joint frame: constraint and drive together. The
    /// universe has none.
    pub joint_forces: &'w [Force<f64>],
    /// The force that each loop joint passes on to its successor, in the joint's output frame. Where constraints repeat each
    /// other, their forces and those of the joints in the loop are not unique; their effect is.
    /// [`loop_dynamics`](Model::loop_dynamics) counts them.
    pub loop_forces: &'w [Force<f64>],
    /// The largest acceleration that a joint of a model with loops should not allow, in m/s² and rad/s²: zero but for rounding
    /// unless the loops contradict each other.
    pub residual: f64,
}

impl Model {
    /// The accelerations of bodies in maximal coordinates, and the forces in the joints that hold them together.
    ///
    /// `tau` has nv entries: the joint forces, as for [`aba`](Self::aba). `external` has a force on each body, the
    /// universe's included, in the body's joint frame; or none for no forces. Gravity, armature and reflected rotor
    /// inertia act, passive forces do not. Bodies that are not quite where their joints would have them (see
    /// [`MaximalState::to_joints`]) are taken as they are, unless the workspace is to
    /// [stabilise](MaximalWorkspace::stabilise) them.
    ///
    /// Loops count. A loop adds blocks along itself and nowhere else ([`MaximalWorkspace::blocks`]), but a robot with any loop goes by blocks
    /// throughout, at some 25 times the time that a tree's recursion takes for a body. Unlike
    /// [`loop_dynamics`](Self::loop_dynamics) this needs no inertia beyond each joint of the tree, where a loop provides it.
    ///
    /// Cost O(n), on a tree 1.2 to 1.3 times the articulated-body algorithm's; allocates nothing. Sources: see
    /// [`maximal`](crate::maximal).
    ///
    /// # Errors
    /// [`MaximalError::Argument`] for sizes and for numbers that are not finite; [`MaximalError::DependentMotions`] where
    /// a joint is singular; [`MaximalError::SingularInertia`].
    ///
    /// ```
    /// use featherline::maximal::{MaximalState, MaximalWorkspace};
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let state = MaximalState::from_joints(&model, &mut ws, &[0.0, 0.0], &[0.0, 0.0])?;
    /// let mut kkt = MaximalWorkspace::new(&model)?;
    /// let result = model.maximal_dynamics(&mut kkt, &state, &[0.0, 0.0], &[])?;
    /// // Hanging at rest, the upper hinge carries the weight of both rods.
    /// let weight = 9.81 * model.total_mass();
    /// let carried = result.joint_forces[1].linear.norm();
    /// assert!((carried - weight).abs() < 1e-12 * weight);
    /// # Ok::<(), featherline::maximal::MaximalError>(())
    /// ```
    pub fn maximal_dynamics<'w>(
        &self,
        ws: &'w mut MaximalWorkspace,
        state: &MaximalState,
        tau: &[f64],
        external: &[Force<f64>],
    ) -> Result<BodyAccelerations<'w>, MaximalError> {
        ws.tree.check(self)?;
        let loops = ws.looped.as_ref().map_or(0, |l| l.graph.loop_forces.len());
        if loops != self.loop_joints().len() {
            return Err(Error::WorkspaceMismatch.into());
        }
        state.check_sizes(self)?;
        check_size("tau", self.nv(), tau.len())?;
        if !external.is_empty() {
            check_size("external", self.joints().len(), external.len())?;
        }
        let solved = self.solve_bodies(ws, state, tau, external);
        let mut finite = solved.is_ok();
        for acceleration in &ws.accelerations {
            finite &= acceleration.is_finite();
        }
        if !finite {
            explain(self, state, tau, external)?;
            solved?;
            // The inputs are sound, so a pivot has vanished or a number is too large.
            self.check_pivots(&ws.tree, None).map_err(singular)?;
            let what = "an acceleration";
            return Err(Error::Overflow { what }.into());
        }
        let (loop_forces, residual) = match &ws.looped {
            Some(Looped { graph, .. }) => (&graph.loop_forces[..], graph.residual),
            None => {
                self.check_pivots(&ws.tree, None).map_err(singular)?;
                (&[][..], 0.0)
            }
        };
        Ok(BodyAccelerations {
            accelerations: &ws.accelerations,
            joint_forces: &ws.joint_forces,
            loop_forces,
            residual,
        })
    }

    fn solve_bodies(
        &self,
        ws: &mut MaximalWorkspace,
        state: &MaximalState,
        tau: &[f64],
        external: &[Force<f64>],
    ) -> Result<(), MaximalError> {
        ws.coordinates.copy_from_slice(&state.coordinates);
        let joints = JointMemory {
            bases: &mut ws.bases,
            coordinates: &mut ws.coordinates,
            stabilisation: &ws.stabilisation,
        };
        let (accelerations, joint_forces) = (&mut ws.accelerations, &mut ws.joint_forces);
        match &mut ws.looped {
            None => dispatch(Recursion {
                model: self,
                scratch: &mut ws.tree.scratch,
                state,
                velocities: &state.velocities,
                tau,
                external,
                joints,
                accelerations,
                joint_forces,
            }),
            Some(looped) => dispatch(Blocks {
                model: self,
                looped,
                state,
                tau,
                external,
                joints,
                accelerations,
                joint_forces,
            }),
        }
    }
}

/// The system of a model with loops.
struct Blocks<'a> {
    model: &'a Model,
    looped: &'a mut Looped,
    state: &'a MaximalState,
    tau: &'a [f64],
    external: &'a [Force<f64>],
    joints: JointMemory<'a>,
    accelerations: &'a mut [Motion<f64>],
    joint_forces: &'a mut [Force<f64>],
}

impl Kernel for Blocks<'_> {
    type Output = Result<(), MaximalError>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Self {
            model,
            looped: Looped { equations, graph },
            state,
            tau,
            external,
            mut joints,
            accelerations,
            joint_forces,
        } = self;
        for i in 1..equations.len() {
            equations[i].update(model, i, state, tau, external, &mut joints)?;
        }
        graph.solve(model, equations, state, joints.stabilisation)?;
        for i in 1..equations.len() {
            accelerations[i] = Motion::from_array(six(graph.acceleration(i)));
            joint_forces[i] = Force::from_array(six(graph.force(i, &equations[i])));
        }
        Ok(())
    }
}

#[inline(always)]
fn six([a, b, c, d, e, f, ..]: Row) -> [f64; 6] {
    [a, b, c, d, e, f]
}

/// The basis of a joint's constraint forces, as far as it does not depend on the configuration.
fn constant_basis(joint: &Joint) -> Result<ConstraintBasis, MaximalError> {
    let (mut q, mut subspace) = (
        vec![0.0; joint.kind.nq()],
        vec![Motion::zero(); joint.kind.nv()],
    );
    joint.kind.neutral(&mut q);
    joint.kind.evaluate(&q, &mut subspace);
    let any = ConstraintBasis::of(&subspace).or_else(|| {
        // Singular where it is neutral, but its motions will be sought elsewhere.
        let varies = !joint.kind.has_constant_subspace();
        varies.then(|| ConstraintBasis::of(&[])).flatten()
    });
    any.ok_or_else(|| MaximalError::DependentMotions {
        joint: joint.name.clone(),
    })
}

/// Fails with the first argument that is not finite.
#[cold]
fn explain(
    model: &Model,
    state: &MaximalState,
    tau: &[f64],
    external: &[Force<f64>],
) -> Result<(), Error> {
    state.check(model)?;
    let not_finite = |what, index| Err(Error::NotFinite { what, index });
    if let Some(index) = tau.iter().position(|x| !x.is_finite()) {
        return not_finite("tau", index);
    }
    match external.iter().position(|f| !f.is_finite()) {
        Some(index) => not_finite("external", index),
        None => Ok(()),
    }
}

#[cold]
fn singular(error: Error) -> MaximalError {
    match error {
        Error::SingularInertia { joint } => MaximalError::SingularInertia { joint },
        other => other.into(),
    }
}
