//! The factors of an order of elimination in one state.

use featherline_sparse::{
    Elimination, EliminationError, EliminationOrder, Factors, Template, TriangularFactors,
};
use thiserror::Error;

/// Why an order has no factors in a state.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FactorisationError {
    /// The order is none of this system, or a list of numbers has the wrong length.
    #[error(transparent)]
    Elimination(#[from] EliminationError),
    /// A pivot vanishes.
    #[error("a pivot vanishes in this state")]
    Pivot,
}

/// D y = b in one state by an order of elimination: the factors P D Q = L U + R, and y.
///
/// In the order [`aba`](crate::order::aba()) the pivots of q̈ are SᵀIᴬS (for joints of one degree
/// of freedom), in [`crba`](crate::order::crba()) they are the D of the mass matrix LᵀDL.
///
/// ```
/// use featherline::samples;
/// use featherline_system::{AssemblyMemory, Factorisation, Problem, System, order};
///
/// let system = System::new(Problem::forward_dynamics(samples::double_pendulum()))?;
/// let (mut d, mut b) = (vec![0.0; system.sparsity().entries()], vec![0.0; 40]);
/// let (q, v, tau) = ([0.3, -0.5], [0.1, 0.2], [1.0, 0.0]);
/// system.assemble(&mut AssemblyMemory::new(&system), &q, &v, &tau, &mut d, &mut b)?;
/// let by_bodies = Factorisation::new(&system.template()?, &order::aba(&system)?, &d, &b)?;
///
/// // The determinant of the mass matrix is the product of the pivots of q̈.
/// let columns = system.unknowns().joint_accelerations();
/// let pivots = by_bodies.factors.pivots.iter().zip(by_bodies.pivots());
/// let product: f64 = pivots.filter(|(at, _)| columns.contains(&at.1)).map(|(_, pivot)| pivot).product();
/// let mut workspace = featherline::Workspace::new(system.model());
/// let h = system.model().crba(&mut workspace, &q)?;
/// let determinant = h[(0, 0)] * h[(1, 1)] - h[(0, 1)] * h[(0, 1)];
/// assert!((product / determinant - 1.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Factorisation {
    /// The pivots' rows and columns, the blocks, L, U and R.
    pub factors: TriangularFactors<f64>,
    /// How many entries become nonzero that were zero.
    pub fill_in: usize,
    /// The unknowns.
    pub y: Vec<f64>,
    /// The largest number of |D y − b|.
    pub residual: f64,
}

impl Factorisation {
    /// Factors D, whose entries are `values` in the order of the pattern, and solves for y.
    ///
    /// # Errors
    /// [`FactorisationError`].
    pub fn new(
        template: &Template,
        order: &EliminationOrder,
        values: &[f64],
        right: &[f64],
    ) -> Result<Self, FactorisationError> {
        let elimination = Elimination::new(template, order)?;
        let mut factors: Factors<f64> = elimination.factors();
        let mut y = vec![0.0; template.size()];
        factors.factorize(&elimination, values)?;
        factors.solve(&elimination, right, &mut y)?;
        if !factors.is_finite() || y.iter().any(|y| !y.is_finite()) {
            return Err(FactorisationError::Pivot);
        }
        let left = template.pattern().times(values, &y);
        let rest = left.iter().zip(right).map(|(left, right)| left - right);
        Ok(Self {
            residual: rest.fold(0.0, |most, rest| most.max(rest.abs())),
            factors: factors.triangular(&elimination),
            fill_in: elimination.fill_in(),
            y,
        })
    }

    /// The pivots: in their order, the numbers that the elimination divided by.
    pub fn pivots(&self) -> Vec<f64> {
        let mut pivots = vec![1.0; self.factors.pivots.len()];
        for &(row, column, value) in self.factors.lower.iter().chain(&self.factors.upper) {
            if row == column {
                pivots[row] *= value;
            }
        }
        pivots
    }
}
