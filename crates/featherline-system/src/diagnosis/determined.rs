//! The quantities that a state determines, even if others stay undetermined.

use crate::diagnosis::Ranks;
use crate::error::SystemError;
use crate::requested::Requested;
use crate::system::{AssemblyMemory, System};
use featherline_sparse::{MinimumNormSolution, SparseRank};
use nalgebra::DMatrix;
use thiserror::Error;

/// A residual, relative to the largest term of all, below which an equation agrees with others.
const AGREEMENT: f64 = 1e-9;

/// The part of an open direction's largest entry that is more than rounding.
const DEPENDS: f64 = 1e-6;

/// Why nothing is determined.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum DeterminedError {
    /// The state can't be assembled, or does not fit the robot's loops.
    #[error(transparent)]
    System(#[from] SystemError),
    /// Equations that depend on each other say different things.
    #[error(
        "{equation} can't be met together with the others: {by:.3e} of the largest number is left; what is known contradicts itself"
    )]
    Contradiction {
        /// The equation, in words.
        equation: String,
        /// Its residual, relative to the largest term, rows and columns made equally long.
        by: f64,
    },
    /// More directions are open than are looked at.
    #[error(
        "more than {most} independent directions are open: say or measure more; a diagnosis tells what would help"
    )]
    TooMuchIsOpen {
        /// How many are looked at.
        most: usize,
    },
}

/// Solves for what a state determines, be the system square or not, regular or not.
///
/// Redundant loop constraints leave components of forces open, and nothing else:
/// accelerations, joint forces and the effect of the forces in loops are determined, and found
/// here. Of all solutions that of least length is taken, unknowns made comparable, by a sparse
/// factorisation as in [`Diagnosis`](super::Diagnosis), and corrected until nothing is gained.
/// Allocates, and costs two such factorisations a state.
///
/// ```
/// use featherline::samples;
/// use featherline_system::{Determined, Problem, System, Requested};
///
/// // All hinges of a planar linkage hold it in its plane.
/// let system = System::new(Problem::forward_dynamics(samples::four_bar()))?;
/// let solution = Determined::new(&system).solve(&[0.0; 3], &[0.0; 3], &[0.0; 3])?;
/// assert_eq!(solution.open(), 3);
/// let accelerations = solution.values(&Requested::JointAccelerations)?;
/// assert!(accelerations.iter().all(|value| value.is_some()));
/// let loops = system.unknowns().loops();
/// let force = solution.values(&Requested::LoopForce(loops[0]))?;
/// assert_eq!(force.iter().filter(|value| value.is_none()).count(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Determined<'s> {
    system: &'s System,
    memory: AssemblyMemory<f64>,
}

/// A solution of one state.
#[derive(Clone, Debug)]
pub struct DeterminedSolution<'s> {
    system: &'s System,
    unknowns: Vec<f64>,
    /// The directions that no equation sees, one a column.
    open: DMatrix<f64>,
    residual: f64,
}

impl<'s> Determined<'s> {
    /// The most directions that may be open.
    pub const MOST_OPEN: usize = super::Diagnosis::TOO_MANY;

    /// Memory to solve a system.
    pub fn new(system: &'s System) -> Self {
        Self {
            memory: AssemblyMemory::new(system),
            system,
        }
    }

    /// Solves for a state: `q` has nq entries, `v` nv, `inputs` [`System::input_count`].
    ///
    /// # Errors
    /// [`DeterminedError`].
    pub fn solve(
        &mut self,
        q: &[f64],
        v: &[f64],
        inputs: &[f64],
    ) -> Result<DeterminedSolution<'s>, DeterminedError> {
        let system = self.system;
        let (values, right) = system.assembled(&mut self.memory, [q, v, inputs])?;
        let most = Self::MOST_OPEN;
        let ranks = Ranks::new(system, &values, |_| true, most);
        let ranks = ranks.ok_or(DeterminedError::TooMuchIsOpen { most })?;
        let solved = SparseRank::minimum_norm(system.sparsity(), &values, &right);
        // Regular by construction: only numbers that are too large have no factors.
        let what = "the solution";
        let overflow = SystemError::Dynamics(featherline::Error::Overflow { what });
        let MinimumNormSolution { unknowns, worst } = solved.ok_or(overflow)?;
        let residual = worst.map_or(0.0, |(_, by)| by);
        if let Some((row, by)) = worst.filter(|&(_, by)| by > AGREEMENT) {
            let equation = system.describe_row(row).unwrap_or_default();
            return Err(DeterminedError::Contradiction { equation, by });
        }
        Ok(DeterminedSolution {
            system,
            unknowns,
            open: ranks.null_space(),
            residual,
        })
    }
}

impl DeterminedSolution<'_> {
    /// How many independent directions the state leaves open.
    pub fn open(&self) -> usize {
        self.open.ncols()
    }

    /// The largest rest of an equation, relative to the largest term of all, rows and columns made
    /// equally long.
    pub fn residual(&self) -> f64 {
        self.residual
    }

    /// All unknowns by column; those that are not determined have some value.
    pub fn unknowns(&self) -> &[f64] {
        &self.unknowns
    }

    /// Some unknowns as [`Requested::values`] reads them, none where they are not determined.
    ///
    /// # Errors
    /// [`SystemError::Size`] never, as long as what is requested is of the same system.
    pub fn values(&self, requested: &Requested) -> Result<Vec<Option<f64>>, SystemError> {
        let values = requested.values(self.system, &self.unknowns)?;
        let mut values: Vec<Option<f64>> = values.into_iter().map(Some).collect();
        for direction in self.open.column_iter() {
            let least = DEPENDS * direction.amax();
            let direction: Vec<f64> = direction.iter().copied().collect();
            let changes = requested.values(self.system, &direction)?;
            for (value, change) in values.iter_mut().zip(changes) {
                if change.abs() > least {
                    *value = None;
                }
            }
        }
        Ok(values)
    }
}
