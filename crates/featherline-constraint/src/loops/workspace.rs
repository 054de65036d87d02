//! The memory of a robot with loops.

use super::derivatives::DerivativeMemory;
use super::{LoopError, Result};
use crate::delassus::{DelassusFactors, Independence, Residual};
use featherline::kernel::{
    ConstraintBasis, MOST_ENTRIES, check_workspace, joint as joint_kernel, links,
};
use featherline::model::{JointId, LoopJoint, Model};
use featherline::spatial::{Force, Inertia, Motion, Se3, Vec3};
use featherline::{Error, Workspace};

/// All the memory that loops need, and a [`Workspace`] for the tree. Made once for a model, used
/// for every call.
///
/// It remembers what the loop joints read, from where it is sought again in the next call: joints
/// whose motions depend on the configuration (universal, ZYX angles, composite) are followed from
/// step to step. O(n²) numbers, and m n for m constraints.
#[derive(Clone, Debug)]
pub struct LoopWorkspace {
    pub(super) tree: Workspace<f64>,
    pub(super) loops: Vec<Loop>,
    /// Kᵀ by rows, one for each coordinate; zero outside of the loops' paths.
    pub(super) jacobian: Vec<f64>,
    pub(super) independence: Independence,
    /// M⁻¹ Kᵀ by rows, or Kᵀ, for the independent constraints.
    pub(super) response: Vec<f64>,
    pub(super) delassus: DelassusFactors,
    pub(super) residual: Residual,
    /// λ.
    pub(super) multipliers: Vec<f64>,
    /// Accelerations, velocities or steps: nv entries.
    pub(super) tangent: Vec<f64>,
    pub(super) step: Vec<f64>,
    pub(super) configuration: Vec<f64>,
    pub(super) nearest: Vec<f64>,
    pub(super) forces: Vec<Force<f64>>,
    pub(super) derivatives: DerivativeMemory,
    /// How many constraints are redundant where the loops are closed; none until that is known.
    pub(super) generic_redundancy: usize,
}

/// The least length of a loop, in m: what lies in one point is apart by rounding.
const SHORTEST: f64 = 1e-6;

/// A loop joint as kernels read it, and what the last pass found.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The loop joint.
    pub joint: LoopJoint,
    /// Where the paths from predecessor and successor to the root meet.
    pub common: usize,
    /// The first row of K.
    pub row: usize,
    /// The joint's frames in the link frames of its bodies.
    pub input: Se3<f64>,
    /// The frame of its successor, in the link frame of that body.
    pub output: Se3<f64>,
    /// The farthest of its joints from the loop joint, in m, if that is more than the least length.
    pub length: f64,
    /// The largest radius of gyration of its bodies about their joints, and the way that the loop
    /// joint makes in a radian: the axes of a spherical linkage meet in a point, and miss it by
    /// what the digits of a file leave.
    pub least_length: f64,
    /// The basis of its forces, constant or of the last pass.
    pub basis: ConstraintBasis,
    /// The joint's coordinates, read from its frames.
    pub coordinates: [f64; MOST_ENTRIES],
    /// Its successor's frame in its predecessor's.
    pub apart: Se3<f64>,
    /// How its frames are apart, and move apart, in the output frame.
    pub gap: Motion<f64>,
    /// How fast its frames move apart, in the output frame.
    pub velocity: Motion<f64>,
    /// The value of K q̈ while the loop stays closed.
    pub acceleration: [f64; 6],
}

impl Loop {
    #[inline(always)]
    pub(crate) fn rows(&self) -> std::ops::Range<usize> {
        self.row..self.row + self.basis.rigid()
    }

    /// The square of each row's length, with a lever of the loop's length as a radian.
    #[inline(always)]
    pub(crate) fn squared_measures(&self) -> [f64; 6] {
        let mut squares = [0.0; 6];
        for (k, square) in squares.iter_mut().enumerate().take(self.basis.rigid()) {
            let force = self.basis.columns.column(k);
            let linear = force.fixed_rows::<3>(0).norm_squared();
            *square = linear.mul_add(
                self.length * self.length,
                force.fixed_rows::<3>(3).norm_squared(),
            );
        }
        squares
    }
}

impl LoopWorkspace {
    /// Memory for a model, with or without loops.
    ///
    /// # Errors
    /// [`LoopError::DependentMotions`] for a loop joint of constant motions that depend on each
    /// other.
    pub fn new(model: &Model) -> Result<Self> {
        let mut ws = Self::around(model, Workspace::new(model))?;
        ws.derivatives = DerivativeMemory::new(model, ws.multipliers.len());
        Ok(ws)
    }

    /// Memory O(n m) for gaps and [`assemble`](crate::assemble) only, of robots with thousands of
    /// links. What needs the mass matrix returns [`Error::NoMatrices`].
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// ```
    /// use featherline_constraint::{assemble, project_velocity};
    /// use featherline_constraint::LoopWorkspace;
    /// use featherline::samples;
    ///
    /// let model = samples::four_bar();
    /// let mut ws = LoopWorkspace::recursive(&model)?;
    /// let mut q = [0.4, 0.0, 0.0];
    /// assert!(assemble(&model, &mut ws, &mut q)?.position < 1e-10);
    /// assert!(project_velocity(&model, &mut ws, &q, &mut [1.0, 0.0, 0.0]).is_err());
    /// # Ok::<(), featherline_constraint::LoopError>(())
    /// ```
    pub fn recursive(model: &Model) -> Result<Self> {
        Self::around(model, Workspace::recursive(model))
    }

    fn around(model: &Model, tree: Workspace<f64>) -> Result<Self> {
        let mut loops = Vec::new();
        let mut row = 0;
        for closing in model.loop_joints() {
            let prepared = prepare(model, closing, row)?;
            row += prepared.basis.rigid();
            loops.push(prepared);
        }
        Ok(Self {
            tree,
            jacobian: vec![0.0; row * model.nv()],
            independence: Independence::new(row, model.nv()),
            response: vec![0.0; row * model.nv()],
            delassus: DelassusFactors::new(row),
            residual: Residual::new(row),
            multipliers: vec![0.0; row],
            tangent: vec![0.0; model.nv()],
            step: vec![0.0; model.nv()],
            configuration: vec![0.0; model.nq()],
            nearest: vec![0.0; model.nq()],
            forces: vec![Force::zero(); loops.len()],
            derivatives: DerivativeMemory::default(),
            loops,
            generic_redundancy: 0,
        })
    }

    /// Forgets what the loop joints read in earlier calls, and the generic redundancy: the next
    /// call gives what the first one of a new workspace gives. Cost O(loops); allocates nothing.
    ///
    /// ```
    /// use featherline_constraint::{LoopWorkspace, loop_gaps};
    /// use featherline::samples;
    ///
    /// let model = samples::stewart();
    /// let (mut used, mut new) = (LoopWorkspace::new(&model)?, LoopWorkspace::new(&model)?);
    /// let mut q = model.neutral_configuration();
    /// loop_gaps(&model, &mut used, &q)?;
    /// used.forget_readings();
    /// q[2] += 0.1;
    /// assert!(loop_gaps(&model, &mut used, &q)?.eq(loop_gaps(&model, &mut new, &q)?));
    /// # Ok::<(), featherline_constraint::LoopError>(())
    /// ```
    pub fn forget_readings(&mut self) {
        for closing in &mut self.loops {
            let kind = &closing.joint.kind;
            kind.neutral(&mut closing.coordinates[..kind.nq()]);
        }
        self.set_generic_redundancy(0);
    }

    /// Counts at least so many constraints as redundant, as they are where the loops are closed.
    pub fn set_generic_redundancy(&mut self, redundant: usize) {
        self.generic_redundancy = redundant;
        let most = self.multipliers.len().saturating_sub(redundant);
        self.independence.limit_independent(most);
    }

    /// How many constraints are redundant where the loops are closed, as far as it is known.
    pub fn generic_redundancy(&self) -> usize {
        self.generic_redundancy
    }

    /// Fails unless the workspace was made for this model's tree and loops.
    pub(super) fn check(&self, model: &Model) -> Result<(), Error> {
        check_workspace(&self.tree, model)?;
        let own = self.loops.iter().map(|l| &l.joint);
        if own.eq(model.loop_joints()) {
            Ok(())
        } else {
            Err(Error::WorkspaceMismatch)
        }
    }
}

/// A loop joint as kernels read it, whose rows of K begin with `row`.
///
/// # Errors
/// [`LoopError::DependentMotions`].
pub fn prepare(model: &Model, closing: &LoopJoint, row: usize) -> Result<Loop> {
    let kind = &closing.kind;
    let mut coordinates = [0.0; MOST_ENTRIES];
    let own = &mut coordinates[..kind.nq()];
    kind.neutral(own);
    let mut subspace = vec![Motion::zero(); kind.nv()];
    joint_kernel::evaluate(kind, own, &mut subspace);
    let basis =
        ConstraintBasis::of(&subspace).ok_or_else(|| LoopError::dependent(&closing.name))?;
    let ends = [closing.predecessor, closing.successor];
    let common = meeting(model, ends.map(JointId::index));
    let turning = subspace.iter().filter(|s| s.angular != Vec3::zero());
    let mut least_length = turning.fold(SHORTEST, |m, s| m.max(s.linear.norm()));
    for end in ends {
        let mut body = end.index();
        while body != common {
            let link = &links(model)[body];
            least_length = least_length.max(radius_of_gyration(&model.joints()[body].inertia));
            body = link.parent;
        }
    }
    let in_link = |body: JointId, placement: &Se3<f64>| {
        links(model)[body.index()].frame.inverse_compose(placement)
    };
    Ok(Loop {
        common,
        row,
        input: in_link(closing.predecessor, &closing.predecessor_placement),
        output: in_link(closing.successor, &closing.successor_placement),
        length: least_length,
        least_length,
        basis,
        coordinates,
        apart: Se3::identity(),
        gap: Motion::zero(),
        velocity: Motion::zero(),
        acceleration: [0.0; 6],
        joint: closing.clone(),
    })
}

/// The largest about an axis through the origin, in m; zero for what has no mass.
fn radius_of_gyration(inertia: &Inertia<f64>) -> f64 {
    if inertia.mass > 0.0 {
        let own = inertia.rotational;
        let largest = own.xx().max(own.yy()).max(own.zz()) / inertia.mass;
        (largest + inertia.com.norm_squared()).sqrt()
    } else {
        0.0
    }
}

/// The body at which the paths of two bodies to the root meet.
fn meeting(model: &Model, [mut a, mut b]: [usize; 2]) -> usize {
    // A parent has a smaller number than its children.
    while a != b {
        if a > b {
            a = links(model)[a].parent;
        } else {
            b = links(model)[b].parent;
        }
    }
    a
}
