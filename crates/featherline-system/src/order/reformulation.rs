//! The articulated-body algorithm as products of matrices, which no permutation of D alone is.

use super::OrderError;
use super::dynamics::{Layout, acceleration, coordinate, transmitted};
use crate::system::System;
use crate::unknown::Unknown;
use featherline::model::JointId;
use featherline_sparse::{EliminationOrder, SparseMatrix};
use nalgebra::DMatrix;
use std::collections::BTreeMap;

/// A sum that is this share of its terms or less is rounding of zero.
const ROUNDING: f64 = 1e-10;

const NOT_FORWARD: OrderError = OrderError::NotApplicable {
    row: None,
    reason: "the reformulation is one of forward dynamics: every τ and every fˣ has to be known, \
             and no joint may be a mimic joint",
};

/// The matrix reformulation of the articulated-body algorithm in one state: Wᴸ and Wᴿ, with which
/// Wᴸ D Wᴿ is lower triangular in a [known order](Self::order).
///
/// With z = (Wᴿ)⁻¹ y, D y = b becomes (Wᴸ D Wᴿ) z = Wᴸ b, which is solved by forward substitution.
/// In z the bias forces pᴬ take the place of the forces f = Iᴬ a + pᴬ, all else is as in y. The
/// blocks of W are made of Iᴬ, S and X, which are read from D.
///
/// Source: Nori 2017, section V-C, property 2 and appendix B. His permutation (35), as printed,
/// puts the equations of τ where the knowns of τ have to be, and the knowns where the equations
/// have to be: here the knowns come first. He also prints the product with b; it takes Wᴸ b.
///
/// ```
/// use featherline::samples;
/// use featherline_system::{AssemblyMemory, Problem, System, order::Reformulation};
///
/// let system = System::new(Problem::forward_dynamics(samples::tapered_chain(3)))?;
/// let (mut d, mut b) = (vec![0.0; system.sparsity().entries()], vec![0.0; 60]);
/// let (q, v, tau) = ([0.3, -0.5, 0.8], [0.1, 0.2, 0.3], [1.0, 0.0, -1.0]);
/// system.assemble(&mut AssemblyMemory::new(&system), &q, &v, &tau, &mut d, &mut b)?;
/// let y = Reformulation::new(&system, &d)?.solve(&b);
///
/// let mut workspace = featherline::Workspace::new(system.model());
/// let expected = system.model().aba(&mut workspace, &q, &v, &tau)?;
/// for (found, expected) in system.solution(&y)?.joint_accelerations().iter().zip(expected) {
///     assert!((found - expected).abs() < 1e-9 * (1.0 + expected.abs()));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Reformulation {
    /// W¹ to W⁴ of equations 30 to 33, by the rows of D: Wᴸ = W⁴ W³ W² W¹.
    pub left: [SparseMatrix<f64>; 4],
    /// Wᴿ of equation 29, by the columns of D.
    pub right: SparseMatrix<f64>,
    /// D in the state.
    pub matrix: SparseMatrix<f64>,
    /// Wᴸ D Wᴿ, by the rows and columns of D.
    pub triangular: SparseMatrix<f64>,
    /// The rows and columns in whose order it is lower triangular: equations 34 and 35.
    pub order: EliminationOrder,
}

impl Reformulation {
    /// The matrices for the entries of D in a state, as [`System::assemble`] writes them. Cost
    /// O(bodies).
    ///
    /// # Errors
    /// [`OrderError::NotApplicable`] for all but forward dynamics of a tree without mimic joints,
    /// and [`OrderError::Singular`] where SᵀIᴬS of a joint is.
    pub fn new(system: &System, values: &[f64]) -> Result<Self, OrderError> {
        let order = order(system)?;
        let pattern = system.sparsity().clone();
        let matrix = SparseMatrix::new(pattern, values.to_vec()).map_err(|_| OrderError::Size {
            expected: system.sparsity().entries(),
            found: values.len(),
        })?;
        let (left, right) = weights(system, &matrix)?;
        Ok(Self {
            triangular: product_of(&left).product(&matrix).product(&right),
            matrix,
            left,
            right,
            order,
        })
    }

    /// Wᴸ.
    pub fn left(&self) -> SparseMatrix<f64> {
        product_of(&self.left)
    }

    /// The unknowns y of D y = b, by forward substitution.
    ///
    /// # Panics
    /// If b is shorter than D.
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        let weighted = |b: Vec<f64>, w: &SparseMatrix<f64>| w.times(&b);
        let b = self.left.iter().fold(right.to_vec(), weighted);
        let mut z = vec![0.0; self.order.len()];
        for &(row, column) in self.order.pivots() {
            let pattern = self.triangular.sparsity();
            let (mut rest, mut pivot) = (b[row], 1.0);
            for slot in pattern.row_range(row) {
                let value = self.triangular.values()[slot];
                match pattern.indices()[slot] {
                    own if own == column => pivot = value,
                    other => rest -= value * z[other],
                }
            }
            z[column] = rest / pivot;
        }
        self.right.times(&z)
    }
}

/// The permutations (35) of the rows and (34) of the columns, the knowns first.
fn order(system: &System) -> Result<EliminationOrder, OrderError> {
    let (layout, model) = (Layout::new(system)?, system.model());
    let accelerates = |k: usize| layout.accelerates_as_known(system, k);
    if model.joints().iter().any(|joint| joint.mimic.is_some()) || (0..model.nv()).any(accelerates)
    {
        return Err(NOT_FORWARD);
    }
    let mut pivots = layout.knowns(system);
    for joint in model.joint_ids().rev() {
        pivots.extend(transmitted(system, joint));
    }
    for joint in model.joint_ids() {
        pivots.extend(acceleration(system, joint));
    }
    for k in 0..model.nv() {
        let unknown = Unknown::JointAcceleration { coordinate: k };
        pivots.extend(coordinate(system, unknown));
    }
    super::complete(system, pivots).map_err(|_| NOT_FORWARD)
}

/// W¹ to W⁴, and Wᴿ.
fn weights(
    system: &System,
    d: &SparseMatrix<f64>,
) -> Result<([SparseMatrix<f64>; 4], SparseMatrix<f64>), OrderError> {
    let (equations, unknowns, model) = (system.equations(), system.unknowns(), system.model());
    let n = equations.count();
    let block = |row: usize, column: usize, size: (usize, usize)| {
        DMatrix::from_fn(size.0, size.1, |i, j| d.get(row + i, column + j))
    };
    let own = |joint: JointId| {
        let (motion, force) = (equations.motion(joint).start, equations.force(joint).start);
        (motion, force, unknowns.acceleration(joint).start)
    };
    // Iᴬ of each body, the universe's first.
    let mut inertias = vec![DMatrix::zeros(6, 6)];
    for joint in model.joint_ids() {
        let (_, force, acceleration) = own(joint);
        inertias.push(block(force, acceleration, (6, 6)));
    }
    let mut w: [BTreeMap<(usize, usize), f64>; 5] = Default::default();
    for weight in &mut w {
        weight.extend((0..n).map(|k| ((k, k), 1.0)));
    }
    for joint in model.joint_ids().rev() {
        let (motion, _, acceleration) = own(joint);
        let joints = model.joint(joint);
        let torque = equations.joint_forces().start + joints.idx_v;
        let column = unknowns.joint_accelerations().start + joints.idx_v;
        let inertia = inertias[joint.index()].clone();
        let s = block(motion, column, (6, joints.nv));
        // SᵀIᴬS, with the armature.
        let force = multiply(&inertia, &s);
        let armature = block(torque, column, (joints.nv, joints.nv));
        let projection = add(&multiply(&s.transpose(), &force), &armature);
        let inverse = projection.try_inverse().ok_or(OrderError::Singular {
            position: 0,
            column,
        })?;
        let mut put = |weight: usize, row: usize, column: usize, block: &DMatrix<f64>| {
            for (i, j) in (0..block.nrows()).flat_map(|i| (0..block.ncols()).map(move |j| (i, j))) {
                w[weight].insert((row + i, column + j), block[(i, j)]);
            }
        };
        put(0, torque, motion, &force.transpose());
        put(1, torque, torque, &inverse);
        put(2, motion, torque, &-&s);
        put(4, unknowns.force(joint).start, acceleration, &inertia);
        if joints.parent.index() != 0 {
            let (_, balance, above) = own(joints.parent);
            let x = block(motion, above, (6, 6));
            put(3, balance, motion, &multiply(&x.transpose(), &inertia));
            let projected = multiply(&multiply(&force, &inverse), &force.transpose());
            let left = add(&inertia, &-projected);
            let carried = multiply(&multiply(&x.transpose(), &left), &x);
            let parent = joints.parent.index();
            inertias[parent] = add(&inertias[parent], &carried);
        }
    }
    let [first, second, third, fourth, right] = w.map(|weight| {
        let entries = weight.into_iter().filter(|entry| entry.1 != 0.0);
        let entries = entries.map(|((row, column), value)| (row, column, value));
        SparseMatrix::from_entries(n, n, entries).expect("inside")
    });
    Ok(([first, second, third, fourth], right))
}

/// A B, and zero where a sum is rounding.
fn multiply(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    without_rounding(a * b, a.abs() * b.abs())
}

/// A + B, and zero where a sum is rounding.
fn add(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    without_rounding(a + b, a.abs() + b.abs())
}

/// Sums, and zero where one is small beside the sizes of its terms.
fn without_rounding(sums: DMatrix<f64>, sizes: DMatrix<f64>) -> DMatrix<f64> {
    sums.zip_map(&sizes, |sum, size| match sum.abs() <= ROUNDING * size {
        true => 0.0,
        false => sum,
    })
}

/// W⁴ W³ W² W¹.
fn product_of([first, second, third, fourth]: &[SparseMatrix<f64>; 4]) -> SparseMatrix<f64> {
    fourth.product(&third.product(&second.product(first)))
}
