//! Accelerations of bodies, and the forces in the joints that hold them together.

use super::clusters::{Cluster, Setting, condense_cluster, expand_cluster};
use super::elimination::pattern::BlockCount;
use super::equations::basis_at_neutral;
use super::recursion::{JointMemory, Pass, Recursion};
use super::state::{check_motions, refuse_mimic_joints};
use super::{MaximalError, MaximalState};
use featherline::kernel::{
    ArticulatedElimination, Class, ConstraintBasis, check_pivots, check_size, check_workspace,
    dispatch, joint as joint_kernel, links, scratch_mut,
};
use featherline::model::{Joint, Model};
use featherline::spatial::{Force, Motion};
use featherline::{Error, Workspace};
use featherline_constraint::Stabilisation;

/// The memory of [`maximal_dynamics`]: O(n), and O(length) for each loop.
#[derive(Clone, Debug)]
pub struct MaximalWorkspace {
    tree: Workspace<f64>,
    joints: JointMemory,
    accelerations: Vec<Motion<f64>>,
    joint_forces: Vec<Force<f64>>,
    /// The sets of links that loops tie together, in the order of the links.
    clusters: Vec<Cluster>,
    /// Which links and which coordinates belong to clusters; none for a tree.
    is_tied: Vec<bool>,
    is_tied_coordinate: Vec<bool>,
    loop_forces: Vec<Force<f64>>,
    residual: f64,
}

impl MaximalWorkspace {
    /// Memory for a model.
    ///
    /// # Errors
    /// [`MaximalError::MimicJoint`] for models with loops in which a joint mimics another,
    /// [`MaximalError::DependentMotions`] for composite joints of more than six degrees of freedom.
    pub fn new(model: &Model) -> Result<Self, MaximalError> {
        check_motions(model)?;
        if !model.loop_joints().is_empty() {
            refuse_mimic_joints(model)?;
        }
        let count = model.joints().len();
        let basis = |joint: &Joint| {
            let basis = basis_at_neutral(&joint.kind);
            basis.ok_or_else(|| MaximalError::dependent(&joint.name))
        };
        let bases: Vec<ConstraintBasis> =
            model.joints().iter().map(basis).collect::<Result<_, _>>()?;
        let mut tree = Workspace::recursive(model);
        for (joint, link) in model.joints().iter().zip(links(model)) {
            if link.class == Class::General {
                let mut q = vec![0.0; joint.kind.nq()];
                joint.kind.neutral(&mut q);
                let columns = &mut scratch_mut(&mut tree).subspaces.column[link.column_range()];
                joint_kernel::evaluate(&joint.kind, &q, columns);
                if let Some(mimic) = &joint.mimic {
                    columns.iter_mut().for_each(|c| *c = *c * mimic.ratio);
                }
            }
        }
        let clusters = Cluster::all(model, &bases)?;
        let (mut is_tied, mut is_tied_coordinate) = (Vec::new(), Vec::new());
        if !clusters.is_empty() {
            is_tied.resize(count, false);
            is_tied_coordinate.resize(model.nv(), false);
        }
        for &link in clusters.iter().flat_map(|cluster| &cluster.members) {
            is_tied[link] = true;
            let joint = &model.joints()[link];
            is_tied_coordinate[joint.idx_v..joint.idx_v + joint.nv].fill(true);
        }
        Ok(Self {
            tree,
            joints: JointMemory {
                bases,
                coordinates: vec![0.0; model.nq()],
                stabilisation: Stabilisation::NONE,
            },
            accelerations: vec![Motion::zero(); count],
            joint_forces: vec![Force::zero(); count],
            clusters,
            is_tied,
            is_tied_coordinate,
            loop_forces: vec![Force::zero(); model.loop_joints().len()],
            residual: 0.0,
        })
    }

    /// The joints' memory, for a state.
    pub(super) fn joint_memory(&mut self, state: &MaximalState) -> &mut JointMemory {
        self.joints.coordinates.copy_from_slice(&state.coordinates);
        &mut self.joints
    }

    /// Sets what is asked of the accelerations where joints, those of loops and others, have
    /// drifted apart: from now on, and nothing at first.
    pub fn stabilise(&mut self, stabilisation: Stabilisation) -> &mut Self {
        self.joints.stabilisation = stabilisation;
        self
    }

    /// How many blocks the elimination of what loops tie together keeps and computes with, which is
    /// what the loops cost; none for a tree.
    ///
    /// ```
    /// use featherline_sim::maximal::MaximalWorkspace;
    /// use featherline::samples;
    ///
    /// // Three bodies, three joints and the loop: a path of seven blocks between grounds.
    /// let count = MaximalWorkspace::new(&samples::four_bar())?.blocks();
    /// assert!(count.is_some_and(|c| c.nodes == 7 && c.edges == 6));
    /// # Ok::<(), featherline_sim::maximal::MaximalError>(())
    /// ```
    pub fn blocks(&self) -> Option<BlockCount> {
        let counts = self.clusters.iter().map(|cluster| cluster.count());
        counts.reduce(|a, b| BlockCount {
            nodes: a.nodes + b.nodes,
            edges: a.edges + b.edges,
            filled: a.filled + b.filled,
            products: a.products + b.products,
        })
    }
}

/// The result of the forward dynamics of bodies: accelerations and joint forces.
#[derive(Clone, Copy, Debug)]
pub struct BodyAccelerations<'w> {
    /// Spatial accelerations, each in its body's joint frame; the universe's, which stands still,
    /// first.
    pub accelerations: &'w [Motion<f64>],
    /// The force that each joint passes on to its body, in the body's joint frame: constraint and
    /// drive together. The universe has none.
    pub joint_forces: &'w [Force<f64>],
    /// The force that each loop joint passes on to its successor, in the joint's output frame.
    /// Where constraints are redundant, their forces and those of the joints in the loop are not
    /// unique; their effect is. [`loop_dynamics`](featherline_constraint::loop_dynamics) counts
    /// them.
    pub loop_forces: &'w [Force<f64>],
    /// The largest acceleration that a joint on a loop should not allow, in m/s² and rad/s²: zero
    /// but for rounding unless the loops contradict each other, as they do where they move apart,
    /// and in singular configurations (bars in line) at velocities that have no continuation. Joint
    /// and loop forces then mean nothing, however large they are.
    pub residual: f64,
}

/// The accelerations of bodies in maximal coordinates, and the forces in the joints that hold them
/// together.
///
/// `tau` has nv entries: the joint forces, as for [`aba`](Model::aba). `external` has a force on
/// each body, the universe's included, in the body's joint frame; or none for no forces. Gravity,
/// armature and reflected rotor inertia act, passive forces do not. Bodies that are not quite where
/// their joints would have them (see [`MaximalState::to_joints`]) are taken as they are, unless the
/// workspace is to [stabilise](MaximalWorkspace::stabilise) them.
///
/// Loops must be closed, to 1.6·10⁻⁴ in rad and in lengths of their loop: joint axes rounded to
/// five digits leave this much along redundant constraints, and which are redundant is not known
/// here ([`loop_dynamics`](featherline_constraint::loop_dynamics) knows, and allows 10⁻⁶ along the
/// others). A workspace that stabilises takes any gap, which it closes.
///
/// Loops count. The bodies that they tie together go by blocks ([`MaximalWorkspace::blocks`]),
/// those before and behind by the recursion of trees. Unlike
/// [`loop_dynamics`](featherline_constraint::loop_dynamics) this needs no inertia beyond a joint on
/// a loop, where the loop provides it.
///
/// Cost O(n), on a tree of hinges 1.6 to 1.8 times the articulated-body algorithm's; allocates
/// nothing. Sources: see [`maximal`](crate::maximal).
///
/// # Errors
/// [`MaximalError::Argument`] for sizes and for numbers that are not finite;
/// [`MaximalError::DependentMotions`] where a joint is singular; [`MaximalError::OpenLoop`] where a
/// loop is open; [`MaximalError::SingularInertia`].
///
/// ```
/// use featherline_sim::maximal::maximal_dynamics;
/// use featherline_sim::maximal::{MaximalState, MaximalWorkspace};
/// use featherline::{Workspace, samples};
///
/// let model = samples::double_pendulum();
/// let mut ws = Workspace::new(&model);
/// let state = MaximalState::from_joints(&model, &mut ws, &[0.0, 0.0], &[0.0, 0.0])?;
/// let mut kkt = MaximalWorkspace::new(&model)?;
/// let result = maximal_dynamics(&model, &mut kkt, &state, &[0.0, 0.0], &[])?;
/// // Hanging at rest, the upper hinge carries the weight of both rods.
/// let weight = 9.81 * model.total_mass();
/// let carried = result.joint_forces[1].linear.norm();
/// assert!((carried - weight).abs() < 1e-12 * weight);
/// # Ok::<(), featherline_sim::maximal::MaximalError>(())
/// ```
pub fn maximal_dynamics<'w>(
    model: &Model,
    ws: &'w mut MaximalWorkspace,
    state: &MaximalState,
    tau: &[f64],
    external: &[Force<f64>],
) -> Result<BodyAccelerations<'w>, MaximalError> {
    check_workspace(&ws.tree, model)?;
    if ws.loop_forces.len() != model.loop_joints().len() {
        return Err(Error::WorkspaceMismatch.into());
    }
    state.check_sizes(model)?;
    check_size("tau", model.nv(), tau.len())?;
    if !external.is_empty() {
        check_size("external", model.joints().len(), external.len())?;
    }
    let input = Input {
        model,
        state,
        tau,
        external,
    };
    let mut clusters = std::mem::take(&mut ws.clusters);
    let solved = input.solve_bodies(ws, &mut clusters);
    ws.clusters = clusters;
    let finite = solved.is_ok() && ws.accelerations.iter().all(|a| a.is_finite());
    if !finite {
        explain(model, state, tau, external)?;
        solved?;
    }
    // Where the inputs are sound, a pivot has vanished or a number is too large.
    check_joints(model, ws)?;
    if !finite {
        let what = "an acceleration";
        return Err(Error::Overflow { what }.into());
    }
    Ok(BodyAccelerations {
        accelerations: &ws.accelerations,
        joint_forces: &ws.joint_forces,
        loop_forces: &ws.loop_forces,
        residual: ws.residual,
    })
}

/// Fails if a joint outside of the clusters moves no inertia.
fn check_joints(model: &Model, ws: &mut MaximalWorkspace) -> Result<(), MaximalError> {
    let elimination = ArticulatedElimination {
        known: (!ws.is_tied.is_empty()).then_some(&ws.is_tied_coordinate[..]),
        is_tied: &ws.is_tied,
        by_turns: false,
    };
    check_pivots(model, &mut ws.tree, elimination).map_err(singular)
}

/// The arguments of a call.
#[derive(Clone, Copy)]
struct Input<'a> {
    model: &'a Model,
    state: &'a MaximalState,
    tau: &'a [f64],
    external: &'a [Force<f64>],
}

impl Input<'_> {
    fn recurse(self, ws: &mut MaximalWorkspace, pass: Pass) -> Result<(), MaximalError> {
        dispatch(Recursion {
            model: self.model,
            pass,
            is_tied: &ws.is_tied,
            scratch: scratch_mut(&mut ws.tree),
            state: self.state,
            velocities: &self.state.velocities,
            tau: self.tau,
            external: self.external,
            joints: &mut ws.joints,
            accelerations: &mut ws.accelerations,
            joint_forces: &mut ws.joint_forces,
        })
    }

    /// The recursion over a tree of which some links are clusters. Links that hang on a cluster
    /// have higher numbers than its first link, and the link that carries it has a lower one.
    fn solve_bodies(
        self,
        ws: &mut MaximalWorkspace,
        clusters: &mut [Cluster],
    ) -> Result<(), MaximalError> {
        let Self { model, state, .. } = self;
        ws.joint_memory(state);
        self.recurse(ws, Pass::Outward)?;
        let mut end = links(model).len();
        for cluster in clusters.iter_mut().rev() {
            let first = cluster.members[0];
            self.recurse(ws, Pass::Inward(first + 1..end))?;
            end = first;
            condense_cluster(
                Setting {
                    model,
                    cluster,
                    scratch: scratch_mut(&mut ws.tree),
                    state,
                },
                self.tau,
                &mut ws.joints,
            )?;
        }
        self.recurse(ws, Pass::Inward(1..end))?;
        self.recurse(ws, Pass::Base)?;
        ws.residual = 0.0;
        let mut begin = 1;
        for cluster in clusters {
            let first = cluster.members[0];
            self.recurse(ws, Pass::Accelerations(begin..first))?;
            begin = first + 1;
            expand_cluster(
                Setting {
                    model,
                    cluster,
                    scratch: scratch_mut(&mut ws.tree),
                    state,
                },
                &mut ws.accelerations,
                &mut ws.joint_forces,
                &mut ws.loop_forces,
                &mut ws.residual,
            )?;
        }
        self.recurse(ws, Pass::Accelerations(begin..links(model).len()))?;
        match model.has_mimic_joints() {
            true => self.recurse(ws, Pass::Balance),
            false => Ok(()),
        }
    }
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
    if let Error::SingularInertia { joint } = error {
        MaximalError::SingularInertia { joint }
    } else {
        error.into()
    }
}
