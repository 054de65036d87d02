//! Derivatives of a solution by the state and the inputs, through the factors that solve it.

use crate::diagnosis::is_singular;
use crate::error::SystemError;
use crate::requested::Requested;
use crate::system::{AssemblyMemory, System};
use featherline::Error;
use featherline::scalar::{Dual, Scalar};
use featherline_compile::Graph;
use featherline_sparse::{GeneralError, GeneralLu};
use nalgebra::DMatrix;
use thiserror::Error;

/// How many directions are followed together.
const TOGETHER: usize = 8;

/// Why a solution has no derivatives.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum DerivativesError {
    /// The state can't be assembled, or a result is too large.
    #[error(transparent)]
    System(#[from] SystemError),
    /// There are more or fewer equations than unknowns.
    #[error(
        "derivatives are those of a square system, and this one has {rows} equations for {columns} unknowns. Say as much \
         as is needed and no more; a diagnosis tells what is open or redundant"
    )]
    NotSquare {
        /// How many equations there are.
        rows: usize,
        /// How many unknowns there are.
        columns: usize,
    },
    /// The equations depend on each other in this state.
    #[error("the system is singular in this state; a diagnosis tells what is not determined")]
    Singular,
    /// There is no factorisation.
    #[error(transparent)]
    General(#[from] GeneralError),
}

/// Differentiates the solution y of a square system D(q) y = b(q, v, inputs) by q, v and the
/// inputs: of inverse, forward and hybrid dynamics, and of every other set of knowns and sensors.
///
/// D ∂y = ∂b − ∂D y for each direction, with the factors of D (Golub and Van Loan 2013, *Matrix
/// computations*, section 2.6.1). ∂D and ∂b come from the equations, traced once, in dual numbers,
/// along the tangent space of q as in [`derivatives`](featherline::derivatives). Where loops are
/// closed, they are the derivatives along all motions that keep them so. Allocates. Cost
/// O((2 nv + inputs) n), a factorisation, and one for the rank.
///
/// ```
/// use featherline::{Workspace, samples};
/// use featherline_system::{DerivativeSolver, Problem, Requested, System};
///
/// let model = samples::double_pendulum();
/// let system = System::new(Problem::inverse_dynamics(model.clone()))?;
/// let (q, v, qdd) = ([0.3, -0.2], [1.0, 0.5], [0.0, 2.0]);
/// let found = DerivativeSolver::new(&system)?.solve(&q, &v, &qdd)?;
/// let torques = found.of(&Requested::JointForces)?;
///
/// let mut ws = Workspace::new(&model);
/// let expected = model.rnea_derivatives(&mut ws, &q, &v, &qdd)?;
/// assert!((&torques.dq - expected.dq).amax() < 1e-12);
/// assert!((&torques.dinputs - expected.da).amax() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DerivativeSolver<'s> {
    system: &'s System,
    memory: AssemblyMemory<f64>,
    /// q, ε, v and inputs → the entries of A, and r, at q ⊕ ε.
    equations: Graph,
    general: GeneralLu,
}

/// The solution of one state with its derivatives.
#[derive(Clone, Debug)]
pub struct SolutionDerivatives<'s> {
    system: &'s System,
    unknowns: Vec<f64>,
    all: DMatrix<f64>,
}

/// The derivatives of some unknowns, one row each, as [`Requested::values`] reads them.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputDerivatives {
    /// By changes of q in the tangent space: nv columns.
    pub dq: DMatrix<f64>,
    /// By v: nv columns.
    pub dv: DMatrix<f64>,
    /// By the inputs, what is known and the readings: [`System::input_count`] columns, in the order
    /// of [`System::input_groups`].
    pub dinputs: DMatrix<f64>,
}

impl<'s> DerivativeSolver<'s> {
    /// Memory for a system, whose equations are traced.
    ///
    /// # Errors
    /// [`DerivativesError::NotSquare`], [`DerivativesError::General`] for want of memory.
    pub fn new(system: &'s System) -> Result<Self, DerivativesError> {
        let pattern = system.sparsity();
        let (rows, columns) = (pattern.rows(), pattern.columns());
        if rows != columns {
            return Err(DerivativesError::NotSquare { rows, columns });
        }
        let (nq, nv) = (system.model().nq(), system.model().nv());
        let equations = Graph::try_record(nq + 2 * nv + system.input_count(), |numbers| {
            let [q, step, rest] = system.split(numbers);
            let moved = system.model().integrate(q, step)?;
            let (v, inputs) = rest.split_at(nv);
            let mut memory = AssemblyMemory::new(system);
            let (values, right) = system.assembled(&mut memory, [&moved, v, inputs])?;
            Ok::<_, SystemError>([values, right].concat())
        })?;
        Ok(Self {
            memory: AssemblyMemory::new(system),
            equations,
            general: GeneralLu::new(pattern.clone())?,
            system,
        })
    }

    /// The solution of a state and its derivatives: `q` has nq entries, `v` nv, `inputs`
    /// [`System::input_count`].
    ///
    /// # Errors
    /// [`DerivativesError::Singular`]; [`DerivativesError::System`] as [`System::assemble`], and
    /// for a result that is not finite.
    pub fn solve(
        &mut self,
        q: &[f64],
        v: &[f64],
        inputs: &[f64],
    ) -> Result<SolutionDerivatives<'s>, DerivativesError> {
        let (system, pattern) = (self.system, self.system.sparsity());
        let (values, right) = system.assembled(&mut self.memory, [q, v, inputs])?;
        if is_singular(system, q)? {
            return Err(DerivativesError::Singular);
        }
        let factors = self.general.factorise(&values)?;
        let mut y = DMatrix::from_vec(right.len(), 1, right);
        factors.solve_in_place(&mut y);
        let constant: Vec<Dual<f64, TOGETHER>> = y.iter().copied().map(Dual::constant).collect();
        let state = [q, &vec![0.0; v.len()], v, inputs].concat();
        let count = state.len() - q.len();
        let mut all = DMatrix::zeros(y.len(), count);
        for first in (0..count).step_by(TOGETHER) {
            // Numbers before and behind these directions do not vary.
            let varied = state.iter().enumerate().map(|(k, &number)| {
                Dual::<f64, TOGETHER>::variable(number, k.wrapping_sub(q.len() + first))
            });
            let numbers: Vec<Dual<f64, TOGETHER>> = varied.collect();
            let found = self.equations.evaluate(&numbers);
            let found = found.map_err(SystemError::from)?;
            let (values, right) = found.split_at(pattern.entries());
            let left = pattern.times(values, &constant);
            for (row, (right, left)) in right.iter().zip(&left).enumerate() {
                // ∂b − ∂D y
                for k in 0..TOGETHER.min(count - first) {
                    all[(row, first + k)] = right.tangent[k] - left.tangent[k];
                }
            }
        }
        factors.solve_in_place(&mut all);
        if !y.iter().chain(&all).all(|number| number.is_finite()) {
            let what = "a derivative";
            return Err(SystemError::from(Error::Overflow { what }).into());
        }
        Ok(SolutionDerivatives {
            system,
            unknowns: y.as_slice().to_vec(),
            all,
        })
    }
}

impl SolutionDerivatives<'_> {
    /// All unknowns, by column of the system.
    pub fn unknowns(&self) -> &[f64] {
        &self.unknowns
    }

    /// The derivatives of all unknowns, one row each, by q, v and the inputs: 2 nv +
    /// [`System::input_count`] columns.
    pub fn all(&self) -> &DMatrix<f64> {
        &self.all
    }

    /// The derivatives of some unknowns.
    ///
    /// # Errors
    /// [`SystemError::LoopIsCut`] as [`Requested::values`].
    pub fn of(&self, requested: &Requested) -> Result<OutputDerivatives, SystemError> {
        let (system, all, nv) = (self.system, &self.all, self.system.model().nv());
        let height = requested.columns(system).len();
        let mut numbers = Vec::with_capacity(height * all.ncols());
        for column in all.as_slice().chunks_exact(all.nrows()) {
            numbers.extend(requested.values(system, column)?);
        }
        let of = |first: usize, count: usize| {
            let own = &numbers[first * height..(first + count) * height];
            DMatrix::from_column_slice(height, count, own)
        };
        Ok(OutputDerivatives {
            dq: of(0, nv),
            dv: of(nv, nv),
            dinputs: of(2 * nv, system.input_count()),
        })
    }
}
